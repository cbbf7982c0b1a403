//! What follows when no call is open: another sample, or the end. Never told by words, only by what a reply holds and
//! why it ended.

use std::sync::Arc;

use super::around::{Around, Others};
use super::choice::{Choice, Fault};
use super::purse::is_closing;
use super::{Round, Turn};
use crate::context::{CallPolicy, Prompt};
use crate::effect::{Effect, Request};
use crate::entry::{Body, Held};
use crate::model::{SampleFault, StopReason};
use crate::outcome::Outcome;
use crate::setting::Setting;

/// How often an answer that reached its cap is gone on with.
const CONTINUED: usize = 3;

/// How likely a call must have been where a reply ended by itself, in thousandths, for it to be gone on with.
const OPENER: u16 = 350;

/// Why the next sample is taken.
enum Next {
    /// There are results or messages to answer.
    Reply,
    /// The reply before is gone on with from its last token.
    GoOn(CallPolicy),
    /// Nothing: the turn is over.
    Over(Outcome),
}

impl Turn {
    pub(super) fn reply_or_end(&self, around: Around<'_>, setting: &Setting) -> Effect {
        let spent = self.spent(setting, around.others);
        match self.what_next(spent.as_ref(), setting) {
            Next::Over(outcome) => self.end(outcome),
            Next::Reply => self.sample(around, setting, spent, None),
            Next::GoOn(calls) => self.sample(around, setting, None, Some(calls)),
        }
    }

    fn what_next(&self, spent: Option<&Outcome>, setting: &Setting) -> Next {
        let Some(round) = self.rounds.last() else { return Next::Reply };
        if let Some(outcome) = spent.filter(|_| is_closing(round)) {
            return Next::Over(outcome.clone());
        }
        let said_nothing = round.reply.sampled.is_mute() && !round.reply.continues;
        if !round.calls.is_empty() || said_nothing {
            return if self.mute_rounds() > 2 { Next::Over(Outcome::Mute) } else { Next::Reply };
        }
        match self.goes_on(round, setting) {
            Some(_) if spent.is_some() => Next::Over(spent.cloned().unwrap_or(Outcome::Answered)),
            Some(calls) => Next::GoOn(calls),
            None => Next::Over(Outcome::Answered),
        }
    }

    /// Whether a reply without calls is gone on with: it reached its cap, or its model was about to make a call.
    fn goes_on(&self, round: &Round, setting: &Setting) -> Option<CallPolicy> {
        let sampled = &round.reply.sampled;
        let can = setting.model_named(&sampled.model).is_some_and(|model| model.continues);
        if !can || round.reply.forbidden || sampled.is_mute() || !self.waiting.is_empty() {
            return None;
        }
        match sampled.stop {
            StopReason::Length | StopReason::ContextFull => (self.continued() < CONTINUED).then_some(CallPolicy::Free),
            StopReason::Natural => {
                let wanted = sampled.usage.opener.is_some_and(|chance| chance >= OPENER);
                (wanted && !self.was_forced()).then_some(CallPolicy::Forced)
            }
            StopReason::Calls
            | StopReason::StopMarker
            | StopReason::Filtered
            | StopReason::Cancelled
            | StopReason::Cut => None,
        }
    }

    /// How often the last reply was gone on with already.
    fn continued(&self) -> usize {
        self.rounds.iter().rev().take_while(|round| round.reply.continues).count()
    }

    /// Whether a call was forced in this turn: a reply that had ended by itself was gone on with.
    fn was_forced(&self) -> bool {
        let forced = |pair: &[Round]| pair[1].reply.continues && pair[0].reply.sampled.stop == StopReason::Natural;
        self.rounds.windows(2).any(forced)
    }

    fn mute_rounds(&self) -> usize {
        self.rounds.iter().rev().take_while(|round| round.reply.sampled.is_mute()).count()
    }

