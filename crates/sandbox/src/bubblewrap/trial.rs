//! The probe: real walls around a set of small tries to escape, and small limits around two bombs. It reports, and
//! repairs nothing.

use super::{Bubblewrap, PROGRAM};
use crate::backend::{Backend, Probe, WallReport};
use crate::confinement::{Confinement, Limits};
use crate::groups::GroupKind;
use crate::leash::Plan;
use crate::refusal::{Refusal, Wall};
use crate::running::{Finished, Why};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const MIB: u64 = 1024 * 1024;

/// What the tries get: little, so that they are quick to reach its end.
const LIMITS: Limits = Limits {
    memory_bytes: 96 * MIB,
    processes: 24,
    processors: 2,
    file_bytes: 16 * MIB,
    descriptors: 64,
    tmp_bytes: 2 * MIB,
    shm_bytes: 2 * MIB,
    output_chars: 4096,
    stored_bytes: 0,
    deadline: Some(Duration::from_secs(10)),
    grace: Duration::from_millis(100),
};

/// A user that no person has, for probing as root.
const PROBE_UID: u32 = 65_533;

/// Builds the walls, looks at them from inside, and tries to break out.
pub(super) async fn probe(backend: &Bubblewrap) -> Probe {
    let mut probe = Probe {
        backend: backend.name(),
        version: None,
        groups: backend.groups,
        walls: Vec::new(),
        tries: Vec::new(),
        refusal: None,
    };
    match version(backend).await {
        Ok(version) => probe.version = version,
        Err(refusal) => return Probe { refusal: Some(refusal), ..probe },
    }
    match tries(backend).await {
        Ok((walls, finished)) => {
            probe.walls = walls;
            probe.tries = read(&finished, backend.groups);
            let is_limited =
                probe.tries.iter().filter(|(name, _)| name == "fork" || name == "memory").all(|(_, held)| *held);
            let reason = if is_limited { String::new() } else { "a bomb was not stopped".to_owned() };
            probe.walls.push(WallReport { wall: Wall::Limits, held: is_limited, reason });
        }
        Err(refusal) => {
            if let Refusal::WallMissing { wall, reason } = &refusal {
                probe.walls.push(WallReport { wall: *wall, held: false, reason: reason.clone() });
            }
            probe.refusal = Some(refusal);
        }
    }
    probe
}

/// The version of bubblewrap, asked of the program itself, inside its own walls.
async fn version(backend: &Bubblewrap) -> Result<Option<String>, Refusal> {
    let finished = run(backend, confinement([PROGRAM, "--version"]), Plan::default()).await?.1;
    let text = finished.output.stdout.text(64);
    let version = text.trim().strip_prefix("bubblewrap ").map(str::to_owned);
    let numbers: Vec<u32> =
        version.iter().flat_map(|text| text.split('.')).map_while(|part| part.parse().ok()).collect();
    if numbers.as_slice() < [0, 8].as_slice() {
        return Err(Refusal::NoBubblewrap { reason: format!("{PROGRAM} is too old or unknown ({})", text.trim()) });
    }
    Ok(version)
}

async fn tries(backend: &Bubblewrap) -> Result<(Vec<WallReport>, Finished), Refusal> {
    let broken = Refusal::system("listening for the tries");
    // Both stay open until the tries are over: what cannot be reached must be there.
    let port = TcpListener::bind("127.0.0.1:0").map_err(&broken)?;
    let number = port.local_addr().map_err(&broken)?.port();
    let name = format!("riad-try-{}-{number}", std::process::id());
    let socket = SocketAddr::from_abstract_name(&name).and_then(|address| UnixListener::bind_addr(&address));
    let _socket = socket.map_err(&broken)?;
    let mut plan = Plan::default();
    plan.add("tries", "all");
    plan.add("port", number.to_string());
    plan.add("socket", &name);
    plan.add("memory", LIMITS.memory_bytes.to_string());
    if backend.groups == GroupKind::None {
        plan.add("watched", "1");
    }
    run(backend, confinement(["tries"]), plan).await
}

fn confinement<const N: usize>(arguments: [&str; N]) -> Confinement {
    let mut confinement = Confinement::new("probe", arguments);
    confinement.limits = LIMITS;
    confinement.host_uid = rustix::process::geteuid().is_root().then_some(PROBE_UID);
    confinement
}

async fn run(
    backend: &Bubblewrap,
    confinement: Confinement,
    plan: Plan,
) -> Result<(Vec<WallReport>, Finished), Refusal> {
    let (running, walls) = backend.start(confinement, plan).await?;
    let finished = running.capture(&mut |_, _| {}, &CancellationToken::new()).await;
    Ok((walls, finished))
}

/// The tries, by name.
const TRIES: [&str; 13] = [
    "processes",
    "ptrace",
    "first-process",
    "loopback",
    "metadata",
    "abstract-socket",
    "vsock",
    "namespaces",
    "write-image",
    "set-uid",
    "fill-tmp",
    "fork",
    "memory",
];

/// The verdict on each try. One that said nothing came through, as far as anyone knows; only the memory bomb may have
/// taken its own report with it, when the watcher ended all.
fn read(finished: &Finished, groups: GroupKind) -> Vec<(String, bool)> {
    let text = finished.output.stdout.text(4096);
    let held = |name: &str| {
        let is_ended_for_memory = name == "memory" && groups == GroupKind::None && finished.why == Why::Memory;
        is_ended_for_memory || text.lines().any(|line| line == format!("try {name} held"))
    };
    TRIES.iter().map(|name| ((*name).to_owned(), held(name))).collect()
}
