//! `riad bench`: figures of this build on this machine, from a scratch folder.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use inference::local::{LocalModel, LocalOptions, SILENCE, SamplingDefaults};
use inference::protocol::message::Choice;
use serde_json::{Value, json};

use crate::bench::{resume, rounds, start, usage};
use crate::config::{Config, ModelChoice};
use crate::exit::{Ended, Exit};
use crate::files;

/// The version of the printed document.
const SCHEMA: u32 = 1;

/// What to measure.
#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    #[command(subcommand)]
    what: What,
    /// Prints one JSON document.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Time to ready, and memory when idle.
    Start,
    /// What Riad adds to a round by itself.
    Turn,
    /// From the model's last byte to the start of the tool, and the cost of one piece of a reply.
    Overhead,
    /// How long a conversation of 10,000 entries takes to come back.
    Resume,
    /// The usage panel against what the engine counts, over 200 conversations with the model on this machine.
    Usage {
        /// The GGUF file (default: the model that this server would use).
        file: Option<PathBuf>,
        /// How many conversations.
        #[arg(long, value_name = "COUNT", default_value_t = 200)]
        conversations: usize,
    },
    /// One local model: first token cold and warm, prefill and decode rates, and the bare engine beside them.
    Model {
        /// The GGUF file.
        file: PathBuf,
        /// Threads of the engine (default: all cores but one).
        #[arg(long, value_name = "COUNT")]
        threads: Option<u32>,
    },
}

/// Measures and prints.
pub(super) async fn bench(config: Config, args: BenchArgs) -> Result<(), Ended> {
    let folder = files::scratch_folder("riad-bench").map_err(|error| Ended::new(Exit::Io, error))?;
    let measured = measure(&args.what, &config, &folder).await;
    let _ = files::remove_folder(&folder);
    let document = measured.map_err(|fault| Ended::new(Exit::Failed, fault))?;
    print(&document, args.json).map_err(|error| Ended::new(Exit::Io, error))
}

async fn measure(what: &What, config: &Config, folder: &Path) -> Result<Value, String> {
    let (name, figures) = match what {
        What::Start => ("start", json!(start::measure(folder, 5).await?)),
        What::Turn => ("turn", json!(rounds::measure(folder, 20, 10).await?)),
        What::Resume => ("resume", json!(resume::measure(folder, 10_000, 20).await?)),
        What::Usage { file, conversations } => {
            let model = Arc::new(local(config, file.as_deref())?);
            ("usage", json!(usage::measure(folder, model, *conversations).await?))
        }
        What::Model { file, threads } => {
            let threads = threads.unwrap_or_else(|| u32::try_from(cores().saturating_sub(1)).unwrap_or(1).max(1));
            let measured = inference::bench::model(file, &config.worker, threads).await;
            ("model", json!(measured.map_err(|fault| fault.to_string())?))
        }
        What::Overhead => ("overhead", json!(rounds::measure(folder, 50, 10).await?)),
    };
    Ok(json!({ "schema": SCHEMA, "bench": name, "cores": cores(), "figures": figures }))
}

/// The model on this machine that is asked, with all cores but one.
fn local(config: &Config, file: Option<&Path>) -> Result<LocalModel, String> {
    let configured = match &config.model {
        ModelChoice::Local(file) => Some(file.as_path()),
        ModelChoice::None | ModelChoice::Remote(_) | ModelChoice::Declared(_) => None,
    };
    let help = "There is no model on this machine to ask. Name a GGUF file, or put one into the folder of models.";
    let file = file.or(configured).ok_or(help)?;
    let options = LocalOptions {
        file: file.to_path_buf(),
        worker: config.worker.clone(),
        window: 4_096,
        threads: u32::try_from(cores().saturating_sub(1)).unwrap_or(1).max(1),
        sampling: SamplingDefaults::default(),
        silence: SILENCE,
        first_call: Choice::Free,
    };
    LocalModel::open(options).map_err(|error| error.to_string())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn print(document: &Value, as_json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if as_json { writeln!(out, "{document}") } else { writeln!(out, "{document:#}") }
}
