//! Lines that a person types, or that another program pipes in. One thread reads them, so that a line can be waited for
//! beside other things. Nothing is read before the first line is wanted.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;

use rustix::termios::{QueueSelector, tcflush};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::prompt::{Silent, broken};
use crate::exit::{Ended, Exit};
use crate::terminal;

/// Standard input.
pub(super) struct Input {
    terminal: bool,
    lines: Option<mpsc::UnboundedReceiver<String>>,
}

impl Input {
    /// Nothing is read yet.
    pub(super) fn new() -> Self {
        Self { terminal: io::stdin().is_terminal() && io::stderr().is_terminal(), lines: None }
    }

    /// Whether a person can be asked.
    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// The next line without its end; nothing when there will be no more. Safe to drop: no line is lost.
    pub(super) async fn line(&mut self) -> Option<String> {
        self.lines.get_or_insert_with(read).recv().await
    }

    /// Drops what was typed before now: it was not meant for what is asked next.
    pub(super) fn forget(&mut self) {
        if self.terminal {
            // A terminal that cannot be flushed is asked all the same.
            let _ = tcflush(io::stdin().as_fd(), QueueSelector::IFlush);
            while self.lines.as_mut().is_some_and(|lines| lines.try_recv().is_ok()) {}
        }
    }

    /// Asks for a line; an empty answer takes what is usual.
    pub(super) async fn ask(&mut self, question: &str, usual: Option<&str>) -> Result<String, Ended> {
        let shown = usual.map(|usual| format!(" [{usual}]")).unwrap_or_default();
        write!(io::stderr(), "{question}{shown}: ").map_err(broken)?;
        let line = self.line().await.ok_or_else(interrupted)?;
        Ok(if line.is_empty() { usual.unwrap_or_default().to_owned() } else { line })
    }

    /// Asks for a new password twice.
    pub(super) async fn new_password(&mut self) -> Result<String, Ended> {
        let first = self.password("Password (12 to 128 characters)").await?;
        if self.password("Again").await? == first {
            return Ok(first);
        }
        Err(Ended::new(Exit::Usage, "The two passwords differ. Try again."))
    }

    /// Asks for a password, with the echo off. A signal that would end the program ends the asking and puts the echo
    /// back.
    pub(super) async fn password(&mut self, question: &str) -> Result<String, Ended> {
        if !self.terminal {
            let says = format!("{question} is asked only at a terminal, and this is none.");
            return Err(Ended::new(Exit::Usage, says));
        }
        self.forget();
        let ended = end_of_program()?;
        let silent = Silent::begin()?;
        write!(io::stderr(), "{}: ", terminal::line(question)).map_err(broken)?;
        let line = tokio::select! {
            line = self.line() => line,
            () = ended => None,
        };
        drop(silent);
        writeln!(io::stderr()).map_err(broken)?;
        line.ok_or_else(interrupted)
    }
}

fn interrupted() -> Ended {
    Ended::new(Exit::Interrupted, "Interrupted.")
}

/// Resolves when somebody wants the program to end: Ctrl-C, a request to end, or a terminal that goes away.
fn end_of_program() -> Result<impl Future<Output = ()>, Ended> {
    let watch = |kind| signal(kind).map_err(broken);
    let (mut interrupt, mut terminate, mut hangup) =
        (watch(SignalKind::interrupt())?, watch(SignalKind::terminate())?, watch(SignalKind::hangup())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

fn read() -> mpsc::UnboundedReceiver<String> {
    let (lines, received) = mpsc::unbounded_channel();
    // It may wait for ever; the process does not wait for it.
    std::thread::spawn(move || {
        loop {
            let mut line = Vec::new();
            match io::stdin().lock().read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {
                    let text = String::from_utf8_lossy(&line);
                    if lines.send(text.trim_end_matches(['\n', '\r']).to_owned()).is_err() {
                        return;
                    }
                }
            }
        }
    });
    received
}
