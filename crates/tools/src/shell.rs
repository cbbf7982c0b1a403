//! `shell`: runs one program in the sandbox, without network, home to be read and the work folder to be written. No
//! shell stands behind it, and without a sandbox nothing runs.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::digest::Digest;
use domain::facts::{Appraisal, CommandFact, Content, Facts, PathFact, Preview, Root};
use domain::place::{MOUNTED_HOME, MOUNTED_WORK};
use domain::program;
use domain::tool::{EffectClass, Replay};
use harness::ports::{Channel, Ran, Scope};
use sandbox::{Access, Confinement, Ended, Finished, Sandbox, Stdin, Why};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::erase::TypedTool;
use crate::files::beneath::{Beneath, Found, HASHED_BYTES};
use crate::files::{preview, visible};
use crate::places::{Places, Target, WORK_MOUNT, off_thread, says, shown};

mod cover;
mod environment;
mod image;
mod work;

use cover::{Unshown, covers};
use image::Image;

/// Characters of stdout and stderr together that the model reads.
const OUTPUT_CHARS: usize = 8192;
/// Bytes of standard input (256 KiB).
const STDIN_BYTES: usize = 256 * 1024;
/// Seconds a program has if the call does not say.
const SECONDS: u64 = 120;
/// The most seconds.
const MOST_SECONDS: u64 = 600;

/// Run one program of the tool image, in a sandbox without network. It sees the home (read-only) and the work folder
/// work/ (writable). There is no shell: no pipes, redirects, variables or patterns; one program a call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shell {
    /// Program and arguments in one line, for example grep -rn "plan" notes. Give line or argv.
    #[serde(default)]
    line: Option<String>,
    /// Program and arguments as a list.
    #[serde(default)]
    argv: Option<Vec<String>>,
    /// The folder to run in: ~/… or work/…; the home if absent.
    #[serde(default)]
    dir: Option<String>,
    /// Text for its standard input.
    #[serde(default)]
    stdin: Option<String>,
    /// Seconds it may run, 1 to 600; 120 if absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600))]
    timeout_s: Option<u64>,
}

/// Where commands run, or why none can.
#[derive(Clone)]
pub struct CommandRunner {
    sandbox: Result<Sandbox, Arc<str>>,
    host_uid: Option<u32>,
    image: Arc<Image>,
}

impl CommandRunner {
    /// A sandbox that was probed, or the sentence that says why there is none and what to do. `host_uid` is the user of
    /// this machine as whom this person's commands run; needed where the server is root.
    pub fn new(sandbox: Result<Sandbox, String>, host_uid: Option<u32>) -> Self {
        Self { sandbox: sandbox.map_err(Arc::from), host_uid, image: Arc::new(Image::of_host()) }
    }

    fn sandbox(&self) -> Result<&Sandbox, String> {
        self.sandbox.as_ref().map_err(|state| format!("Commands cannot run here: {state}"))
    }
}

/// The tool.
pub(crate) struct Tool {
    pub(crate) places: Places,
    pub(crate) runner: CommandRunner,
}

/// A call that is fit to be run.
struct Ready {
    argv: Vec<String>,
    program: String,
    folder: Folder,
    /// The folder it starts in, and the script that an interpreter would run, with its hash.
    paths: Vec<PathFact>,
}

/// The folder a command starts in.
struct Folder {
    root: Root,
    parts: Vec<String>,
    /// The files of the home that are covered, or why it is not shown.
    home: Result<Vec<Vec<String>>, Unshown>,
}

impl Shell {
    fn argv(&self) -> Result<Vec<String>, String> {
        let split =
            |line: &str| domain::argv::split(line).map_err(|fault| format!("This is no plain command: {fault}."));
        match (&self.line, &self.argv) {
            (Some(line), None) => split(line),
            (None, Some(argv)) => Ok(argv.clone()),
            // Many models fill in all members; an empty one says nothing.
            (Some(line), Some(argv)) if argv.is_empty() => split(line),
            (Some(line), Some(argv)) if line.is_empty() => Ok(argv.clone()),
            (Some(_), Some(_)) => Err("Give line or argv, not both.".to_owned()),
            (None, None) => Err("Give the program and its arguments as line or argv.".to_owned()),
        }
    }

