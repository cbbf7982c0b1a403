//! The command line. Each command is one file; parsing and help come from these types.

mod api;
mod ask;
mod bench;
mod card;
mod chat;
mod completions;
mod doctor;
mod explain;
mod follow;
mod input;
mod listener;
mod login;
mod model;
mod prompt;
mod rounds;
mod sandbox;
mod serve;
mod settings;
mod setup;
mod signed_in;
mod socket;
mod talk;
mod thread;
mod view;

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
    #[arg(long, global = true, value_name = "FORMAT", value_parser = ["text", "json"], hide_possible_values = true)]
    log_format: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Starts the server and stays in front.
    Serve,
    /// Makes the first account in this terminal, without a running server.
    Setup(setup::SetupArgs),
    /// Signs in on this terminal.
    Login(login::LoginArgs),
    /// Signs out on this terminal.
    Logout,
    /// Asks one thing and prints the answer alone.
    Ask(ask::AskArgs),
    /// Talks at this terminal.
    Chat(chat::ChatArgs),
    /// Prints the figures of a conversation's rounds, without any text of a message.
    Rounds(rounds::RoundsArgs),
    /// Says what is wrong with this installation, and how to mend it.
    Doctor(doctor::DoctorArgs),
    /// Says what becomes of a path, a command line or a call, and why.
    Explain(explain::ExplainArgs),
    /// Runs a command as tools do: behind walls, in an empty folder.
    Sandbox(sandbox::SandboxArgs),
    /// Measures this build on this machine, in a scratch folder.
    Bench(bench::BenchArgs),
    /// Lists what can be set, and says whether the configuration fits.
    Config(settings::ConfigArgs),
    /// Looks at declared providers of models.
    Model(model::ModelArgs),
    /// Prints the completions of a shell.
    Completions(completions::CompletionsArgs),
}

impl Cli {
    /// Runs the command.
    pub async fn run(self) -> Result<(), Ended> {
        let config = self.given.read();
        match self.command {
            Command::Serve => serve::serve(config?).await,
            Command::Setup(args) => setup::setup(config?, args).await,
            Command::Login(args) => login::login(config?, args).await,
            Command::Logout => login::logout(config?).await,
            Command::Ask(args) => ask::ask(config?, args).await,
            Command::Chat(args) => chat::chat(config?, args).await,
            Command::Rounds(args) => rounds::rounds(config?, args).await,
            Command::Config(args) => settings::settings(config, &args),
            Command::Doctor(args) => doctor::doctor(config, args).await,
            // These look at nothing that is configured.
            Command::Explain(args) => explain::explain(args).await,
            Command::Sandbox(args) => sandbox::sandbox(args).await,
            Command::Model(args) => model::model(&args),
            Command::Completions(args) => completions::completions(args),
            Command::Bench(args) => bench::bench(config?, args).await,
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
