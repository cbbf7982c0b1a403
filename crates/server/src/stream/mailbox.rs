//! What waits for one stream beside entries: deltas, merged and dropped when there are too many, and small frames.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::id::ConversationId;
use domain::time::Timestamp;
use tokio::sync::Notify;

use super::Ending;
use crate::wire::frame::{Delta, Frame, Hint};

/// Frames that may wait (UI-18).
const MOST_FRAMES: usize = 256;
/// Bytes of deltas that may wait (UI-18).
const MOST_BYTES: usize = 1024 * 1024;
/// Deltas of one channel are joined up to this many bytes (UI-16).
const JOINED: usize = 8 * 1024;
/// Replies whose end is remembered, so that a late delta does not revive one.
const FINISHED: usize = 64;

/// The mailbox of one stream.
pub struct Mailbox {
    /// Which session opened the stream.
    pub session: String,
    bell: Notify,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    watched: HashSet<String>,
    deltas: VecDeque<Delta>,
    bytes: usize,
    frames: VecDeque<Frame>,
    finished: VecDeque<String>,
    /// Replies of which something was dropped: nothing more of them goes out until a snapshot.
    holed: HashSet<String>,
    ending: Option<Ending>,
    heard: Timestamp,
}

/// What a stream takes out at once.
#[derive(Default)]
pub struct Taken {
    /// Snapshots, hints and withdrawals, oldest first.
    pub frames: Vec<Frame>,
    /// Deltas, oldest first.
    pub deltas: Vec<Delta>,
    /// Why the stream is to end.
    pub ending: Option<Ending>,
}

impl Mailbox {
    /// An empty mailbox of a session.
    pub fn new(session: String, now: Timestamp) -> Self {
        let inner = Inner { heard: now, ..Inner::default() };
        Self { session, bell: Notify::new(), inner: Mutex::new(inner) }
    }

    /// Resolves once something waits.
    pub async fn rung(&self) {
        self.bell.notified().await;
    }

    /// Which conversations the client shows from now on. Returns those that are new.
    pub fn watch(&self, conversations: Vec<String>) -> Vec<String> {
        let mut inner = self.lock();
        let new: Vec<_> = conversations.iter().filter(|id| !inner.watched.contains(*id)).cloned().collect();
        inner.watched = conversations.into_iter().collect();
        new
    }

    /// Whether the client shows a conversation.
    pub fn watches(&self, conversation: &ConversationId) -> bool {
        self.lock().watched.contains(conversation.as_str())
    }

    /// Takes in a delta, if the client shows its conversation.
    pub fn delta(&self, delta: &Delta) {
        let mut inner = self.lock();
        if inner.takes(delta) {
            inner.put(delta.clone());
            drop(inner);
            self.bell.notify_one();
        }
    }

    /// All of a reply so far, in place of the deltas that wait.
    pub fn snapshot(&self, reply: &str, frame: Frame) {
        let mut inner = self.lock();
        if inner.finished.iter().any(|finished| finished == reply) {
            return;
        }
        inner.forget(reply);
        inner.holed.remove(reply);
        inner.frames.push_back(frame);
        drop(inner);
        self.bell.notify_one();
    }

    /// A reply is over: nothing more of it goes out.
    pub fn finish(&self, reply: &str) {
        self.lock().finish(reply);
    }

    /// A reply does not stand.
    pub fn withdrawn(&self, conversation: &ConversationId, reply: &str, reason: &str) {
        let mut inner = self.lock();
        inner.finish(reply);
        if inner.watched.contains(conversation.as_str()) {
            inner.frames.push_back(Frame::Withdrawn {
                conversation: conversation.to_string(),
                reply_id: reply.to_owned(),
                reason: reason.to_owned(),
            });
        }
        drop(inner);
        self.bell.notify_one();
    }

    /// A resource changed. The same hint twice says no more than once.
    pub fn hint(&self, hint: &Hint) {
        let mut inner = self.lock();
        let waits = inner.frames.iter().any(|frame| matches!(frame, Frame::Hint(waiting) if waiting == hint));
        if !waits && inner.frames.len() < MOST_FRAMES {
            inner.frames.push_back(Frame::Hint(hint.clone()));
        }
        drop(inner);
        self.bell.notify_one();
    }

    /// Ends the stream.
    pub fn end(&self, why: Ending) {
        self.lock().ending.get_or_insert(why);
        self.bell.notify_one();
    }

    /// When the client was last heard of.
    pub fn heard(&self) -> Timestamp {
        self.lock().heard
    }

    /// The client was heard of.
    pub fn hears(&self, now: Timestamp) {
        self.lock().heard = now;
    }

    /// Takes out all that waits.
    pub fn take(&self) -> Taken {
        let mut inner = self.lock();
        inner.bytes = 0;
        Taken {
            frames: inner.frames.drain(..).collect(),
            deltas: inner.deltas.drain(..).collect(),
            ending: inner.ending,
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        let inner = self.lock();
        inner.ending.is_none() && inner.frames.is_empty() && inner.deltas.is_empty()
    }

    /// Whether a frame or an end waits, which is not delayed to join deltas, or deltas fill a frame.
    pub fn is_urgent(&self) -> bool {
        let inner = self.lock();
        inner.ending.is_some() || !inner.frames.is_empty() || inner.bytes >= JOINED
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn takes(&self, delta: &Delta) -> bool {
        let ended = |id: &String| self.finished.contains(id) || self.holed.contains(id);
        self.watched.contains(&delta.conversation) && !delta.reply_id.as_ref().is_some_and(ended)
    }

    /// Joins a delta to the one before it, or drops what waits of its reply when there is no room.
    fn put(&mut self, delta: Delta) {
        let full = self.deltas.len() >= MOST_FRAMES || self.bytes + delta.text.len() > MOST_BYTES;
        if let (true, Some(reply)) = (full, &delta.reply_id) {
            let reply = reply.clone();
            self.forget(&reply);
            self.holed.insert(reply);
            return;
        }
        if full {
            return;
        }
        self.bytes += delta.text.len();
        match self.deltas.back_mut().filter(|last| follows(last, &delta)) {
            Some(last) => last.text.push_str(&delta.text),
            None => self.deltas.push_back(delta),
        }
    }

    fn forget(&mut self, reply: &str) {
        self.deltas.retain(|delta| delta.reply_id.as_deref() != Some(reply));
        self.bytes = self.deltas.iter().map(|delta| delta.text.len()).sum();
    }

    fn finish(&mut self, reply: &str) {
        self.forget(reply);
        self.holed.remove(reply);
        self.finished.push_back(reply.to_owned());
        if self.finished.len() > FINISHED {
            self.finished.pop_front();
        }
    }
}

fn follows(last: &Delta, next: &Delta) -> bool {
    last.channel == next.channel
        && last.reply_id == next.reply_id
        && last.call_id == next.call_id
        && last.offset + last.text.len() as u64 == next.offset
        && last.text.len() + next.text.len() <= JOINED
}