    fn seconds(&self) -> Result<u64, String> {
        match self.timeout_s.unwrap_or(SECONDS) {
            seconds @ 1..=MOST_SECONDS => Ok(seconds),
            _ => Err("timeout_s is 1 to 600.".to_owned()),
        }
    }
}

impl Tool {
    async fn ready(&self, input: &Shell, scope: &Scope) -> Result<Ready, String> {
        let argv = input.argv()?;
        input.seconds()?;
        if input.stdin.as_ref().is_some_and(|text| text.len() > STDIN_BYTES) {
            return Err("stdin is longer than 256 KiB; write it to a file in work/ and name that.".to_owned());
        }
        program::judge_argv(&argv).map_err(|fault| fault.to_string())?;
        self.runner.sandbox()?;
        self.check_work(&argv[0], scope).await?;
        let image = Arc::clone(&self.runner.image);
        let name = argv[0].clone();
        let program = off_thread(move || image.resolve(&name)).await??;
        let folder = self.folder(input.dir.as_deref(), scope).await?;
        let mut paths = vec![folder.fact()];
        if let Some(script) = program::script(&argv) {
            paths.push(self.script(script, &folder, scope).await?);
        }
        Ok(Ready { argv, program, folder, paths })
    }

    async fn check_work(&self, program: &str, scope: &Scope) -> Result<(), String> {
        let work = self.places.work(&scope.conversation).map_err(|fault| says("work/", fault))?;
        let program = program.to_owned();
        off_thread(move || work::check_room(&work, &program)).await?
    }

    /// The script file as it is now: an approval is for this content.
    async fn script(&self, written: &str, folder: &Folder, scope: &Scope) -> Result<PathFact, String> {
        let below = written.strip_prefix(MOUNTED_WORK).map(|rest| format!("work{rest}"));
        let below = below.or_else(|| written.strip_prefix(MOUNTED_HOME).map(|rest| format!("~{rest}")));
        let path = match below {
            Some(path) => path,
            None if written.starts_with('/') => {
                return Err(says(written, "a script lies in ~/ or work/; give its path from the folder on"));
            }
            // From the home a command finds the work folder as `work/`.
            None if folder.root == Root::Home && folder.parts.is_empty() => written.to_owned(),
            None => format!("{}/{written}", folder.shown().trim_end_matches('/')),
        };
        let Target::Tree(tree, place) = self.places.target(&path, &scope.conversation)? else {
            return Err(says(&path, "a note is no script"));
        };
        off_thread(move || {
            let bytes = tree.find(&place.parts).and_then(|spot| Ok((tree.read(&spot, HASHED_BYTES)?, spot.parts)));
            let (bytes, parts) = bytes.map_err(|fault| says(&path, fault))?;
            let now = Content::Hash(Digest::of_bytes(&bytes));
            Ok(PathFact {
                path: shown(place.root, &parts),
                root: place.root,
                class: EffectClass::Execute,
                now,
                bytes: 0,
            })
        })
        .await?
    }

    async fn folder(&self, dir: Option<&str>, scope: &Scope) -> Result<Folder, String> {
        let path = dir.filter(|dir| !dir.is_empty()).unwrap_or("~/").to_owned();
        let home = Arc::clone(self.places.home());
        match self.places.target(&path, &scope.conversation)? {
            Target::Note(_) => Err(says(&path, "notes are not in the sandbox; choose ~/ or work/")),
            Target::Tree(tree, place) => {
                off_thread(move || {
                    let home = covers(&home);
                    if let (Root::Home, Err(unshown)) = (place.root, &home) {
                        return Err(says(
                            &path,
                            format!(
                                "{unshown}, so it is not shown to commands; run in work/, or ask the person to move \
                                     them away"
                            ),
                        ));
                    }
                    let spot = tree.find(&place.parts).map_err(|fault| says(&path, fault))?;
                    match spot.found {
                        Found::Folder(_) => Ok(Folder { root: place.root, parts: spot.parts, home }),
                        Found::File(_) => Err(says(&path, "this is a file; name a folder")),
                        Found::Absent { .. } => Err(says(&path, "there is no such folder")),
                    }
                })
                .await?
            }
        }
    }

