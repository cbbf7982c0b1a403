//! Frames of the event stream: one JSON object each.

use std::borrow::Cow;

use domain::id::{ConversationId, ReplyId};
use serde::{Deserialize, Serialize};
use store::Sequenced;

use super::entry::{EntryView, kind};
use super::word::Channel;

/// What the server sends.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Frame {
    /// A durable entry.
    Entry {
        /// Its place in the vault.
        seq: u64,
        /// Whole, or as a header.
        entry: Carried,
    },
    /// A piece of what is being written or put out.
    Delta(Delta),
    /// What was shown of a reply does not stand.
    Withdrawn {
        /// Where.
        conversation: String,
        /// The reply.
        reply_id: String,
        /// Why, for the person.
        reason: String,
    },
    /// A resource changed; look at it over HTTP.
    Hint(Hint),
    /// All of a running reply so far.
    Snapshot {
        /// Where.
        conversation: String,
        /// The reply.
        reply_id: String,
        /// Its text.
        text: String,
        /// Its reasoning.
        reasoning: String,
    },
    /// Everything up to here was sent.
    Live {
        /// Which history the numbers belong to.
        epoch: String,
        /// The last number.
        seq: u64,
    },
    /// The client's number means nothing here: load over HTTP and go on from this one.
    Reset {
        /// Which history the numbers belong to.
        epoch: String,
        /// The last number.
        seq: u64,
    },
    /// Are you there?
    Ping {},
}

/// An entry for those who watch its conversation, a header for others and where it is large.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Carried {
    /// The entry.
    Whole(Box<EntryView>),
    /// Where it is and what kind it has.
    Header {
        /// The header.
        header: Header,
    },
}

/// What those who do not watch hear of an entry.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EntryHeader"))]
pub struct Header {
    pub(crate) conversation: String,
    pub(crate) number: u64,
    pub(crate) kind: String,
    pub(crate) at: String,
}

/// A piece with its place, in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Delta {
    /// Where.
    pub conversation: String,
    /// The reply it belongs to, or
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_id: Option<String>,
    /// the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Its channel.
    pub channel: Channel,
    /// Bytes of the channel before it.
    pub offset: u64,
    /// The piece.
    pub text: String,
}

/// A resource that changed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Hint {
    /// `conversations` or `inbox`; a page looks at whichever it knows.
    pub resource: Cow<'static, str>,
    /// Which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// What a client sends.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "snake_case")]
pub enum ClientFrame {
    /// First of all.
    Open {
        /// The epoch it knows; absent for a client that knows nothing.
        #[serde(default)]
        epoch: Option<String>,
        /// The last number it has.
        #[serde(default)]
        seq: u64,
        /// The conversations it shows.
        #[serde(default)]
        watch: Vec<String>,
    },
    /// Other conversations are shown now.
    Watch(Vec<String>),
    /// A hole was met.
    Snapshot {
        /// The reply.
        reply_id: String,
    },
    /// Still there.
    Pong(#[cfg_attr(test, ts(type = "unknown"))] serde_json::Value),
}

/// The longest entry that is sent whole, in bytes of JSON (UI-17).
const WHOLE: usize = 32 * 1024;

impl Frame {
    /// The JSON text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("frames are plain data with text keys")
    }

    /// The text of an entry's frame.
    pub fn entry(item: &Sequenced, watched: bool) -> String {
        let seq = item.seq;
        if watched {
            let view = EntryView::new(&item.conversation, Some(seq), &item.entry);
            let text = Self::Entry { seq, entry: Carried::Whole(Box::new(view)) }.text();
            if text.len() <= WHOLE {
                return text;
            }
        }
        let header = Header {
            conversation: item.conversation.to_string(),
            number: item.entry.number.0,
            kind: kind(&item.entry.body).to_owned(),
            at: item.entry.at.rfc3339(),
        };
        Self::Entry { seq, entry: Carried::Header { header } }.text()
    }

    /// The frame of a snapshot.
    pub fn snapshot(conversation: &ConversationId, reply: &ReplyId, text: &str, reasoning: &str) -> Self {
        Self::Snapshot {
            conversation: conversation.to_string(),
            reply_id: reply.to_string(),
            text: text.to_owned(),
            reasoning: reasoning.to_owned(),
        }
    }
}
