//! `file_list`: what lies in a folder, or among the notes.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::facts::Appraisal;
use domain::place::Place;
use domain::time::Timestamp;
use domain::tool::Replay;
use harness::ports::{Ran, Scope};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::erase::TypedTool;
use crate::files::beneath::{Item, ItemKind};
use crate::files::visible;
use crate::files::walk::{Reach, walk};
use crate::places::{Places, Target, off_thread, says};
use crate::reading::{self, answer};

/// Entries of one page.
const PAGE: usize = 1000;

/// List a folder: ~/ (the person's files), work/ (this conversation's work folder) or user-memory/ (private notes).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileList {
    /// The folder, for example ~/ or ~/notes or user-memory/.
    #[serde(default = "home")]
    path: String,
    /// How many levels, 1 to 6; 1 if absent.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 6))]
    depth: usize,
    /// Entries to pass over, as the page before said.
    #[serde(default)]
    cursor: usize,
}

fn home() -> String {
    "~/".to_owned()
}

fn one() -> usize {
    1
}

/// The tool.
pub(crate) struct Tool(pub(crate) Places);

impl FileList {
    async fn list(self, places: &Places, scope: &Scope) -> Result<String, String> {
        match places.target(&self.path, &scope.conversation)? {
            Target::Note(place) => self.list_notes(places, &place).await,
            Target::Tree(tree, place) => {
                let cancel = scope.cancel.clone();
                off_thread(move || {
                    let spot = tree.find(&place.parts).map_err(|fault| says(&self.path, fault))?;
                    let mut page = Page::new(self.cursor);
                    let extent = walk(&tree, &spot, self.depth, Reach::All, &cancel, |sight| {
                        page.take(|| line(&visible::name(&sight.way.join("/")), sight.item))
                    });
                    let extent = extent.map_err(|fault| says(&self.path, fault))?;
                    Ok(page.text() + extent.note())
                })
                .await?
            }
        }
    }

    async fn list_notes(self, places: &Places, place: &Place) -> Result<String, String> {
        let below = place.below();
        let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
        let notes = places.notes().list().await.map_err(|error| says(&self.path, error))?;
        let mut page = Page::new(self.cursor);
        for (path, bytes) in notes.iter().filter(|(path, _)| path.starts_with(&prefix)) {
            if page.take(|| format!("{}  {bytes} bytes", visible::name(&path[prefix.len()..]))).is_break() {
                break;
            }
        }
        Ok(page.text())
    }
}

/// One page of a listing.
struct Page {
    skip: usize,
    seen: usize,
    text: String,
}

impl Page {
    fn new(skip: usize) -> Self {
        Self { skip, seen: 0, text: String::new() }
    }

    fn take(&mut self, line: impl FnOnce() -> String) -> ControlFlow<()> {
        if self.seen == self.skip + PAGE {
            let _written = write!(self.text, "[more follow; go on with cursor {}]", self.seen);
            return ControlFlow::Break(());
        }
        if self.seen >= self.skip {
            self.text.push_str(&line());
            self.text.push('\n');
        }
        self.seen += 1;
        ControlFlow::Continue(())
    }

    fn text(&self) -> String {
        if self.text.is_empty() { "(empty)".to_owned() } else { self.text.trim_end().to_owned() }
    }
}

fn line(way: &str, item: &Item) -> String {
    let changed = Timestamp(item.changed).rfc3339();
    let day = changed.get(..16).unwrap_or(&changed).replace('T', " ");
    match item.kind {
        ItemKind::Folder => format!("{way}/  {day}"),
        ItemKind::File => format!("{way}  {} bytes  {day}", item.size),
        ItemKind::Link => format!("{way}  (link)"),
        ItemKind::Special => format!("{way}  (device, pipe or socket; not opened)"),
    }
}

#[async_trait]
impl TypedTool for Tool {
    type Input = FileList;
    const NAME: &'static str = "file_list";
    const REPLAY: Replay = Replay::Again;
    const PARALLEL: bool = true;
    const DEADLINE_MS: u64 = 15_000;

    async fn appraise(&self, input: FileList, scope: &Scope) -> Result<Appraisal, String> {
        reading::appraise(&self.0, "List", &[&input.path], scope).await
    }

    async fn run(&self, input: FileList, call: &ClearedCall, scope: &Scope) -> Ran {
        let asked = input.path.clone();
        answer(reading::still(&self.0, &[&asked], call, scope).await, input.list(&self.0, scope)).await
    }
}
