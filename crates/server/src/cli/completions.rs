//! `riad completions SHELL`: made from the same types as parser and help.

use std::io::{self, Write as _};

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use super::Cli;
use super::prompt::broken;
use crate::exit::Ended;

/// Which shell.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// For which shell.
    shell: Shell,
}

/// Prints them.
pub(super) fn completions(args: CompletionsArgs) -> Result<(), Ended> {
    let mut text = Vec::new();
    generate(args.shell, &mut Cli::command(), "riad", &mut text);
    io::stdout().lock().write_all(&text).map_err(broken)
}
