//! `file_edit`: changes parts of a text file or note; all of them or none.

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

mod apply;

/// Change parts of a text file or private note that was read with file_read. All edits are made, or none. Each edit
/// either finds a piece of text and puts another in its place, or replaces lines by number.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileEdit {
    /// Which file, for example ~/notes/plan.md.
    path: String,
    /// Its hash, as file_read gave it.
    hash: String,
    /// The edits; all refer to the text as it was read.
    #[schemars(length(min = 1, max = 50))]
    edits: Vec<Edit>,
}

/// One edit: `find` and `put`, or `from`, `to` and `put`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Edit {
    /// Text that stands in the file exactly once, without line numbers.
    #[serde(default)]
    find: Option<String>,
    /// If it stands there more than once and all are meant: how often.
    #[serde(default)]
    count: Option<usize>,
    /// Instead of find: the first line to replace.
    #[serde(default)]
    from: Option<usize>,
    /// The last line to replace; from - 1 inserts before the line from.
    #[serde(default)]
    to: Option<usize>,
    /// What to put there; empty to take it away.
    put: String,
}

/// The tool.
pub(crate) struct Tool(pub(crate) Places);

impl FileEdit {
    async fn plan(&self, places: &Places, scope: &Scope) -> Result<(Place, Planned), String> {
        let place = Place::look(places, &self.path, scope).await?;
        let Some(now) = &place.now else {
            return Err(format!("`{}` does not exist; make it with file_write.", place.shown));
        };
        place.check_hash(Some(&self.hash))?;
        let text = apply::apply(&now.text.text, &self.edits)
            .map_err(|reason| format!("`{}`: {reason} Nothing was changed.", place.shown))?;
        if text == now.text.text {
            return Err(format!("`{}`: these edits change nothing.", place.shown));
        }
        let planned = place.plan(text)?;
        Ok((place, planned))
    }
}

#[async_trait]
impl TypedTool for Tool {
    type Input = FileEdit;
    const NAME: &'static str = "file_edit";
    const REPLAY: Replay = Replay::Probe;
    const PARALLEL: bool = false;

    async fn appraise(&self, input: FileEdit, scope: &Scope) -> Result<Appraisal, String> {
        let (place, planned) = input.plan(&self.0, scope).await?;
        Ok(place.appraise("Edit", &planned))
    }

    async fn landed(&self, input: FileEdit, call: &ClearedCall, scope: &Scope) -> Option<Ran> {
        let place = Place::look(&self.0, &input.path, scope).await.ok()?;
        let now = place.now.as_ref()?;
        let Content::Hash(before) = call.facts().paths.first()?.now else { return None };
        // What the file was is known by its hash alone: the edits are taken back and the hash compared.
        let was = |text: &str| now.text.form.encode(text).is_ok_and(|bytes| Digest::of_bytes(&bytes) == before);
        if now.digest == before {
            return None;
        }
        let landed = apply::came_from(&now.text.text, &input.edits, was);
        Some(if landed { place.landed() } else { place.uncertain() })
    }

    async fn run(&self, input: FileEdit, call: &ClearedCall, scope: &Scope) -> Ran {
        match input.plan(&self.0, scope).await {
            Err(reason) => Ran::failed(reason),
            Ok((place, planned)) => match place.check_facts(call) {
                Err(reason) => Ran::failed(reason),
                Ok(()) => place.write(&self.0, planned, call).await,
            },
        }
    }
}
