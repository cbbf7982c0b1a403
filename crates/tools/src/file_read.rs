//! `file_read`: text of files and notes, with line numbers and the hash that a change needs.

use std::fmt::Write as _;

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::digest::Digest;
use domain::facts::Appraisal;
use domain::tool::Replay;
use harness::ports::{Ran, Scope};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::erase::TypedTool;
use crate::files::beneath::WHOLE_BYTES;
use crate::files::change::short_hash;
use crate::files::text::Text;
use crate::places::{Places, Target, off_thread, says};
use crate::reading::{self, answer};

/// Characters of one file that are shown.
const FILE_CHARS: usize = 8192;
/// Characters of a whole call.
const CALL_CHARS: usize = 60 * 1024;

/// Read text files (~/… or work/…) or private notes (user-memory/…). The answer numbers the lines and gives each file's
/// hash, which file_edit and file_write need to change it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileRead {
    /// Which files, 1 to 20.
    #[schemars(length(min = 1, max = 20))]
    files: Vec<Part>,
}

/// One file, or some lines of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Part {
    /// The file, for example ~/notes/plan.md.
    path: String,
    /// The first line, counted from 1.
    #[serde(default)]
    from: Option<usize>,
    /// The last line.
    #[serde(default)]
    to: Option<usize>,
}

/// The tool.
pub(crate) struct Tool(pub(crate) Places);

impl FileRead {
    fn paths(&self) -> Vec<&str> {
        self.files.iter().map(|part| part.path.as_str()).collect()
    }

    async fn read(self, places: &Places, scope: &Scope) -> Result<String, String> {
        let mut texts = Vec::new();
        let mut room = CALL_CHARS;
        let mut failed = 0;
        for part in &self.files {
            if scope.cancel.is_cancelled() {
                return Err("Stopped before all files were read.".to_owned());
            }
            let text = match part.read(places, scope).await {
                Ok(bytes) => part.show(&bytes, FILE_CHARS.min(room)),
                Err(reason) => Err(reason),
            };
            let text = text.unwrap_or_else(|reason| {
                failed += 1;
                reason
            });
            room = room.saturating_sub(text.chars().count());
            texts.push(text);
        }
        let text = texts.join("\n\n");
        if failed == self.files.len() { Err(text) } else { Ok(text) }
    }
}

impl Part {
    async fn read(&self, places: &Places, scope: &Scope) -> Result<Vec<u8>, String> {
        match places.target(&self.path, &scope.conversation)? {
            Target::Note(place) => {
                let text = places.notes().read(&place.below()).await.map_err(|error| says(&self.path, error))?;
                text.map(String::into_bytes).ok_or_else(|| says(&self.path, "there is no such note"))
            }
            Target::Tree(tree, place) => {
                let read = off_thread(move || tree.find(&place.parts).and_then(|spot| tree.read(&spot, WHOLE_BYTES)));
                read.await?.map_err(|fault| says(&self.path, fault))
            }
        }
    }

    fn show(&self, bytes: &[u8], room: usize) -> Result<String, String> {
        let text = Text::decode(bytes).map_err(|fault| says(&self.path, fault))?;
        let lines = text.line_count();
        let hash = short_hash(&Digest::of_bytes(bytes));
        let mut shown = format!("## {}\n{lines} lines, {}, hash {hash}\n", self.path, text.form.describe());
        let from = self.from.unwrap_or(1).max(1);
        let to = self.to.unwrap_or(lines).min(lines);
        let mut left = room;
        for (index, line) in text.text.lines().enumerate().take(to).skip(from - 1) {
            let number = index + 1;
            let length = line.chars().count() + 8;
            if length > left && number > from {
                let _written = write!(shown, "[lines {number} to {lines} are not shown; read on with from {number}]");
                break;
            }
            let line: String = line.chars().take(left.max(200)).collect();
            let cut = if length > left.max(208) { " [line cut]" } else { "" };
            let _written = writeln!(shown, "{number:>5}\t{line}{cut}");
            left = left.saturating_sub(length);
        }
        Ok(shown.trim_end().to_owned())
    }
}

#[async_trait]
impl TypedTool for Tool {
    type Input = FileRead;
    const NAME: &'static str = "file_read";
    const REPLAY: Replay = Replay::Again;
    const PARALLEL: bool = true;
    const DEADLINE_MS: u64 = 30_000;

    async fn appraise(&self, input: FileRead, scope: &Scope) -> Result<Appraisal, String> {
        reading::appraise(&self.0, "Read", &input.paths(), scope).await
    }

    async fn run(&self, input: FileRead, call: &ClearedCall, scope: &Scope) -> Ran {
        let still = reading::still(&self.0, &input.paths(), call, scope).await;
        answer(still, input.read(&self.0, scope)).await
    }
}
