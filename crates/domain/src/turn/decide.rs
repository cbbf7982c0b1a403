//! The choice: what comes next. One match over where the turn stands, straight functions below it.

use std::sync::Arc;

use super::call::CallState;
use super::{MOST_RESUMES, Round, Turn};
use crate::approval::{Approval, Decision, Kind};
use crate::call::{Clearance, ClearedCall, Rejection, ValidCall};
use crate::context::{CallPolicy, Item, Prompt};
use crate::effect::{Effect, Request};
use crate::entry::{Body, Screened};
use crate::gate::{Tally, Verdict, judge};
use crate::id::EntryNumber;
use crate::model::SampleFault;
use crate::outcome::Outcome;
use crate::result::{Status, ToolResult};
use crate::setting::Setting;
use crate::tool::{EffectClass, Replay};

/// Milliseconds to wait before the second, third and fourth try of a sample.
const WAITS_MS: [u64; 4] = [0, 1000, 2000, 4000];

/// Characters of the model's own words that stand on a card.
const INTENT_CHARS: usize = 160;

/// What is to be done about one call.
enum Standing {
    /// It may run now.
    Ready(Box<ClearedCall>),
    /// It is before the person.
    Waiting(EntryNumber),
    /// The person is to be asked.
    Unasked(Box<Approval>),
    /// It has its result without a run.
    Settled(Status, String),
}

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
            Some(round) if round.calls.is_empty() && !round.reply.sampled.is_mute() => {
                self.end(if self.is_closing(round, setting) { Outcome::RoundLimit } else { Outcome::Answered })
            }
            Some(_) | None => self.sample(history, head, setting),
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

    fn end(&self, outcome: Outcome) -> Effect {
        Effect::End { outcome, footer: self.footer() }
    }

    fn sample(&self, history: &[Arc<Item>], head: EntryNumber, setting: &Setting) -> Effect {
        if let Some(outcome) = self.given_up(setting) {
            return self.end(outcome);
        }
        let mute = self.mute_rounds();
        if mute > 2 {
            return self.end(Outcome::Mute);
        }
        if self.rounds.last().is_some_and(|round| self.is_closing(round, setting)) {
            return self.end(Outcome::RoundLimit);
        }
        let spent = self.is_spent(setting);
        let calls = if spent || mute == 2 { CallPolicy::Forbidden } else { CallPolicy::Free };
        let cap = if spent { setting.limits.closing_tokens } else { setting.limits.reply_tokens };
        let prompt = Prompt {
            open: false,
            prefix: Arc::clone(&setting.prefix),
            items: history.iter().cloned().chain(self.items()).collect(),
            seen: head,
            calls,
            max_tokens: setting.model.output_cap.map_or(cap, |own| own.min(cap)),
            variation: u32::try_from(mute).unwrap_or(0),
        };
        let tries = self.faults.len().min(WAITS_MS.len() - 1);
        Effect::Sample(Request { model: setting.model.name.clone(), prompt, wait_ms: WAITS_MS[tries] })
    }

    /// Whether sampling has failed for good.
    fn given_up(&self, setting: &Setting) -> Option<Outcome> {
        let last = &self.faults.last()?.fault;
        if let SampleFault::TooLong { needed, window } = *last {
            return Some(Outcome::Overflow { needed, window });
        }
        let tried = u32::try_from(self.faults.len()).unwrap_or(u32::MAX);
        (!last.is_passing() || tried >= setting.limits.attempts).then(|| Outcome::ModelUnavailable(last.clone()))
    }

    /// Whether `round` was the last one that a turn at its limit is given.
    fn is_closing(&self, round: &Round, setting: &Setting) -> bool {
        self.is_spent(setting) && round.reply.forbidden && !round.reply.sampled.is_mute()
    }

    fn mute_rounds(&self) -> usize {
        self.rounds.iter().rev().take_while(|round| round.reply.sampled.is_mute()).count()
    }

    fn is_spent(&self, setting: &Setting) -> bool {
        self.rounds.len() >= setting.limits.rounds || self.calls().count() >= setting.limits.calls
    }

    /// What is to be done about the open calls of the last round: reject, screen, refuse, ask, run, rest.
    fn go_on_with(&self, round: &Round, setting: &Setting) -> Effect {
        let rejections = rejections(round, setting);
        if !rejections.is_empty() {
            return Effect::Note(rejections);
        }
        let unscreened = unscreened(round, setting);
        if !unscreened.is_empty() {
            return Effect::Screen(unscreened);
        }
        let open: Vec<_> = round.calls.iter().filter(|state| !state.is_settled()).collect();
        let standings: Vec<_> = open.iter().map(|state| self.standing(round, state, setting)).collect();
        let settled: Vec<_> = open.iter().zip(&standings).filter_map(|(state, s)| settle(state, s)).collect();
        if !settled.is_empty() {
            return Effect::Note(settled);
        }
        self.ask_run_or_rest(&open, standings, setting)
    }

    fn ask_run_or_rest(&self, open: &[&CallState], standings: Vec<Standing>, setting: &Setting) -> Effect {
        let pending = standings.iter().filter(|standing| matches!(standing, Standing::Waiting(_))).count();
        let questions: Vec<Approval> = standings.iter().filter_map(question).collect();
        if pending + questions.len() > setting.limits.cards {
            let room = setting.limits.cards.saturating_sub(pending);
            return Effect::Note(too_many_cards(open, &standings, room, setting.limits.cards));
        }
        if !questions.is_empty() {
            return Effect::Ask(questions);
        }
        let batch = batch(standings, setting);
        match batch {
            Ok(calls) => Effect::Run(calls),
            Err(asked_at) if self.wrote_instead(asked_at) => Effect::Note(withdrawn(open)),
            Err(_) => Effect::Rest,
        }
    }

    /// Whether the person wrote a message after the question instead of answering it.
    fn wrote_instead(&self, asked_at: EntryNumber) -> bool {
        self.waiting.iter().any(|waiting| waiting.number > asked_at)
    }

    fn standing(&self, round: &Round, state: &CallState, setting: &Setting) -> Standing {
        let Some(screened) = &state.screened else {
            return Standing::Settled(Status::Refused, "The call could not be looked at and did not run.".to_owned());
        };
        if let Some(reason) = &screened.blocked {
            return Standing::Settled(Status::Refused, reason.clone());
        }
        let Some(call) = final_call(state, screened, setting) else {
            return refused_or_interrupted(state, "The tool has changed or is gone; the call did not run.".to_owned());
        };
        if state.is_cut() && call.spec().replay == Replay::Never {
            return Standing::Settled(Status::Interrupted, MAYBE.to_owned());
        }
        let probe = state.is_cut() && call.spec().replay == Replay::Probe;
        match judge(&call, &screened.facts, &setting.rules, self.tally(state)) {
            Verdict::Deny(reason) => refused_or_interrupted(state, format!("It may not run, {reason}. {NO_WAY_ROUND}")),
            Verdict::Allow(_) if call.spec().asks_person => {
                self.by_decision(round, state, screened, call, String::new(), probe)
            }
            Verdict::Allow(clearance) => self.ready(call, screened, clearance, probe),
            Verdict::Ask(why) => self.by_decision(round, state, screened, call, why, probe),
        }
    }

    fn ready(&self, call: ValidCall, screened: &Screened, clearance: Clearance, probe: bool) -> Standing {
        let facts = screened.facts.clone();
        Standing::Ready(Box::new(ClearedCall::new(&self.conversation, call, facts, clearance, probe)))
    }

    fn by_decision(
        &self,
        round: &Round,
        state: &CallState,
        screened: &Screened,
        call: ValidCall,
        why: String,
        probe: bool,
    ) -> Standing {
        let Some(question) = state.current_question() else {
            return Standing::Unasked(Box::new(self.approval(round, screened, &call, why)));
        };
        match state.decision() {
            None => Standing::Waiting(question.number),
            Some(Decision::Told(words)) => Standing::Settled(Status::Done, words.clone()),
            Some(Decision::Approve) => {
                self.ready(call, screened, Clearance::Approval(question.approval.id.clone()), probe)
            }
            Some(Decision::Refuse(words)) => refused_or_interrupted(state, refusal(words.as_deref())),
            Some(Decision::RefuseAndStop) => refused_or_interrupted(state, refusal(None)),
        }
    }

    fn approval(&self, round: &Round, screened: &Screened, call: &ValidCall, why: String) -> Approval {
        let intent: String = round.reply.sampled.text.trim().chars().take(INTENT_CHARS).collect();
        Approval {
            id: Approval::id_for(&self.conversation, call.id(), &screened.digest),
            call: call.id().clone(),
            digest: screened.digest,
            kind: if call.spec().asks_person { Kind::Question } else { Kind::Permission },
            tool: call.spec().name.clone(),
            label: screened.label.clone(),
            facts: screened.facts.clone(),
            arguments: screened.arguments.clone(),
            preview: screened.preview.clone(),
            why,
            intent: (!intent.is_empty()).then_some(intent),
        }
    }

    /// What calls of this turn before `state` have created.
    fn tally(&self, state: &CallState) -> Tally {
        let done = self.calls().filter(|other| other.call.id != state.call.id && other.started.is_some());
        let paths = done.filter_map(|other| other.screened.as_ref()).flat_map(|screened| &screened.facts.paths);
        paths.filter(|path| path.class == EffectClass::Create).fold(Tally::default(), |tally, path| Tally {
            files: tally.files + 1,
            bytes: tally.bytes.saturating_add(path.bytes),
        })
    }
}

