//! A line of the list of conversations.

use domain::conversation::Conversation;
use domain::setting::Setting;
use serde::Serialize;
use store::{ConversationState, ConversationSummary};

use super::word::Activity;

/// One conversation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Conversation", optional_fields))]
pub struct ConversationView {
    id: String,
    title: String,
    created_at: String,
    updated_at: String,
    archived: bool,
    head: u64,
    activity: Activity,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    waiting: usize,
}

/// A page of the list.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ConversationPage {
    /// Its lines, newest first.
    pub items: Vec<ConversationView>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl ConversationView {
    /// A conversation in which no turn runs.
    pub fn quiet(summary: &ConversationSummary) -> Self {
        Self {
            id: summary.id.to_string(),
            title: summary.title.clone(),
            created_at: summary.created_at.rfc3339(),
            updated_at: summary.changed_at.rfc3339(),
            archived: summary.state == ConversationState::Archived,
            head: summary.head,
            activity: Activity::Quiet,
            turn: None,
            waiting: 0,
        }
    }

    /// A conversation with the turn that its fold says.
    pub fn with_turn(summary: &ConversationSummary, conversation: &Conversation, setting: &Setting) -> Self {
        Self {
            activity: conversation.activity(setting).into(),
            turn: conversation.live().map(|turn| turn.id().to_string()),
            waiting: conversation.pending().len(),
            ..Self::quiet(summary)
        }
    }
}
