//! What a backend is: something that can tell which walls it builds here, and that runs one confinement. Backends know
//! nothing of each other.

use crate::confinement::Confinement;
use crate::groups::GroupKind;
use crate::refusal::{Refusal, Wall};
use crate::running::Running;
use async_trait::async_trait;

/// A way to confine commands. Guarantees: (1) a command runs only inside all walls of `WALLS`, or `spawn` is an error;
/// (2) the process was recorded before the program ran; (3) when the `Running` is dropped, or the server dies, nothing
/// of the command is left; (4) `probe` builds the real walls and tries to break out of them.
#[async_trait]
pub trait Backend: Send + Sync {
    /// Its name, as settings and reports write it.
    fn name(&self) -> &'static str;
    /// Builds the walls once and looks at them from inside.
    async fn probe(&self) -> Probe;
    /// Runs one confinement. Dropping the future ends what it had started.
    async fn spawn(&self, confinement: Confinement) -> Result<Running, Refusal>;
}

/// What a probe found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The backend's name.
    pub backend: &'static str,
    /// The version of its program, when it has one.
    pub version: Option<String>,
    /// What holds memory and processes to their limits.
    pub groups: GroupKind,
    /// Every wall.
    pub walls: Vec<WallReport>,
    /// Every try to escape, and whether it failed as it must.
    pub tries: Vec<(String, bool)>,
    /// Why no command was run at all, when that is so.
    pub refusal: Option<Refusal>,
}

impl Probe {
    /// Whether commands may run: every wall held and no try came through.
    pub fn is_usable(&self) -> bool {
        let all_held = self.walls.iter().all(|report| report.held) && self.tries.iter().all(|(_, held)| *held);
        self.refusal.is_none() && !self.walls.is_empty() && !self.tries.is_empty() && all_held
    }

    /// One sentence: what it is, or the first thing that is wrong and its fix.
    pub fn summary(&self) -> String {
        if let Some(refusal) = &self.refusal {
            return refusal.to_string();
        }
        if let Some(report) = self.walls.iter().find(|report| !report.held) {
            return format!("the wall \"{}\" is missing: {} {}", report.wall, report.reason, report.wall.fix());
        }
        if let Some((name, _)) = self.tries.iter().find(|(_, held)| !held) {
            return format!("the try \"{name}\" broke out, so {} is not used", self.backend);
        }
        let version = self.version.as_deref().unwrap_or("of unknown version");
        let limits = match self.groups {
            GroupKind::Two => "control groups 2",
            GroupKind::One => "control groups 1",
            GroupKind::Hybrid => "control groups 1 and 2",
            GroupKind::None => "resource limits and a watcher",
        };
        let (walls, tries) = (self.walls.len(), self.tries.len());
        format!("{} {version}: {walls} walls hold, {tries} escapes failed, limits by {limits}", self.backend)
    }
}

/// What was found about one wall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WallReport {
    /// Which.
    pub wall: Wall,
    /// Whether it stands.
    pub held: bool,
    /// Why not; empty when it stands.
    pub reason: String,
}
