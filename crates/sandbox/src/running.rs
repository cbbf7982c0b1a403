//! A command that runs: its pipes, its end, and the end of everything inside. It reads what the command writes
//! without pause, and decides nothing about what is done with it.

use crate::confinement::Limits;
use crate::groups::Group;
use crate::leash::{Ear, Ended, Voice, Word};
use crate::output::{Capture, Captured, Output, Stream};
use crate::refusal::Refusal;
use crate::spawned::Spawned;
use crate::watch as memory_watch;
use rustix::process::{Signal as RawSignal, pidfd_send_signal};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// After KILL the kernel needs a moment for a large tree; who still holds a pipe then never was inside.
const LAST_PATIENCE: Duration = Duration::from_millis(800);

/// How often the watcher counts memory where there is no control group.
const WATCH_EVERY: Duration = Duration::from_millis(50);

/// A signal for the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGHUP.
    Hangup = 1,
    /// SIGINT.
    Interrupt = 2,
    /// SIGKILL.
    Kill = 9,
    /// SIGTERM.
    Terminate = 15,
}

/// Why a call came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The program ended and both streams were drained.
    Program,
    /// Its time was over.
    Deadline,
    /// It was cancelled.
    Cancelled,
    /// It used more memory than allowed.
    Memory,
}

/// A call that is over; nothing of it is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Why it is over.
    pub why: Why,
    /// How the program ended; nothing when it was killed with everything else.
    pub ended: Option<Ended>,
    /// What it wrote until then.
    pub output: Output,
    /// Names of processes that were still there after the program, and ended with the call.
    pub left: Vec<String>,
    /// How long it ran.
    pub elapsed: Duration,
}

impl Finished {
    /// Whether the program ended by itself with exit code 0.
    pub fn is_success(&self) -> bool {
        self.why == Why::Program && self.ended == Some(Ended::Exit(0))
    }
}

/// A command that runs. Dropping it ends everything inside. Its deadline is kept by `capture` alone; all other limits
/// hold either way.
pub struct Running {
    /// The pipe to its standard input, with `Stdin::Piped`.
    pub stdin: Option<pipe::Sender>,
    /// The pipe from its standard output.
    pub stdout: pipe::Receiver,
    /// The pipe from its standard error.
    pub stderr: pipe::Receiver,
    spawned: Spawned,
    limits: Limits,
    since: Instant,
    heard: watch::Receiver<Heard>,
    voice: Option<Voice>,
    tree: Tree,
}

/// What was heard from inside so far.
#[derive(Clone, Debug, Default)]
struct Heard {
    ended: Option<Ended>,
    left: Vec<String>,
    helper_gone: bool,
    memory_over: bool,
}

/// Where the work of ending a call stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    Asked,
    Killed,
}

impl Running {
    pub(crate) fn new(
        tree: Tree,
        spawned: Spawned,
        ear: Ear,
        voice: Voice,
        (stdin, stdout, stderr): (Option<OwnedFd>, OwnedFd, OwnedFd),
        limits: Limits,
    ) -> Result<Running, Refusal> {
        let broken = Refusal::system("opening pipes");
        let stdin = stdin.map(pipe::Sender::from_owned_fd).transpose().map_err(&broken)?;
        let stdout = pipe::Receiver::from_owned_fd(stdout).map_err(&broken)?;
        let stderr = pipe::Receiver::from_owned_fd(stderr).map_err(&broken)?;
        let (tell, heard) = watch::channel(Heard::default());
        let tell = Arc::new(tell);
        if let (None, Some(first)) = (&tree.group, &tree.first) {
            let first = first.try_clone().map_err(&broken)?;
            tokio::spawn(count_memory(tree.pid, first, limits.memory_bytes, Arc::clone(&tell)));
        }
        tokio::spawn(listen(ear, tell));
        Ok(Running { stdin, stdout, stderr, spawned, limits, since: Instant::now(), heard, voice: Some(voice), tree })
    }

    /// The record of the process.
    pub fn spawned(&self) -> &Spawned {
        &self.spawned
    }

