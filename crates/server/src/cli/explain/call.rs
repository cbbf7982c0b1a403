//! `riad explain call`: what the seeded rules and the defaults of effect classes say of a call of a tool. No vault is
//! open, so places are known by name, on an empty home or the one that is named; notes are empty. Nothing is run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use clap::Args;
use domain::call::{ToolCall, ValidCall};
use domain::digest::Digest;
use domain::facts::{Appraisal, Content, Facts};
use domain::id::{CallId, ConversationId};
use domain::rule::RuleSet;
use domain::tool::{EffectClass, ToolName, ToolSet};
use harness::ports::{Channel, DeltaSink, NoteError, Notes, Scope, Tool};
use sandbox::{Backend, Confinement, GroupKind, Probe, Refusal, Running, Sandbox};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tools::explain::explain_call;
use tools::{CommandRunner, Places};

use super::{Input, Output, Said, feed, usage};
use crate::exit::{Ended, Exit};
use crate::files;
use crate::wiring::rules;

/// A call as it is typed in a shell.
const EXAMPLE: &str = r#"'{"tool": "file_read", "arguments": {"files": [{"path": "~/a.md"}]}}'"#;

/// The call.
#[derive(Debug, Args)]
pub(super) struct CallArgs {
    /// The call as JSON: {"tool": "file_write", "arguments": {…}}.
    #[arg(value_name = "CALL")]
    call: Option<String>,
    /// A folder that stands for the home. Without it the home is empty.
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
}

/// A call as it is given; arguments are an object, or the text that a model wrote.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    tool: String,
    arguments: Value,
}

/// All tools over folders that hold nothing of anybody, unless a home was named.
struct Stage {
    tools: Vec<Arc<dyn Tool>>,
    rules: RuleSet,
    scope: Scope,
    folder: PathBuf,
}

/// Judges one call, or a batch of them.
pub(super) async fn explain(args: CallArgs, output: Output) -> Result<(), Ended> {
    let value = args.call.map(|text| {
        serde_json::from_str(&text)
            .map_err(|fault| usage(&format!("This is not JSON ({fault}). A call is one object, for example {EXAMPLE}")))
    });
    let value = value.transpose()?;
    let stage = Stage::open(args.home.as_deref())?;
    feed(Input { value, output }, "a call", async |value: Value| stage.judge(value).await).await
}

impl Stage {
    fn open(home: Option<&Path>) -> Result<Self, Ended> {
        let cannot =
            |fault: &dyn std::fmt::Display| Ended::new(Exit::Io, format!("Calls cannot be looked at: {fault}."));
        let folder = files::scratch_folder("riad-explain").map_err(|error| cannot(&error))?;
        let mut stage = Self { tools: Vec::new(), rules: RuleSet::default(), scope: scope(), folder };
        let [empty, works] = ["home", "works"].map(|name| stage.folder.join(name));
        for made in [&empty, &works] {
            files::private_folder(made).map_err(|error| cannot(&error))?;
        }
        let home = home.map(std::path::absolute).transpose().map_err(|error| usage(&error.to_string()))?;
        let places = Places::open(home.as_deref().unwrap_or(&empty), &works, &[], Arc::new(NoNotes));
        let places = places.map_err(|fault| cannot(&fault))?;
        stage.rules = rules::seeds().map_err(|fault| cannot(&fault))?;
        stage.tools = tools::all(&places, &CommandRunner::new(Ok(Sandbox::with(Arc::new(Nowhere))), None));
        Ok(stage)
    }

