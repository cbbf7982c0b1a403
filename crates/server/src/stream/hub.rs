//! All streams of one person: what happens in their vault is told to each. An observer never waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::entry::{Body, Entry};
use domain::id::{ConversationId, ReplyId};
use harness::ports::{Channel, DeltaSource, Event, Observer};
use store::Vault;

use super::{Ending, Mailbox};
use crate::wire::frame::{Delta, Frame, Hint};

/// Streams a person may have at once (UI-12).
const MOST_STREAMS: usize = 8;

/// The streams of one open vault.
pub struct Hub {
    /// Where entries come from.
    pub vault: Vault,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    running: HashMap<ReplyId, Running>,
    streams: Vec<Arc<Mailbox>>,
    /// All streams were ended for this, and so is every one that comes later.
    ended: Option<Ending>,
}

/// A reply that is being written.
struct Running {
    conversation: ConversationId,
    text: String,
    reasoning: String,
}

impl Hub {
    /// No streams yet.
    pub fn new(vault: Vault) -> Self {
        Self { vault, inner: Mutex::default() }
    }

    /// Takes a stream in. The ninth makes the least recently active one give way.
    pub fn join(&self, mailbox: &Arc<Mailbox>) {
        let mut inner = self.lock();
        if let Some(why) = inner.ended {
            mailbox.end(why);
        }
        if inner.streams.len() >= MOST_STREAMS {
            let idlest = inner.streams.iter().enumerate().min_by_key(|(_, stream)| stream.heard()).map(|(at, _)| at);
            if let Some(at) = idlest {
                inner.streams.remove(at).end(Ending::TooMany);
            }
        }
        inner.streams.push(mailbox.clone());
    }

    /// Lets a stream go.
    pub fn leave(&self, mailbox: &Arc<Mailbox>) {
        self.lock().streams.retain(|stream| !Arc::ptr_eq(stream, mailbox));
    }

    /// Streams there are.
    pub fn count(&self) -> usize {
        self.lock().streams.len()
    }

    /// Puts one snapshot for each running reply of these conversations into a mailbox. Deltas that come later follow it,
    /// since both happen under one lock.
    pub fn snapshots(&self, mailbox: &Mailbox, conversations: &[String]) {
        let inner = self.lock();
        for (reply, running) in &inner.running {
            if conversations.iter().any(|id| id == running.conversation.as_str()) {
                mailbox.snapshot(reply.as_str(), running.frame(reply));
            }
        }
    }

    /// A snapshot of one reply, if it still runs.
    pub fn snapshot(&self, mailbox: &Mailbox, reply: &str) {
        let inner = self.lock();
        let reply = ReplyId::new(reply);
        if let Some(running) = inner.running.get(&reply) {
            mailbox.snapshot(reply.as_str(), running.frame(&reply));
        }
    }

    /// Tells all streams that a resource changed.
    pub fn hint(&self, resource: &'static str, id: Option<String>) {
        let hint = Hint { resource: resource.into(), id };
        self.lock().streams.iter().for_each(|stream| stream.hint(&hint));
    }

    /// Ends the streams of a session that is over.
    pub fn end_session(&self, session: &str) {
        self.lock()
            .streams
            .iter()
            .filter(|stream| stream.session == session)
            .for_each(|stream| stream.end(Ending::Revoked));
    }

    /// Ends all streams, also those that are still to come.
    pub fn end_all(&self, why: Ending) {
        let mut inner = self.lock();
        inner.ended = Some(why);
        inner.streams.iter().for_each(|stream| stream.end(why));
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Hub {
    fn notify(&self, conversation: &ConversationId, event: Event<'_>) {
        let mut inner = self.lock();
        match event {
            Event::Recorded(entries) => entries.iter().for_each(|entry| inner.recorded(conversation, entry)),
            Event::Delta { source, channel, offset, text } => inner.delta(conversation, source, channel, offset, text),
            Event::DraftWithdrawn { reply, reason } => {
                inner.running.remove(reply);
                inner.streams.iter().for_each(|stream| stream.withdrawn(conversation, reply.as_str(), reason));
            }
        }
    }
}

impl Inner {
    fn recorded(&mut self, conversation: &ConversationId, entry: &Entry) {
        match &entry.body {
            Body::Replied(reply) => {
                self.running.remove(&reply.id);
                self.streams.iter().for_each(|stream| stream.finish(reply.id.as_str()));
            }
            // The end of a delegate leaves its turn running.
            Body::Ended { .. } if !entry.frame.is_outer() => self.hint("inbox"),
            Body::Ended { .. } => {
                self.running.retain(|_, running| running.conversation != *conversation);
                self.hint("inbox");
            }
            Body::Asked(_) | Body::Answered(_) | Body::Stopped => self.hint("inbox"),
            Body::Said(_)
            | Body::Withdrawn(_)
            | Body::Faltered(_)
            | Body::Held(_)
            | Body::Rejected { .. }
            | Body::Screened(_)
            | Body::Started { .. }
            | Body::Returned(_)
            | Body::Resumed
            | Body::Compacted(_)
            | Body::CompactionAsked
            | Body::Forked { .. }
            | Body::Switched { .. }
            | Body::Opened(_)
            | Body::Newer(_) => {}
        }
    }

    fn hint(&self, resource: &'static str) {
        let hint = Hint { resource: resource.into(), id: None };
        self.streams.iter().for_each(|stream| stream.hint(&hint));
    }

    fn delta(
        &mut self,
        conversation: &ConversationId,
        source: DeltaSource<'_>,
        part: Channel,
        offset: u64,
        text: &str,
    ) {
        let (reply, call) = match source {
            DeltaSource::Reply(reply) => (Some(reply), None),
            DeltaSource::Call(call) => (None, Some(call)),
        };
        if let Some(reply) = reply {
            self.keep(conversation, reply, part, text);
        }
        let delta = Delta {
            conversation: conversation.to_string(),
            reply_id: reply.map(ReplyId::to_string),
            call_id: call.map(ToString::to_string),
            channel: part.into(),
            offset,
            text: text.to_owned(),
        };
        self.streams.iter().for_each(|stream| stream.delta(&delta));
    }

    fn keep(&mut self, conversation: &ConversationId, reply: &ReplyId, part: Channel, text: &str) {
        let running = self.running.entry(reply.clone()).or_insert_with(|| Running {
            conversation: conversation.clone(),
            text: String::new(),
            reasoning: String::new(),
        });
        match part {
            Channel::Text => running.text.push_str(text),
            Channel::Reasoning => running.reasoning.push_str(text),
            Channel::Arguments | Channel::Output => {}
        }
    }
}

impl Running {
    fn frame(&self, reply: &ReplyId) -> Frame {
        Frame::snapshot(&self.conversation, reply, &self.text, &self.reasoning)
    }
}
