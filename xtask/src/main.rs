//! Development tasks: `cargo xtask NAME`. Not a part of Riad as people run it.
//!
//! Each task is one module and one line in [`TASKS`]; the help is made from that list.
#![expect(clippy::disallowed_methods, reason = "a development tool reads the checkout and starts cargo and git")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a development tool speaks on the terminal")]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};

mod licences;
mod metadata;
mod models;
mod rust_text;
mod tidy;
mod tree;
mod wire;

/// One development task.
struct Task {
    name: &'static str,
    about: &'static str,
    /// Gets what stands after the task's name; says whether all is well.
    run: fn(&[String]) -> Result<bool>,
}

const TASKS: &[Task] = &[
    Task {
        name: "tidy",
        about: "check the borders of the crates and the habits of the tree [--self-test]",
        run: tidy::run,
    },
    Task { name: "models", about: "fetch a model for demo and tests: demo", run: models::run },
    Task { name: "wire", about: "write the web client's types from the server's [--check]", run: wire::run },
    Task { name: "licences", about: "check the licence of every crate that is linked", run: licences::run },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(task) = arguments.first().and_then(|name| TASKS.iter().find(|task| task.name == name)) else {
        help();
        return ExitCode::from(2);
    };
    match (task.run)(&arguments[1..]) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo xtask {}: {error:#}", task.name);
            ExitCode::from(2)
        }
    }
}

fn help() {
    eprintln!("cargo xtask TASK\n");
    for task in TASKS {
        eprintln!("  {:<10} {}", task.name, task.about);
    }
}

/// The root of the checkout: the folder above this package.
fn root() -> Result<PathBuf> {
    // Cargo's word at run time: several clones may share one target folder, and with it this program.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let package = PathBuf::from(package);
    Ok(package.parent().context("xtask has no folder above it")?.to_path_buf())
}
