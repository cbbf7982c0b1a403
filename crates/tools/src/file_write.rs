//! `file_write`: makes a text file or note, adds to one, or puts another in its place.

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::digest::Digest;
use domain::facts::{Appraisal, Content};
use domain::tool::Replay;
use harness::ports::{Ran, Scope};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::erase::TypedTool;
use crate::files::change::{Place, Planned};
use crate::places::Places;

/// Write a text file (~/… or work/…) or a private note (user-memory/…). Missing folders are made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileWrite {
    /// Where, for example ~/notes/plan.md, work/data.csv or user-memory/me.md.
    path: String,
    /// The text.
    content: String,
    /// create: fails if the file exists (the default). append: adds at the end, on a new line. replace: the whole
    /// file becomes the text.
    #[serde(default)]
    mode: Mode,
    /// For append and replace of a file that exists: its hash, as file_read gave it.
    #[serde(default)]
    hash: Option<String>,
}

/// What becomes of a file that is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Mode {
    /// It must not exist.
    #[default]
    Create,
    /// The text is added.
    Append,
    /// The text takes its place.
    Replace,
}

/// The tool.
pub(crate) struct Tool(pub(crate) Places);

impl FileWrite {
    async fn plan(&self, places: &Places, scope: &Scope) -> Result<(Place, Planned), String> {
        let place = Place::look(places, &self.path, scope).await?;
        if self.mode == Mode::Create && place.now.is_some() {
            return Err(format!(
                "`{}` exists, and nothing was changed. To change it read it with file_read and use file_edit, or mode \
                 replace or append with its hash.",
                place.shown
            ));
        }
        place.check_hash(self.hash.as_deref())?;
        let planned = place.plan(self.text(&place))?;
        Ok((place, planned))
    }

    fn text(&self, place: &Place) -> String {
        match (&place.now, self.mode) {
            (Some(now), Mode::Append) => appended(&now.text.text, &self.content),
            (Some(now), Mode::Create | Mode::Replace) => closed(&now.text.text, &self.content),
            (None, Mode::Create | Mode::Append | Mode::Replace) => self.content.clone(),
        }
    }

    fn verb(&self) -> &'static str {
        match self.mode {
            Mode::Create | Mode::Replace => "Write",
            Mode::Append => "Add to",
        }
    }

    /// Whether the place holds what this call would have left, given what the call's facts say was there before.
    fn has_landed(&self, place: &Place, call: &ClearedCall) -> Option<bool> {
        let now = place.now.as_ref()?;
        let fact = call.facts().paths.first()?;
        let expected = match (self.mode, &fact.now) {
            (Mode::Append, Content::Hash(before)) => {
                let added = now.text.text.strip_suffix(self.content.as_str())?;
                let candidates = [added, added.strip_suffix('\n').unwrap_or(added)];
                let was_before =
                    |text: &&str| now.text.form.encode(text).is_ok_and(|bytes| Digest::of_bytes(&bytes) == *before);
                return Some(candidates.iter().any(was_before));
            }
            (_, Content::Absent) => vec![self.content.clone()],
            // The end of the old text is not known any more: both forms that it may have led to count.
            (_, _) => vec![self.content.clone(), format!("{}\n", self.content)],
        };
        Some(expected.contains(&now.text.text))
    }
}

/// A text with another behind it, which begins on a line of its own.
fn appended(before: &str, added: &str) -> String {
    let parting = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{parting}{added}")
}

/// A text in place of another; if that ended in a line end, so does this.
fn closed(before: &str, text: &str) -> String {
    let ending = if before.ends_with('\n') && !text.is_empty() && !text.ends_with('\n') { "\n" } else { "" };
    format!("{text}{ending}")
}

#[async_trait]
impl TypedTool for Tool {
    type Input = FileWrite;
    const NAME: &'static str = "file_write";
    const REPLAY: Replay = Replay::Probe;
    const PARALLEL: bool = false;

    async fn appraise(&self, input: FileWrite, scope: &Scope) -> Result<Appraisal, String> {
        let (place, planned) = input.plan(&self.0, scope).await?;
        Ok(place.appraise(input.verb(), &planned))
    }

    async fn landed(&self, input: FileWrite, call: &ClearedCall, scope: &Scope) -> Option<Ran> {
        let place = Place::look(&self.0, &input.path, scope).await.ok()?;
        let now = place.now.as_ref()?;
        let before = &call.facts().paths.first()?.now;
        if *before == Content::Hash(now.digest) {
            return None;
        }
        Some(if input.has_landed(&place, call)? { place.landed() } else { place.uncertain() })
    }

    async fn run(&self, input: FileWrite, call: &ClearedCall, scope: &Scope) -> Ran {
        match input.plan(&self.0, scope).await {
            Err(reason) => Ran::failed(reason),
            Ok((place, planned)) => match place.check_facts(call) {
                Err(reason) => Ran::failed(reason),
                Ok(()) => place.write(&self.0, planned, call).await,
            },
        }
    }
}
