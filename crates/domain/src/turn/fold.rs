//! The fold: what each entry changes. Total; an entry that cannot follow changes nothing.

use super::call::{CallState, Question, StartedRun};
use super::choice::Fault;
use super::{MOST_RESUMES, Round, Turn, Waiting};
use crate::approval::{Answer, Approval, Decision};
use crate::call::{Clearance, Rejection};
use crate::digest::Digest;
use crate::entry::{Body, Entry, Screened};
use crate::id::{ApprovalId, CallId, EntryNumber, MessageId};
use crate::message::Message;
use crate::model::{Faltered, Reply};
use crate::result::ToolResult;
use crate::time::Timestamp;

impl Turn {
    /// Takes in one entry of this turn.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        if self.ended.is_some() {
            return;
        }
        let idle = self.was_idle(&entry.body);
        self.active.go_on(entry.at, idle);
        match &entry.body {
            Body::Said(message) => self.said(entry.number, message),
            Body::Withdrawn(message) => self.withdrawn(message),
            Body::Replied(reply) => self.replied(reply),
            Body::Faltered(faltered) => self.faltered(faltered, entry.at),
            Body::Held(_) => self.held = true,
            Body::Rejected { call, reason } => self.rejected(call, reason),
            Body::Screened(screened) => self.was_screened(screened),
            Body::Asked(approval) => self.asked(entry.number, approval),
            Body::Answered(answer) => self.answered(answer),
            Body::Started { call, digest, clearance, key } => self.started(call, *digest, clearance, key, entry.at),
            Body::Returned(result) => self.returned(result, entry.at),
            Body::Resumed => self.resumed(),
            // A stop binds the turn it was pressed on and meets no other.
            Body::Stopped if entry.turn == self.id => self.stopped = true,
            Body::Ended { outcome, .. } if entry.turn == self.id => self.ended = Some(outcome.clone()),
            Body::Stopped | Body::Ended { .. } | Body::Compacted(_) | Body::CompactionAsked => {}
            Body::Forked { .. } | Body::Switched { .. } | Body::Opened(_) | Body::Newer(_) => {}
        }
        self.tell();
    }

    /// The turn got further since it was last taken up. Once it was given up, what is settled on the way to its end does
    /// not bring it back.
    fn moved_on(&mut self) {
        if self.resumes < MOST_RESUMES {
            self.resumes = 0;
        }
    }

    fn faltered(&mut self, faltered: &Faltered, at: Timestamp) {
        self.faults.push(Fault { faltered: faltered.clone(), at, active_ms: self.active.ms() });
        self.moved_on();
    }

    fn said(&mut self, number: EntryNumber, message: &Message) {
        // Who writes to a turn that is held wants it to be tried again.
        self.try_again();
        self.waiting.push(Waiting { number, message: message.clone() });
    }

    fn withdrawn(&mut self, message: &MessageId) {
        self.waiting.retain(|waiting| waiting.message.id != *message);
    }

    fn replied(&mut self, reply: &Reply) {
        if !self.expects_reply() {
            return;
        }
        let (joined, later) = std::mem::take(&mut self.waiting).into_iter().partition(|w| w.number <= reply.seen);
        self.waiting = later;
        let joined: Vec<Waiting> = joined;
        let calls = reply.sampled.calls.iter().cloned().map(CallState::new).collect();
        let joined = joined.into_iter().map(|waiting| waiting.message).collect();
        let before = self.calls().count() + self.calls_elsewhere;
        self.rounds.push(Round { joined, reply: reply.clone(), calls, before });
        self.active.take_back(reply.sampled.usage.queue_ms.unwrap_or(0));
        self.faults.clear();
        self.held = false;
        self.moved_on();
    }

    /// Whether all calls of the last round are settled, so that a reply may follow.
    pub(super) fn expects_reply(&self) -> bool {
        self.rounds.last().is_none_or(|round| round.calls.iter().all(CallState::is_settled))
    }

    fn rejected(&mut self, call: &CallId, reason: &Rejection) {
        if let Some(state) = self.open_call(call).filter(|state| state.screened.is_none()) {
            state.rejected = Some(reason.clone());
        }
    }

    fn was_screened(&mut self, screened: &Screened) {
        let Some(state) = self.open_call(&screened.call) else { return };
        // A second look at a call is made anew after each cut, as a start is; only the first one gets further.
        let first = state.screened.is_none();
        state.screened = Some(screened.clone());
        // What had been cleared was another digest, or has not run: it is judged anew.
        state.started = None;
        if first {
            self.moved_on();
        }
    }

    fn asked(&mut self, number: EntryNumber, approval: &Approval) {
        let Some(state) = self.open_call(&approval.call) else { return };
        let fits = state.screened.as_ref().is_some_and(|screened| screened.digest == approval.digest);
        if fits && state.questions.iter().all(|question| question.approval.id != approval.id) {
            state.questions.push(Question { number, approval: approval.clone(), answer: None });
        }
    }

    fn answered(&mut self, answer: &Answer) {
        let Some(question) = self.open_question(&answer.approval) else { return };
        // The first answer wins, and only for what was shown and asked.
        let fits = question.approval.digest == answer.digest && question.approval.takes(&answer.decision);
        if question.answer.is_some() || !fits {
            return;
        }
        question.answer = Some(answer.clone());
        self.moved_on();
        if answer.decision == Decision::RefuseAndStop {
            self.stopped = true;
        }
    }

    fn started(&mut self, call: &CallId, digest: Digest, clearance: &Clearance, key: &str, at: Timestamp) {
        let Some(state) = self.open_call(call) else { return };
        if state.screened.as_ref().is_some_and(|screened| screened.digest == digest) {
            let (clearance, key) = (clearance.clone(), key.to_owned());
            // A run that is repeated after a cut keeps the moment of its first start.
            let at = state.started.as_ref().map_or(at, |earlier| earlier.at);
            state.started = Some(StartedRun { digest, clearance, key, at, cut: false });
        }
    }

    fn returned(&mut self, result: &ToolResult, at: Timestamp) {
        if let Some(state) = self.open_call(&result.call) {
            state.result = Some((result.clone(), at));
            self.moved_on();
        }
    }

    fn resumed(&mut self) {
        self.resumes += 1;
        let Some(round) = self.rounds.last_mut() else { return };
        for run in round.calls.iter_mut().filter_map(|state| state.started.as_mut()) {
            run.cut = true;
        }
    }
    fn open_call(&mut self, call: &CallId) -> Option<&mut CallState> {
        let states = &mut self.rounds.last_mut()?.calls;
        states.iter_mut().find(|state| state.call.id == *call && !state.is_settled())
    }

    fn open_question(&mut self, approval: &ApprovalId) -> Option<&mut Question> {
        let states = &mut self.rounds.last_mut()?.calls;
        let mut open = states.iter_mut().filter(|state| !state.is_settled());
        open.find_map(|state| state.questions.iter_mut().find(|question| question.approval.id == *approval))
    }
}
