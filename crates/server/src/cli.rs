//! The command line. Each command is one file; parsing and help come from these types.

mod bench;
mod prompt;
mod serve;
mod setup;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config::{self, Config};
use crate::exit::Ended;

/// A private assistant for a small group, on a machine of their own.
#[derive(Debug, Parser)]
#[command(name = "riad", version, about, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    given: Given,
    #[command(subcommand)]
    command: Command,
}

/// Where the configuration comes from.
#[derive(Debug, Args)]
struct Given {
    /// The configuration file (default: riad.toml in the configuration folder of the platform).
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Sets one key, for example --set listen=127.0.0.1:8080. May be repeated.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// How boot lines and the log are written: text or json.
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Starts the server and stays in front.
    Serve,
    /// Measures this build on this machine, in a scratch folder.
    Bench(bench::BenchArgs),
    /// Makes the first account in this terminal, without a running server.
    Setup(setup::SetupArgs),
}

impl Cli {
    /// Runs the command.
    pub async fn run(self) -> Result<(), Ended> {
        let config = self.given.read()?;
        match self.command {
            Command::Serve => serve::serve(config).await,
            Command::Bench(args) => bench::bench(args).await,
            Command::Setup(args) => setup::setup(config, args).await,
        }
    }
}

impl Given {
    fn read(&self) -> Result<Config, Ended> {
        let mut sets = self.sets.clone();
        sets.extend(self.log_format.as_ref().map(|format| format!("log.format={format}")));
        config::read(self.config.as_deref(), &sets)
    }
}
