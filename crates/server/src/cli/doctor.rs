//! `riad doctor`: looks at configuration, folders, disk, clock, sandbox, model, audit log and what is left running. It
//! changes nothing; each finding has one fix.

mod machine;
mod parts;
mod walls;

use std::io::{self, Write as _};

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::prompt::broken;
use crate::config::Config;
use crate::exit::{Ended, Exit};
use crate::terminal;

/// The version of the printed document.
const SCHEMA: u32 = 1;

/// How it is printed.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Prints one JSON document.
    #[arg(long)]
    json: bool,
}

/// What was found about one thing.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    detail: String,
    /// What to do about a finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    /// The parts that were looked at, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Check>,
}

impl Check {
    fn good(name: &'static str, detail: impl ToString) -> Self {
        Self { name, ok: true, detail: detail.to_string(), fix: None, parts: Vec::new() }
    }

    fn finding(name: &'static str, detail: impl ToString, fix: impl ToString) -> Self {
        Self { ok: false, fix: Some(fix.to_string()), ..Self::good(name, detail) }
    }
}

/// Looks, prints, and fails when there is a finding.
pub(super) async fn doctor(config: Result<Config, Ended>, args: DoctorArgs) -> Result<(), Ended> {
    let checks = match &config {
        Ok(config) => look(config).await,
        Err(wrong) => vec![
            Check::finding("configuration", &wrong.says, "Correct what is named, then run `riad doctor` again."),
            walls::sandbox().await,
        ],
    };
    let findings = checks.iter().filter(|check| !check.ok).count();
    if args.json {
        let document = json!({ "schema": SCHEMA, "healthy": findings == 0, "checks": checks });
        writeln!(io::stdout(), "{}", terminal::json(&document)).map_err(broken)?;
    } else {
        print(&checks).map_err(broken)?;
    }
    match findings {
        0 => Ok(()),
        1 => Err(Ended::new(Exit::Failed, "1 finding.")),
        more => Err(Ended::new(Exit::Failed, format!("{more} findings."))),
    }
}

async fn look(config: &Config) -> Vec<Check> {
    let (server, runs) = parts::server(config).await;
    vec![
        Check::good("configuration", "it is read and fits"),
        machine::data_folder(&config.data),
        machine::disk(&config.data),
        machine::clock(&config.data),
        walls::sandbox().await,
        parts::model(config),
        parts::providers(config),
        parts::worker(config),
        parts::pages(),
        server,
        parts::audit(config).await,
        parts::stray(config, runs),
    ]
}

fn print(checks: &[Check]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for check in checks {
        let word = if check.ok { "ok" } else { "FINDING" };
        writeln!(out, "{word:<8} {:<14} {}", check.name, terminal::line(&check.detail))?;
        for part in &check.parts {
            let word = if part.ok { "ok" } else { "FINDING" };
            writeln!(out, "  {word:<8} {:<16} {}", part.name, terminal::line(&part.detail))?;
        }
        if let Some(fix) = &check.fix {
            writeln!(out, "         fix: {}", terminal::line(fix))?;
        }
    }
    Ok(())
}
