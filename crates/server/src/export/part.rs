//! What a reader of an exported conversation sees, piece by piece, whatever it is written as.

use std::collections::{HashMap, HashSet};

use domain::entry::{Body, Entry};
use domain::footer::SideEffect;
use domain::id::{CallId, MessageId};
use domain::model::Reply;
use domain::outcome::Outcome;
use domain::time::Timestamp;

use super::Wanted;

/// One piece.
pub(super) struct Part<'a> {
    pub(super) at: Timestamp,
    pub(super) what: What<'a>,
}

/// What it is.
pub(super) enum What<'a> {
    /// A person said something.
    Said(&'a str),
    /// A model thought something.
    Thought(&'a str),
    /// A model said something.
    Replied { model: &'a str, text: &'a str },
    /// A model called a tool; the label is the host's, where the call came so far.
    Called { tool: &'a str, label: Option<&'a str> },
    /// What a call returned.
    Returned { tool: &'a str, text: &'a str },
    /// A line of the host.
    Host(String),
}

/// The pieces of these entries, in order.
pub(super) fn parts(entries: &[Entry], wanted: Wanted) -> Vec<Part<'_>> {
    let labels = labels(entries);
    let tools = tools(entries);
    let taken_back = taken_back(entries);
    let mut parts = Vec::new();
    // What a delegate said is its caller's; the caller's result has its answer.
    for entry in entries.iter().filter(|entry| entry.frame.is_outer()) {
        let what = match &entry.body {
            Body::Said(message) if taken_back.contains(&message.id) => Vec::new(),
            Body::Said(message) => vec![What::Said(&message.text)],
            Body::Replied(reply) => replied(reply, &labels, wanted),
            Body::Returned(result) if wanted.results => {
                let tool = tools.get(&result.call).copied().unwrap_or_default();
                vec![What::Returned { tool, text: &result.text }]
            }
            Body::Ended { outcome, footer } => ended(outcome, footer),
            Body::Compacted(compacted) => vec![What::Host(compacted.sentence())],
            Body::Held(held) => vec![What::Host(held.sentence())],
            Body::Withdrawn(_)
            | Body::Faltered(_)
            | Body::Rejected { .. }
            | Body::Screened(_)
            | Body::Asked(_)
            | Body::Answered(_)
            | Body::Started { .. }
            | Body::Returned(_)
            | Body::Resumed
            | Body::Stopped
            | Body::CompactionAsked
            | Body::Forked { .. }
            | Body::Switched { .. }
            | Body::Opened(_)
            | Body::Newer(_) => Vec::new(),
        };
        parts.extend(what.into_iter().map(|what| Part { at: entry.at, what }));
    }
    parts
}

/// Messages that no model has read, since their person took them back.
fn taken_back(entries: &[Entry]) -> HashSet<&MessageId> {
    let withdrawn = entries.iter().filter_map(|entry| {
        let Body::Withdrawn(message) = &entry.body else { return None };
        Some(message)
    });
    withdrawn.collect()
}

fn labels(entries: &[Entry]) -> HashMap<&CallId, &str> {
    let screened = entries.iter().filter_map(|entry| {
        let Body::Screened(screened) = &entry.body else { return None };
        Some((&screened.call, screened.label.as_str()))
    });
    screened.collect()
}

fn tools(entries: &[Entry]) -> HashMap<&CallId, &str> {
    let replies = entries.iter().filter_map(|entry| {
        let Body::Replied(reply) = &entry.body else { return None };
        Some(&reply.sampled.calls)
    });
    replies.flatten().map(|call| (&call.id, call.tool.as_str())).collect()
}

fn replied<'a>(reply: &'a Reply, labels: &HashMap<&CallId, &'a str>, wanted: Wanted) -> Vec<What<'a>> {
    let said = &reply.sampled;
    let mut parts = Vec::new();
    if wanted.reasoning && !said.reasoning.trim().is_empty() {
        parts.push(What::Thought(&said.reasoning));
    }
    if !said.text.trim().is_empty() {
        parts.push(What::Replied { model: &said.model, text: &said.text });
    }
    let called = |call: &'a domain::call::ToolCall| What::Called {
        tool: call.tool.as_str(),
        label: labels.get(&call.id).copied(),
    };
    parts.extend(said.calls.iter().map(called));
    parts
}

/// How a turn ended, where that is worth a line, and what it did.
fn ended<'a>(outcome: &Outcome, footer: &[SideEffect]) -> Vec<What<'a>> {
    let sentence = (*outcome != Outcome::Answered).then(|| What::Host(outcome.sentence()));
    let effects = footer.iter().map(|row| What::Host(effect(row)));
    sentence.into_iter().chain(effects).collect()
}

fn effect(row: &SideEffect) -> String {
    format!("{} {}: {}", row.tool, row.target, row.state.words())
}
