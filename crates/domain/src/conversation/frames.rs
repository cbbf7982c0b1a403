//! The frames of delegates in a conversation. Each is a fold of its own entries; here is how they hang together: which
//! call opened which frame, what comes next in one, what the whole tree has used and done.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Conversation;
use crate::approval::Decision;
use crate::delegate::{MOST_DEPTH, Mode, Opened, delivery, is_delegate, report};
use crate::effect::Effect;
use crate::entry::{Body, Draft, Entry};
use crate::footer::SideEffect;
use crate::id::{CallId, FrameId, MessageId, TurnId};
use crate::message::{Message, Wanted};
use crate::scratchpad::is_scratchpad;
use crate::setting::Setting;
use crate::time::Timestamp;
use crate::turn::{ActiveTime, CallState, FrameState, Others, Turn, Used};

/// The frames of the turn that runs, and those that work in the background, in the order in which they were opened.
#[derive(Debug, Clone, Default)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// Where each stands in that list.
    places: HashMap<FrameId, usize>,
    /// How long the delegates of each purse were at work, any of them, by the root of the purse.
    times: HashMap<FrameId, ActiveTime>,
}

/// A delegate at work, or done.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) opened: Opened,
    turn: TurnId,
    /// The frame whose purse it draws on: the outer one, or the delegate in the background that it is or works for.
    root: FrameId,
    depth: usize,
    pub(super) fold: Conversation,
}

impl Frame {
    fn id(&self) -> &FrameId {
        &self.fold.frame
    }

    /// Its part of the turn, be it over.
    pub(super) fn part(&self) -> Option<&Turn> {
        self.fold.live.as_ref().or(self.fold.over.as_ref())
    }

    fn is_open(&self) -> bool {
        self.fold.live.is_some()
    }

    fn is_in_background(&self) -> bool {
        self.opened.mode == Mode::Background
    }
}

impl Frames {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn get(&self, id: &FrameId) -> Option<&Frame> {
        self.frames.get(*self.places.get(id)?)
    }

    fn get_mut(&mut self, id: &FrameId) -> Option<&mut Frame> {
        self.frames.get_mut(*self.places.get(id)?)
    }

    /// The frames that draw on a purse, without its root.
    fn of_purse<'a>(&'a self, root: &'a FrameId) -> impl Iterator<Item = &'a Frame> {
        self.frames.iter().filter(move |frame| frame.root == *root && frame.id() != root)
    }

    fn push(&mut self, frame: Frame) {
        self.places.insert(frame.id().clone(), self.frames.len());
        self.frames.push(frame);
    }

    /// A turn is over: of its frames those in the background stay.
    pub(super) fn forget(&mut self, turn: &TurnId) {
        self.frames.retain(|frame| frame.turn != *turn || !frame.root.is_outer());
        self.times.remove(&FrameId::outer());
        self.number();
    }

    fn number(&mut self) {
        self.places = self.frames.iter().enumerate().map(|(place, frame)| (frame.id().clone(), place)).collect();
    }

    /// Whether a delegate in the background works, or its answer was not brought yet.
    pub(super) fn works_in_background(&self) -> bool {
        self.frames.iter().any(Frame::is_in_background)
    }

    /// The answer of a delegate in the background was brought: nothing more is to be known of it.
    pub(super) fn delivered(&mut self, message: &MessageId) {
        let brought = |frame: &Frame| frame.is_in_background() && frame.opened.delivered_as() == *message;
        let roots: HashSet<FrameId> = self
            .frames
            .iter()
            .filter(|frame| brought(frame) && !frame.is_open())
            .map(|frame| frame.root.clone())
            .collect();
        if !roots.is_empty() {
            self.frames.retain(|frame| !roots.contains(&frame.root));
            self.number();
        }
    }

    /// The person wants what is held to be tried again.
    pub(super) fn try_again(&mut self) {
        self.frames.iter_mut().filter_map(|frame| frame.fold.live.as_mut()).for_each(Turn::try_again);
    }

    /// Lets the time of a purse go on to an entry of one of its frames.
    fn pass_time(&mut self, root: &FrameId, entry: &Entry) {
        let at_work = |frame: &Frame| frame.fold.live.as_ref().is_some_and(Turn::is_at_work);
        let idle = matches!(entry.body, Body::Resumed) || !self.of_purse(root).any(at_work);
        self.times.entry(root.clone()).or_insert_with(|| ActiveTime::from(entry.at)).go_on(entry.at, idle);
    }

    fn stop(&mut self, of: impl Fn(&Frame) -> bool) {
        let turns = self.frames.iter_mut().filter(|frame| of(frame)).filter_map(|frame| frame.fold.live.as_mut());
        turns.for_each(Turn::stop);
    }