const MAYBE: &str = "Riad was restarted while this ran: it may have happened. Check before doing it again.";
const NO_WAY_ROUND: &str = "Do not try to reach the same by another way; tell the person what you wanted to do.";

fn refusal(words: Option<&str>) -> String {
    match words {
        Some(words) => format!("The person said no. {NO_WAY_ROUND} They added: {words}"),
        None => format!("The person said no. {NO_WAY_ROUND}"),
    }
}

/// A call that never started is refused; one that was cut may have happened, whatever is decided now.
fn refused_or_interrupted(state: &CallState, reason: String) -> Standing {
    if state.is_cut() {
        return Standing::Settled(Status::Interrupted, MAYBE.to_owned());
    }
    Standing::Settled(Status::Refused, reason)
}

fn cancelled(state: &CallState) -> Body {
    let text = match state.started {
        Some(_) => "The turn ended while it ran: it may have happened. Check before doing it again.",
        None => "The turn ended before it ran.",
    };
    Body::Returned(ToolResult::new(state.call.id.clone(), Status::Cancelled, text))
}

fn rejections(round: &Round, setting: &Setting) -> Vec<Body> {
    let fresh = |state: &&CallState| !state.is_settled() && state.screened.is_none();
    let reject = |(index, state): (usize, &CallState)| {
        let reason = rejection(round, index, state, setting)?;
        Some(Body::Rejected { call: state.call.id.clone(), reason })
    };
    round.calls.iter().enumerate().filter(|(_, state)| fresh(state)).filter_map(reject).collect()
}

