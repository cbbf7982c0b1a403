//! The whole agent loop: ask what comes next, do it, write down what happened.

use domain::delegate::{Mode, is_delegate};
use domain::effect::Effect;
use domain::entry::Body;
use domain::id::{ConversationId, FrameId, TurnId};
use domain::setting::Setting;
use domain::turn::{CallState, Turn};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::live::Live;
use crate::perform;
use crate::ports::{JournalError, Ports};

/// Where a conversation came to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rested {
    /// No turn runs.
    Quiet,
    /// The turn waits for the person.
    Waiting,
}

/// Why a conversation cannot go on now. What was recorded stands.
#[derive(Debug, Error)]
pub enum RunError {
    /// The journal failed: nothing more is started.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Told which turn runs and by which token it can be stopped.
pub trait StopDesk: Send + Sync {
    /// `stop` will be cancelled when the person stops `turn`.
    fn running(&self, turn: &TurnId, stop: &CancellationToken);

    /// A delegate in the background can go on: it is to be driven by [`drive_delegate`], beside the conversation itself.
    /// A desk that cannot do so leaves it to the next one.
    fn background(&self, frame: &FrameId, entrance: Entrance) {
        let _ = (frame, entrance);
    }
}

/// Why a conversation is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entrance {
    /// Something was recorded.
    Woken,
    /// The process that drove it before is gone.
    Resumed,
}

/// Drives a conversation until nothing can be done without a person.
///
/// Safe to drop at any await: what was not recorded is done again, by the same path as after a crash.
pub async fn drive(
    ports: &Ports,
    id: &ConversationId,
    entrance: Entrance,
    desk: &dyn StopDesk,
) -> Result<Rested, RunError> {
    let driving = async {
        let mut live = Live::load(ports, id).await?;
        live.resumed = entrance == Entrance::Resumed;
        keep_on(&mut live, entrance, desk).await
    };
    let rested = Box::pin(driving).await;
    if let Err(RunError::Journal(JournalError::Storage(_))) = &rested {
        could_not_store(ports, id).await?;
    }
    rested
}

/// Drives one delegate in the background until it is over or waits for a person. True once it is over: then its
/// conversation has something to bring.
pub async fn drive_delegate(
    ports: &Ports,
    id: &ConversationId,
    frame: &FrameId,
    entrance: Entrance,
    stop: &CancellationToken,
) -> Result<bool, RunError> {
    let mut live = Live::load(ports, id).await?;
    if live.conversation.turn_in(frame).is_none() {
        return Ok(live.conversation.at(frame).is_some());
    }
    live.work_in(frame, stop);
    live.resumed = entrance == Entrance::Resumed;
    let rested = Box::pin(keep_on(&mut live, entrance, &perform::Nobody)).await;
    if let Err(RunError::Journal(JournalError::Storage(_))) = &rested {
        let mut live = Live::load(ports, id).await?;
        while !live.conversation.is_read_only() && give_up_in(&mut live, frame, NOT_STORED).await? {}
    }
    Ok(rested? == Rested::Quiet)
}

/// A journal that could not be written starts nothing more: the turn ends, if that at least can be written.
async fn could_not_store(ports: &Ports, id: &ConversationId) -> Result<(), RunError> {
    let mut live = Live::load(ports, id).await?;
    while !live.conversation.is_read_only() && give_up(&mut live, NOT_STORED).await? {}
    Ok(())
}

/// Why a turn failed whose entries could not be stored.
const NOT_STORED: &str = "what it did could not be stored, so nothing more was begun; see whether the disk is full";

/// Drives one frame until nothing can be done in it without a person.
pub(crate) async fn keep_on(live: &mut Live<'_>, entrance: Entrance, desk: &dyn StopDesk) -> Result<Rested, RunError> {
    let mut entrance = entrance;
    loop {
        if live.conversation.is_read_only() {
            return Ok(rested(live));
        }
        hold_stop(live, desk);
        if is_shut(live).await? {
            return Ok(rested(live));
        }
        let setting = match setting(live).await {
            Ok(setting) => setting,
            Err(reason) if give_up(live, &reason).await? => continue,
            Err(_) => return Ok(rested(live)),
        };
        if live.frame.is_outer() {
            let moving = live.conversation.moving_in_background(&setting);
            moving.iter().for_each(|frame| desk.background(frame, entrance));
        }
        if was_cut(live, std::mem::replace(&mut entrance, Entrance::Woken), &setting) {
            live.record(vec![Body::Resumed]).await?;
        }
        let effect = live.conversation.next_in(&live.frame, &setting);
        if !writes_first(&effect) {
            live.settle().await?;
        }
        match effect {
            Effect::Note(bodies) => drop(live.decide(bodies).await?),
            Effect::Sample(request) => perform::sample(live, request, &setting).await?,
            Effect::Screen(calls) => perform::screen(live, calls, &setting).await?,
            Effect::Ask(approvals) => perform::ask(live, approvals).await?,
            Effect::Run(calls) => perform::run(live, calls, &setting).await?,
            Effect::Delegate(delegating) => perform::delegate(live, delegating, setting).await?,
            Effect::Compact(why) => perform::compact(live, why, &setting).await?,
            Effect::End { outcome, footer } => drop(live.decide(vec![Body::Ended { outcome, footer }]).await?),
            Effect::Rest if has_moved(live).await? => {}
            Effect::Rest => return Ok(rested(live)),
        }
    }
}

