//! An observer that keeps what it heard.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::entry::Entry;
use domain::id::ConversationId;
use harness::ports::{Channel, DeltaSource, Event, Observer};

/// What was heard, owned.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// Entries became durable.
    Recorded(Vec<Entry>),
    /// A piece of a channel.
    Delta {
        /// The reply or call.
        source: String,
        /// Its channel.
        channel: Channel,
        /// Bytes before it.
        offset: u64,
        /// The piece.
        text: String,
    },
    /// A draft does not stand.
    DraftWithdrawn {
        /// The reply.
        reply: String,
        /// Why.
        reason: String,
    },
}

/// Keeps all that it hears, in order.
#[derive(Debug, Default)]
pub struct Collect(Mutex<Vec<Heard>>);

impl Collect {
    /// All that was heard so far.
    pub fn heard(&self) -> Vec<Heard> {
        self.lock().clone()
    }

    /// The text shown of one channel of one reply or call, if its pieces fit together.
    pub fn shown(&self, wanted: &str, on: Channel) -> Option<String> {
        let mut shown = String::new();
        for heard in self.lock().iter() {
            if let Heard::Delta { source, channel, offset, text } = heard
                && source == wanted
                && *channel == on
            {
                if usize::try_from(*offset) != Ok(shown.len()) {
                    return None;
                }
                shown.push_str(text);
            }
        }
        Some(shown)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Heard>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Collect {
    fn notify(&self, _: &ConversationId, event: Event<'_>) {
        let heard = match event {
            Event::Recorded(entries) => Heard::Recorded(entries.to_vec()),
            Event::Delta { source, channel, offset, text } => {
                let source = match source {
                    DeltaSource::Reply(reply) => reply.to_string(),
                    DeltaSource::Call(call) => call.to_string(),
                };
                Heard::Delta { source, channel, offset, text: text.to_owned() }
            }
            Event::DraftWithdrawn { reply, reason } => {
                Heard::DraftWithdrawn { reply: reply.to_string(), reason: reason.to_owned() }
            }
        };
        self.lock().push(heard);
    }
}
