//! The choice: what comes next. One match over where the turn stands, straight functions below it.

use std::sync::Arc;

use super::call::CallState;
use super::standing::{self, Standing};
use super::{MOST_RESUMES, Round, Turn};
use crate::approval::Approval;
use crate::call::ValidCall;
use crate::context::Item;
use crate::effect::Effect;
use crate::entry::Body;
use crate::id::EntryNumber;
use crate::outcome::Outcome;
use crate::result::{Status, ToolResult};
use crate::setting::Setting;

impl Turn {
    /// What comes next. `history` is what was said before this turn, as the model reads it.
    pub(crate) fn next(&self, history: &[Arc<Item>], head: EntryNumber, setting: &Setting) -> Effect {
        if self.stopped {
            return self.wind_up(Outcome::Stopped);
        }
        if self.resumes >= MOST_RESUMES {
            return self.wind_up(Outcome::Failed("it was cut off three times at the same place".to_owned()));
        }
        match self.rounds.last() {
            Some(round) if !self.expects_reply() => self.go_on_with(round, setting),
            Some(_) | None => self.reply_or_end(history, head, setting),
        }
    }

    /// Ends the turn: what is still open is cancelled first, so that each call has one result.
    fn wind_up(&self, outcome: Outcome) -> Effect {
        let cancelled = self.cancelled();
        if cancelled.is_empty() { self.end(outcome) } else { Effect::Note(cancelled) }
    }

    fn cancelled(&self) -> Vec<Body> {
        let open = self.rounds.last().into_iter().flat_map(|round| &round.calls).filter(|state| !state.is_settled());
        open.map(cancelled).collect()
    }

    /// What is to be recorded next so that the turn ends without anything being done.
    pub(crate) fn give_up(&self, reason: &str) -> Vec<Body> {
        let cancelled = self.cancelled();
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
    fn go_on_with(&self, round: &Round, setting: &Setting) -> Effect {
        let rejections = self.rejections(round, setting);
        if !rejections.is_empty() {
            return Effect::Note(rejections);
        }
        let unscreened = unscreened(round, setting);
        if !unscreened.is_empty() {
            return Effect::Screen(unscreened);
        }
        let open: Vec<_> = round.calls.iter().filter(|state| !state.is_settled()).collect();
        let standings: Vec<_> = open.iter().map(|state| self.standing(round, state, setting)).collect();
        let settled: Vec<_> = open.iter().zip(&standings).filter_map(|(state, s)| standing::settle(state, s)).collect();
        if !settled.is_empty() {
            return Effect::Note(settled);
        }
        self.ask_run_or_rest(&open, standings, setting)
    }

    fn ask_run_or_rest(&self, open: &[&CallState], standings: Vec<Standing>, setting: &Setting) -> Effect {
        let pending = standings.iter().filter(|standing| matches!(standing, Standing::Waiting(_))).count();
        let questions: Vec<Approval> = standings.iter().filter_map(standing::question).collect();
        if pending + questions.len() > setting.limits.cards {
            let room = setting.limits.cards.saturating_sub(pending);
            return Effect::Note(standing::too_many_cards(open, &standings, room, setting.limits.cards));
        }
        if !questions.is_empty() {
            return Effect::Ask(questions);
        }
        match standing::batch(standings, setting) {
            Ok(calls) => Effect::Run(calls),
            Err(asked_at) if self.wrote_instead(asked_at) => Effect::Note(standing::withdrawn(open)),
            Err(_) => Effect::Rest,
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
