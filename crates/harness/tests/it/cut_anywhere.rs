//! A1: the process dies at any append of any transcript, before or after the write, and starts again. The end is the
//! same, each call has one result, and no side effect is doubled.
//!
//! "The same end" has two honest exceptions. A call that can be neither repeated nor looked up, cut between its start
//! and its result, may end as Interrupted (or Cancelled, if the turn ends there) instead of what it would have said. And a reply that is lost is asked for
//! again, with what the person wrote meanwhile: then messages and replies may meet in another order. Of such a play
//! everything else is asked: one result a call, no doubled effect, each message read once, a turn that ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::compact::Fold;
use domain::context::Item;
use domain::entry::{Body, Entry};
use domain::model::StopReason;
use domain::outcome::Outcome;
use domain::result::Status;
use testkit::journal::{Moment, Trap, TrapAt};
use testkit::transcript::{Played, Stage, print};

use crate::transcripts::{self, Transcript};

#[tokio::test(start_paused = true)]
async fn cut_anywhere_ends_alike() {
    for transcript in transcripts::all() {
        cut_one(&transcript).await;
    }
}

async fn cut_one(transcript: &Transcript) {
    let script = transcript.script();
    let whole = Stage::play(&script, None).await;
    for append in 1..=whole.appends {
        for moment in [Moment::Before, Moment::After] {
            let cut = Stage::play(&script, Some(Trap { at: TrapAt::Append(append), moment })).await;
            let place = format!("{}, cut {moment:?} append {append}", transcript.name);
            if let Err(reason) = ends_alike(&whole, &cut) {
                panic!("{place}: {reason}\n{}", print(&cut));
            }
        }
    }
}

fn ends_alike(whole: &Played, cut: &Played) -> Result<(), String> {
    each_call_has_one_result(cut)?;
    no_effect_is_doubled(cut)?;
    each_message_is_read_once(cut)?;
    same(whole.conversation.live().is_some(), cut.conversation.live().is_some(), "whether a turn is open")?;
    if cut.out_of_step {
        return Ok(());
    }
    same(outcomes(whole), outcomes(cut), "the outcomes")?;
    let (one, two) = (statuses(whole), statuses(cut));
    same(one.keys().collect::<Vec<_>>(), two.keys().collect(), "the calls")?;
    let mut unknown = false;
    for (call, status) in &one {
        let other = two[call];
        unknown |= *status != other;
        let not_known = is_not_known(*status) || is_not_known(other);
        if *status != other && !(not_known && cannot_be_repeated(cut, call)) {
            return Err(format!("{call} ended as {other:?} instead of {status:?}"));
        }
    }
    if !unknown {
        same(&whole.files, &cut.files, "the files")?;
        same(history(whole), history(cut), "what the model reads")?;
    }
    Ok(())
}

fn same<T: PartialEq + std::fmt::Debug>(one: T, two: T, what: &str) -> Result<(), String> {
    if one == two { Ok(()) } else { Err(format!("{what} differ: {one:?} and {two:?}")) }
}

pub(crate) fn each_call_has_one_result(played: &Played) -> Result<(), String> {
    // A conversation that a newer version has written in does not go on, and its calls stay open.
    let open = played.conversation.is_read_only();
    for call in calls(&played.entries) {
        let results = played.entries.iter().filter(|entry| match &entry.body {
            Body::Returned(result) => result.call.as_str() == call,
            Body::Rejected { call: rejected, .. } => rejected.as_str() == call,
            _ => false,
        });
        let count = results.count();
        if count != 1 && !(open && count == 0) {
            return Err(format!("{call} has {count} results"));
        }
    }
    Ok(())
}

pub(crate) fn no_effect_is_doubled(played: &Played) -> Result<(), String> {
    let mut seen = BTreeMap::new();
    for done in &played.done {
        *seen.entry(done.call.as_str()).or_insert(0) += 1;
    }
    match seen.into_iter().find(|(_, count)| *count > 1) {
        None => Ok(()),
        Some((call, count)) => Err(format!("{call} was done {count} times")),
    }
}