    /// Waits for the end of the program; others inside may still run. Nothing means it was killed with everything.
    pub async fn wait(&mut self) -> Option<Ended> {
        match self.heard.wait_for(|heard| heard.ended.is_some() || heard.helper_gone).await {
            Ok(heard) => heard.ended,
            Err(_) => None,
        }
    }

    /// Sends a signal to the program.
    pub async fn signal(&mut self, signal: Signal) {
        if let Some(voice) = &mut self.voice {
            voice.say(&format!("signal {}", signal as i32)).await;
        }
    }

    /// Ends everything inside: TERM to all, and KILL to what is left after the grace. Returns when nothing is left.
    /// Output is not read meanwhile; `capture` is the way when it matters.
    pub async fn end_tree(mut self, grace: Duration) -> Vec<String> {
        self.ask_to_end().await;
        let _still_there = timeout(grace, self.wait()).await;
        self.finish().await
    }

    /// Reads both streams to their end, showing their clean text live, and ends the call: when the program ended and
    /// both are drained, when its time is over, or when it is cancelled. Then nothing of it is left. `live` is called
    /// between two reads and should be quick: while it runs, nothing is read.
    pub async fn capture(
        mut self,
        live: &mut (dyn FnMut(Stream, &str) + Send),
        cancel: &CancellationToken,
    ) -> Finished {
        let new_capture = || Some(Capture::new(self.limits.output_chars, self.limits.stored_bytes));
        let (mut out, mut errors) = (new_capture(), new_capture());
        let (mut closed_out, mut closed_errors) = (None, None);
        let (mut from_out, mut from_errors) = (vec![0_u8; 65_536], vec![0_u8; 65_536]);
        let (mut why, mut phase) = (Why::Program, Phase::Running);
        let mut timer = Box::pin(sleep(self.limits.deadline.unwrap_or(FOREVER)));
        loop {
            let is_over = {
                let heard = self.heard.borrow();
                heard.ended.is_some() || heard.helper_gone
            };
            if is_over && out.is_none() && errors.is_none() {
                break;
            }
            tokio::select! {
                read = self.stdout.read(&mut from_out), if out.is_some() => {
                    take(&mut out, &mut closed_out, read.ok(), &from_out, &mut |text| live(Stream::Stdout, text));
                }
                read = self.stderr.read(&mut from_errors), if errors.is_some() => {
                    take(&mut errors, &mut closed_errors, read.ok(), &from_errors, &mut |text| live(Stream::Stderr, text));
                }
                _ = self.heard.changed(), if !is_over => {}
                () = cancel.cancelled(), if phase == Phase::Running => {
                    (why, phase) = (Why::Cancelled, Phase::Asked);
                    self.ask_to_end().await;
                    timer.set(sleep(self.limits.grace));
                }
                () = &mut timer => match phase {
                    Phase::Running => {
                        (why, phase) = (Why::Deadline, Phase::Asked);
                        self.ask_to_end().await;
                        timer.set(sleep(self.limits.grace));
                    }
                    Phase::Asked => {
                        phase = Phase::Killed;
                        self.tree.kill();
                        timer.set(sleep(LAST_PATIENCE));
                    }
                    Phase::Killed => break,
                },
            }
        }
        let finish = |open: Option<Capture>, closed: Option<Captured>| {
            closed.or_else(|| Some(open?.finish().0)).unwrap_or_default()
        };
        let output = Output { stdout: finish(out, closed_out), stderr: finish(errors, closed_errors) };
        let ended = self.heard.borrow().ended;
        if why == Why::Program && (self.heard.borrow().memory_over || self.tree.had_memory_kill()) {
            why = Why::Memory;
        }
        let elapsed = self.since.elapsed();
        let left = self.finish().await;
        Finished { why, ended, output, left, elapsed }
    }

    async fn ask_to_end(&mut self) {
        if let Some(voice) = &mut self.voice {
            voice.say("term").await;
        }
    }

