//! The files of the checkout as text, read once and handed to every check. Not a file system: a check cannot write.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::metadata::{self, Package};
use crate::rust_text::{self, Line};

/// What holds nothing written by hand, as a folder or, like the `.git` of a worktree, as a file.
const SKIPPED: &[&str] = &[".git", ".cache", "target", "node_modules", "dist", "__pycache__"];
/// Larger files are data and are not read.
const LARGEST: u64 = 2 * 1024 * 1024;

/// What the checks look at.
#[derive(Clone, Default)]
pub(crate) struct Tree {
    /// Text by path from the root, with `/` between the parts. A file that is not text is here with no text.
    pub(crate) files: BTreeMap<String, String>,
    /// The packages of the workspace as cargo sees them.
    pub(crate) packages: Vec<Package>,
    /// The packages that each locked package names, by name.
    pub(crate) locked: BTreeMap<String, Vec<String>>,
}

impl Tree {
    /// Reads a checkout. Cargo is asked offline and without dependencies, so this needs no network.
    pub(crate) fn read(root: &Path) -> Result<Tree> {
        let mut files = BTreeMap::new();
        read_folder(root, "", &mut files)?;
        let locked = files.get("Cargo.lock").map(|text| metadata::locked(text)).unwrap_or_default();
        Ok(Tree { packages: metadata::workspace_packages(root)?, files, locked })
    }

    /// The Rust files written for this project, with their lines taken apart.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&str, Vec<Line>)> {
        self.files
            .iter()
            .filter(|(path, _)| path.ends_with(".rs"))
            .map(|(path, text)| (path.as_str(), rust_text::lines(text)))
    }

    /// Whether a file or a folder of that path stands in the tree.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.keys().any(|file| file == path || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
    }
}

/// Whether a file holds tests or what only tests use.
pub(crate) fn is_test(path: &str) -> bool {
    path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.starts_with("crates/testkit/")
        || path.contains("/benches/")
}

fn read_folder(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if kind.is_dir() {
            read_folder(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            let text = if entry.metadata()?.len() <= LARGEST { std::fs::read(entry.path())? } else { Vec::new() };
            files.insert(path, String::from_utf8(text).unwrap_or_default());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
