//! Starts and ends worker processes: own group, listed environment, a socket as standard input and nothing else, output
//! into a ring, bound to this process's life. It does not know what a worker says.
#![expect(clippy::disallowed_methods, reason = "the worker supervisor starts processes")]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::sync::watch;

use super::ring::Ring;

/// Where the worker's executable is when it was installed beside this one.
#[must_use]
pub fn worker_beside_executable() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok()?.with_file_name("riad-llm");
    beside.is_file().then_some(beside)
}

/// A worker process. Dropping it ends its whole group.
#[derive(Debug)]
pub(crate) struct Process {
    pid: Pid,
    alive: Arc<Mutex<bool>>,
    ended: watch::Receiver<Option<ExitStatus>>,
    ring: Arc<Ring>,
}

impl Process {
    /// Starts an executable and gives this side of its channel.
    pub(crate) fn start(program: &Path) -> io::Result<(Process, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        let ring = Arc::new(Ring::default());
        let alive = Arc::new(Mutex::new(true));
        let (tell_end, ended) = watch::channel(None);
        let (tell_start, started) = mpsc::channel();
        let command = command(program, theirs, &ring)?;
        let (watched, name) = (Arc::clone(&alive), "worker-watch".to_owned());
        // The parent-death signal is bound to the thread that starts the process, so this thread stays until it ends.
        thread::Builder::new().name(name).spawn(move || watch_over(command, &tell_start, &watched, &tell_end))?;
        let pid = started.recv().map_err(|_| io::Error::other("the watching thread ended"))??;
        Ok((Process { pid, alive, ended, ring }, ours))
    }

    /// Ends the whole group at once.
    pub(crate) fn kill(&self) {
        let alive = self.alive.lock().unwrap_or_else(PoisonError::into_inner);
        // While the watching thread has not reaped it, the number cannot belong to another process.
        if *alive {
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
    }

    /// Waits for the end and says how it came.
    pub(crate) async fn ended(&self) -> String {
        let mut ended = self.ended.clone();
        let status = ended.wait_for(Option::is_some).await.ok().and_then(|status| *status);
        match status {
            None => "it ended in an unknown way".to_owned(),
            Some(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("signal {signal}"),
                (None, Some(code)) => format!("exit code {code}"),
                (None, None) => "it ended in an unknown way".to_owned(),
            },
        }
    }

    /// The last line it wrote.
    pub(crate) fn last_line(&self) -> String {
        self.ring.last_line()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn command(program: &Path, channel: UnixStream, ring: &Arc<Ring>) -> io::Result<Command> {
    let (mut output, writer) = io::pipe()?;
    let ring = Arc::clone(ring);
    thread::Builder::new().name("worker-output".to_owned()).spawn(move || ring.read_all(&mut output))?;
    let mut command = Command::new(program);
    command
        .env_clear()
        // Threads that spin on busy cores made a vector 95 times slower (ENGINE-2); libgomp reads these at its start.
        .env("OMP_WAIT_POLICY", "passive")
        .env("GOMP_SPINCOUNT", "0")
        .env("RIAD_WORKER_PARENT", std::process::id().to_string())
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(channel)))
        .stdout(Stdio::from(writer.try_clone()?))
        .stderr(Stdio::from(writer))
        .process_group(0);
    Ok(command)
}

fn watch_over(
    mut command: Command,
    tell_start: &mpsc::Sender<io::Result<Pid>>,
    alive: &Mutex<bool>,
    tell_end: &watch::Sender<Option<ExitStatus>>,
) {
    let spawned = command.spawn();
    // The command still holds the worker's ends of channel and pipe; its end is only seen once they are closed.
    drop(command);
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            let _ = tell_start.send(Err(error));
            return;
        }
    };
    let pid = Pid::from_child(&child);
    let _ = tell_start.send(Ok(pid));
    let status = reap(&mut child, pid, alive);
    tell_end.send_replace(status);
}

/// Waits until the process has ended, says so, and only then gives its number back.
fn reap(child: &mut Child, pid: Pid, alive: &Mutex<bool>) -> Option<ExitStatus> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
    let mut alive = alive.lock().unwrap_or_else(PoisonError::into_inner);
    // What it may have started itself goes with it.
    let _ = kill_process_group(pid, Signal::KILL);
    *alive = false;
    child.wait().ok()
}
