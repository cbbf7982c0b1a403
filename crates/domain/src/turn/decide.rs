//! The choice: what comes next. One match over where the turn stands, straight functions below it.

use std::collections::BTreeMap;

use super::around::{Around, FrameState};
use super::call::CallState;
use super::standing::{self, Batch, Standing};
use super::{MOST_RESUMES, Round, Turn};
use crate::approval::Approval;
use crate::call::ValidCall;
use crate::effect::{Delegating, Effect};
use crate::entry::Body;
use crate::id::{CallId, EntryNumber, FrameId};
use crate::outcome::Outcome;
use crate::result::{Status, ToolResult};
use crate::setting::Setting;

type Frames = BTreeMap<CallId, FrameState>;

impl Turn {
    /// What comes next.
    pub(crate) fn next(&self, around: Around<'_>, setting: &Setting) -> Effect {
        if self.stopped {
            return self.wind_up(Outcome::Stopped, around.frames);
        }
        if self.resumes >= MOST_RESUMES {
            let outcome = Outcome::Failed("it was cut off three times at the same place".to_owned());
            return self.wind_up(outcome, around.frames);
        }
        match self.rounds.last() {
            Some(round) if !self.expects_reply() => self.go_on_with(round, around, setting),
            Some(_) | None => self.reply_or_end(around, setting),
        }
    }

    /// Ends the turn: its delegates come to their end first, then what is still open is cancelled, so that each call has
    /// one result.
    fn wind_up(&self, outcome: Outcome, frames: &Frames) -> Effect {
        let moving = frames.values().filter_map(|state| match state {
            FrameState::Moving(frame) => Some(frame.clone()),
            FrameState::Resting | FrameState::Over(_) => None,
        });
        let go_on: Vec<FrameId> = moving.collect();
        if !go_on.is_empty() {
            return Effect::Delegate(Delegating { open: Vec::new(), go_on });
        }
        let cancelled = self.cancelled(frames);
        if cancelled.is_empty() { self.end(outcome) } else { Effect::Note(cancelled) }
    }

    /// The results of the calls that are still open. A delegate that has ended has one of its own.
    fn cancelled(&self, frames: &Frames) -> Vec<Body> {
        let open = self.rounds.last().into_iter().flat_map(|round| &round.calls).filter(|state| !state.is_settled());
        open.map(|state| match frames.get(&state.call.id) {
            Some(FrameState::Over(result)) => Body::Returned(result.clone()),
            Some(FrameState::Moving(_) | FrameState::Resting) | None => cancelled(state),
        })
        .collect()
    }

    /// What is to be recorded next so that the turn ends without anything being done.
    pub(crate) fn give_up(&self, reason: &str, frames: &Frames) -> Vec<Body> {
        let cancelled = self.cancelled(frames);
        if !cancelled.is_empty() {
            return cancelled;
        }
        let outcome = if self.stopped { Outcome::Stopped } else { Outcome::Failed(reason.to_owned()) };
        vec![Body::Ended { outcome, footer: self.footer() }]
    }

    pub(super) fn end(&self, outcome: Outcome) -> Effect {
        Effect::End { outcome, footer: self.footer() }
    }

    /// What is to be done about the open calls of the last round: reject, screen, refuse, ask, run, rest.
    fn go_on_with(&self, round: &Round, around: Around<'_>, setting: &Setting) -> Effect {
        let rejections = self.rejections(round, setting);
        if !rejections.is_empty() {
            return Effect::Note(rejections);
        }
        let unscreened = unscreened(round, setting);
        if !unscreened.is_empty() {
            return Effect::Screen(unscreened);
        }
        let open: Vec<_> = round.calls.iter().filter(|state| !state.is_settled()).collect();
        let standings: Vec<_> = open.iter().map(|state| self.standing(round, state, around, setting)).collect();
        let settled = standing::settled(&open, &standings);
        if !settled.is_empty() {
            return Effect::Note(settled);
        }
        self.ask_run_or_rest(&open, standings, around.others.cards, setting)
    }

    /// `elsewhere`: questions of other frames that wait for the person.
    fn ask_run_or_rest(
        &self,
        open: &[&CallState],
        standings: Vec<Standing>,
        elsewhere: usize,
        setting: &Setting,
    ) -> Effect {
        let pending = elsewhere + standings.iter().filter(|standing| matches!(standing, Standing::Waiting(_))).count();
        let questions: Vec<Approval> = standings.iter().filter_map(standing::question).collect();
        if !questions.is_empty() && pending + questions.len() > setting.limits.cards {
            let room = setting.limits.cards.saturating_sub(pending);
            return Effect::Note(standing::too_many_cards(open, &standings, room, setting.limits.cards));
        }
        if !questions.is_empty() {
            return Effect::Ask(questions);
        }
        match standing::batch(standings, setting) {
            Batch::Run(calls) => Effect::Run(calls),
            Batch::Note(body) => Effect::Note(vec![body]),
            Batch::Delegate(delegating) => Effect::Delegate(delegating),
            Batch::Waits(asked_at) if self.wrote_instead(asked_at) => Effect::Note(standing::withdrawn(open)),
            Batch::Waits(_) | Batch::Rests => Effect::Rest,
        }
    }

    /// Whether the person wrote a message after the question instead of answering it.
    fn wrote_instead(&self, asked_at: EntryNumber) -> bool {
        self.waiting.iter().any(|waiting| waiting.number > asked_at)
    }
}

fn cancelled(state: &CallState) -> Body {
    let text = match state.started {
        Some(_) => "The turn ended while it ran: it may have happened. Check before doing it again.",
        None => "The turn ended before it ran.",
    };
    Body::Returned(ToolResult::new(state.call.id.clone(), Status::Cancelled, text))
}

fn unscreened(round: &Round, setting: &Setting) -> Vec<ValidCall> {
    let open = round.calls.iter().filter(|state| !state.is_settled() && state.screened.is_none());
    let stop = round.reply.sampled.stop;
    open.filter_map(|state| ValidCall::check_in(&state.call, &setting.tools, stop).ok()).collect()
}
