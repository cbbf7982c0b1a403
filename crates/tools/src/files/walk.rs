//! Walks a folder and all beneath it, by handles, within bounds of entries and time. Links are not followed, `.git` and
//! what ignore files name are passed over, and closed places are not there at all.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::beneath::{Beneath, Fault, Item, ItemKind, Spot};
use super::ignore::{self, Ignore};

/// Entries that one walk looks at.
const ENTRIES: usize = 50_000;
/// How long one walk takes.
const TIME: Duration = Duration::from_secs(10);
/// Folders in folders.
const DEPTH: usize = 64;

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All was seen.
    Whole,
    /// The visitor had enough.
    Enough,
    /// A bound was reached before all was seen.
    Bounded,
    /// The call was stopped.
    Cancelled,
}

/// Something a walk came upon.
pub(crate) struct Sight<'a> {
    /// The names from the start of the walk on.
    pub(crate) way: &'a [String],
    /// What it is.
    pub(crate) item: &'a Item,
    /// The folder it lies in.
    pub(crate) folder: &'a Spot,
}

/// What a walk passes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// What ignore files name.
    Unignored,
    /// Nothing.
    All,
}

struct Walker<'a, V> {
    tree: &'a Beneath,
    depth: usize,
    cancel: &'a CancellationToken,
    began: Instant,
    entries: usize,
    bounded: bool,
    way: Vec<String>,
    /// The patterns of the folders on the way, each with how many names lead to its folder.
    ignores: Vec<(usize, Ignore)>,
    reach: Reach,
    visit: V,
}

/// Shows `visit` all that lies beneath a folder, folder by folder, in order of names, at most `depth` levels.
pub(crate) fn walk(
    tree: &Beneath,
    start: &Spot,
    depth: usize,
    reach: Reach,
    cancel: &CancellationToken,
    visit: impl FnMut(Sight<'_>) -> ControlFlow<()>,
) -> Result<Extent, Fault> {
    let mut walker = Walker {
        tree,
        depth: depth.min(DEPTH),
        cancel,
        began: Instant::now(),
        entries: 0,
        bounded: false,
        way: Vec::new(),
        ignores: Vec::new(),
        reach,
        visit,
    };
    // Only the folder that was asked for has to be readable; one beneath it that is not is passed over.
    let (items, _) = tree.list(start)?;
    Ok(match walker.folder(start, &items) {
        ControlFlow::Break(extent) => extent,
        ControlFlow::Continue(()) if walker.bounded => Extent::Bounded,
        ControlFlow::Continue(()) => Extent::Whole,
    })
}

impl<V: FnMut(Sight<'_>) -> ControlFlow<()>> Walker<'_, V> {
    fn folder(&mut self, folder: &Spot, items: &[Item]) -> ControlFlow<Extent> {
        let ignore = self.patterns(folder, items);
        let has_patterns = !ignore.is_empty();
        if has_patterns {
            self.ignores.push((self.way.len(), ignore));
        }
        let end = items.iter().try_for_each(|item| self.item(folder, item));
        if has_patterns {
            self.ignores.pop();
        }
        end
    }

    fn item(&mut self, folder: &Spot, item: &Item) -> ControlFlow<Extent> {
        self.check_bounds()?;
        self.way.push(item.name.clone());
        if !self.is_ignored(item) {
            let seen = (self.visit)(Sight { way: &self.way, item, folder });
            if seen.is_break() {
                return ControlFlow::Break(Extent::Enough);
            }
            if item.kind == ItemKind::Folder && item.name != ".git" {
                self.beneath(folder, item)?;
            }
        }
        self.way.pop();
        ControlFlow::Continue(())
    }

    /// The nearest patterns that say something about an entry count.
    fn is_ignored(&self, item: &Item) -> bool {
        let says = |(names, ignore): &(usize, Ignore)| {
            ignore.says(&self.way[*names..].join("/"), item.kind == ItemKind::Folder)
        };
        self.ignores.iter().rev().find_map(says).unwrap_or(false)
    }

    fn patterns(&self, folder: &Spot, items: &[Item]) -> Ignore {
        let mut patterns = Ignore::default();
        let is_there = |name: &str| items.iter().any(|item| item.name == name && item.kind == ItemKind::File);
        if self.reach == Reach::All {
            return patterns;
        }
        for name in ignore::FILES.into_iter().filter(|name| is_there(name)) {
            let read = self.tree.enter(folder, name).and_then(|spot| self.tree.read(&spot, ignore::BYTES));
            // One that cannot be read names nothing: more is shown then, never less.
            if let Ok(bytes) = read {
                patterns.add(&String::from_utf8_lossy(&bytes));
            }
        }
        patterns
    }

    fn beneath(&mut self, folder: &Spot, item: &Item) -> ControlFlow<Extent> {
        if self.way.len() >= self.depth {
            self.bounded |= self.depth == DEPTH;
            return ControlFlow::Continue(());
        }
        let Ok(spot) = self.tree.enter(folder, &item.name) else { return ControlFlow::Continue(()) };
        let Ok((items, _)) = self.tree.list(&spot) else { return ControlFlow::Continue(()) };
        self.folder(&spot, &items)
    }

    fn check_bounds(&mut self) -> ControlFlow<Extent> {
        self.entries += 1;
        if self.cancel.is_cancelled() {
            return ControlFlow::Break(Extent::Cancelled);
        }
        if self.entries > ENTRIES || self.began.elapsed() > TIME {
            return ControlFlow::Break(Extent::Bounded);
        }
        ControlFlow::Continue(())
    }
}

impl Extent {
    /// A line for the end of a result, where not all was seen.
    pub(crate) fn note(self) -> &'static str {
        match self {
            Self::Whole | Self::Enough => "",
            Self::Bounded => "\n[not all was looked at: the folder is too large; name a smaller one]",
            Self::Cancelled => "\n[stopped before all was looked at]",
        }
    }
}
