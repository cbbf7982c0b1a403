//! `riad explain argv`: a command line as a model writes it, or its words.

use clap::Args;
use domain::{argv, program};
use serde_json::{Value, json};
use tools::explain::{Explained, explain_argv};

use super::{Input, Output, Said, feed};
use crate::exit::Ended;

/// The line.
#[derive(Debug, Args)]
pub(super) struct ArgvArgs {
    /// One argument is a whole line ('ls -l notes'); several are program and arguments.
    #[arg(value_name = "LINE", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// Judges one line, or a batch of JSON strings (lines) and lists of strings (words).
pub(super) async fn explain(args: ArgvArgs, output: Output) -> Result<(), Ended> {
    let (output, words) = flags_at_the_end(args.words, output);
    let value = match words.as_slice() {
        [] => None,
        [line] => Some(json!(line)),
        words => Some(json!(words)),
    };
    feed(Input { value, output }, "a command line", async |value: Value| judge(value)).await
}

/// `riad explain argv 'ls -l' --json`: whatever stands behind the first word is taken for an argument of the command, so
/// our own flags behind one whole line are looked for here.
fn flags_at_the_end(mut words: Vec<String>, mut output: Output) -> (Output, Vec<String>) {
    if words.len() > 1 && words[1..].iter().all(|word| matches!(word.as_str(), "--json" | "--batch")) {
        output.json |= words[1..].iter().any(|word| word == "--json");
        output.batch |= words[1..].iter().any(|word| word == "--batch");
        words.truncate(1);
    }
    (output, words)
}

fn judge(value: Value) -> Result<Said, String> {
    match value {
        Value::String(line) => Ok(explain_argv(&line).into()),
        Value::Array(words) => {
            let words: Result<Vec<String>, _> = serde_json::from_value(Value::Array(words));
            words.map(|words| listed(&words).into()).map_err(|_| UNFIT.to_owned())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err(UNFIT.to_owned()),
    }
}

const UNFIT: &str = "a command line is a JSON string, or a list of strings";

/// Words that are parted already are not split again.
fn listed(words: &[String]) -> Explained {
    let checked = argv::check_list(words).map_err(|fault| fault.to_string());
    let judged = checked.and_then(|()| program::judge_argv(words).map_err(|fault| fault.to_string()));
    match judged {
        Ok(()) => Explained { verdict: "allow", reason: format!("plain argv: {words:?}") },
        Err(reason) => Explained { verdict: "block", reason },
    }
}
