//! What the helper inside is told to check and to run, in lines of the leash. What a line means is written in
//! `inside/main.rs`.

use super::Bubblewrap;
use crate::confinement::{Access, Confinement, Limits};
use crate::groups::GroupKind;
use crate::leash::Plan;

impl Bubblewrap {
    /// What the helper inside is told.
    pub(super) fn plan(&self, confinement: &Confinement) -> Plan {
        let limits = &confinement.limits;
        let mut plan = Plan::default();
        plan.add("dir", confinement.directory.as_os_str().as_encoded_bytes());
        for word in &confinement.arguments {
            plan.add("arg", word);
        }
        for (name, value) in &confinement.environment {
            plan.add("env", format!("{name}={value}"));
        }
        for (resource, value) in self.resources(limits) {
            plan.add("limit", format!("{resource}:{value}"));
        }
        for namespace in &self.namespaces {
            plan.add("namespace", namespace);
        }
        for mount in &confinement.mounts {
            let mode = if mount.access == Access::ReadOnly { "ro:" } else { "rw:" };
            plan.add("mount", [mode.as_bytes(), mount.place.as_os_str().as_encoded_bytes()].concat());
        }
        plan.add("tmp", limits.tmp_bytes.to_string());
        plan.add("shm", limits.shm_bytes.to_string());
        plan
    }

    /// Resource limits, by their numbers, of each process inside.
    fn resources(&self, limits: &Limits) -> Vec<(u32, u64)> {
        let mut resources = vec![
            // The helper is a process inside too.
            (libc::RLIMIT_NPROC, limits.processes + 1),
            (libc::RLIMIT_FSIZE, limits.file_bytes),
            (libc::RLIMIT_NOFILE, limits.descriptors),
            (libc::RLIMIT_CORE, 0),
        ];
        if self.groups == GroupKind::None {
            // Of one process; the watcher sums them up.
            resources.push((libc::RLIMIT_DATA, limits.memory_bytes));
        }
        resources
    }
}
