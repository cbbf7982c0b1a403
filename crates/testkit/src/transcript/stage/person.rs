//! What the person of a script does: says something, answers a question, stops a turn.

use domain::approval::{Approval, Decision};
use domain::digest::Digest;
use domain::entry::{Body, Entry};
use domain::id::{MessageId, TurnId};
use domain::message::Message;
use harness::act::{self, ActError};

use super::Stage;
use super::process::Process;

impl Stage {
    pub(super) async fn says(&mut self, id: &str, text: &str) -> Result<(), ActError> {
        match Message::new(MessageId::new(id), text.to_owned(), None) {
            Ok(message) => {
                let said = act::say(self.desk(), &self.id, message).await?;
                if !said.fresh && !self.mends {
                    self.tell(format!("told: this is entry {} of turn {}", said.entry.0, said.turn));
                }
                self.wake();
            }
            Err(fault) => self.tell(format!("told: {fault}")),
        }
        Ok(())
    }

    pub(super) async fn answers(
        &mut self,
        line: usize,
        call: Option<&str>,
        digest: Option<Digest>,
        decision: &Decision,
    ) -> Result<(), ActError> {
        let Some(question) = self.answering.take().or_else(|| self.question(call)) else {
            panic!("line {line}: nothing was asked about {call:?}");
        };
        let digest = digest.unwrap_or(question.digest);
        self.answering = Some(question.clone());
        let answered = act::answer(self.desk(), &question.id, digest, decision.clone(), "test", None).await;
        self.answering = None;
        answered?;
        if *decision == Decision::RefuseAndStop {
            self.cancel_run();
        }
        self.wake();
        Ok(())
    }

    /// The question that waits, about that call if one is named; else the newest that was asked.
    fn question(&self, call: Option<&str>) -> Option<Approval> {
        let fits = |question: &Approval| call.is_none_or(|call| question.call.as_str() == call);
        let pending = self.fold(|now| now.pending().into_iter().find(|question| fits(question)).cloned());
        let asked_by = |entry: &Entry| match &entry.body {
            Body::Asked(question) if fits(question) => Some((**question).clone()),
            _ => None,
        };
        let asked = || self.journal.look_at(&self.id, 0, |entries| entries.iter().rev().find_map(asked_by));
        // With a call, or when nothing waits, the person answers what is on the screen, be it old.
        pending.or_else(asked)
    }

    pub(super) async fn stops(&mut self, turn: Option<&str>) -> Result<(), ActError> {
        let turn = turn.map(TurnId::new).or_else(|| self.live()).unwrap_or_else(|| TurnId::new("none"));
        let stopped = act::stop(self.desk(), &self.id, &turn).await?;
        if !stopped && !self.mends {
            self.tell(format!("told: there is nothing to stop in turn {turn}"));
        }
        if let Process::Driving(_, table) = &self.process {
            table.stop(&turn);
            self.at_run = false;
        }
        // A stream that a death interrupted is not begun again, since nobody asks for it now.
        self.model.forget_stream();
        self.wake();
        Ok(())
    }

    fn cancel_run(&self) {
        if let (Process::Driving(_, table), Some(turn)) = (&self.process, self.live()) {
            table.stop(&turn);
        }
    }
}
