//! `file_find`: files by a pattern of their names, newest first.

use std::ops::ControlFlow;

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::facts::Appraisal;
use domain::time::Timestamp;
use domain::tool::Replay;
use harness::ports::{Ran, Scope};
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::erase::TypedTool;
use crate::files::walk::{Reach, walk};
use crate::files::{glob, visible};
use crate::places::{Places, Target, off_thread, says, shown};
use crate::reading::{self, answer};

/// Files that are named.
const NAMED: usize = 100;

/// Find files by name: * within a name, ** across folders, ?, [a-z], {a,b}. A pattern without / looks in all folders
/// below path. The newest come first.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileFind {
    /// The pattern, for example *.md or reports/**/2026-*.csv.
    glob: String,
    /// The folder to look in, ~/ if absent.
    #[serde(default = "home")]
    path: String,
    /// Look also in what .gitignore and .ignore files name.
    #[serde(default)]
    all: bool,
}

fn home() -> String {
    "~/".to_owned()
}

/// The tool.
pub(crate) struct Tool(pub(crate) Places);

struct Hit {
    path: String,
    changed: i64,
    size: u64,
}

impl FileFind {
    async fn find(self, places: &Places, scope: &Scope) -> Result<String, String> {
        let pattern = glob::compile(&self.glob)?;
        match places.target(&self.path, &scope.conversation)? {
            Target::Note(place) => {
                let below = place.below();
                let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
                let notes = places.notes().list().await.map_err(|error| says(&self.path, error))?;
                let inside = notes
                    .iter()
                    .filter(|(path, _)| path.strip_prefix(&prefix).is_some_and(|way| pattern.is_match(way)));
                let lines: Vec<String> = inside
                    .take(NAMED)
                    .map(|(path, bytes)| format!("user-memory/{}  {bytes} bytes", visible::name(path)))
                    .collect();
                Ok(if lines.is_empty() { none(&self.glob) } else { lines.join("\n") })
            }
            Target::Tree(tree, place) => {
                let cancel = scope.cancel.clone();
                let reach = if self.all { Reach::All } else { Reach::Unignored };
                off_thread(move || {
                    let spot = tree.find(&place.parts).map_err(|fault| says(&self.path, fault))?;
                    let mut hits = Vec::new();
                    let extent = walk(&tree, &spot, usize::MAX, reach, &cancel, |sight| {
                        hits.extend(hit(&pattern, &sight.way.join("/"), sight.item, || {
                            shown(place.root, &[&spot.parts[..], sight.way].concat())
                        }));
                        ControlFlow::Continue(())
                    });
                    let extent = extent.map_err(|fault| says(&self.path, fault))?;
                    Ok(listed(hits, &self.glob) + extent.note())
                })
                .await?
            }
        }
    }
}

fn hit(pattern: &Regex, way: &str, item: &crate::files::beneath::Item, path: impl FnOnce() -> String) -> Option<Hit> {
    pattern.is_match(way).then(|| Hit { path: path(), changed: item.changed, size: item.size })
}

fn listed(mut hits: Vec<Hit>, glob: &str) -> String {
    if hits.is_empty() {
        return none(glob);
    }
    hits.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(&b.path)));
    let rest = hits.len().saturating_sub(NAMED);
    let line = |hit: &Hit| {
        let changed = Timestamp(hit.changed).rfc3339();
        let day = changed.get(..16).unwrap_or(&changed).replace('T', " ");
        format!("{}  {} bytes  {day}", visible::name(&hit.path), hit.size)
    };
    let mut lines: Vec<String> = hits.iter().take(NAMED).map(line).collect();
    if rest > 0 {
        lines.push(format!("[{rest} older ones match too; use a narrower pattern]"));
    }
    lines.join("\n")
}

fn none(glob: &str) -> String {
    format!("Nothing matches `{glob}`.")
}

#[async_trait]
impl TypedTool for Tool {
    type Input = FileFind;
    const NAME: &'static str = "file_find";
    const REPLAY: Replay = Replay::Again;
    const PARALLEL: bool = true;
    const DEADLINE_MS: u64 = 30_000;

    async fn appraise(&self, input: FileFind, scope: &Scope) -> Result<Appraisal, String> {
        glob::compile(&input.glob)?;
        reading::appraise(&self.0, "Find in", &[&input.path], scope).await
    }

    async fn run(&self, input: FileFind, call: &ClearedCall, scope: &Scope) -> Ran {
        let asked = input.path.clone();
        answer(reading::still(&self.0, &[&asked], call, scope).await, input.find(&self.0, scope)).await
    }
}
