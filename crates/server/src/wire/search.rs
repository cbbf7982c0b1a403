//! Hits of a search.

use serde::Serialize;
use store::{ConversationState, Hit, Piece, Speaker};

/// A page of hits.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct HitPage {
    /// The hits, newest first.
    pub items: Vec<HitView>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A place where all the words are.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Hit"))]
pub struct HitView {
    conversation: String,
    title: String,
    archived: bool,
    /// The number of the entry in its conversation.
    entry: u64,
    speaker: SpeakerWord,
    at: String,
    excerpt: Vec<PieceView>,
}

/// Who spoke.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Speaker"))]
#[serde(rename_all = "snake_case")]
pub enum SpeakerWord {
    /// The person.
    Person,
    /// A model.
    Model,
}

/// A stretch of an excerpt.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Piece"))]
pub struct PieceView {
    text: String,
    /// Whether it is one of the words.
    hit: bool,
}

impl From<Hit> for HitView {
    fn from(hit: Hit) -> Self {
        Self {
            conversation: hit.conversation.to_string(),
            title: hit.title,
            archived: hit.state == ConversationState::Archived,
            entry: hit.number,
            speaker: match hit.speaker {
                Speaker::Person => SpeakerWord::Person,
                Speaker::Model => SpeakerWord::Model,
            },
            at: hit.at.rfc3339(),
            excerpt: hit.excerpt.into_iter().map(|Piece { text, hit }| PieceView { text, hit }).collect(),
        }
    }
}
