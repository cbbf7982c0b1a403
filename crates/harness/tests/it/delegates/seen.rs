//! What the entries of a turn with delegates say, found without the fold.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use domain::entry::{Body, Entry};
use domain::footer::SideEffect;
use domain::id::CallId;
use domain::limits::Limits;
use domain::outcome::Outcome;
use domain::result::Status;
use testkit::transcript::entry;
use testkit::world::Done;

use super::workers::DELEGATES;

#[derive(Default)]
pub(crate) struct Seen<'a> {
    /// Calls that were made, with the number of their results.
    calls: BTreeMap<&'a CallId, usize>,
    /// The calls of the turn itself, and their results in the order in which they were recorded.
    made: Vec<&'a CallId>,
    returned: Vec<(&'a CallId, Status, &'a str)>,
    /// Frames that were begun and ended.
    opened: BTreeSet<&'a str>,
    ended: BTreeSet<&'a str>,
    rounds: usize,
    decoded: u64,
    started: BTreeSet<&'a CallId>,
    end: Option<(&'a Outcome, &'a [SideEffect])>,
    wrong: Vec<String>,
}

impl<'a> Seen<'a> {
    pub(crate) fn of(entries: &'a [Entry]) -> Self {
        let mut seen = Self::default();
        entries.iter().for_each(|entry| seen.take(entry));
        seen
    }

    fn take(&mut self, entry: &'a Entry) {
        let frame = entry.frame.call();
        if let Some(frame) = frame
            && !matches!(entry.body, Body::Opened(_))
            && (!self.opened.contains(frame) || self.ended.contains(frame))
        {
            self.wrong.push(format!("entry {} stands outside the life of its frame", entry.number.0));
        }
        match &entry.body {
            Body::Replied(reply) => {
                for call in &reply.sampled.calls {
                    if self.calls.insert(&call.id, 0).is_some() {
                        self.wrong.push(format!("{} was made twice", call.id));
                    }
                }
                if frame.is_none() {
                    self.made.extend(reply.sampled.calls.iter().map(|call| &call.id));
                }
                // The last reply of the turn comes on top of a purse that is spent.
                if frame.is_some() || !reply.forbidden {
                    self.rounds += 1;
                    self.decoded += u64::from(reply.sampled.usage.decoded.unwrap_or(0));
                }
            }
            Body::Opened(opened) => {
                let fresh = self.opened.insert(opened.call.as_str());
                let twice = (!fresh).then(|| format!("the frame of {} was opened twice", opened.call));
                self.wrong.extend(twice);
            }
            Body::Started { call, .. } => drop(self.started.insert(call)),
            Body::Rejected { call, .. } => self.settle(call),
            Body::Returned(result) => {
                self.settle(&result.call);
                if frame.is_none() {
                    self.returned.push((&result.call, result.status, &result.text));
                }
            }
            Body::Ended { outcome, footer } => match frame {
                Some(frame) => drop(self.ended.insert(frame)),
                None => self.end = Some((outcome, footer)),
            },
            _ => {}
        }
    }

    fn settle(&mut self, call: &'a CallId) {
        *self.calls.entry(call).or_default() += 1;
    }

    pub(crate) fn outcome(&self) -> Option<&'a Outcome> {
        self.end.map(|(outcome, _)| outcome)
    }

    /// The results of the delegates of the turn itself, in the order in which they were recorded.
    pub(crate) fn results(&self) -> impl Iterator<Item = (Status, &'a str)> {
        self.returned.iter().map(|(_, status, text)| (*status, *text))
    }

    /// Each call has one result, in source order; each frame has an end; each effect is there once and in the footer once.
    pub(crate) fn check(&self, done: &[Done]) -> Result<(), String> {
        if let Some(wrong) = self.wrong.first() {
            return Err(wrong.clone());
        }
        if let Some((call, count)) = self.calls.iter().find(|(_, count)| **count != 1) {
            return Err(format!("{call} has {count} results"));
        }
        let order: Vec<_> = self.returned.iter().map(|(call, ..)| *call).collect();
        if self.made != order {
            return Err(format!("the results stand in another order: {order:?}"));
        }
        if !self.made.is_empty() && self.made.len() != DELEGATES {
            return Err(format!("{} delegates were called", self.made.len()));
        }
        if self.opened != self.ended {
            return Err("a frame has no end".to_owned());
        }
        let footer: Vec<&CallId> =
            self.end.into_iter().flat_map(|(_, footer)| footer).map(|effect| &effect.call).collect();
        let once: BTreeSet<&CallId> = footer.iter().copied().collect();
        let happened: BTreeSet<&CallId> = done.iter().map(|done| &done.call).collect();
        if once.len() != footer.len() || happened.len() != done.len() || !happened.is_subset(&once) {
            return Err(format!("done were {happened:?}, the footer lists {footer:?}"));
        }
        Ok(())
    }

    /// Whether no limit of the turn was passed.
    pub(crate) fn within(&self, limits: &Limits) -> Result<(), String> {
        let (rounds, calls, decoded) = (self.rounds, self.started.len(), self.decoded);
        if rounds > limits.rounds || calls > limits.calls || decoded > limits.decoded_tokens {
            return Err(format!("{rounds} rounds, {calls} calls and {decoded} tokens of {limits:?}"));
        }
        Ok(())
    }
}

pub(crate) fn print(entries: &[Entry]) -> String {
    entries.iter().fold(String::new(), |mut text, one| {
        let _ = writeln!(text, "{:4} [{}] {}", one.number.0, one.frame.call().unwrap_or(""), entry(one));
        text
    })
}
