//! What lies in a folder.

use serde::Serialize;
use tools::files::beneath::{Item, ItemKind};

/// A folder with what is in it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listing {
    /// Where.
    pub path: String,
    /// Its lines.
    pub entries: Vec<FileEntry>,
}

/// One line.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileEntry {
    name: String,
    kind: FileKind,
    size: u64,
    changed_at: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
enum FileKind {
    File,
    Folder,
    Link,
    Special,
}

impl From<Item> for FileEntry {
    fn from(item: Item) -> Self {
        let kind = match item.kind {
            ItemKind::Folder => FileKind::Folder,
            ItemKind::File => FileKind::File,
            ItemKind::Link => FileKind::Link,
            ItemKind::Special => FileKind::Special,
        };
        let changed_at = domain::time::Timestamp(item.changed).rfc3339();
        Self { name: item.name, kind, size: item.size, changed_at }
    }
}
