//! `riad explain args`: whether the arguments of a call would be mended, into what, and why not.

use std::path::PathBuf;

use clap::Args;
use domain::model::StopReason;
use domain::repair::{Outcome, Shape, repair, repair_value, value};
use domain::tool::Schema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Input, Output, Said, feed, usage};
use crate::exit::Ended;
use crate::files;

/// The name that the examples of Riad call a tool by.
const TOOL: &str = "read";

/// The arguments and what they must fit.
#[derive(Debug, Args)]
pub(super) struct ArgsArgs {
    /// The text that a model wrote for the arguments.
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// A file with the JSON Schema of the tool.
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// The tool that is called; only its name may stand around the arguments.
    #[arg(long, value_name = "NAME", default_value = TOOL)]
    tool: String,
}

/// One line of a batch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    schema: Value,
    raw: String,
    #[serde(default)]
    level: Level,
    tool: Option<String>,
}

/// What the text stands for.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    /// All arguments of a call.
    #[default]
    #[serde(alias = "arguments", alias = "call", alias = "text")]
    Object,
    /// One value in them.
    Value,
}

/// Looks at one text, or at a batch of `{"schema", "raw", "level"}` objects.
pub(super) async fn explain(args: ArgsArgs, output: Output) -> Result<(), Ended> {
    let schema = args.schema.as_deref().map(read).transpose()?;
    let value = match (args.text, schema) {
        (None, None) => None,
        (Some(text), Some(schema)) => Some(json!({ "schema": schema, "raw": text, "tool": args.tool })),
        (Some(_), None) => return Err(usage("Name the schema of the tool with --schema FILE.")),
        (None, Some(_)) => return Err(usage("Give the text of the arguments behind the schema.")),
    };
    let judge = async |value: Value| judge(value, &args.tool);
    feed(Input { value, output }, "--schema FILE and a text", judge).await
}

fn read(file: &std::path::Path) -> Result<Value, Ended> {
    let text = files::read(file).map_err(|fault| usage(&format!("{}: {fault}", file.display())))?;
    let text = text.ok_or_else(|| usage(&format!("There is no file {}.", file.display())))?;
    serde_json::from_str(&text).map_err(|fault| usage(&format!("{} is not JSON: {fault}", file.display())))
}

fn judge(value: Value, tool: &str) -> Result<Said, String> {
    let asked: Asked = serde_json::from_value(value)
        .map_err(|fault| format!("a line is {{\"schema\": …, \"raw\": \"…\", \"level\": \"object\"}}: {fault}"))?;
    let schema = Schema::new(asked.schema).map_err(|fault| fault.to_string())?;
    let tool = asked.tool.as_deref().unwrap_or(tool);
    let outcome = match asked.level {
        Level::Object => repair(&asked.raw, Shape { schema: &schema, tool }, StopReason::Natural),
        Level::Value => repair_value(&asked.raw, &schema),
    };
    Ok(said(outcome, &schema))
}

fn said(outcome: Outcome, schema: &Schema) -> Said {
    let leave = |reason: String| Said { verdict: "leave", reason, more: Map::new(), lines: Vec::new(), value: None };
    match outcome {
        Outcome::Untouched => leave("it parses and fits, so it stays as it is".to_owned()),
        Outcome::Incomplete(what) => leave(format!("it is cut short: {what}")),
        Outcome::BadArguments { path, reason } if path.is_empty() => leave(reason),
        Outcome::BadArguments { path, reason } => leave(format!("at {path}: {reason}")),
        Outcome::TooLarge => leave("it is too large".to_owned()),
        Outcome::Repaired(mended) => {
            let steps: Vec<String> = mended.steps.iter().map(ToString::to_string).collect();
            let reason = [vec![steps.join("; ")], still(&mended.text, schema)].concat().join("; but ");
            let more = Map::from_iter([("steps".to_owned(), json!(steps))]);
            let lines = vec![mended.text.clone()];
            Said { verdict: "repaired", reason, more, lines, value: Some(mended.text) }
        }
    }
}

/// Why a mended call would be refused all the same: by a number that cannot be kept, or by the schema's ranges.
fn still(text: &str, schema: &Schema) -> Vec<String> {
    match value(text) {
        Err(lost) => vec![format!("the number {} has more digits than can be kept", lost.number)],
        Ok(value) => schema.misfit(&value).map(|(_, reason)| reason).into_iter().collect(),
    }
}
