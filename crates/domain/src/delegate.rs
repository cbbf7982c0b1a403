//! Delegates: other profiles that work on one task each, in a frame of their own. Here is which profiles may be run from
//! where, what a frame begins with and what its caller reads of it. How frames are driven is the harness's matter.

mod report;
mod within;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::ClearedCall;
use crate::id::{CallId, FrameId, MessageId};
use crate::limits::Limits;
use crate::model::ModelDescription;
use crate::profile::LimitWishes;
use crate::result::{Status, ToolResult};
use crate::setting::Setting;
use crate::tool::ToolName;

pub(crate) use report::delivery;
pub use report::report;
pub use within::described;

/// The tool by which a model runs a delegate.
pub const TOOL: &str = "delegate";

/// Frames below the outer one (LOOP-91).
pub const MOST_DEPTH: usize = 5;

/// Tokens of the answer that a caller reads (LOOP-94).
pub const ANSWER_TOKENS: u32 = 4_000;

/// Delegates of one conversation that work in its background (LOOP-95).
pub const MOST_IN_BACKGROUND: usize = 4;

/// Milliseconds that such a delegate may be at work.
pub const BACKGROUND_MS: u64 = 60 * 60 * 1000;

/// Whether a call of this tool opens a frame.
pub fn is_delegate(tool: &ToolName) -> bool {
    tool.as_str() == TOOL
}

/// A profile as far as running it in a frame needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct DelegateProfile {
    /// The name by which it is called.
    pub id: String,
    /// What it is good for, for the model that may call it.
    pub description: String,
    /// What its model is told.
    pub system: String,
    /// The tools it may have; `None` for all that its caller has.
    pub tools: Option<BTreeSet<ToolName>>,
    /// The profiles that it may run in turn.
    pub delegates: Vec<String>,
    /// What lowers the purse of its frame.
    pub limits: LimitWishes,
    /// The model that answers: its own choice, never what was pinned for its caller.
    pub model: Arc<ModelDescription>,
    /// Those that stand in for it.
    pub fallbacks: Vec<Arc<ModelDescription>>,
}

/// What a setting says of delegates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delegation {
    /// The profiles at work, the outer one first; the last is that of the setting.
    pub path: Vec<String>,
    /// The profiles that it may run.
    pub allowed: Vec<String>,
    /// All profiles that can be run.
    pub profiles: Arc<[DelegateProfile]>,
    /// Frames between the outer one and this one, this one counted.
    pub depth: usize,
    /// What the whole tree of frames may use; `None` in the outer frame, where it is the limits of the setting.
    pub purse: Option<Limits>,
}

/// Whether the caller waits for its delegate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The call returns what the delegate answers.
    #[default]
    Wait,
    /// The call returns at once, and the answer comes later.
    Background,
}

/// What a call of [`TOOL`] asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// The profile.
    pub profile: String,
    /// What it is to do.
    pub task: String,
    /// Whether it is waited for.
    pub mode: Mode,
}

impl Wish {
    /// Reads the arguments of a call; `None` if they are none.
    pub fn read(arguments: &Value) -> Option<Self> {
        let text = |name: &str| arguments.get(name)?.as_str().map(str::to_owned);
        let mode = match arguments.get("mode").and_then(Value::as_str) {
            Some("background") => Mode::Background,
            Some(_) | None => Mode::Wait,
        };
        Some(Self { profile: text("profile")?, task: text("task")?, mode })
    }
}

/// The first fact of a frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The call that opened it.
    pub call: CallId,
    /// The frame in which that call was made.
    pub caller: FrameId,
    /// The profiles at work, from the outer one to that of this frame.
    pub path: Vec<String>,
    /// The profile.
    pub profile: String,
    /// The model that is asked first.
    pub model: String,
    /// What it is to do.
    pub task: String,
    /// Whether its caller waits for it.
    pub mode: Mode,
}

impl Opened {
    /// The beginning of a frame for a cleared call; `None` if the profile cannot be run from there any more.
    pub fn of(call: &ClearedCall, caller: &FrameId, setting: &Setting) -> Option<Self> {
        let wish = Wish::read(call.call().arguments())?;
        let profile = setting.delegate(&wish.profile)?;
        Some(Self {
            call: call.call().id().clone(),
            caller: caller.clone(),
            path: setting.delegation.path.iter().cloned().chain([profile.id.clone()]).collect(),
            profile: wish.profile,
            model: profile.model.name.clone(),
            task: wish.task,
            mode: wish.mode,
        })
    }

    /// What its caller reads at once where it does not wait.
    pub fn receipt(&self) -> ToolResult {
        let text = format!(
            "{} works in the background as {}. Its answer comes as a message by itself; go on without it.",
            self.profile, self.call
        );
        ToolResult::new(self.call.clone(), Status::Done, &text)
    }

    /// The message with which the answer of a delegate in the background comes: one, whoever sends it how often.
    pub fn delivered_as(&self) -> MessageId {
        MessageId::new(format!("answer {}", self.call))
    }

    /// The frame that it begins.
    pub fn frame(&self) -> FrameId {
        FrameId::opened_by(&self.call)
    }
}

#[cfg(test)]
mod tests;