    async fn confinement(&self, input: &Shell, ready: Ready, scope: &Scope) -> Result<Confinement, String> {
        let closed = |fault: String| format!("The command was not run: {fault}.");
        let home = Arc::clone(self.places.home());
        let work = self.places.work(&scope.conversation).map_err(|fault| closed(fault.to_string()))?;
        let mut confinement = Confinement::new("shell", ready.argv);
        if let Ok(covers) = &ready.folder.home {
            let handle = mounted_home(&home).map_err(closed)?;
            confinement = confinement.mount(handle, MOUNTED_HOME, Access::ReadOnly);
            for way in covers {
                let place = way.iter().fold(PathBuf::from(MOUNTED_HOME), |path, name| path.join(name));
                confinement = confinement.mount(nothing().map_err(closed)?, place, Access::ReadOnly);
            }
        }
        let work = work.handle().try_clone_to_owned().map_err(|error| closed(error.to_string()))?;
        confinement = confinement.mount(work, MOUNTED_WORK, Access::ReadWrite);
        confinement.directory = ready.folder.inside();
        confinement.environment.extend(environment::more());
        if let Some(text) = &input.stdin {
            confinement.stdin = Stdin::Bytes(text.clone().into_bytes());
        }
        confinement.limits.deadline = Some(Duration::from_secs(input.seconds()?));
        confinement.limits.output_chars = OUTPUT_CHARS;
        confinement.host_uid = self.runner.host_uid;
        Ok(confinement)
    }
}

impl Folder {
    /// Its path as the command sees it.
    fn inside(&self) -> PathBuf {
        let root = match self.root {
            Root::Home | Root::Notes => PathBuf::from(MOUNTED_HOME),
            Root::Work => PathBuf::from(MOUNTED_WORK),
        };
        self.parts.iter().fold(root, |path, part| path.join(part))
    }

    fn shown(&self) -> String {
        shown(self.root, &self.parts)
    }

    fn fact(&self) -> PathFact {
        PathFact { path: self.shown(), root: self.root, class: EffectClass::Read, now: Content::Unread, bytes: 0 }
    }
}

/// A handle of the home, with the empty folder on which the work folder is mounted.
fn mounted_home(home: &Beneath) -> Result<std::os::fd::OwnedFd, String> {
    home.ensure_folder(WORK_MOUNT).map_err(|fault| fault.to_string())?;
    home.handle().try_clone_to_owned().map_err(|error| error.to_string())
}

/// What lies over a file of keys: a device that cannot be opened on a mount without devices.
fn nothing() -> Result<std::os::fd::OwnedFd, String> {
    let flags = rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC;
    rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty()).map_err(|errno| errno.to_string())
}

/// What a result says of a home that was not shown, or not whole.
fn told_of_home(home: &Result<Vec<Vec<String>>, Unshown>) -> String {
    match home {
        Ok(covers) if covers.is_empty() => String::new(),
        Ok(_) => "\n[files of keys in the home were covered; no command reads them]".to_owned(),
        Err(unshown) => format!("\n[the home was not shown to this command: {unshown}]"),
    }
}

/// The result of a command, as the model reads it.
fn told(finished: &Finished, place: &str, seconds: u64) -> Ran {
    let (stdout, stderr) = finished.output.texts(OUTPUT_CHARS);
    let ended = match finished.ended {
        Some(Ended::Exit(code)) => format!("exit code {code}"),
        Some(Ended::Signal(number)) => format!("ended by signal {number}"),
        None => "ended".to_owned(),
    };
    let why = match finished.why {
        Why::Program => String::new(),
        Why::Deadline => format!("; it was ended after {seconds} s (give timeout_s up to {MOST_SECONDS})"),
        Why::Cancelled => "; it was stopped".to_owned(),
        Why::Memory => "; it was ended since it used more memory than there is for it".to_owned(),
    };
    let mut text = format!("{ended}{why} ({} ms, in {place})", finished.elapsed.as_millis());
    for (name, output) in [("stdout", stdout), ("stderr", stderr)] {
        if !output.trim().is_empty() {
            text.push_str(&format!("\n--- {name} ---\n{}", output.trim_end()));
        }
    }
    if !finished.left.is_empty() {
        text.push_str(&format!(
            "\n[programs it left running were ended: {}]",
            visible::name(&finished.left.join(", "))
        ));
    }
    match finished.why {
        Why::Cancelled => Ran::cancelled(text),
        Why::Program if finished.is_success() => Ran::done(text),
        Why::Program | Why::Deadline | Why::Memory => Ran::failed(text),
    }
}