    /// A frame and all frames that were opened from it.
    fn with_those_below(&self, id: &FrameId) -> HashSet<FrameId> {
        let mut below = HashSet::from([id.clone()]);
        for frame in &self.frames {
            if below.contains(&frame.opened.caller) {
                below.insert(frame.id().clone());
            }
        }
        below
    }
}

impl Conversation {
    /// Takes in an entry of a frame of a delegate. What people do to a conversation has no place there.
    pub(super) fn apply_inside(&mut self, entry: &Entry) {
        match &entry.body {
            Body::Newer(_) => self.newer = true,
            Body::Opened(opened) => self.opened(entry, opened),
            Body::Replied(reply) if self.repeats_a_call(reply) => {}
            Body::Said(_)
            | Body::Withdrawn(_)
            | Body::CompactionAsked
            | Body::Forked { .. }
            | Body::Switched { .. } => {}
            Body::Replied(_)
            | Body::Faltered(_)
            | Body::Held(_)
            | Body::Rejected { .. }
            | Body::Screened(_)
            | Body::Asked(_)
            | Body::Answered(_)
            | Body::Started { .. }
            | Body::Returned(_)
            | Body::Resumed
            | Body::Stopped
            | Body::Ended { .. }
            | Body::Compacted(_) => self.apply_to_frame(entry),
        }
    }

    fn apply_to_frame(&mut self, entry: &Entry) {
        let Some(root) = self.frames.get(&entry.frame).filter(|frame| frame.is_open()).map(|frame| frame.root.clone())
        else {
            return;
        };
        self.remember_names(entry);
        self.write_down(entry);
        if root != entry.frame {
            self.frames.pass_time(&root, entry);
        }
        self.note_calls_elsewhere(&entry.frame);
        if let Some(frame) = self.frames.get_mut(&entry.frame) {
            frame.fold.apply(entry);
        }
        self.stop_frames(entry);
    }

    /// A frame begins, if the call that it is named after is open.
    fn opened(&mut self, entry: &Entry, opened: &Opened) {
        let (root, depth) = match self.frames.get(&opened.caller) {
            Some(caller) => (caller.root.clone(), caller.depth + 1),
            None => (FrameId::outer(), 1),
        };
        let fits = entry.frame == FrameId::opened_by(&opened.call)
            && self.frames.get(&entry.frame).is_none()
            && depth <= MOST_DEPTH;
        let Some(caller) = self.turn_in(&opened.caller).filter(|turn| *turn.id() == entry.turn) else { return };
        let calls =
            |state: &CallState| state.call.id == opened.call && is_delegate(&state.call.tool) && !state.is_settled();
        if !fits || !caller.calls().any(calls) {
            return;
        }
        let aside = caller.opening().first().and_then(|message| message.aside.clone());
        let root = if opened.mode == Mode::Background { entry.frame.clone() } else { root };
        if root != entry.frame {
            self.frames.pass_time(&root, entry);
        }
        let (id, text) = (MessageId::new(entry.frame.as_str()), opened.task.clone());
        let task = Message { id, text, aside, short: None, wanted: Wanted::default() };
        let mut fold = Self::of_frame(self.id.clone(), entry.frame.clone());
        fold.head = entry.number;
        fold.live = Some(Turn::begin(self.id.clone(), entry.turn.clone(), vec![task], entry.at));
        self.frames.push(Frame { opened: opened.clone(), turn: entry.turn.clone(), root, depth, fold });
    }

    /// A call of any frame came back: what it wrote into the scratchpad stands there from then on.
    pub(super) fn write_down(&mut self, entry: &Entry) {
        let Body::Returned(result) = &entry.body else { return };
        let open =
            self.turn_in(&entry.frame).and_then(|turn| turn.open_calls().find(|state| state.call.id == result.call));
        let Some((tool, screened)) = open.and_then(|state| Some((&state.call.tool, state.screened.as_ref()?))) else {
            return;
        };
        if is_scratchpad(tool) {
            let (tool, arguments) = (tool.clone(), screened.arguments.clone());
            self.scratchpad.returned(&tool, &arguments, result.status);
        }
    }

    /// Calls are counted over all frames of a purse, in the order in which they were made.
    pub(super) fn note_calls_elsewhere(&mut self, frame: &FrameId) {
        let calls = self.others(frame).used.calls;
        let turn = match self.frames.get_mut(frame) {
            Some(frame) => frame.fold.live.as_mut(),
            None => self.live.as_mut(),
        };
        turn.into_iter().for_each(|turn| turn.note_calls_elsewhere(calls));
    }