/// Each message that was recorded and not taken back stands once in what the model reads.
fn each_message_is_read_once(played: &Played) -> Result<(), String> {
    if played.conversation.live().is_some() {
        return Ok(());
    }
    let kept = &played.entries[first_kept(&played.entries)..];
    let said = kept.iter().filter(|entry| matches!(entry.body, Body::Said(_))).count();
    let withdrawn = kept.iter().filter(|entry| matches!(entry.body, Body::Withdrawn(_))).count();
    let read = played.conversation.history().iter().filter(|item| matches!(***item, Item::Person { .. })).count();
    same(said - withdrawn, read, "messages said and read")
}

/// The first entry that no summary stands for.
fn first_kept(entries: &[Entry]) -> usize {
    let cut = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Compacted(compacted) => match &compacted.fold {
            Fold::Summarised { cut, .. } => Some(&cut.turn),
            Fold::Demoted(_) | Fold::Unchanged(_) => None,
        },
        _ => None,
    });
    cut.and_then(|turn| entries.iter().position(|entry| entry.turn == *turn)).unwrap_or(0)
}

fn calls(entries: &[Entry]) -> Vec<&str> {
    let replies = entries.iter().filter_map(|entry| match &entry.body {
        Body::Replied(reply) => Some(reply),
        _ => None,
    });
    replies.flat_map(|reply| &reply.sampled.calls).map(|call| call.id.as_str()).collect()
}

fn outcomes(played: &Played) -> Vec<&Outcome> {
    let ended = played.entries.iter().filter_map(|entry| match &entry.body {
        Body::Ended { outcome, .. } => Some(outcome),
        _ => None,
    });
    ended.collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Rejected,
    Returned(Status),
}

fn is_not_known(ended: Ended) -> bool {
    matches!(ended, Ended::Returned(Status::Interrupted | Status::Cancelled))
}

fn statuses(played: &Played) -> BTreeMap<&str, Ended> {
    let ended = played.entries.iter().filter_map(|entry| match &entry.body {
        Body::Returned(result) => Some((result.call.as_str(), Ended::Returned(result.status))),
        Body::Rejected { call, .. } => Some((call.as_str(), Ended::Rejected)),
        _ => None,
    });
    ended.collect()
}

/// Whether the tool of a call declares Never, or cannot tell whether a cut run landed.
fn cannot_be_repeated(played: &Played, call: &str) -> bool {
    let made = played.entries.iter().find_map(|entry| match &entry.body {
        Body::Replied(reply) => reply.sampled.calls.iter().find(|made| made.id.as_str() == call),
        _ => None,
    });
    made.is_some_and(|made| ["ring", "fails", "breaks"].contains(&made.tool.as_str()))
}

/// What the model reads, without what a cut may honestly change: the words of a result that was cancelled or
/// interrupted, and the beginning of a reply that was stopped.
fn history(played: &Played) -> Vec<Item> {
    let stopped: Vec<&str> = played
        .entries
        .iter()
        .filter_map(|entry| match &entry.body {
            Body::Replied(reply) if reply.sampled.stop == StopReason::Cancelled => Some(reply.sampled.text.as_str()),
            _ => None,
        })
        .collect();
    let keep = |item: &&Arc<Item>| !matches!(&***item, Item::Model { text, .. } if stopped.contains(&text.as_str()));
    played.conversation.history().iter().filter(keep).map(|item| plain(item)).collect()
}

fn plain(item: &Item) -> Item {
    match item {
        Item::Result { call, tool, text } if text.starts_with("Cancelled:") || text.starts_with("Interrupted:") => {
            let text = text.split(':').next().unwrap_or_default().to_owned();
            Item::Result { call: call.clone(), tool: tool.clone(), text }
        }
        other => other.clone(),
    }
}
