//! The `riad` binary: parses, runs, and turns the end into an exit code.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use server::cli::Cli;
use server::exit::{Ended, Exit};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => {
            let text = server::terminal::plain(&told.render().to_string());
            if told.use_stderr() {
                let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
                return Exit::Usage.into();
            }
            let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
            return ExitCode::SUCCESS;
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return say(&Ended::new(Exit::Io, format!("The runtime cannot start: {error}."))),
    };
    let ended = runtime.block_on(cli.run());
    // A thread that waits for the terminal must not hold the process.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(ended) => say(&ended),
    }
}

fn say(ended: &Ended) -> ExitCode {
    if !ended.says.is_empty() {
        let _ = writeln!(std::io::stderr(), "riad: {}", server::terminal::plain(&ended.says));
    }
    ended.exit.into()
}
