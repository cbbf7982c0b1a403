//! Where one open call stands: it may run, it waits, it is to be asked about, or it has its result without a run.

use std::sync::Arc;

use super::around::{Around, FrameState, Others};
use super::call::CallState;
use super::{Round, Turn};
use crate::approval::{Approval, Decision, Kind};
use crate::call::{Clearance, ClearedCall, ValidCall};
use crate::delegate::{MOST_IN_BACKGROUND, Mode, Wish, is_delegate};
use crate::effect::Delegating;
use crate::entry::{Body, Screened};
use crate::gate::{Tally, Verdict, judge};
use crate::id::{EntryNumber, FrameId};
use crate::result::{Status, ToolResult};
use crate::scratchpad::is_scratchpad;
use crate::setting::Setting;
use crate::tool::{EffectClass, Replay};

/// Characters of the model's own words that stand on a card.
const INTENT_CHARS: usize = 160;

/// What is to be done about one call.
pub(super) enum Standing {
    /// It may run now.
    Ready(Box<ClearedCall>),
    /// It is before the person.
    Waiting(EntryNumber),
    /// The person is to be asked.
    Unasked(Box<Approval>),
    /// It has its result without a run.
    Settled(Status, String),
    /// The scratchpad has its result, as soon as nothing before it is open.
    Scratched(Box<ToolResult>),
    /// A delegate works on it in a frame of its own.
    Delegated(FrameId),
    /// Its delegate waits for the person.
    Resting,
    /// Its delegate is done; the result.
    Over(Box<ToolResult>),
}

impl Turn {
    pub(super) fn standing(&self, round: &Round, state: &CallState, around: Around<'_>, setting: &Setting) -> Standing {
        match around.frames.get(&state.call.id) {
            Some(FrameState::Moving(frame)) => return Standing::Delegated(frame.clone()),
            Some(FrameState::Resting) => return Standing::Resting,
            Some(FrameState::Over(result)) => return Standing::Over(Box::new(result.clone())),
            None => {}
        }
        let standing = self.judged(round, state, around, setting);
        if let Standing::Ready(cleared) = &standing
            && is_scratchpad(&cleared.call().spec().name)
        {
            let call = cleared.call();
            let result = around.scratchpad.result(call.id(), &call.spec().name, call.arguments());
            return Standing::Scratched(Box::new(result.viewed(setting.model.window)));
        }
        standing
    }