    async fn judge(&self, value: Value) -> Result<Said, String> {
        let asked: Result<Asked, _> =
            if let Value::String(text) = &value { serde_json::from_str(text) } else { serde_json::from_value(value) };
        let asked = asked.map_err(|fault| format!("a call is {{\"tool\": …, \"arguments\": …}}: {fault}"))?;
        let arguments = asked.arguments.as_str().map_or_else(|| asked.arguments.to_string(), str::to_owned);
        let explained = explain_call(&self.tools, &self.rules, &asked.tool, &arguments, &self.scope).await;
        let mut said = Said::from(explained);
        if let Some(appraisal) = self.appraise(&asked.tool, &arguments).await {
            said.lines = lines(&appraisal.facts);
            said.more.insert("label".to_owned(), json!(appraisal.label));
            said.more.insert("classes".to_owned(), json!(appraisal.facts.classes));
            said.more.insert("facts".to_owned(), json!(appraisal.facts));
        }
        Ok(said)
    }

    /// What the call would do; nothing where that cannot be said, which the verdict then tells.
    async fn appraise(&self, tool: &str, arguments: &str) -> Option<Appraisal> {
        let call = ToolCall {
            id: self.scope.call.clone(),
            tool: ToolName::new(tool),
            arguments: arguments.to_owned(),
            fault: None,
            wire_id: None,
            recovered: false,
        };
        let set = ToolSet::new(self.tools.iter().map(|tool| tool.spec().clone()));
        let valid = ValidCall::check(&call, &set).ok()?;
        let tool = self.tools.iter().find(|tool| tool.spec().name == valid.spec().name)?;
        tool.appraise(&valid, &self.scope).await.ok()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = files::remove_folder(&self.folder);
    }
}

fn scope() -> Scope {
    Scope {
        conversation: ConversationId::new("explained"),
        call: CallId::new("explained"),
        cancel: CancellationToken::new(),
        output: Arc::new(NoOutput),
    }
}

/// The facts for people.
fn lines(facts: &Facts) -> Vec<String> {
    let classes: Vec<String> = facts.classes.iter().map(|class| word(*class)).collect();
    let mut lines = vec![format!("class    {}", classes.join(", "))];
    lines.extend(facts.paths.iter().map(|path| {
        let there = match path.now {
            Content::Absent => ", not there yet",
            Content::Hash(_) | Content::Large { .. } | Content::Folder(_) => ", is there",
            Content::Unread => "",
        };
        format!("place    {} ({}{there})", path.path, word(path.class))
    }));
    lines.extend(facts.command.iter().map(|command| format!("command  {:?}", command.argv)));
    let undo = if facts.undo { "can be taken back" } else { "cannot be taken back by itself" };
    lines.push(format!("undo     {undo}"));
    lines
}

fn word(class: EffectClass) -> String {
    json!(class).as_str().unwrap_or_default().to_owned()
}

/// Stands where commands would run. None is, so it is never asked.
struct Nowhere;

#[async_trait]
impl Backend for Nowhere {
    fn name(&self) -> &'static str {
        "none"
    }

    async fn probe(&self) -> Probe {
        let refusal = Some(refusal());
        let (walls, tries) = (Vec::new(), Vec::new());
        Probe { backend: self.name(), version: None, groups: GroupKind::None, walls, tries, refusal }
    }

    async fn spawn(&self, _: Confinement) -> Result<Running, Refusal> {
        Err(refusal())
    }
}

fn refusal() -> Refusal {
    Refusal::NoBackend { reason: "calls are only explained here".to_owned() }
}

struct NoOutput;

impl DeltaSink for NoOutput {
    fn delta(&self, _: Channel, _: &str) {}
}

/// Notes lie in a vault, and none is open.
struct NoNotes;

#[async_trait]
impl Notes for NoNotes {
    async fn list(&self) -> Result<Vec<(String, u64)>, NoteError> {
        Ok(Vec::new())
    }

    async fn read(&self, _: &str) -> Result<Option<String>, NoteError> {
        Ok(None)
    }

    async fn write(&self, _: &str, _: Option<Digest>, _: &str, _: &CallId) -> Result<(), NoteError> {
        Err(NoteError::Storage("calls are only explained here".to_owned()))
    }

    async fn search(&self, _: &str, _: usize) -> Result<Vec<(String, String)>, NoteError> {
        Ok(Vec::new())
    }
}