    /// A stop reaches all that works for the frame in which it was pressed; a refusal that ends the turn, the whole of it.
    pub(super) fn stop_frames(&mut self, entry: &Entry) {
        let whole = matches!(&entry.body, Body::Answered(answer) if answer.decision == Decision::RefuseAndStop);
        if !whole && !matches!(entry.body, Body::Stopped) {
            return;
        }
        if self.frames.is_empty() || !self.turn_in(&entry.frame).is_some_and(Turn::is_stopped) {
            return;
        }
        let root = self.root_of(&entry.frame).clone();
        if whole && root.is_outer() {
            self.live.iter_mut().for_each(Turn::stop);
        }
        if whole || entry.frame == root {
            return self.frames.stop(|frame| frame.root == root);
        }
        let below = self.frames.with_those_below(&entry.frame);
        self.frames.stop(|frame| below.contains(frame.id()) && frame.root == root);
    }

    /// The fold of a frame; `None` for one that is not there.
    pub fn at(&self, frame: &FrameId) -> Option<&Self> {
        if *frame == self.frame { Some(self) } else { self.frames.get(frame).map(|frame| &frame.fold) }
    }

    /// The part of a turn that a frame is, if it is not over.
    pub fn turn_in(&self, frame: &FrameId) -> Option<&Turn> {
        self.at(frame)?.live.as_ref()
    }

    /// What a frame began with; `None` for the outer one and for one that is not there.
    pub fn frame(&self, frame: &FrameId) -> Option<&Opened> {
        self.frames.get(frame).map(|frame| &frame.opened)
    }

    /// What the frames from the outer one down to this one began with, the outer one left out.
    pub fn opened_to(&self, frame: &FrameId) -> Vec<&Opened> {
        let mut all = Vec::new();
        let mut next = self.frames.get(frame);
        while let Some(frame) = next {
            all.push(&frame.opened);
            next = self.frames.get(&frame.opened.caller);
        }
        all.reverse();
        all
    }

    /// The frames that are not over and were opened from this one, the deepest first. Those in the background go their
    /// own ways.
    pub fn open_below(&self, frame: &FrameId) -> Vec<FrameId> {
        let (below, root) = (self.frames.with_those_below(frame), self.root_of(frame));
        let open = self.frames.frames.iter().filter(|one| one.is_open() && one.root == *root && one.id() != frame);
        open.map(Frame::id).filter(|id| below.contains(*id)).rev().cloned().collect()
    }

    /// A fact of a frame, ready to be recorded.
    pub fn draft_in(&self, frame: &FrameId, at: Timestamp, body: Body) -> Draft {
        self.at(frame).unwrap_or(self).draft(at, body)
    }

    fn root_of<'a>(&'a self, frame: &'a FrameId) -> &'a FrameId {
        self.frames.get(frame).map_or(frame, |frame| &frame.root)
    }

    /// What comes next in a frame, of which this is the setting.
    pub fn next_in(&self, frame: &FrameId, setting: &Setting) -> Effect {
        let Some(fold) = self.at(frame).filter(|_| !self.newer) else { return Effect::Rest };
        let states = self.states_below(fold, setting.model.window, |id, opened| {
            setting.inside(&opened.profile).is_none_or(|inner| !matches!(self.next_in(id, &inner), Effect::Rest))
        });
        match (fold.next_here(&states, &self.others(frame), &self.scratchpad, setting), &fold.live) {
            (Effect::End { outcome, .. }, Some(turn)) => {
                Effect::End { outcome, footer: self.effects_of(turn, usize::MAX) }
            }
            (effect, _) => effect,
        }
    }

    /// The frames that the open calls of a turn have opened.
    fn states_below(
        &self,
        fold: &Self,
        window: u32,
        can_go_on: impl Fn(&FrameId, &Opened) -> bool,
    ) -> BTreeMap<CallId, FrameState> {
        if self.frames.is_empty() {
            return BTreeMap::new();
        }
        let open = fold.live.iter().flat_map(Turn::open_calls).map(|state| FrameId::opened_by(&state.call.id));
        let frames = open.filter_map(|id| self.frames.get(&id));
        let state = |frame: &Frame| match frame.fold.over.as_ref().and_then(|turn| Some((turn, turn.outcome()?))) {
            Some((turn, outcome)) => {
                let effects = self.effects_of(turn, usize::MAX);
                FrameState::Over(report(&frame.opened, outcome, &turn.last_text(), &effects, window))
            }
            None if can_go_on(frame.id(), &frame.opened) => FrameState::Moving(frame.id().clone()),
            None => FrameState::Resting,
        };
        frames.map(|frame| (frame.opened.call.clone(), state(frame))).collect()
    }