    /// What the gate and the person say of a call that has no frame.
    fn judged(&self, round: &Round, state: &CallState, around: Around<'_>, setting: &Setting) -> Standing {
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
        if let Some(reason) = cannot_be_delegated(&call, around.others, setting) {
            return Standing::Settled(Status::Refused, reason);
        }
        let verdict = judge(&call, &screened.facts, &setting.rules, self.tally(state, around.others.tally));
        match (verdict, self.worn_out(state, screened, &call, around.others)) {
            (Verdict::Deny(reason), _) => {
                refused_or_interrupted(state, format!("It may not run, {reason}. {NO_WAY_ROUND}"))
            }
            (Verdict::Allow(_) | Verdict::Ask(_), Some(reason)) => Standing::Settled(Status::Refused, reason),
            (Verdict::Allow(_), None) if call.spec().asks_person => {
                self.by_decision(round, state, screened, call, (String::new(), setting.path_of_delegate()), probe)
            }
            (Verdict::Allow(clearance), None) => match self.known(state, screened) {
                Some(text) => Standing::Settled(Status::Done, text.to_owned()),
                None => self.ready(call, screened, clearance, probe),
            },
            (Verdict::Ask(why), None) => {
                self.by_decision(round, state, screened, call, (why, setting.path_of_delegate()), probe)
            }
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
        (why, path): (String, Vec<String>),
        probe: bool,
    ) -> Standing {
        let Some(question) = state.current_question() else {
            return Standing::Unasked(Box::new(self.approval(round, screened, &call, why, path)));
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

    fn approval(
        &self,
        round: &Round,
        screened: &Screened,
        call: &ValidCall,
        why: String,
        path: Vec<String>,
    ) -> Approval {
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
            path,
        }
    }

    /// What calls of this turn before `state` have created, beside what was created `elsewhere`.
    fn tally(&self, state: &CallState, elsewhere: Tally) -> Tally {
        let done = self.calls().filter(|other| other.call.id != state.call.id && other.started.is_some());
        let paths = done.filter_map(|other| other.screened.as_ref()).flat_map(|screened| &screened.facts.paths);
        let made = paths.filter(|path| path.class == EffectClass::Create);
        made.fold(elsewhere, |tally, path| tally.and_file(path.bytes))
    }
}

/// Why a delegate cannot be run now, though it could when it was called for.
fn cannot_be_delegated(call: &ValidCall, others: &Others, setting: &Setting) -> Option<String> {
    if !is_delegate(&call.spec().name) {
        return None;
    }
    let wish = Wish::read(call.arguments());
    match wish.filter(|wish| setting.delegate(&wish.profile).is_some()) {
        None => Some("That profile cannot be run as a delegate any more; the call did not run.".to_owned()),
        Some(wish) if wish.mode == Mode::Background && setting.delegation.depth > 0 => Some(
            "Only the turn itself can leave a delegate in the background; wait for it, or do the work yourself."
                .to_owned(),
        ),
        Some(wish) if wish.mode == Mode::Background && others.background >= MOST_IN_BACKGROUND => Some(format!(
            "{MOST_IN_BACKGROUND} delegates already work in the background of this conversation; wait for one of them."
        )),
        Some(_) => None,
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

/// The call with the arguments that the hooks left it with, under the tool as it is now.
fn final_call(state: &CallState, screened: &Screened, setting: &Setting) -> Option<ValidCall> {
    let spec = setting.tools.get(&state.call.tool)?;
    let call = ValidCall::with_arguments(state.call.id.clone(), Arc::clone(spec), screened.arguments.clone()).ok()?;
    (call.digest(&screened.facts) == screened.digest).then_some(call)
}

fn settle(state: &CallState, standing: &Standing) -> Option<Body> {
    match standing {
        Standing::Settled(status, text) => Some(Body::Returned(ToolResult::new(state.call.id.clone(), *status, text))),
        Standing::Over(result) => Some(Body::Returned((**result).clone())),
        Standing::Ready(_) | Standing::Waiting(_) | Standing::Unasked(_) => None,
        Standing::Delegated(_) | Standing::Resting | Standing::Scratched(_) => None,
    }
}

/// What is settled by now. Of delegates that were run side by side the results stand in source order: one that is done
/// waits for those before it.
pub(super) fn settled(open: &[&CallState], standings: &[Standing]) -> Vec<Body> {
    let under_way = |standing: &Standing| matches!(standing, Standing::Delegated(_) | Standing::Resting);
    let first = standings.iter().position(under_way).unwrap_or(standings.len());
    let counts = |index: usize, standing: &Standing| index < first || !matches!(standing, Standing::Over(_));
    let all = open.iter().zip(standings).enumerate().filter(|(index, (_, standing))| counts(*index, standing));
    all.filter_map(|(_, (state, standing))| settle(state, standing)).collect()
}

pub(super) fn question(standing: &Standing) -> Option<Approval> {
    match standing {
        Standing::Unasked(approval) => Some((**approval).clone()),
        Standing::Ready(_) | Standing::Waiting(_) | Standing::Settled(..) => None,
        Standing::Delegated(_) | Standing::Resting | Standing::Over(_) | Standing::Scratched(_) => None,
    }
}

pub(super) fn too_many_cards(open: &[&CallState], standings: &[Standing], room: usize, most: usize) -> Vec<Body> {
    let text = format!("At most {most} questions may wait for the person; this call was not asked and did not run.");
    let unasked = open.iter().zip(standings).filter(|(_, standing)| matches!(standing, Standing::Unasked(_)));
    unasked.skip(room).map(|(state, _)| kept_from_running(state, &text)).collect()
}

pub(super) fn withdrawn(open: &[&CallState]) -> Vec<Body> {
    let text = "The person wrote instead of answering; the call did not run.";
    open.iter().map(|state| kept_from_running(state, text)).collect()
}

fn kept_from_running(state: &CallState, text: &str) -> Body {
    let (status, text) = if state.is_cut() { (Status::Interrupted, MAYBE) } else { (Status::Refused, text) };
    Body::Returned(ToolResult::new(state.call.id.clone(), status, text))
}

/// What is done next about calls that need nothing but to be run.
pub(super) enum Batch {
    /// Run these.
    Run(Vec<ClearedCall>),
    /// Let delegates work.
    Delegate(Delegating),
    /// The first of them has its result.
    Note(Body),
    /// The first of them waits for the person since that entry.
    Waits(EntryNumber),
    /// The person is waited for in the frames of delegates.
    Rests,
}

/// The calls that run next: reads at the front side by side, delegates at the front side by side, else the first alone.
/// When the first one waits for the person, nothing behind it may overtake it.
pub(super) fn batch(standings: Vec<Standing>, setting: &Setting) -> Batch {
    match standings.first() {
        Some(Standing::Scratched(result)) => return Batch::Note(Body::Returned((**result).clone())),
        Some(first) if is_delegated(first) => return delegates(standings),
        Some(_) | None => {}
    }
    let mut calls = Vec::new();
    for standing in standings {
        match standing {
            Standing::Ready(call) if calls.is_empty() || (runs_beside(&call) && has_room(&calls, &call)) => {
                let alone = !runs_beside(&call);
                calls.push(*call);
                if alone || calls.len() == setting.limits.parallel {
                    break;
                }
            }
            Standing::Waiting(number) if calls.is_empty() => return Batch::Waits(number),
            Standing::Ready(_) | Standing::Waiting(_) | Standing::Unasked(_) | Standing::Settled(..) => break,
            Standing::Delegated(_) | Standing::Resting | Standing::Over(_) | Standing::Scratched(_) => break,
        }
    }
    Batch::Run(calls)
}

/// Calls that ask one host at once (LOOP-66).
const A_HOST: usize = 2;

/// Whether each host that a call would ask is asked by fewer than may ask it at once.
fn has_room(beside: &[ClearedCall], call: &ClearedCall) -> bool {
    let asking = |host: &String| beside.iter().filter(|other| other.facts().hosts.contains(host)).count();
    call.facts().hosts.iter().all(|host| asking(host) < A_HOST)
}

fn runs_beside(call: &ClearedCall) -> bool {
    call.call().spec().parallel && call.facts().only_reads() && !is_delegate(&call.call().spec().name)
}

fn is_delegated(standing: &Standing) -> bool {
    match standing {
        Standing::Ready(call) => is_delegate(&call.call().spec().name),
        Standing::Delegated(_) | Standing::Resting | Standing::Over(_) => true,
        Standing::Waiting(_) | Standing::Unasked(_) | Standing::Settled(..) | Standing::Scratched(_) => false,
    }
}

/// The delegates at the front, as many as follow each other.
fn delegates(standings: Vec<Standing>) -> Batch {
    let (mut open, mut go_on) = (Vec::new(), Vec::new());
    for standing in standings.into_iter().take_while(is_delegated) {
        match standing {
            Standing::Ready(call) => open.push(*call),
            Standing::Delegated(frame) => go_on.push(frame),
            Standing::Resting | Standing::Over(_) => {}
            Standing::Waiting(_) | Standing::Unasked(_) | Standing::Settled(..) | Standing::Scratched(_) => {}
        }
    }
    if open.is_empty() && go_on.is_empty() { Batch::Rests } else { Batch::Delegate(Delegating { open, go_on }) }
}