    fn sample(
        &self,
        around: Around<'_>,
        setting: &Setting,
        spent: Option<Outcome>,
        open: Option<CallPolicy>,
    ) -> Effect {
        // The last reply of a purse that is spent belongs to the outer frame.
        if setting.delegation.purse.is_some()
            && let Some(outcome) = self.purse_spent(setting, around.others)
        {
            return self.end(outcome);
        }
        let only = open.and_then(|_| self.rounds.last()).map(|round| round.reply.sampled.model.as_str());
        if let Some(overflow) = self.overflow() {
            return self.end(self.without_a_reply(spent, only).unwrap_or(overflow));
        }
        if spent.is_some() && self.closing_failed(&setting.limits) {
            return self.end(self.without_a_reply(spent, only).unwrap_or(Outcome::TimeLimit));
        }
        match self.choose(setting, only) {
            Choice::Ask { model, wait_ms } => {
                let prompt = self.prompt(around, setting, &model, spent.is_some(), open);
                Effect::Sample(Request { model, prompt, wait_ms })
            }
            Choice::NoneLeft { barred } => match self.without_a_reply(spent, only) {
                Some(outcome) => self.end(outcome),
                None if barred.is_empty() => self.end(Outcome::ModelUnavailable(self.reasons(setting))),
                None if self.held => Effect::Rest,
                None => Effect::Note(vec![Body::Held(Held { failed: self.reasons(setting), barred })]),
            },
        }
    }

    /// How the turn ends if no reply can be had and none is needed: it is spent, or what was said stands as it is.
    fn without_a_reply(&self, spent: Option<Outcome>, only: Option<&str>) -> Option<Outcome> {
        spent.or_else(|| only.map(|_| Outcome::Answered))
    }

    /// How the turn ends if its prompt cannot be made to fit.
    fn overflow(&self) -> Option<Outcome> {
        match self.faults.last()?.faltered.fault {
            SampleFault::Overflow { needed, window } => Some(Outcome::Overflow { needed, window }),
            // What a refusal says corrects the count, and the prompt is planned once more.
            SampleFault::TooLong { needed, window } => {
                (self.refusals() > 1).then_some(Outcome::Overflow { needed, window })
            }
            SampleFault::Busy
            | SampleFault::BusyFor(_)
            | SampleFault::RateLimited(_)
            | SampleFault::Unauthorised
            | SampleFault::NoCredit
            | SampleFault::BadRequest(_)
            | SampleFault::TooSmall { .. }
            | SampleFault::Gone(_)
            | SampleFault::Crashed(_)
            | SampleFault::Timeout(_)
            | SampleFault::Network(_)
            | SampleFault::Cut
            | SampleFault::Filtered
            | SampleFault::Unknown(_) => None,
        }
    }

    /// Prompts in a row that were refused as too long.
    fn refusals(&self) -> usize {
        let too_long = |fault: &&Fault| matches!(fault.faltered.fault, SampleFault::TooLong { .. });
        self.faults.iter().rev().take_while(too_long).count()
    }

    fn prompt(
        &self,
        around: Around<'_>,
        setting: &Setting,
        model: &str,
        closing: bool,
        open: Option<CallPolicy>,
    ) -> Prompt {
        let mute = self.mute_rounds();
        let free = if closing || mute == 2 { CallPolicy::Forbidden } else { CallPolicy::Free };
        let cap = if closing { setting.limits.closing_tokens } else { setting.limits.reply_tokens };
        let cap = cap.min(self.tokens_left(around.others, setting, closing));
        let own = setting.model_named(model).and_then(|model| model.output_cap);
        Prompt {
            prefix: Arc::clone(&setting.prefix),
            items: around.history.iter().cloned().chain(self.items()).collect(),
            seen: around.head,
            open: open.is_some(),
            calls: open.unwrap_or(free),
            max_tokens: own.map_or(cap, |own| own.min(cap)),
            variation: u32::try_from(mute + self.cuts()).unwrap_or(0),
        }
    }

    /// Tokens that may still be written, by this frame and by all. The last reply comes on top of what is spent, but for
    /// that of a delegate, which draws on a purse that is not its own.
    fn tokens_left(&self, others: &Others, setting: &Setting, closing: bool) -> u32 {
        let used = self.used().decoded;
        let own = setting.limits.decoded_tokens.saturating_sub(used);
        let all = setting.purse().decoded_tokens.saturating_sub(used + others.used.decoded);
        let left = match (closing, setting.delegation.purse.is_some()) {
            (false, _) => own.min(all),
            (true, true) => all,
            (true, false) => u64::MAX,
        };
        u32::try_from(left).unwrap_or(u32::MAX).max(1)
    }

    /// Samples of this round that broke off: the next one is drawn otherwise, since a model may go in circles.
    fn cuts(&self) -> usize {
        self.faults.iter().filter(|fault| matches!(fault.faltered.fault, SampleFault::Cut)).count()
    }
}
