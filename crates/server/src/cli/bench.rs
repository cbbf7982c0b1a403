//! `riad bench`: figures of this build on this machine, from a scratch folder.

use std::io::{self, Write as _};
use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::bench::{rounds, start};
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
}

/// Measures and prints.
pub(super) async fn bench(args: BenchArgs) -> Result<(), Ended> {
    let folder = files::scratch_folder("riad-bench").map_err(|error| Ended::new(Exit::Io, error))?;
    let measured = measure(&args.what, &folder).await;
    let _ = files::remove_folder(&folder);
    let document = measured.map_err(|fault| Ended::new(Exit::Failed, fault))?;
    print(&document, args.json).map_err(|error| Ended::new(Exit::Io, error))
}

async fn measure(what: &What, folder: &Path) -> Result<Value, String> {
    let (name, figures) = match what {
        What::Start => ("start", json!(start::measure(folder, 5).await?)),
        What::Turn => ("turn", json!(rounds::measure(folder, 20, 10).await?)),
        What::Overhead => ("overhead", json!(rounds::measure(folder, 50, 10).await?)),
    };
    Ok(json!({ "schema": SCHEMA, "bench": name, "cores": cores(), "figures": figures }))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn print(document: &Value, as_json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if as_json { writeln!(out, "{document}") } else { writeln!(out, "{document:#}") }
}
