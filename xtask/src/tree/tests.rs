//! Checkouts as they are read.

use std::collections::BTreeMap;

use super::read_folder;

#[test]
fn the_git_file_of_a_worktree_is_not_read() {
    let folder = std::env::temp_dir().join(format!("xtask-tree-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::write(folder.join(".git"), "gitdir: /elsewhere/.git/worktrees/one\n").unwrap();
    std::fs::write(folder.join("src/main.rs"), "fn main() {}\n").unwrap();
    let mut files = BTreeMap::new();
    read_folder(&folder, "", &mut files).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(files.into_keys().collect::<Vec<_>>(), ["src/main.rs"]);
}
