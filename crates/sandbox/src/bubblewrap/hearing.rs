//! What comes back from a start: the helper's word on each wall, bubblewrap's own complaint, and what a refusal makes of
//! them. A wall that is not said to hold counts as missing.

use super::{PROGRAM, wires};
use crate::backend::WallReport;
use crate::confinement::Confinement;
use crate::leash::{self, Ear, Plan, Voice, Word};
use crate::refusal::{Refusal, Wall};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::time::Duration;
use tokio::net::UnixStream;

/// No report of the walls within this time: Refused (REACH-63).
const REPORT_TIME: Duration = Duration::from_secs(2);

/// Tells the helper the plan and hears that every wall holds. `complaint` is where bubblewrap itself writes.
pub(super) async fn hear_that_walls_hold(
    leash: StdStream,
    plan: &Plan,
    complaint: &OwnedFd,
) -> Result<(Vec<WallReport>, Ear, Voice), Refusal> {
    let report = tokio::time::timeout(REPORT_TIME, hear_of_walls(leash, plan)).await.map_err(|_| no_report())?;
    let (walls, ear, voice) = report.map_err(|error| complained(&wires::drained(complaint), &error))?;
    match walls.iter().find(|wall| !wall.held) {
        Some(missing) => Err(Refusal::WallMissing { wall: missing.wall, reason: missing.reason.clone() }),
        None => Ok((walls, ear, voice)),
    }
}

/// Lets the program go, and hears that it runs.
pub(super) async fn let_go(ear: &mut Ear, voice: &mut Voice, confinement: &Confinement) -> Result<(), Refusal> {
    voice.say("go").await;
    match ear.next().await {
        Some(Word::Running) => Ok(()),
        other => Err(not_run(other, confinement)),
    }
}

/// The number of the first process inside, from what bubblewrap tells: `{ "child-pid": 123, ... }`.
pub(super) fn first_process(info: &str) -> Result<OwnedFd, Refusal> {
    let after = info.split("\"child-pid\":").nth(1).unwrap_or_default().trim_start();
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let pid = after[..digits].parse().ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| Refusal::System { step: "finding the first process", reason: info.to_owned() })?;
    pidfd_open(pid, PidfdFlags::empty())
        .map_err(|error| Refusal::System { step: "finding the first process", reason: error.to_string() })
}

/// Sends the plan and reads the report: one line for each wall.
async fn hear_of_walls(leash: StdStream, plan: &Plan) -> io::Result<(Vec<WallReport>, Ear, Voice)> {
    leash.set_nonblocking(true)?;
    let (mut ear, mut voice) = leash::halves(UnixStream::from_std(leash)?);
    voice.tell(plan).await?;
    let mut walls = Vec::new();
    loop {
        match ear.next().await {
            Some(Word::Held(wall)) => walls.push(WallReport { wall, held: true, reason: String::new() }),
            Some(Word::Missing(wall, reason)) => walls.push(WallReport { wall, held: false, reason }),
            Some(Word::Checked) => return Ok((walls, ear, voice)),
            Some(Word::Broken(reason)) => return Err(io::Error::other(reason)),
            Some(Word::Running | Word::Failed(..) | Word::Ended(_) | Word::Left(_)) | None => {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

fn no_report() -> Refusal {
    let reason = format!("no report of the walls within {} s; the machine may be overloaded", REPORT_TIME.as_secs());
    Refusal::System { step: "building the walls", reason }
}

/// What bubblewrap's own message means.
fn complained(message: &str, error: &io::Error) -> Refusal {
    let wall = |wall| Refusal::WallMissing { wall, reason: message.to_owned() };
    let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if has(&["Unknown option"]) {
        return Refusal::NoBubblewrap { reason: format!("{PROGRAM} is too old ({message})") };
    }
    if has(&["creation of new user namespaces was not disabled"]) {
        return wall(Wall::Nested);
    }
    if has(&["namespace", "uid map", "gid map", "mount proc", "loopback", "RTM_NEWADDR"]) {
        return wall(Wall::Namespaces);
    }
    if has(&["seccomp"]) {
        return wall(Wall::Calls);
    }
    if has(&["Race condition", "source path", "Can't bind", "bind mount"]) {
        return wall(Wall::Mounts);
    }
    let reason = if message.is_empty() { error.to_string() } else { message.to_owned() };
    Refusal::System { step: "building the walls", reason }
}

/// Why the helper did not start the program.
fn not_run(word: Option<Word>, confinement: &Confinement) -> Refusal {
    let Some(Word::Failed(step, number)) = word else {
        return Refusal::System { step: "starting the program", reason: "the helper inside ended".to_owned() };
    };
    let reason = io::Error::from_raw_os_error(number).to_string();
    match step.as_str() {
        "program" => Refusal::NoProgram { program: confinement.arguments.first().cloned().unwrap_or_default(), reason },
        "directory" => Refusal::NoFolder { folder: confinement.directory.display().to_string(), reason },
        "limits" => Refusal::WallMissing { wall: Wall::Limits, reason },
        other => Refusal::System { step: "starting the program", reason: format!("{other}: {reason}") },
    }
}
