//! `cargo xtask wire`: the web client's types, made from the server's wire types. The making is a test of `server`
//! (`crates/server/src/wire/typescript.rs`), so that the server itself carries none of it; this runs that one test.

use std::process::Command;

use anyhow::{Context as _, Result, bail};

/// The test that makes the file, or says that it is out of date.
const TEST: &str = "wire::typescript::the_web_clients_types_are_what_the_server_says";

pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let write = match arguments {
        [] => true,
        [only] if only == "--check" => false,
        _ => bail!("say nothing to write the file, or --check"),
    };
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(crate::root()?).args(["test", "--quiet", "--package", "server", "--lib", "--", "--exact", TEST]);
    if write {
        cargo.env("UPDATE_EXPECT", "1");
    } else {
        cargo.env_remove("UPDATE_EXPECT");
    }
    Ok(cargo.status().context("cargo cannot be started")?.success())
}
