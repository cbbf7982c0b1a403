//! `riad-llm`: the worker that runs llama.cpp for one model. It speaks the framed channel on standard input and nothing
//! else: no key, no vault, no network. `riad` starts it; started by hand it says so and ends.
#![expect(clippy::print_stderr, reason = "standard error goes to the supervisor's ring")]
#![expect(clippy::disallowed_methods, reason = "the worker reads its own two variables and ends by exit codes")]

use std::io::IsTerminal as _;
use std::process::ExitCode;

mod channel;
mod chat;
mod draw;
mod grammar;
mod guard;
mod lane;
mod lark;
mod model;
mod native;
mod reply;
mod serve;
mod tokens;
mod walls;

fn main() -> ExitCode {
    if std::io::stdin().is_terminal() {
        eprintln!(
            "riad-llm is started by riad, not by hand. Start `riad serve`, then talk to a model with `riad chat`."
        );
        return ExitCode::from(2);
    }
    if !guard::close_memory() || !guard::bind_to_parent() {
        eprintln!("the worker could not be bound to its server");
        return ExitCode::from(4);
    }
    let served =
        channel::open().map_err(serve::ServeError::from).and_then(|(inlet, outlet)| serve::serve(inlet, outlet));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(3)
        }
    }
}
