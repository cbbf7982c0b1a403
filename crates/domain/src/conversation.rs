//! One conversation as the fold of all its entries: what was said, the turn that runs, what waits for the person.

mod frames;
mod past;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::approval::{Answer, Approval};
use crate::compact::{Compacted, Cut, Done, Fold, Standing, Summary, Task, Why, Words};
use crate::context::{CallPolicy, Item, Prompt, Thread};
use crate::digest::Digest;
use crate::effect::Effect;
use crate::entry::{Body, Draft, Entry};
use crate::footer::SideEffect;
use crate::id::{ApprovalId, CallId, ConversationId, EntryNumber, FrameId, MessageId, TurnId};
use crate::line::Lines;
use crate::message::Message;
use crate::model::Reply;
use crate::plan::{self, Budget};
use crate::scratchpad::Scratchpad;
use crate::setting::Setting;
use crate::time::Timestamp;
use crate::turn::{Around, CallState, FrameState, Others, Turn};

use frames::Frames;
use past::Pasts;

/// A conversation at one entry. A frame of a delegate is one too, which folds the entries of that frame alone.
#[derive(Debug, Clone)]
pub struct Conversation {
    id: ConversationId,
    /// The frame whose entries it folds.
    frame: FrameId,
    /// The frames of delegates, where this is the outer one.
    frames: Frames,
    /// The turn of an inner frame that is over.
    over: Option<Turn>,
    scratchpad: Scratchpad,
    head: EntryNumber,
    history: Thread,
    standing: Standing,
    pasts: Pasts,
    live: Option<Turn>,
    messages: HashMap<MessageId, EntryNumber>,
    answers: HashMap<ApprovalId, Given>,
    asked: HashMap<ApprovalId, (Digest, FrameId)>,
    call_ids: HashSet<CallId>,
    newer: bool,
}

/// Where a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// No turn runs.
    Quiet,
    /// Something can be done now.
    Running,
    /// The turn waits for the person.
    Resting,
}

/// An answer and when it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The answer.
    pub answer: Answer,
    /// When.
    pub at: Timestamp,
}

