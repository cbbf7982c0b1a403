//! The process under test: it begins to drive, comes to where something can come from outside, dies and starts again.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use domain::entry::{Body, Entry};
use domain::id::TurnId;
use domain::turn::{CallState, Turn};
use harness::ports::Journal as _;
use harness::run::{Entrance, Rested, RunError, StopDesk, drive};
use tokio_util::sync::CancellationToken;

use super::{Reached, Stage};
use crate::journal::Trap;

/// The process under test.
pub(super) enum Process {
    Down,
    Idle,
    Driving(Pin<Box<dyn Future<Output = Result<Rested, RunError>>>>, Arc<StopTable>),
}

#[derive(Default)]
pub(super) struct StopTable(Mutex<Option<(TurnId, CancellationToken)>>);

impl StopDesk for StopTable {
    fn running(&self, turn: &TurnId, stop: &CancellationToken) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((turn.clone(), stop.clone()));
    }
}

impl StopTable {
    pub(super) fn stop(&self, turn: &TurnId) {
        if let Some((running, stop)) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner)
            && running == turn
        {
            stop.cancel();
        }
    }
}

impl Stage {
    pub(super) async fn crash_at(&mut self, line: usize, trap: &Trap) {
        loop {
            self.journal.arm(trap.clone());
            let reached = self.advance(false).await;
            let sprung = !self.journal.take_away(trap);
            assert!(self.mends || sprung, "line {line}: the crash never came");
            if sprung || reached != Reached::Death {
                return self.die("crash");
            }
            // The other trap sprang first.
            self.mend(&format!("line {line}")).await;
        }
    }

    /// Goes on to where something can come from outside; a death on the way is mended if it may be.
    pub(super) async fn come_to(&mut self, line: usize, pause: bool) {
        while self.advance(pause).await == Reached::Death {
            self.mend(&format!("line {line}")).await;
        }
    }

    pub(super) fn wake(&mut self) {
        self.begin(Entrance::Woken);
    }

    fn begin(&mut self, entrance: Entrance) {
        match self.process {
            Process::Idle => {
                let (ports, id, table) = (self.ports.clone(), self.id.clone(), Arc::new(StopTable::default()));
                let desk = Arc::clone(&table);
                let driving = async move { drive(&ports, &id, entrance, desk.as_ref()).await };
                self.process = Process::Driving(Box::pin(driving), table);
            }
            Process::Driving(..) => {}
            Process::Down => panic!("nobody can act while the process is down"),
        }
    }

    /// Lets the loop go on until something can come from outside: it waits for the model, rests, has died, or (with
    /// `pause`) a tool says that it runs.
    pub(super) async fn advance(&mut self, pause: bool) -> Reached {
        if pause && self.at_run {
            return Reached::Run;
        }
        self.at_run = false;
        let Process::Driving(driving, _) = &mut self.process else { return Reached::Rest };
        let (dead, mut running) = (self.journal.dead(), self.world.running());
        running.mark_unchanged();
        let end = tokio::select! {
            biased;
            end = driving => end,
            () = dead.cancelled() => return Reached::Death,
            () = self.model.wanted() => return Reached::Sample,
            _ = running.changed(), if pause => {
                self.at_run = true;
                return Reached::Run;
            }
        };
        self.process = Process::Idle;
        if let Err(fault) = end {
            self.tell(format!("told: {fault}"));
            self.rewind();
        }
        Reached::Rest
    }

    /// What the journal does not hold, the model has to say again.
    fn rewind(&self) {
        let heard = |entry: &&Entry| matches!(entry.body, Body::Replied(_) | Body::Faltered(_));
        self.model.rewind(self.journal.look_at(&self.id, 0, |entries| entries.iter().filter(heard).count()));
    }

    pub(super) fn die(&mut self, why: &str) {
        self.process = Process::Down;
        self.at_run = false;
        self.journal.reopen();
        self.rewind();
        // A crash that the script knows of is followed by another reply; after a stop nobody asks for one.
        if why == "crash" || self.fold(|now| now.live().is_none_or(Turn::is_stopped)) {
            self.model.forget_stream();
        }
        self.out_of_step |= self.fold(|now| now.live().is_some_and(skips_a_reply));
        self.tell(why.to_owned());
    }

    pub(super) async fn restart(&mut self) {
        assert!(matches!(self.process, Process::Down), "a process that runs cannot start");
        self.process = Process::Idle;
        // What a process knew of its models died with it.
        self.ports.rests = Arc::default();
        self.tell("restart".to_owned());
        let unfinished = self.journal.unfinished().await.unwrap_or_default();
        if unfinished.contains(&self.id) {
            self.begin(Entrance::Resumed);
        }
    }

    /// After a cut that the script does not know of, a new process starts at once.
    pub(super) async fn mend(&mut self, place: &str) {
        assert!(self.mends, "{place}: the process died and the script says nothing of it");
        self.die("cut");
        self.restart().await;
    }
}

/// Whether a message waits for a sample that is about to be asked for.
fn skips_a_reply(turn: &Turn) -> bool {
    let samples = turn.rounds().last().is_none_or(|round| round.calls.iter().all(CallState::is_settled));
    samples && !turn.is_stopped() && turn.waiting().next().is_some()
}
