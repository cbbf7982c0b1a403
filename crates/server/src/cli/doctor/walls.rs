//! The sandbox for `riad doctor`: every wall is built once, and every escape is tried.

use std::sync::Arc;

use sandbox::{NoLedger, Probe, Sandbox, Settings};

use super::Check;
use crate::files;

/// Whether commands can run here, wall by wall.
pub(super) async fn sandbox() -> Check {
    let name = "sandbox";
    let folder = match files::scratch_folder("riad-doctor") {
        Ok(folder) => folder,
        Err(error) => {
            let detail = format!("no temporary folder can be made: {error}");
            return Check::finding(name, detail, "Make room in the folder of temporary files.");
        }
    };
    let settings = Settings { state: folder.clone(), ledger: Arc::new(NoLedger), groups: true };
    let (opened, probe) = Sandbox::open(settings).await;
    let _ = files::remove_folder(&folder);
    let parts = probe.as_ref().map(parts).unwrap_or_default();
    match opened {
        Ok(_) => Check { parts, ..Check::good(name, probe.map(|probe| probe.summary()).unwrap_or_default()) },
        Err(refusal) => {
            let first = parts.iter().find_map(|part| part.fix.clone());
            let fix = first
                .unwrap_or_else(|| "Do what is said here; until then no commands run, and all else works.".to_owned());
            Check { parts, ..Check::finding(name, refusal, fix) }
        }
    }
}

fn parts(probe: &Probe) -> Vec<Check> {
    let walls = probe.walls.iter().map(|report| match report.held {
        true => Check::good(report.wall.name(), "holds"),
        false => Check::finding(report.wall.name(), format!("missing: {}", report.reason), report.wall.fix()),
    });
    let broken = probe.tries.iter().filter(|(_, held)| !held);
    let tries = broken.map(|(name, _)| {
        Check::finding("escape", format!("the try \"{name}\" came through"), "Update the kernel and bubblewrap.")
    });
    walls.chain(tries).collect()
}
