//! `riad explain`: what would become of a path, a command line or a call, and why. The judges are those of tools and
//! gate; nothing that is explained is read, written or run.

mod args;
mod argv;
mod batch;
mod call;
mod path;

use std::io::{self, Write as _};

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use tools::explain::Explained;

use crate::exit::{Ended, Exit};
use crate::terminal;

/// The version of the printed documents.
const SCHEMA: u32 = 1;

/// What to explain, and how it is printed.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    #[command(subcommand)]
    what: What,
    /// Prints one JSON document.
    #[arg(long, global = true)]
    json: bool,
    /// Reads one JSON value a line from standard input and prints one verdict a line.
    #[arg(long, global = true)]
    batch: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Whether a tool may use a path.
    Path(path::PathArgs),
    /// Whether a command line is plain argv that may be run.
    Argv(argv::ArgvArgs),
    /// What the rules say of a call of a tool.
    Call(call::CallArgs),
    /// Whether an address may be fetched (not built yet).
    #[command(hide = true)]
    Url(Later),
    /// Whether the arguments of a call would be mended, and into what.
    Args(args::ArgsArgs),
    /// When a schedule is due (not built yet).
    #[command(hide = true)]
    Cron(Later),
}

/// What is given to a judge that is not built yet.
#[derive(Debug, Args)]
struct Later {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

/// What is said of one value.
struct Said {
    verdict: &'static str,
    reason: String,
    /// Members of the document beside verdict and reason.
    more: Map<String, Value>,
    /// The same for people, one a line.
    lines: Vec<String>,
    /// A value as JSON text, in which numbers have all of their digits.
    value: Option<String>,
}

/// One value that was given as an argument, or those of a batch.
struct Input {
    value: Option<Value>,
    output: Output,
}

#[derive(Clone, Copy)]
struct Output {
    json: bool,
    batch: bool,
}

/// Judges and prints. Once a verdict was printed, the command has done its work, whatever the verdict.
pub(super) async fn explain(args: ExplainArgs) -> Result<(), Ended> {
    let output = Output { json: args.json, batch: args.batch };
    match args.what {
        What::Path(args) => path::explain(args, output).await,
        What::Argv(args) => argv::explain(args, output).await,
        What::Call(args) => call::explain(args, output).await,
        What::Args(args) => args::explain(args, output).await,
        What::Url(later) | What::Cron(later) => Err(later.refusal()),
    }
}

impl Later {
    fn refusal(self) -> Ended {
        drop(self.rest);
        Ended::new(Exit::Failed, "not built yet")
    }
}

impl From<Explained> for Said {
    fn from(explained: Explained) -> Self {
        let Explained { verdict, reason } = explained;
        Self { verdict, reason, more: Map::new(), lines: Vec::new(), value: None }
    }
}

impl Said {
    fn document(&self) -> Value {
        let mut document = json!({ "schema": SCHEMA, "verdict": self.verdict, "reason": self.reason });
        let members = document.as_object_mut().expect("an object was just made");
        members.extend(self.more.clone());
        document
    }

    /// The document on one line.
    fn json(&self) -> String {
        let document = terminal::json(&self.document());
        match &self.value {
            None => document,
            Some(value) => {
                let open = document.strip_suffix('}').expect("a document is an object");
                format!("{open},\"value\":{}}}", terminal::json_text(value))
            }
        }
    }

    fn line(&self) -> String {
        format!("{}: {}", self.verdict, self.reason)
    }
}

/// Feeds a judge with the one value, or with all of a batch. `missing` names what has to be given.
async fn feed(input: Input, missing: &str, judge: impl AsyncFn(Value) -> Result<Said, String>) -> Result<(), Ended> {
    let Input { value, output } = input;
    match (value, output.batch) {
        (Some(_), true) => Err(usage("With --batch the values come from standard input. Give none as argument.")),
        (None, false) => {
            Err(usage(&format!("Give {missing}, or --batch and one JSON value a line on standard input.")))
        }
        (None, true) => batch::run(output.json, judge).await,
        (Some(value), false) => {
            let said = judge(value).await.map_err(|fault| usage(&fault))?;
            print(&said, output.json).map_err(broken)
        }
    }
}

fn print(said: &Said, as_json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if as_json {
        return writeln!(out, "{}", said.json());
    }
    writeln!(out, "{}", terminal::line(&said.line()))?;
    said.lines.iter().try_for_each(|line| writeln!(out, "  {}", terminal::line(line)))
}

fn usage(says: &str) -> Ended {
    Ended::new(Exit::Usage, says)
}

fn broken(error: io::Error) -> Ended {
    Ended::new(Exit::Io, format!("Input or output failed: {error}."))
}