    /// What the other frames of a purse have used of it, seen from one of them.
    pub(super) fn others(&self, frame: &FrameId) -> Others {
        let mut others = Others::default();
        if self.frames.is_empty() {
            return others;
        }
        let root = self.root_of(frame);
        let own = self.part_in(frame).map(Turn::used).unwrap_or_default();
        let first = self.part_in(root);
        first.filter(|_| frame != root).into_iter().for_each(|turn| others.add(turn));
        let delegates = self.frames.of_purse(root).filter(|other| other.id() != frame);
        delegates.filter_map(Frame::part).for_each(|turn| others.add(turn));
        // Frames that work side by side use the same time.
        let below = self.frames.times.get(root).map_or(0, ActiveTime::ms);
        let all = first.map(Turn::used).unwrap_or_default().active_ms + below;
        others.used.active_ms = all.saturating_sub(own.active_ms);
        others.background = self.frames.iter().filter(|frame| frame.is_in_background() && frame.is_open()).count();
        others
    }

    fn part_in(&self, frame: &FrameId) -> Option<&Turn> {
        match self.frames.get(frame) {
            Some(frame) => frame.part(),
            None => self.live.as_ref(),
        }
    }

    /// What all frames of a purse have used of it together.
    pub fn used(&self, frame: &FrameId) -> Used {
        self.part_in(frame).map(Turn::used).unwrap_or_default().and(&self.others(frame).used)
    }

    /// When the time of a frame is over, be it its own or that of all frames together.
    pub fn deadline_in(&self, frame: &FrameId, setting: &Setting) -> Option<Timestamp> {
        let turn = self.turn_in(frame)?;
        let elsewhere = self.others(frame).used.active_ms;
        let last = self.frames.times.get(self.root_of(frame)).map_or(Timestamp::default(), ActiveTime::last);
        let all = turn.deadline_within(setting.purse().active_ms.saturating_sub(elsewhere), last);
        Some(turn.deadline(&setting.limits).min(all))
    }

    /// What the first rounds of a turn did to the world, what its delegates did at the places of their calls.
    pub(super) fn effects_of(&self, turn: &Turn, rounds: usize) -> Vec<SideEffect> {
        let calls = turn.rounds().iter().take(rounds).flat_map(|round| &round.calls);
        calls.flat_map(|state| self.effects_of_call(state)).collect()
    }

    fn effects_of_call(&self, state: &CallState) -> Vec<SideEffect> {
        let delegate = is_delegate(&state.call.tool).then(|| self.frames.get(&FrameId::opened_by(&state.call.id)));
        match delegate.flatten().filter(|frame| !frame.is_in_background()).and_then(Frame::part) {
            Some(turn) => self.effects_of(turn, usize::MAX),
            None => state.side_effect().into_iter().collect(),
        }
    }

    /// Whether a delegate in the background has ended and its answer was not brought yet.
    pub(super) fn is_awaiting(&self) -> bool {
        !self.frames.is_empty() && self.frames.iter().any(|frame| frame.is_in_background() && !frame.is_open())
    }

    /// The message that brings what the first of them has to say.
    pub(super) fn deliveries(&self) -> Vec<Body> {
        let ended = self.frames.iter().filter(|frame| frame.is_in_background());
        let reports = ended.filter_map(|frame| {
            let turn = frame.fold.over.as_ref()?;
            let effects = self.effects_of(turn, usize::MAX);
            let result = report(&frame.opened, turn.outcome()?, &turn.last_text(), &effects, u32::MAX);
            Some(Body::Said(delivery(&frame.opened, &result)))
        });
        reports.take(1).collect()
    }

    /// The delegates in the background in which something can be done now.
    pub fn moving_in_background(&self, setting: &Setting) -> Vec<FrameId> {
        let open = self.frames.iter().filter(|frame| frame.is_in_background() && frame.is_open());
        let moves = |frame: &&Frame| {
            let inner = setting.behind(&frame.opened.profile);
            inner.is_none_or(|inner| !matches!(self.next_in(frame.id(), &inner), Effect::Rest))
        };
        open.filter(moves).map(|frame| frame.id().clone()).collect()
    }

    /// The same in the outer frame.
    pub fn give_up(&self, reason: &str) -> Vec<Body> {
        self.give_up_in(&self.frame, reason)
    }

    /// The facts that end a frame when what holds cannot be known, so that nothing may run: first those that settle its
    /// open calls, then the end itself. Empty when there is nothing to end.
    pub fn give_up_in(&self, frame: &FrameId, reason: &str) -> Vec<Body> {
        let Some(fold) = self.at(frame).filter(|_| !self.newer) else { return Vec::new() };
        let Some(turn) = &fold.live else { return Vec::new() };
        let mut bodies = turn.give_up(reason, &self.states_below(fold, u32::MAX, |_, _| false));
        for body in &mut bodies {
            if let Body::Ended { footer, .. } = body {
                *footer = self.effects_of(turn, usize::MAX);
            }
        }
        bodies
    }
}
