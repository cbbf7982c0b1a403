//! What a turn did to the world, as rows folded from its entries. Made by the host, never by a model.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::id::CallId;
use crate::time::Timestamp;
use crate::tool::{EffectClass, ToolName};

/// One call that was not a read and had started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideEffect {
    /// The call.
    pub call: CallId,
    /// The tool.
    pub tool: ToolName,
    /// What it does to the world.
    pub classes: BTreeSet<EffectClass>,
    /// What it was done to, in the host's words.
    pub target: String,
    /// The key of the call.
    pub key: String,
    /// When it began.
    pub started: Timestamp,
    /// When it came back.
    pub ended: Option<Timestamp>,
    /// What is known of it.
    pub state: EffectState,
    /// Names that the target gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
    /// Whether it can be taken back.
    pub undo: bool,
}

/// What a model is told of effects that stand although its line of the conversation does not show them.
pub fn elsewhere(effects: &[&SideEffect]) -> String {
    let mut text = "Done on another line of this conversation and still standing; do not repeat it:".to_owned();
    for effect in effects {
        text.push_str(&format!("\n- {} {} ({})", effect.tool, effect.target, effect.state.words()));
    }
    text
}

/// What is known of a side effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// It happened.
    Done,
    /// It failed; parts of it may stand.
    Failed,
    /// It was cut or stopped: it may have happened.
    Unknown,
}

impl EffectState {
    /// The same in words, for models and people alike.
    pub fn words(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "may have happened",
        }
    }
}
