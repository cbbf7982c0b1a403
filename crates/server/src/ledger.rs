//! The record of started processes, one small file each, so that the next start can end what a dead server left.

use std::path::{Path, PathBuf};

use sandbox::{Ledger, Spawned};
use serde::{Deserialize, Serialize};

use crate::files;

/// Records under one folder.
pub struct FileLedger(PathBuf);

#[derive(Serialize, Deserialize)]
struct Record {
    pid: i32,
    start_time: u64,
    boot_id: String,
    purpose: String,
}

impl FileLedger {
    /// Keeps records in `folder`, which is made if it is not there.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        files::private_folder(folder)?;
        Ok(Self(folder.to_path_buf()))
    }

    /// Ends what the records name and still lives, and starts that nobody got to record; empties the folder. Returns how
    /// many were ended.
    pub fn sweep(&self) -> std::io::Result<usize> {
        let ended = sandbox::sweep(&self.records()?).len() + sandbox::end_orphans();
        for name in files::names_in(&self.0)? {
            files::remove(&self.0.join(name))?;
        }
        Ok(ended)
    }

    /// The records of a folder that is there, without a change to it.
    pub fn records_in(folder: &Path) -> std::io::Result<Vec<Spawned>> {
        Self(folder.to_path_buf()).records()
    }

    fn records(&self) -> std::io::Result<Vec<Spawned>> {
        Ok(files::names_in(&self.0)?.iter().filter_map(|name| self.read(name)).collect())
    }

    fn read(&self, name: &str) -> Option<Spawned> {
        let text = files::read(&self.0.join(name)).ok()??;
        // A record that was cut off while it was written belongs to a process that never ran.
        let Record { pid, start_time, boot_id, purpose } = serde_json::from_str(&text).ok()?;
        Some(Spawned { pid, start_time, boot_id, purpose })
    }

    fn path(&self, spawned: &Spawned) -> PathBuf {
        self.0.join(format!("{}-{}", spawned.pid, spawned.start_time))
    }
}

impl Ledger for FileLedger {
    fn started(&self, spawned: &Spawned) -> Result<(), String> {
        let Spawned { pid, start_time, boot_id, purpose } = spawned.clone();
        let text =
            serde_json::to_string(&Record { pid, start_time, boot_id, purpose }).map_err(|error| error.to_string())?;
        files::write_private(&self.path(spawned), &text).map_err(|error| error.to_string())
    }

    fn ended(&self, spawned: &Spawned) {
        if let Err(error) = files::remove(&self.path(spawned)) {
            tracing::warn!(%error, "the record of an ended process stays");
        }
    }
}

#[cfg(test)]
mod tests {
    use sandbox::{Ledger as _, Spawned};

    use super::FileLedger;

    #[test]
    fn records_come_and_go_and_a_sweep_empties_them() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = FileLedger::open(folder.path()).unwrap();
        let one = Spawned { pid: 1, start_time: 5, boot_id: "another boot".to_owned(), purpose: "test".to_owned() };
        ledger.started(&one).unwrap();
        assert_eq!(ledger.read("1-5"), Some(one.clone()));
        ledger.ended(&one);
        assert_eq!(ledger.read("1-5"), None);
        ledger.started(&one).unwrap();
        assert_eq!(ledger.sweep().unwrap(), 0, "a process of another boot is never ended");
        assert_eq!(ledger.read("1-5"), None);
    }
}
