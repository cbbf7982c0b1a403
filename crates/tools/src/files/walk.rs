//! Walks a folder and all beneath it, by handles, within bounds of entries and time. Links are not followed, `.git` is
//! passed over, and closed places are not there at all.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::beneath::{Beneath, Fault, Item, ItemKind, Spot};

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

struct Walker<'a, V> {
    tree: &'a Beneath,
    depth: usize,
    cancel: &'a CancellationToken,
    began: Instant,
    entries: usize,
    bounded: bool,
    way: Vec<String>,
    visit: V,
}

/// Shows `visit` all that lies beneath a folder, folder by folder, in order of names, at most `depth` levels.
pub(crate) fn walk(
    tree: &Beneath,
    start: &Spot,
    depth: usize,
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
        for item in items {
            self.check_bounds()?;
            self.way.push(item.name.clone());
            let seen = (self.visit)(Sight { way: &self.way, item, folder });
            if seen.is_break() {
                return ControlFlow::Break(Extent::Enough);
            }
            if item.kind == ItemKind::Folder && item.name != ".git" {
                self.beneath(folder, item)?;
            }
            self.way.pop();
        }
        ControlFlow::Continue(())
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