/// What holds in a frame at this moment: in that of a delegate, what its callers and its profile leave of it.
pub(crate) async fn setting(live: &Live<'_>) -> Result<Setting, String> {
    let Live { ports, conversation, frame, .. } = live;
    let setting = ports.settings.current(conversation.id(), conversation.live()).await?;
    let mut setting = Setting { resting: ports.rests.at(ports.clock.now()), ..setting };
    for opened in conversation.opened_to(frame) {
        let gone = || format!("the profile {} cannot be run as a delegate any more", opened.profile);
        let inner = match opened.mode {
            Mode::Wait => setting.inside(&opened.profile),
            Mode::Background => setting.behind(&opened.profile),
        };
        setting = inner.ok_or_else(gone)?;
    }
    Ok(setting)
}

/// Whether an effect begins with an append, so that what is held goes with it.
fn writes_first(effect: &Effect) -> bool {
    match effect {
        Effect::Note(_) | Effect::Ask(_) | Effect::Run(_) | Effect::Screen(_) | Effect::End { .. } => true,
        Effect::Sample(_) | Effect::Compact(_) | Effect::Delegate(_) | Effect::Rest => false,
    }
}

/// Whether the turn was cut: a run has started and not returned, though only this process drives it; or another
/// process was at work on it. A turn that waits for its person, or for delegates, was not cut: those may have been.
fn was_cut(live: &Live<'_>, entrance: Entrance, setting: &Setting) -> bool {
    let open_run = |call: &CallState| {
        call.result.is_none() && call.started.as_ref().is_some_and(|run| !run.cut) && !is_delegate(&call.call.tool)
    };
    let Some(turn) = live.turn() else { return false };
    let at_work = || !matches!(live.conversation.next_in(&live.frame, setting), Effect::Rest | Effect::Delegate(_));
    turn.calls().any(open_run) || (entrance == Entrance::Resumed && at_work())
}

/// Gives each turn a stop token of its own, so that a late stop never meets the next turn.
fn hold_stop(live: &mut Live<'_>, desk: &dyn StopDesk) {
    let Some(turn) = live.conversation.turn_in(&live.frame) else { return };
    if live.stop_of.as_ref() != Some(turn.id()) {
        live.stop = CancellationToken::new();
        live.stop_of = Some(turn.id().clone());
    }
    desk.running(turn.id(), &live.stop);
}

/// Whether what runs was cancelled though nobody stopped the turn: a stop is recorded before it cancels, so this is the
/// desk being shut, and whoever opens it next goes on.
async fn is_shut(live: &mut Live<'_>) -> Result<bool, RunError> {
    if !live.stop.is_cancelled() || live.is_stopped() {
        return Ok(false);
    }
    live.catch_up().await?;
    Ok(live.turn().map(Turn::id) == live.stop_of.as_ref() && !live.is_stopped())
}

/// Whether others have recorded something meanwhile. Asked before a rest only: anything else ends with an append, which
/// holds on the newest head or is refused.
async fn has_moved(live: &mut Live<'_>) -> Result<bool, RunError> {
    let head = live.conversation.head();
    live.catch_up().await?;
    Ok(live.conversation.head() != head)
}

/// Without a setting nothing may run: the turn ends, and says so; before it, what works for it. False when there is no
/// turn to end.
async fn give_up(live: &mut Live<'_>, reason: &str) -> Result<bool, RunError> {
    give_up_in(live, &live.frame.clone(), reason).await
}

/// The same for a frame that was opened from the one that is driven.
pub(crate) async fn give_up_in(live: &mut Live<'_>, frame: &FrameId, reason: &str) -> Result<bool, RunError> {
    let deepest = live.conversation.open_below(frame).into_iter().next();
    let frame = deepest.as_ref().unwrap_or(frame);
    let bodies = live.conversation.give_up_in(frame, reason);
    if bodies.is_empty() {
        return Ok(false);
    }
    let drafts = live.drafts_in(frame, bodies);
    live.decide_drafts(drafts).await?;
    Ok(true)
}

fn rested(live: &Live<'_>) -> Rested {
    if live.turn().is_some() { Rested::Waiting } else { Rested::Quiet }
}