fn rejection(round: &Round, index: usize, state: &CallState, setting: &Setting) -> Option<Rejection> {
    if round.reply.forbidden {
        return Some(Rejection::Forbidden);
    }
    if index >= setting.limits.calls_a_reply {
        return Some(Rejection::TooMany(setting.limits.calls_a_reply));
    }
    ValidCall::check(&state.call, &setting.tools).err()
}

fn unscreened(round: &Round, setting: &Setting) -> Vec<ValidCall> {
    let open = round.calls.iter().filter(|state| !state.is_settled() && state.screened.is_none());
    open.filter_map(|state| ValidCall::check(&state.call, &setting.tools).ok()).collect()
}

/// The call with the arguments that the hooks left it with, under the tool as it is now.
fn final_call(state: &CallState, screened: &Screened, setting: &Setting) -> Option<ValidCall> {
    let spec = setting.tools.get(&state.call.tool)?;
    let call = ValidCall::with_arguments(state.call.id.clone(), Arc::clone(spec), screened.arguments.clone()).ok()?;
    (call.digest(&screened.facts) == screened.digest).then_some(call)
}

fn settle(state: &CallState, standing: &Standing) -> Option<Body> {
    match standing {
        Standing::Settled(status, text) => Some(Body::Returned(ToolResult::new(state.call.id.clone(), *status, text))),
        Standing::Ready(_) | Standing::Waiting(_) | Standing::Unasked(_) => None,
    }
}

fn question(standing: &Standing) -> Option<Approval> {
    match standing {
        Standing::Unasked(approval) => Some((**approval).clone()),
        Standing::Ready(_) | Standing::Waiting(_) | Standing::Settled(..) => None,
    }
}

fn too_many_cards(open: &[&CallState], standings: &[Standing], room: usize, most: usize) -> Vec<Body> {
    let text = format!("At most {most} questions may wait for the person; this call was not asked and did not run.");
    let unasked = open.iter().zip(standings).filter(|(_, standing)| matches!(standing, Standing::Unasked(_)));
    unasked.skip(room).map(|(state, _)| kept_from_running(state, &text)).collect()
}

fn withdrawn(open: &[&CallState]) -> Vec<Body> {
    let text = "The person wrote instead of answering; the call did not run.";
    open.iter().map(|state| kept_from_running(state, text)).collect()
}

fn kept_from_running(state: &CallState, text: &str) -> Body {
    let (status, text) = if state.is_cut() { (Status::Interrupted, MAYBE) } else { (Status::Refused, text) };
    Body::Returned(ToolResult::new(state.call.id.clone(), status, text))
}

/// The calls that run next: reads at the front side by side, else the first alone. When the first one waits for the
/// person, nothing behind it may overtake it; the error holds the entry that asked.
fn batch(standings: Vec<Standing>, setting: &Setting) -> Result<Vec<ClearedCall>, EntryNumber> {
    let mut calls = Vec::new();
    for standing in standings {
        match standing {
            Standing::Ready(call) if calls.is_empty() || runs_beside(&call) => {
                let alone = !runs_beside(&call);
                calls.push(*call);
                if alone || calls.len() == setting.limits.parallel {
                    break;
                }
            }
            Standing::Waiting(number) if calls.is_empty() => return Err(number),
            Standing::Ready(_) | Standing::Waiting(_) | Standing::Unasked(_) | Standing::Settled(..) => break,
        }
    }
    Ok(calls)
}

fn runs_beside(call: &ClearedCall) -> bool {
    call.call().spec().parallel && call.facts().only_reads()
}
