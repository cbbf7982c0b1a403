//! `delegate`: another profile works on a task in a frame of its own. Here is what a model may ask for; the loop opens the
//! frame and reads its answer (`domain::delegate`), so the call never runs.

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::facts::{Appraisal, Facts};
use domain::tool::{EffectClass, Replay};
use harness::ports::{Ran, Scope};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::erase::TypedTool;

/// Characters of a task on a card.
const LABEL_CHARS: usize = 40;

/// Let another profile work on one task, and read its answer. It knows nothing of this conversation but the scratchpad:
/// put all that it needs into the task. Several calls in one reply work side by side.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Delegate {
    /// One of the profiles below.
    #[schemars(length(min = 1, max = 128))]
    profile: String,
    /// What it is to do and what it needs to know for it.
    #[schemars(length(min = 1, max = 32000))]
    task: String,
    /// `wait` for the answer, or leave it in the `background`: then go on, and its answer comes as a message later.
    #[expect(dead_code, reason = "the loop reads it from the arguments")]
    #[serde(default)]
    mode: Mode,
}

/// Whether the answer is waited for.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// Wait.
    #[default]
    Wait,
    /// Go on.
    Background,
}

/// The tool.
pub(crate) struct Tool;

#[async_trait]
impl TypedTool for Tool {
    type Input = Delegate;
    const NAME: &'static str = domain::delegate::TOOL;
    const REPLAY: Replay = Replay::Again;
    const PARALLEL: bool = true;

    async fn appraise(&self, input: Delegate, _: &Scope) -> Result<Appraisal, String> {
        let plain = |text: &str, most: usize| -> String {
            text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(most).collect()
        };
        let label = format!("{}: {}", plain(&input.profile, 20), plain(&input.task, LABEL_CHARS));
        // It looks and changes nothing by itself; what is called in its frame is judged there.
        Ok(Appraisal { facts: Facts::of(EffectClass::Read), label, preview: None })
    }

    async fn run(&self, _: Delegate, _: &ClearedCall, _: &Scope) -> Ran {
        Ran::failed("A delegate works in a frame of its own and is never run. Nothing was changed.")
    }
}
