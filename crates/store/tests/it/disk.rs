//! What a test does to the disk behind the store's back: copy a folder as a kill leaves it, open a database with its
//! key.

use std::path::Path;

use rusqlite::Connection;

/// Copies a data folder as it is at this moment, without the lock and the shared memory, as after `kill -9`.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::create_dir_all(to).unwrap();
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(0o700)).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else if !name.ends_with("-shm") && name != "riad.lock" {
            std::fs::copy(entry.path(), &target).unwrap();
            std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
}

/// The instance database of a closed data folder, opened with the key that lies beside it.
pub(crate) fn instance_database(root: &Path) -> Connection {
    let key = std::fs::read(root.join("instance.key")).unwrap();
    open(&root.join("instance.db"), &key)
}

pub(crate) fn open(path: &Path, key: &[u8]) -> Connection {
    let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(&format!("PRAGMA key = \"x'{hex}'\"; PRAGMA foreign_keys = ON")).unwrap();
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).unwrap();
    connection
}