#[async_trait]
impl TypedTool for Tool {
    type Input = Shell;
    const NAME: &'static str = "shell";
    const REPLAY: Replay = Replay::Never;
    const PARALLEL: bool = false;
    // A little longer than the longest run, so that the sandbox ends it and not the loop.
    const DEADLINE_MS: u64 = MOST_SECONDS * 1000 + 10_000;

    async fn appraise(&self, input: Shell, scope: &Scope) -> Result<Appraisal, String> {
        let ready = self.ready(&input, scope).await?;
        let command = CommandFact { argv: ready.argv.clone(), program: Some(ready.program), quiet: true };
        let facts = Facts {
            classes: BTreeSet::from([EffectClass::Execute]),
            paths: ready.paths,
            command: Some(command),
            ..Facts::of(EffectClass::Execute)
        };
        let label = preview::label("Run", &ready.argv.join(" ").replace('\n', "⏎"));
        Ok(Appraisal { facts, label, preview: Some(Preview::Command { argv: ready.argv }) })
    }

    async fn run(&self, input: Shell, call: &ClearedCall, scope: &Scope) -> Ran {
        let ready = match self.ready(&input, scope).await {
            Ok(ready) => ready,
            Err(reason) => return Ran::failed(reason),
        };
        let fits = |fact: &CommandFact| fact.argv == ready.argv && fact.program.as_ref() == Some(&ready.program);
        if !call.facts().command.as_ref().is_some_and(fits) || call.facts().paths != ready.paths {
            return Ran::failed(
                "The program, its script or its folder is another one than when it was looked at; nothing was run. Call \
                 it again.",
            );
        }
        let (place, seconds) = (visible::name(&ready.folder.shown()), input.seconds().unwrap_or(SECONDS));
        let of_home = told_of_home(&ready.folder.home);
        let confinement = match self.confinement(&input, ready, scope).await {
            Ok(confinement) => confinement,
            Err(reason) => return Ran::failed(reason),
        };
        let sandbox = match self.runner.sandbox() {
            Ok(sandbox) => sandbox,
            Err(reason) => return Ran::failed(reason),
        };
        let output = Arc::clone(&scope.output);
        let mut live = move |_, text: &str| output.delta(Channel::Output, text);
        let (finished, full) = match self.places.work(&scope.conversation) {
            Ok(work) => run_within(sandbox, confinement, &mut live, scope, work).await,
            Err(fault) => return Ran::failed(says("work/", fault)),
        };
        match finished {
            Ok(finished) => {
                let mut ran = told(&finished, &place, seconds);
                ran.text.push_str(&of_home);
                full.map_or_else(|| ran.clone(), |how| too_much(&ran, &how))
            }
            Err(sandbox::Refusal::Cancelled) => Ran::cancelled("Stopped before the command started; nothing was run."),
            Err(refusal) => Ran::failed(refusal.to_string()),
        }
    }
}

/// Runs a command and ends it once the work folder is full; then it says how full.
async fn run_within(
    sandbox: &Sandbox,
    confinement: Confinement,
    live: &mut (dyn FnMut(sandbox::Stream, &str) + Send),
    scope: &Scope,
    work: Arc<Beneath>,
) -> (Result<Finished, sandbox::Refusal>, Option<String>) {
    let stop = scope.cancel.child_token();
    let run = sandbox.run(confinement, live, &stop);
    tokio::pin!(run);
    // One that was full before is being emptied.
    let was_full = {
        let work = Arc::clone(&work);
        off_thread(move || work::overfull(&work).is_some()).await.unwrap_or(false)
    };
    if was_full {
        return (run.await, None);
    }
    tokio::select! {
        finished = &mut run => (finished, None),
        how = work::outgrown(work) => {
            stop.cancel();
            (run.await, Some(how))
        }
    }
}

fn too_much(ran: &Ran, how: &str) -> Ran {
    Ran::failed(format!(
        "{}\n[it was ended since the work folder is full: {how}; take away what is not needed with rm]",
        ran.text
    ))
}
