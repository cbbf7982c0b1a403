//! A line of the list of conversations.

use domain::conversation::{Activity, Conversation};
use domain::setting::Setting;
use serde::Serialize;
use store::{ConversationState, ConversationSummary};

/// One conversation.
#[derive(Debug, Serialize)]
pub struct ConversationView {
    id: String,
    title: String,
    created_at: String,
    updated_at: String,
    archived: bool,
    head: u64,
    activity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    waiting: usize,
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
            activity: "quiet",
            turn: None,
            waiting: 0,
        }
    }

    /// A conversation with the turn that its fold says.
    pub fn with_turn(summary: &ConversationSummary, conversation: &Conversation, setting: &Setting) -> Self {
        let activity = match conversation.activity(setting) {
            Activity::Quiet => "quiet",
            Activity::Running => "running",
            Activity::Resting => "resting",
        };
        Self {
            activity,
            turn: conversation.live().map(|turn| turn.id().to_string()),
            waiting: conversation.pending().len(),
            ..Self::quiet(summary)
        }
    }
}