/// Where a question stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionState<'a> {
    /// It waits for the person.
    Pending(&'a Approval),
    /// It was answered.
    Answered(&'a Given),
    /// It was withdrawn, or its turn is over.
    Gone(Digest),
}

/// Why an answer cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAwaited<'a> {
    /// The question was never asked here.
    Unknown,
    /// It was answered before.
    Answered(&'a Given),
    /// It was withdrawn, or its turn is over.
    Gone,
    /// What was shown is not what is asked.
    DigestDiffers,
    /// The decision does not answer this kind of question.
    WrongKind,
}

impl Conversation {
    /// A conversation without entries.
    pub fn new(id: ConversationId) -> Self {
        Self::of_frame(id, FrameId::outer())
    }

    fn of_frame(id: ConversationId, frame: FrameId) -> Self {
        Self {
            id,
            frame,
            frames: Frames::default(),
            over: None,
            scratchpad: Scratchpad::default(),
            head: EntryNumber::default(),
            history: Thread::default(),
            standing: Standing::default(),
            pasts: Pasts::default(),
            live: None,
            messages: HashMap::new(),
            answers: HashMap::new(),
            asked: HashMap::new(),
            call_ids: HashSet::new(),
            newer: false,
        }
    }

    /// The fold of these entries.
    pub fn fold<'a>(id: ConversationId, entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let mut conversation = Self::new(id);
        entries.into_iter().for_each(|entry| conversation.apply(entry));
        conversation
    }

    /// Takes in one entry. Total: an entry at or before the head, or one that cannot follow, has no effect.
    pub fn apply(&mut self, entry: &Entry) {
        if entry.number <= self.head {
            return;
        }
        self.head = entry.number;
        if entry.frame != self.frame {
            self.apply_inside(entry);
            return self.pasts.lines.recorded(entry.number);
        }
        self.apply_here(entry);
    }

    /// Takes in an entry of the frame that this is the fold of.
    fn apply_here(&mut self, entry: &Entry) {
        match &entry.body {
            Body::Newer(_) => self.newer = true,
            Body::Said(message) if self.messages.contains_key(&message.id) => {}
            // A server would refuse a prompt in which one call id stands twice, and every later one with it.
            Body::Replied(reply) if self.repeats_a_call(reply) => {}
            Body::Said(message) => self.said(entry, message),
            Body::Compacted(compacted) => self.compacted(entry.number, compacted),
            Body::Forked { after } => self.forked(entry.number, *after),
            Body::Switched { line } => self.switched(*line),
            Body::CompactionAsked => self.standing.asked(entry.number),
            // A frame is begun where all frames are known.
            Body::Opened(_) => {}
            Body::Withdrawn(_)
            | Body::Replied(_)
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
            | Body::Ended { .. } => {
                self.remember(entry);
                self.write_down(entry);
                if !self.frames.is_empty() {
                    self.note_calls_elsewhere(&entry.frame);
                }
                if let Some(turn) = &mut self.live {
                    turn.apply(entry);
                }
                self.stop_frames(entry);
            }
        }
        self.pasts.lines.recorded(entry.number);
        self.close_ended(entry);
    }

    fn said(&mut self, entry: &Entry, message: &Message) {
        self.messages.insert(message.id.clone(), entry.number);
        self.frames.try_again();
        self.frames.delivered(&message.id);
        match &mut self.live {
            Some(turn) => turn.apply(entry),
            None => {
                self.pasts.told(entry.number);
                self.live = Some(Turn::open(self.id.clone(), vec![message.clone()], entry.at));
            }
        }
    }

    fn repeats_a_call(&self, reply: &Reply) -> bool {
        let mut seen = HashSet::new();
        reply.sampled.calls.iter().any(|call| self.call_ids.contains(&call.id) || !seen.insert(&call.id))
    }

    /// What the outer frame has used of its window, and what is known over all frames.
    fn remember(&mut self, entry: &Entry) {
        if let Some(reply) = entry.body.replied() {
            self.standing.replied(reply);
        }
        if let Body::Faltered(faltered) = &entry.body {
            self.standing.faltered(faltered);
        }
        self.remember_names(entry);
    }

    /// What is known over all frames: ids of calls, questions and their answers.
    fn remember_names(&mut self, entry: &Entry) {
        if let Some(reply) = entry.body.replied() {
            self.call_ids.extend(reply.sampled.calls.iter().map(|call| call.id.clone()));
        }
        if let Some(approval) = entry.body.asked() {
            self.asked.insert(approval.id.clone(), (approval.digest, entry.frame.clone()));
        }
        if let Body::Answered(answer) = &entry.body
            && self.may_answer(answer).is_ok()
        {
            let given = || Given { answer: answer.clone(), at: entry.at };
            self.answers.entry(answer.approval.clone()).or_insert_with(given);
        }
    }

    /// A fold holds from its entry on. One whose cut is not there has no effect.
    fn compacted(&mut self, number: EntryNumber, compacted: &Compacted) {
        match &compacted.fold {
            Fold::Unchanged(_) => {}
            Fold::Demoted(demotion) => self.live.iter_mut().for_each(|turn| turn.demote(demotion)),
            Fold::Summarised { cut, .. } if !self.cut_live(cut) => return,
            Fold::Summarised { .. } => {}
        }
        self.pasts.folded(number, compacted);
        self.fold_history(compacted);
    }

    /// Cuts the turn that runs, if the cut is in it; whether the cut is anywhere.
    fn cut_live(&mut self, cut: &Cut) -> bool {
        if self.history.holds(&cut.turn) {
            return true;
        }
        let Some(turn) = self.live.as_mut().filter(|turn| *turn.id() == cut.turn) else { return false };
        self.history = Thread::default();
        turn.cut(cut);
        true
    }

    fn fold_history(&mut self, compacted: &Compacted) {
        match &compacted.fold {
            Fold::Unchanged(_) => {}
            Fold::Demoted(demotion) => self.history.demote(demotion),
            Fold::Summarised { cut, summary, .. } => {
                self.history.cut(cut);
                self.history.begin_with(summary.text());
            }
        }
        self.standing.compacted(compacted, &self.history);
    }

    /// An ended turn becomes history; messages that nobody read begin the next turn.
    fn close_ended(&mut self, entry: &Entry) {
        let Some(mut turn) = self.live.take_if(|turn| turn.outcome().is_some()) else { return };
        if !self.frame.is_outer() {
            self.over = Some(turn);
            return;
        }
        let unread = turn.take_waiting();
        let effects = self.effects_of(&turn, turn.rounds().len());
        self.standing.ended(turn.id(), &effects);
        self.pasts.ended(&turn, effects, entry.number);
        self.frames.forget(turn.id());
        self.history.append(turn.thread());
        if !unread.is_empty() {
            self.live = Some(Turn::open(self.id.clone(), unread, entry.at));
        }
    }

    /// Its name.
    pub fn id(&self) -> &ConversationId {
        &self.id
    }

    /// The last entry taken in.
    pub fn head(&self) -> EntryNumber {
        self.head
    }

    /// The turn that has not ended.
    pub fn live(&self) -> Option<&Turn> {
        self.live.as_ref()
    }

    /// Whether an entry was written by a newer version: then nothing may be added.
    pub fn is_read_only(&self) -> bool {
        self.newer
    }

    /// The entry that holds this message, if it was said before.
    pub fn entry_of(&self, message: &MessageId) -> Option<EntryNumber> {
        self.messages.get(message).copied()
    }

    /// Whether this id was used for a call.
    pub fn knows_call(&self, call: &CallId) -> bool {
        self.call_ids.contains(call)
    }

    /// The questions that wait for the person, oldest first; those of delegates behind those of the turn itself.
    pub fn pending(&self) -> Vec<&Approval> {
        let inside = self.frames.iter().filter_map(|frame| frame.fold.live.as_ref());
        let calls = self.live.iter().chain(inside).filter(|turn| !turn.is_stopped()).flat_map(Turn::calls);
        calls.filter_map(CallState::pending).collect()
    }

    /// The frame in which a question was asked.
    pub fn asked_by(&self, approval: &ApprovalId) -> Option<&FrameId> {
        self.asked.get(approval).map(|(_, frame)| frame)
    }

    /// Where a question of this conversation stands; `None` if it was never asked here.
    pub fn question(&self, approval: &ApprovalId) -> Option<QuestionState<'_>> {
        if let Some(given) = self.answers.get(approval) {
            return Some(QuestionState::Answered(given));
        }
        let (digest, _) = self.asked.get(approval)?;
        let pending = self.pending().into_iter().find(|pending| pending.id == *approval);
        Some(pending.map_or(QuestionState::Gone(*digest), QuestionState::Pending))
    }

    /// Whether a question waits for this answer: for its digest, and for its kind of decision.
    pub fn may_answer(&self, answer: &Answer) -> Result<(), NotAwaited<'_>> {
        match self.question(&answer.approval).ok_or(NotAwaited::Unknown)? {
            QuestionState::Answered(given) => Err(NotAwaited::Answered(given)),
            QuestionState::Gone(_) => Err(NotAwaited::Gone),
            QuestionState::Pending(approval) if approval.digest != answer.digest => Err(NotAwaited::DigestDiffers),
            QuestionState::Pending(approval) if !approval.takes(&answer.decision) => Err(NotAwaited::WrongKind),
            QuestionState::Pending(_) => Ok(()),
        }
    }

    /// What comes next.
    pub fn next(&self, setting: &Setting) -> Effect {
        self.next_in(&self.frame, setting)
    }

    /// What comes next in the frame that this is the fold of.
    fn next_here(
        &self,
        frames: &BTreeMap<CallId, FrameState>,
        others: &Others,
        scratchpad: &Scratchpad,
        setting: &Setting,
    ) -> Effect {
        let around = Around { history: self.history.items(), head: self.head, others, frames, scratchpad };
        match &self.live {
            Some(_) | None if self.newer => Effect::Rest,
            Some(_) if self.is_awaiting() => Effect::Note(self.deliveries()),
            Some(turn) => match turn.next(around, setting) {
                Effect::Rest if self.wants(setting) == Some(Why::Asked) => Effect::Compact(Why::Asked),
                next @ (Effect::Note(_)
                | Effect::Sample(_)
                | Effect::Screen(_)
                | Effect::Ask(_)
                | Effect::Run(_)
                | Effect::Delegate(_)
                | Effect::Compact(_)
                | Effect::Rest
                | Effect::End { .. }) => next,
            },
            None if self.frame.is_outer() && self.is_awaiting() => Effect::Note(self.deliveries()),
            None if self.frame.is_outer() => self.wants(setting).map_or(Effect::Rest, Effect::Compact),
            None => Effect::Rest,
        }
    }

    /// Why it should be made smaller although no prompt needs that now.
    fn wants(&self, setting: &Setting) -> Option<Why> {
        self.standing.wants(&Budget::of(setting))
    }

    /// Where its turn is.
    pub fn activity(&self, setting: &Setting) -> Activity {
        match (&self.live, self.next(setting)) {
            (None, _) => Activity::Quiet,
            (Some(_), Effect::Rest) => Activity::Resting,
            (Some(_), _) => Activity::Running,
        }
    }

    /// What the model has read of it so far, without the turn that runs.
    pub fn history(&self) -> &[Arc<Item>] {
        self.history.items()
    }

    /// All that a model would be given of it now, with the places of the items: those of the next prompt.
    pub fn thread(&self) -> Thread {
        match &self.live {
            Some(turn) => self.history.followed_by(&turn.thread()),
            None => self.history.clone(),
        }
    }

    /// What all its frames write down for each other.
    pub fn scratchpad(&self) -> &Scratchpad {
        &self.scratchpad
    }

    /// Its lines, and which of them is written on.
    pub fn lines(&self) -> &Lines {
        &self.pasts.lines
    }

    /// Where a new line has to start that says something else than this message, or lets it be answered anew: behind
    /// the turn before its own. `None` if no turn of this line that is over has it.
    pub fn before(&self, message: &MessageId) -> Option<EntryNumber> {
        self.pasts.before(message)
    }

    /// Where a new line starts that shares all turns that are over at an entry.
    pub fn border(&self, at: EntryNumber) -> EntryNumber {
        self.pasts.border(at)
    }

    /// What was done behind an entry of this line, oldest first: it stands whatever line is gone on with.
    pub fn effects_behind(&self, after: EntryNumber) -> Vec<&SideEffect> {
        self.pasts.effects_behind(after)
    }

    /// What was done on other lines and no message of this one has told yet, oldest first.
    pub fn done_elsewhere(&self) -> Vec<&SideEffect> {
        self.pasts.elsewhere()
    }

    /// Where it stands with its compaction.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The prompt that it would be sampled with at this moment, to be counted.
    pub fn prompt(&self, setting: &Setting) -> Prompt {
        Prompt {
            open: false,
            prefix: Arc::clone(&setting.prefix),
            items: self.thread().items().to_vec(),
            seen: self.head,
            calls: CallPolicy::Free,
            max_tokens: setting.limits.reply_tokens,
            variation: 0,
        }
    }

    /// What a summariser has to do for this cut; `None` if nothing stands before it.
    pub fn task(&self, cut: &Cut, room: u32) -> Option<Task> {
        Task::new(&self.thread().cut(cut), room, plan::summary_tokens(room))
    }

    /// The summary for this cut, made of a model's words and of what the host knows.
    pub fn summary(&self, cut: &Cut, words: Words) -> Summary {
        let in_turn = self.live.iter().filter(|turn| *turn.id() == cut.turn);
        let done = in_turn.flat_map(|turn| self.effects_of(turn, cut.rounds)).map(|row| Done::from(&row)).collect();
        self.standing.summary(&self.thread().cut(cut), done, words)
    }

    /// Whether a driver has something to do here, or a turn waits for its person.
    pub fn is_unfinished(&self) -> bool {
        self.live.is_some() || self.standing.asked_at().is_some() || self.frames.works_in_background()
    }

    /// A fact of the turn that runs, ready to be recorded. Without one, a message opens a turn of its own.
    pub fn draft(&self, at: Timestamp, body: Body) -> Draft {
        let turn = match (&self.live, &body) {
            (Some(turn), _) => turn.id().clone(),
            (None, Body::Said(message)) => TurnId::opened_by(&message.id),
            (None, _) => TurnId::new(""),
        };
        Draft { at, turn, frame: self.frame.clone(), body }
    }
}

#[cfg(test)]
mod tests;