    /// Lets go: the helper names what is left and ends, and with it everything inside.
    async fn finish(mut self) -> Vec<String> {
        drop(self.voice.take());
        if timeout(LAST_PATIENCE, self.tree.gone()).await.is_err() {
            self.tree.kill();
            let _reported_by_the_drop = timeout(LAST_PATIENCE, self.tree.gone()).await;
        }
        // The last words may still be on their way through the listener.
        let said_all = timeout(LAST_PATIENCE, self.heard.wait_for(|heard| heard.helper_gone)).await.is_ok();
        tracing::trace!(said_all, "a confinement is gone");
        self.heard.borrow().left.clone()
    }
}

/// Stands for no deadline.
const FOREVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// Puts what was read where it belongs; nothing read closes the stream.
fn take(
    open: &mut Option<Capture>,
    closed: &mut Option<Captured>,
    read: Option<usize>,
    buffer: &[u8],
    live: &mut dyn FnMut(&str),
) {
    let count = read.unwrap_or(0);
    if let (Some(capture), true) = (open.as_mut(), count > 0) {
        let text = capture.push(&buffer[..count]);
        if !text.is_empty() {
            live(&text);
        }
        return;
    }
    if let Some((captured, last)) = open.take().map(Capture::finish) {
        if !last.is_empty() {
            live(&last);
        }
        *closed = Some(captured);
    }
}

/// Hears the helper out. Ends with it.
async fn listen(mut ear: Ear, tell: Arc<watch::Sender<Heard>>) {
    while let Some(word) = ear.next().await {
        tell.send_modify(|heard| match word {
            Word::Ended(ended) => heard.ended = Some(ended),
            Word::Left(name) if heard.left.len() < 16 => heard.left.push(name),
            // There are more than anybody would read.
            Word::Left(_) => {}
            Word::Broken(reason) => tracing::warn!(%reason, "the helper inside a confinement could not go on"),
            // Words of the start, which has been heard out.
            Word::Held(_) | Word::Missing(..) | Word::Checked | Word::Running | Word::Failed(..) => {}
        });
    }
    tell.send_modify(|heard| heard.helper_gone = true);
}

/// Counts the memory of a tree where no control group does, and kills the tree once it is over. Ends with the helper.
async fn count_memory(pid: i32, first: OwnedFd, bytes: u64, tell: Arc<watch::Sender<Heard>>) {
    while !tell.borrow().helper_gone {
        sleep(WATCH_EVERY).await;
        let count = tokio::task::spawn_blocking(move || memory_watch::is_over(pid, bytes));
        if count.await.unwrap_or(false) {
            tell.send_modify(|heard| heard.memory_over = true);
            let _gone = pidfd_send_signal(&first, RawSignal::KILL);
            return;
        }
    }
}

/// All processes of a call, from outside. Dropping it kills them.
pub(crate) struct Tree {
    pid: i32,
    monitor: OwnedFd,
    /// The first process inside; the kernel ends all others with it.
    pub(crate) first: Option<OwnedFd>,
    ended: watch::Receiver<bool>,
    group: Option<Arc<Group>>,
    memory_kills: u64,
}

impl Tree {
    pub(crate) fn new(pid: i32, monitor: OwnedFd, ended: watch::Receiver<bool>, group: Option<Arc<Group>>) -> Tree {
        let memory_kills = group.as_ref().map_or(0, |group| group.memory_kills());
        Tree { pid, monitor, first: None, ended, group, memory_kills }
    }

    /// KILL to everything. The first process inside goes first: then bubblewrap's own ends by itself, and only after
    /// the kernel has ended all others, so that its end means that nothing is left.
    pub(crate) fn kill(&self) {
        let target = self.first.as_ref().unwrap_or(&self.monitor);
        // It may be gone already, which is what is wanted.
        let _gone = pidfd_send_signal(target, RawSignal::KILL);
    }

    /// Waits until bubblewrap's own process was waited for.
    pub(crate) async fn gone(&mut self) {
        // A sender that is gone has ended with its thread, which waits for the process first.
        let _ended = self.ended.wait_for(|ended| *ended).await;
    }

    fn had_memory_kill(&self) -> bool {
        self.group.as_ref().is_some_and(|group| group.memory_kills() > self.memory_kills)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if *self.ended.borrow() {
            return;
        }
        // bubblewrap's own process ends after the first one inside; while there is none yet, it goes itself, and its
        // own child with it by the parent-death signal.
        self.kill();
    }
}
