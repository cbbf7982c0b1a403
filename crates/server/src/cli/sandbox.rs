//! `riad sandbox run -- CMD`: a command behind the walls that tools' commands have, in an empty work folder that goes
//! with it. It sees nothing of anybody.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use rustix::fs::{Mode, OFlags};
use sandbox::{Access, Confinement, Ended as Finish, Finished, NoLedger, Refusal, Sandbox, Settings, Stream, Why};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::prompt::broken;
use crate::exit::{Ended, Exit};
use crate::{files, terminal};

/// The version of the printed document.
const SCHEMA: u32 = 1;
/// Where the work folder is inside.
const WORK: &str = "/home/user/work";
/// As whom the command runs where this is root: a user that no person has.
const USER: u32 = 65_532;

/// What to do with the sandbox.
#[derive(Debug, Args)]
pub(super) struct SandboxArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Runs one command, without network, in an empty folder.
    Run(RunArgs),
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Seconds that it may run.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// Prints one JSON document when it is over.
    #[arg(long)]
    json: bool,
    /// Program and arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Runs what is asked for.
pub(super) async fn sandbox(args: SandboxArgs) -> Result<(), Ended> {
    let What::Run(args) = args.what;
    let folder = files::scratch_folder("riad-sandbox").map_err(broken)?;
    let finished = run(&args, &folder).await;
    let _ = files::remove_folder(&folder);
    let finished = finished?;
    if args.json {
        print(&finished).map_err(broken)?;
    }
    let word = ending(&finished);
    if finished.is_success() {
        return writeln!(io::stderr(), "{word}").map_err(broken);
    }
    Err(Ended::new(Exit::Failed, word))
}

async fn run(args: &RunArgs, folder: &Path) -> Result<Finished, Ended> {
    let (state, work) = (folder.join("state"), folder.join("work"));
    let user = files::runs_as_root().then_some(USER);
    let made = files::private_folder(&state).and_then(|()| files::private_folder(&work));
    made.and_then(|()| files::give(&work, user)).map_err(broken)?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::open(&work, flags, Mode::empty()).map_err(|errno| broken(errno.into()))?;

    let settings = Settings { state, ledger: Arc::new(NoLedger), groups: true };
    let sandbox = Sandbox::open(settings).await.0.map_err(refused)?;
    let mut confinement = Confinement::new("riad sandbox run", &args.command).mount(handle, WORK, Access::ReadWrite);
    confinement.directory = WORK.into();
    confinement.limits.deadline = Some(Duration::from_secs(args.timeout));
    confinement.host_uid = user;
    let cancel = CancellationToken::new();
    let _ends = tokio::spawn(end_on_interrupt(cancel.clone()));
    let shown = !args.json;
    let mut live = move |stream, text: &str| {
        if shown {
            show(stream, text);
        }
    };
    sandbox.run(confinement, &mut live, &cancel).await.map_err(refused)
}

async fn end_on_interrupt(cancel: CancellationToken) {
    if tokio::signal::ctrl_c().await.is_ok() {
        cancel.cancel();
    }
}

fn show(stream: Stream, text: &str) {
    let text = terminal::plain(text);
    // Nobody may read it; the command goes on all the same.
    let _ = match stream {
        Stream::Stdout => io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()),
        Stream::Stderr => io::stderr().write_all(text.as_bytes()),
    };
}

fn refused(refusal: Refusal) -> Ended {
    let exit = match refusal {
        Refusal::NoProgram { .. } => Exit::NotFound,
        Refusal::Cancelled => Exit::Interrupted,
        Refusal::WallMissing { .. }
        | Refusal::NoBubblewrap { .. }
        | Refusal::NoBackend { .. }
        | Refusal::RootWithoutUid
        | Refusal::CannotBecome(_)
        | Refusal::BadConfinement(_)
        | Refusal::NoFolder { .. }
        | Refusal::NotRecorded(_)
        | Refusal::System { .. } => Exit::Failed,
    };
    Ended::new(exit, refusal)
}

fn ending(finished: &Finished) -> String {
    match (finished.why, finished.ended) {
        (Why::Program, Some(Finish::Exit(code))) => format!("exit code {code}"),
        (Why::Program, Some(Finish::Signal(number))) => format!("ended by signal {number}"),
        (Why::Program, None) => "ended".to_owned(),
        (Why::Deadline, _) => "ended since its time was over; give more with --timeout".to_owned(),
        (Why::Cancelled, _) => "ended by you".to_owned(),
        (Why::Memory, _) => "ended since it used more memory than there is for it".to_owned(),
    }
}

fn print(finished: &Finished) -> io::Result<()> {
    let (stdout, stderr) = finished.output.texts(usize::MAX);
    let exit_code = match finished.ended {
        Some(Finish::Exit(code)) => Some(code),
        Some(Finish::Signal(_)) | None => None,
    };
    let took = u64::try_from(finished.elapsed.as_millis()).unwrap_or(u64::MAX);
    let document = json!({
        "schema": SCHEMA, "exit_code": exit_code, "ending": ending(finished), "stdout": stdout, "stderr": stderr, "ms": took,
    });
    writeln!(io::stdout(), "{}", terminal::json(&document))
}
