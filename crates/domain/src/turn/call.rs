//! Where one call of a turn stands.

use crate::approval::{Answer, Approval, Decision};
use crate::call::{Clearance, Rejection, ToolCall};
use crate::digest::Digest;
use crate::entry::Screened;
use crate::footer::{EffectState, SideEffect};
use crate::id::EntryNumber;
use crate::result::{Status, ToolResult};
use crate::time::Timestamp;

/// One call and all that has been recorded about it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallState {
    /// The call as the model wrote it.
    pub call: ToolCall,
    /// Why it never came before the gate.
    pub rejected: Option<Rejection>,
    /// What hooks and tool found out, newest.
    pub screened: Option<Screened>,
    /// The questions asked about it, oldest first, with their answers.
    pub questions: Vec<Question>,
    /// Its last run, if it started.
    pub started: Option<StartedRun>,
    /// Its result and when it came.
    pub result: Option<(ToolResult, Timestamp)>,
}

/// A question and, once given, its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The entry that asked.
    pub number: EntryNumber,
    /// The question.
    pub approval: Approval,
    /// The answer.
    pub answer: Option<Answer>,
}

/// A run that has started.
#[derive(Debug, Clone, PartialEq)]
pub struct StartedRun {
    /// What it was cleared for.
    pub digest: Digest,
    /// What cleared it.
    pub clearance: Clearance,
    /// Its key.
    pub key: String,
    /// When.
    pub at: Timestamp,
    /// True once the process that ran it is known to be gone.
    pub cut: bool,
}

impl CallState {
    pub(crate) fn new(call: ToolCall) -> Self {
        Self { call, rejected: None, screened: None, questions: Vec::new(), started: None, result: None }
    }

    /// Whether nothing more is to be done about it.
    pub fn is_settled(&self) -> bool {
        self.rejected.is_some() || self.result.is_some()
    }

    /// The question that belongs to the digest as it stands now.
    pub(crate) fn current_question(&self) -> Option<&Question> {
        let digest = self.screened.as_ref()?.digest;
        self.questions.iter().rev().find(|question| question.approval.digest == digest)
    }

    /// The question that waits for an answer, if there is one.
    pub fn pending(&self) -> Option<&Approval> {
        if self.is_settled() {
            return None;
        }
        self.current_question().filter(|question| question.answer.is_none()).map(|question| &question.approval)
    }

    /// What was decided about the digest as it stands now.
    pub(crate) fn decision(&self) -> Option<&Decision> {
        self.current_question()?.answer.as_ref().map(|answer| &answer.decision)
    }

    /// Whether a result or the end of the process is still to come for a run.
    pub(crate) fn is_cut(&self) -> bool {
        self.result.is_none() && self.started.as_ref().is_some_and(|run| run.cut)
    }

    /// The row of this call in the list of side effects: every call that is not a read and that started.
    pub(crate) fn side_effect(&self) -> Option<SideEffect> {
        let run = self.started.as_ref()?;
        let screened = self.screened.as_ref().filter(|screened| !screened.facts.only_reads())?;
        let (state, ended, made) = match &self.result {
            None => (EffectState::Unknown, None, Vec::new()),
            Some((result, at)) => (state_of(result.status), Some(*at), result.made.clone()),
        };
        Some(SideEffect {
            call: self.call.id.clone(),
            tool: self.call.tool.clone(),
            classes: screened.facts.classes.clone(),
            target: screened.label.clone(),
            key: run.key.clone(),
            started: run.at,
            ended,
            state,
            made,
            undo: screened.facts.undo,
        })
    }
}

fn state_of(status: Status) -> EffectState {
    match status {
        Status::Done => EffectState::Done,
        Status::Failed | Status::Refused => EffectState::Failed,
        Status::Cancelled | Status::Interrupted => EffectState::Unknown,
    }
}
