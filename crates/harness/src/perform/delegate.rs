//! Lets delegates work: each in a frame of its own, driven by the same loop as the turn itself, some side by side. What
//! comes back is decided in `domain`, from the entries of the frames; nothing of it is kept here.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::call::ClearedCall;
use domain::delegate::{Mode, Opened};
use domain::effect::{Delegating, Effect};
use domain::entry::{Body, Draft};
use domain::id::{FrameId, TurnId};
use domain::setting::Setting;
use domain::turn::Turn;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

use super::guarded;
use super::ledger::Ledger;
use super::run::started;
use crate::live::{Live, Recorded};
use crate::run::{Entrance, RunError, StopDesk, give_up_in, keep_on, setting as current};

/// How often it is looked whether a person has answered a delegate while others are at work.
const LOOK: Duration = Duration::from_millis(250);

/// Why a frame ends whose driver panicked.
const BROKE_OFF: &str = "its work broke off";

/// A frame that is being driven, until it rests or is over.
type AtWork<'a> = Pin<Box<dyn Future<Output = (FrameId, Option<Result<(), RunError>>)> + Send + 'a>>;

/// The delegates of one frame at work.
struct Desk<'a> {
    at_work: FuturesUnordered<AtWork<'a>>,
    /// The frames that are driven, and what cancels each.
    busy: HashMap<FrameId, CancellationToken>,
    /// Frames that another process was at work on.
    cut: HashSet<FrameId>,
    ledger: Arc<Ledger>,
}

/// Works until all delegates of the frame are over or wait for a person.
pub(crate) async fn delegate(live: &mut Live<'_>, todo: Delegating, setting: Setting) -> Result<(), RunError> {
    let (mut todo, mut setting) = (todo, setting);
    let mut desk = Desk::of(live);
    loop {
        while desk.busy.len() < setting.limits.delegates && desk.begin(live, &mut todo, &setting).await? {}
        if desk.busy.is_empty() {
            return Ok(());
        }
        if let Ok(Some((frame, end))) = tokio::time::timeout(LOOK, desk.at_work.next()).await {
            desk.busy.remove(&frame);
            match end {
                Some(end) => end?,
                None => while give_up_in(live, &frame, BROKE_OFF).await? {},
            }
        }
        live.catch_up().await?;
        desk.cancel_stopped(live);
        if live.stop.is_cancelled() && !live.is_stopped() {
            // The desk is being shut; whoever opens it next goes on.
            todo = nothing();
        } else if let Ok(now) = current(live).await {
            todo = look(live, &now).await?;
            setting = now;
        } else {
            todo = nothing();
        }
    }
}

fn nothing() -> Delegating {
    Delegating { open: Vec::new(), go_on: Vec::new() }
}

/// What is to be done by now. Results that have come are recorded on the way, so that a place is free for the next.
async fn look(live: &mut Live<'_>, setting: &Setting) -> Result<Delegating, RunError> {
    loop {
        match live.conversation.next_in(&live.frame, setting) {
            Effect::Delegate(todo) => return Ok(todo),
            Effect::Note(bodies) => drop(live.decide(bodies).await?),
            Effect::Sample(_)
            | Effect::Screen(_)
            | Effect::Ask(_)
            | Effect::Run(_)
            | Effect::Compact(_)
            | Effect::Rest
            | Effect::End { .. } => return Ok(nothing()),
        }
    }
}

impl<'a> Desk<'a> {
    fn of(live: &mut Live<'a>) -> Self {
        let ledger = live.ledger.clone().unwrap_or_else(|| Ledger::new(live.conversation.used(&live.frame)));
        let cut = match std::mem::take(&mut live.resumed) {
            true => live.conversation.open_below(&live.frame).into_iter().collect(),
            false => HashSet::new(),
        };
        Self { at_work: FuturesUnordered::new(), busy: HashMap::new(), cut, ledger }
    }

    /// Begins with the next delegate: one that was opened before, else the first that is to be. False when none is left.
    async fn begin(&mut self, live: &mut Live<'a>, todo: &mut Delegating, setting: &Setting) -> Result<bool, RunError> {
        if let Some(place) = todo.go_on.iter().position(|frame| !self.busy.contains_key(frame)) {
            let frame = todo.go_on.remove(place);
            self.drive(live, &frame);
            return Ok(true);
        }
        if todo.open.is_empty() {
            return Ok(false);
        }
        let call = todo.open.remove(0);
        let Some(opened) = Opened::of(&call, &live.frame, setting) else { return Ok(true) };
        match open(live, &call, opened.clone()).await? {
            Recorded::Yes if opened.mode == Mode::Wait => self.drive(live, &opened.frame()),
            // Others drive it, beside the conversation, or others were faster: what is to be done may be something else
            // by now.
            Recorded::Yes | Recorded::Overtaken => *todo = look(live, setting).await?,
        }
        Ok(true)
    }

    /// Cancels what runs for delegates that were stopped by themselves.
    fn cancel_stopped(&self, live: &Live<'_>) {
        let stopped = |frame: &FrameId| live.conversation.turn_in(frame).is_some_and(Turn::is_stopped);
        self.busy.iter().filter(|(frame, _)| stopped(frame)).for_each(|(_, stop)| stop.cancel());
    }

    fn drive(&mut self, live: &Live<'a>, frame: &FrameId) {
        let entrance = if self.cut.remove(frame) { Entrance::Resumed } else { Entrance::Woken };
        let mut inner = live.inside(frame, &self.ledger);
        inner.resumed = entrance == Entrance::Resumed;
        self.busy.insert(frame.clone(), inner.stop.clone());
        self.at_work.push(Box::pin(async move {
            let end = guarded(keep_on(&mut inner, entrance, &Nobody)).await;
            (inner.frame, end.map(|end| end.map(drop)))
        }));
    }
}

/// Opens a frame, with the start of the call that it works for: both are true or none.
async fn open(live: &mut Live<'_>, call: &ClearedCall, opened: Opened) -> Result<Recorded, RunError> {
    let mut drafts = live.drafts_in(&live.frame, vec![started(call)]);
    let begins =
        |draft: &Draft| Draft { frame: opened.frame(), body: Body::Opened(Box::new(opened.clone())), ..draft.clone() };
    drafts.extend(drafts.first().map(begins));
    if opened.mode == Mode::Background {
        drafts.extend(live.drafts_in(&live.frame, vec![Body::Returned(opened.receipt())]));
    }
    live.decide_drafts(drafts).await
}

/// A frame is stopped with the turn that it is a part of.
pub(crate) struct Nobody;

impl StopDesk for Nobody {
    fn running(&self, _: &TurnId, _: &CancellationToken) {}
}
