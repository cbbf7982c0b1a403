//! `scratchpad_read` and `scratchpad_write`: short values that all frames of a conversation share. Here is what a model
//! may ask for; what stands there is a fold of the conversation (`domain::scratchpad`), so neither ever runs.

use async_trait::async_trait;
use domain::call::ClearedCall;
use domain::facts::{Appraisal, Facts};
use domain::tool::{EffectClass, Replay};
use harness::ports::{Ran, Scope};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::erase::TypedTool;

/// Read the scratchpad of this conversation, which you share with all delegates: one value, or without a key a list of
/// all.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScratchpadRead {
    /// The key.
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    key: Option<String>,
}

/// Note a value under a key in the scratchpad of this conversation, which you share with all delegates. Name the version
/// that you have read; if another one stands there by now, nothing is written and you are told the value.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScratchpadWrite {
    /// Letters of a-z, 0-9, `_`, `.` and `-`.
    #[schemars(length(min = 1, max = 64))]
    key: String,
    /// Up to 4,000 letters; an empty value takes the key away.
    #[expect(dead_code, reason = "it is read from the entries")]
    #[schemars(length(max = 4000))]
    value: String,
    /// The version that you have read; 0 for a new key.
    #[expect(dead_code, reason = "it is read from the entries")]
    #[serde(default)]
    version: u64,
}

/// Reads.
pub(crate) struct Read;
/// Writes.
pub(crate) struct Write;

/// What neither tool ever comes to.
fn never_run() -> Ran {
    Ran::failed("The scratchpad is kept by the conversation and never run. Nothing was changed.")
}

fn looks(label: String) -> Appraisal {
    // It changes nothing but what models tell each other.
    Appraisal { facts: Facts::of(EffectClass::Read), label, preview: None }
}

fn shown(key: &str) -> String {
    key.chars().filter(|letter| !letter.is_control()).take(40).collect()
}

#[async_trait]
impl TypedTool for Read {
    type Input = ScratchpadRead;
    const NAME: &'static str = domain::scratchpad::READ;
    const REPLAY: Replay = Replay::Again;
    const PARALLEL: bool = false;

    async fn appraise(&self, input: ScratchpadRead, _: &Scope) -> Result<Appraisal, String> {
        Ok(looks(format!("Look at the scratchpad {}", shown(&input.key.unwrap_or_default())).trim_end().to_owned()))
    }

    async fn run(&self, _: ScratchpadRead, _: &ClearedCall, _: &Scope) -> Ran {
        never_run()
    }
}

#[async_trait]
impl TypedTool for Write {
    type Input = ScratchpadWrite;
    const NAME: &'static str = domain::scratchpad::WRITE;
    const REPLAY: Replay = Replay::Again;
    const PARALLEL: bool = false;

    async fn appraise(&self, input: ScratchpadWrite, _: &Scope) -> Result<Appraisal, String> {
        Ok(looks(format!("Note {} in the scratchpad", shown(&input.key))))
    }

    async fn run(&self, _: ScratchpadWrite, _: &ClearedCall, _: &Scope) -> Ran {
        never_run()
    }
}
