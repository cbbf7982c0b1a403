//! What keeps a turn from going in circles: calls that are not run again, and rounds that only repeat or fail. Told by
//! calls, arguments and results alone, never by words.

use super::around::Others;
use super::call::CallState;
use super::{Round, Turn};
use crate::call::ValidCall;
use crate::delegate::is_delegate;
use crate::entry::Screened;
use crate::result::Status;
use crate::scratchpad::is_scratchpad;
use crate::tool::ToolName;

/// How often a call may fail with equal arguments while nothing changes.
const FAILURES: usize = 2;

/// The most calls of a cycle, and how often it is done before the turn ends.
const CYCLE: usize = 4;
const CYCLES: usize = 3;

/// Rounds of failures only after which the turn ends.
const FAILED_ROUNDS: usize = 6;

impl Turn {
    /// Why a call is not run because of calls before it; `None` for one that has started.
    pub(super) fn worn_out(
        &self,
        state: &CallState,
        screened: &Screened,
        call: &ValidCall,
        others: &Others,
    ) -> Option<String> {
        if state.started.is_some() {
            return None;
        }
        if self.failures_before(state, screened) >= FAILURES {
            return Some(
                "The same call failed twice with these arguments, so it was not run again. Change the arguments, try \
                 something else, or tell the person what is missing."
                    .to_owned(),
            );
        }
        let most = call.spec().uses?;
        let elsewhere = others.uses.get(&call.spec().name).copied().unwrap_or(0);
        (self.uses_before(state, &call.spec().name) + elsewhere >= most)
            .then(|| format!("The tool may be used {most} times in one turn, and was. Go on with what it gave."))
    }

    /// The result of an equal read before, if nothing can have changed it: no call in between changes anything, and the
    /// person has said nothing.
    pub(super) fn known<'a>(&'a self, state: &CallState, screened: &Screened) -> Option<&'a str> {
        // What other frames have noted or done meanwhile is not known here.
        let shared = is_delegate(&state.call.tool) || is_scratchpad(&state.call.tool);
        if state.started.is_some() || !screened.facts.only_reads() || shared {
            return None;
        }
        let mut known = None;
        for earlier in self.before(state) {
            match &earlier.result {
                Some((result, _)) if result.status == Status::Done && is_same(earlier, screened) => {
                    known = Some(result.text.as_str());
                }
                Some(_) | None if may_change(earlier) => known = None,
                Some(_) | None => {}
            }
        }
        known
    }

    /// How often an equal call failed since something was last changed.
    fn failures_before(&self, state: &CallState, screened: &Screened) -> usize {
        let mut failures = 0;
        for earlier in self.before(state) {
            let Some((result, _)) = &earlier.result else { continue };
            match result.status {
                Status::Failed if is_equal(earlier, state, screened) => failures += 1,
                Status::Done if may_change(earlier) => failures = 0,
                Status::Failed | Status::Done | Status::Refused | Status::Cancelled | Status::Interrupted => {}
            }
        }
        failures
    }

    fn uses_before(&self, state: &CallState, tool: &ToolName) -> usize {
        let used = |other: &&CallState| other.call.tool == *tool && other.started.is_some();
        self.calls().filter(|other| other.call.id != state.call.id).filter(used).count()
    }

    /// The calls before this one, in source order, since the person last said something.
    fn before<'a>(&'a self, state: &CallState) -> impl Iterator<Item = &'a CallState> + use<'a> {
        let this = state.call.id.clone();
        let calls = since_said(&self.rounds).iter().flat_map(|round| &round.calls);
        calls.take_while(move |other| other.call.id != this)
    }

    /// Whether the newest rounds only repeat what was done, or only fail. What a model writes when it may make no calls
    /// belongs to neither.
    pub(super) fn is_broken(&self) -> bool {
        let closing = self.rounds.iter().rev().take_while(|round| round.reply.forbidden).count();
        let rounds = since_said(&self.rounds[..self.rounds.len() - closing]);
        let calling: Vec<&Round> = rounds.iter().filter(|round| !round.calls.is_empty()).collect();
        is_cycle(&calling) || only_fails(&calling)
    }
}

/// The rounds since the person last said something: what was said may be a reason to do a thing again.
fn since_said(rounds: &[Round]) -> &[Round] {
    let said = rounds.iter().rposition(|round| !round.joined.is_empty()).unwrap_or(0);
    &rounds[said..]
}

/// Whether the newest rounds are one cycle of up to four calls, done three times.
fn is_cycle(rounds: &[&Round]) -> bool {
    (1..=CYCLE).any(|period| {
        let Some(begin) = rounds.len().checked_sub(CYCLES * period) else { return false };
        let (newest, earlier) = (&rounds[rounds.len() - period..], &rounds[begin..]);
        let calls: usize = newest.iter().map(|round| round.calls.len()).sum();
        calls <= CYCLE
            && newest.iter().all(|round| is_done(round))
            && earlier.chunks(period).all(|one| repeats(one, newest))
    })
}

fn repeats(one: &[&Round], other: &[&Round]) -> bool {
    one.iter().zip(other).all(|(one, other)| {
        one.calls.len() == other.calls.len()
            && is_done(one)
            && one
                .calls
                .iter()
                .zip(&other.calls)
                .all(|(one, other)| other.screened.as_ref().is_some_and(|screened| is_equal(one, other, screened)))
    })
}

fn is_done(round: &Round) -> bool {
    round.calls.iter().all(|state| status(state) == Some(Status::Done))
}

fn only_fails(rounds: &[&Round]) -> bool {
    let failed = |state: &CallState| match status(state) {
        Some(Status::Done) => false,
        // A call without a status was rejected.
        Some(Status::Failed | Status::Refused | Status::Cancelled | Status::Interrupted) | None => true,
    };
    let newest = rounds.iter().rev().take(FAILED_ROUNDS);
    rounds.len() >= FAILED_ROUNDS && newest.flat_map(|round| &round.calls).all(failed)
}

fn status(state: &CallState) -> Option<Status> {
    state.result.as_ref().map(|(result, _)| result.status)
}

/// Whether a call is the same tool with the same final arguments.
fn is_equal(earlier: &CallState, state: &CallState, screened: &Screened) -> bool {
    let arguments = earlier.screened.as_ref().map(|screened| &screened.arguments);
    earlier.call.tool == state.call.tool && arguments == Some(&screened.arguments)
}

/// Whether a call was the same, down to the facts that its tool found.
fn is_same(earlier: &CallState, screened: &Screened) -> bool {
    earlier.screened.as_ref().is_some_and(|before| before.digest == screened.digest)
}

/// Whether a call has changed something, or may yet: it is no read, and it started or is still open.
fn may_change(state: &CallState) -> bool {
    // A delegate looks and changes nothing by itself; what is called in its frame may.
    let only_reads = |screened: &Screened| screened.facts.only_reads() && !is_delegate(&state.call.tool);
    let reads = state.screened.as_ref().is_some_and(only_reads);
    !reads && (state.started.is_some() || !state.is_settled())
}
