//! The configuration: `riad.toml`, then `RIAD_…` variables, then `--set key=value`; the later wins.
//!
//! Parsing is pure (`parse`), resolving touches the machine once (`resolve`), and the parts are handed down. No other
//! module reads the file or a variable.

mod machine;
mod parse;
mod providers;
mod resolve;
mod settings;

pub use machine::{folder, read};
pub use parse::{Fault, Given, Origin, Values, parse};
pub use providers::{DeclaredModel, providers};
pub use resolve::{Config, LogFormat, ModelChoice, RemoteModel, Unusable};
pub use settings::{Kind, SETTINGS, Setting};

#[cfg(test)]
mod tests;
