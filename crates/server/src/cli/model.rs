//! `riad model providers check FILE`: whether a file of declared providers fits, line by line.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::prompt::say;
use crate::config::providers;
use crate::exit::{Ended, Exit};
use crate::terminal;

/// What is wanted.
#[derive(Debug, Args)]
pub(super) struct ModelArgs {
    #[command(subcommand)]
    command: ModelCommand,
}

#[derive(Debug, Subcommand)]
enum ModelCommand {
    /// Declared providers of models.
    #[command(subcommand)]
    Providers(ProvidersCommand),
}

#[derive(Debug, Subcommand)]
enum ProvidersCommand {
    /// Says whether a file fits (exit 0), or which entries are left out, by line (exit 1).
    Check {
        /// The file, for example providers.yaml.
        file: PathBuf,
    },
}

/// Looks and prints.
pub(super) fn model(args: &ModelArgs) -> Result<(), Ended> {
    match &args.command {
        ModelCommand::Providers(ProvidersCommand::Check { file }) => check(file),
    }
}

fn check(file: &Path) -> Result<(), Ended> {
    if !crate::files::exists(file) {
        return Err(Ended::new(Exit::NotFound, format!("{} is not there.", file.display())));
    }
    let read = providers(file).map_err(|says| Ended::new(Exit::Io, says))?;
    let names: Vec<_> = read.entries.iter().map(|entry| entry.id.as_str()).collect();
    say(&terminal::line(&format!("can be used: {}", names.join(", "))))?;
    if read.skipped.is_empty() {
        return say("The file fits.");
    }
    let lines: Vec<_> = read.skipped.iter().map(|skipped| terminal::line(&skipped.to_string())).collect();
    Err(Ended::new(Exit::Failed, lines.join("\n")))
}
