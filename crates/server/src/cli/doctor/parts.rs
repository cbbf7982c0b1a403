//! What is looked at of Riad itself: model, worker, pages, the running server, the audit log, processes left over.

use std::path::Path;

use rustix::fs::FileType;
use store::{AuditLog, OpenError, Options, audit_log};

use super::Check;
use crate::cli::signed_in::address;
use crate::client::Client;
use crate::config::{Config, ModelChoice};
use crate::ledger::FileLedger;
use crate::wiring::Models;
use crate::{assets, files};

/// Whether a model can answer.
pub(super) fn model(config: &Config) -> Check {
    let name = "model";
    match &config.model {
        ModelChoice::None => {
            let detail = format!("no GGUF file lies in {}, and no remote model is set", config.models.display());
            let fix = format!(
                "Put an instruct model as a GGUF file into {}, or set models.remote.url.",
                config.models.display()
            );
            Check::finding(name, detail, fix)
        }
        ModelChoice::Remote(remote) => {
            Check::good(name, format!("{} on {}:{} (it is not asked now)", remote.name, remote.host, remote.port))
        }
        ModelChoice::Declared(declared) => {
            let (provider, model) = (&declared.chosen.provider, &declared.chosen.model);
            Check::good(name, format!("{} of {} (it is not asked now)", model.name, provider.name))
        }
        ModelChoice::Local(file) if !files::exists(file) => {
            let fix = format!("Put it there, or name another one of {} with models.default.", config.models.display());
            Check::finding(name, format!("{} is not there", file.display()), fix)
        }
        ModelChoice::Local(file) => {
            let opened = Models::open(config).usual().clone();
            match opened.trouble.filter(|_| is_program(&config.worker)) {
                Some(trouble) => {
                    Check::finding(name, trouble, "Download the file again, or name another with models.default.")
                }
                None => Check::good(name, file.display()),
            }
        }
    }
}

/// Whether every declared provider can be used.
pub(super) fn providers(config: &Config) -> Check {
    let name = "providers";
    let fix = "Correct what is named; `riad model providers check FILE` says whether it fits.";
    match crate::config::providers(&config.providers) {
        Err(says) => Check::finding(name, says, fix),
        Ok(read) if read.skipped.is_empty() => Check::good(name, format!("{} can be chosen", read.entries.len())),
        Ok(read) => {
            let lines: Vec<_> = read.skipped.iter().map(ToString::to_string).collect();
            Check::finding(name, format!("{}: {}", config.providers.display(), lines.join("; ")), fix)
        }
    }
}

/// Whether the program that runs local models stands where it is looked for.
pub(super) fn worker(config: &Config) -> Check {
    let (name, shown) = ("worker", config.worker.display());
    let is_needed = matches!(config.model, ModelChoice::Local(_));
    if is_program(&config.worker) {
        return Check::good(name, shown);
    }
    let detail = format!("{shown} is not there, or is no program");
    if is_needed {
        return Check::finding(name, detail, "Run ./scripts/up, which builds it, or name it with models.worker.");
    }
    Check::good(name, format!("{detail}; no local model needs it"))
}

fn is_program(path: &Path) -> bool {
    // A link to the program will do.
    rustix::fs::stat(path)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_file() && found.st_mode & 0o111 != 0)
}

/// Whether the pages are inside this program.
pub(super) fn pages() -> Check {
    let name = "pages";
    if assets::are_built() {
        return Check::good(name, "the web files are built in");
    }
    Check::finding(name, "this program was built without its web files", "Run ./scripts/up, which builds them.")
}

/// Whether a server runs, and what of it is off.
pub(super) async fn server(config: &Config) -> (Check, bool) {
    let name = "server";
    let Ok(client) = address(config).map_err(drop).and_then(|address| Client::new(address).map_err(drop)) else {
        return (Check::good(name, "none runs on this data folder"), false);
    };
    let Ok(answer) = client.get("/readyz").await else {
        let detail = format!("none answers at {}; the next start writes that address anew", client.address);
        return (Check::good(name, detail), false);
    };
    let ready = answer.json();
    let degraded: Vec<&str> =
        ready["degraded"].as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect();
    if answer.status == 200 && degraded.is_empty() {
        return (Check::good(name, format!("it answers at http://{}", client.address)), true);
    }
    let detail = format!("it answers at http://{}, without: {}", client.address, degraded.join(", "));
    (Check::finding(name, detail, "Mend what is named above, then start the server again."), true)
}

/// Whether somebody changed the audit log beside Riad. A running server has the database for itself.
pub(super) async fn audit(config: &Config) -> Check {
    let name = "audit log";
    match audit_log(Options::new(&config.data)).await {
        Ok(AuditLog::Absent) => Check::good(name, "none is there yet"),
        Ok(AuditLog::Fits) => Check::good(name, "every row fits the one before it"),
        Ok(AuditLog::Breaks(row)) => {
            let detail = format!("row {row} is missing, or does not fit the one before it: it was changed beside Riad");
            Check::finding(name, detail, "Keep a copy of the data folder as it is, and find out who could write there.")
        }
        Err(OpenError::InUse) => Check::good(name, "it is not looked at while a server runs"),
        // The folder is a finding of its own.
        Err(OpenError::RootUnsafe) => Check::good(name, "it is not looked at while others can enter the data folder"),
        Err(
            fault @ (OpenError::KeyUnsafe
            | OpenError::KeyMissing
            | OpenError::KeyWrong
            | OpenError::DatabaseMissing
            | OpenError::Schema(_)
            | OpenError::Store(_)),
        ) => Check::finding(name, "the database with it does not open", fault),
    }
}

/// Processes that an earlier server left. Those of a running one are its own.
pub(super) fn stray(config: &Config, runs: bool) -> Check {
    let name = "processes";
    let ledger = config.data.join("sandbox").join("processes");
    let records = if files::exists(&ledger) { FileLedger::records_in(&ledger) } else { Ok(Vec::new()) };
    let Ok(records) = records else {
        let detail = "the records of started processes cannot be read";
        return Check::finding(name, detail, "Run Riad as the owner of its data folder.");
    };
    let recorded = records.iter().filter(|record| !runs && record.lives()).map(|record| record.pid);
    let left: Vec<String> =
        recorded.chain(orphans(&config.worker)).chain(sandbox::orphans()).map(|pid| pid.to_string()).collect();
    if left.is_empty() {
        return Check::good(name, "nothing is left over");
    }
    let detail = format!("left over from an earlier server: {}", left.join(", "));
    Check::finding(name, detail, format!("kill {}", left.join(" ")))
}

/// Workers whose server is gone: they fell to the first process, and that is no server.
fn orphans(worker: &Path) -> Vec<i32> {
    let name = worker.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if stat(1).is_none_or(|(first, _)| first == "riad") {
        return Vec::new();
    }
    let numbers = files::names_in(Path::new("/proc")).unwrap_or_default();
    let pids = numbers.iter().filter_map(|number| number.parse::<i32>().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(found, above)| found == name && above == 1)).collect()
}

/// Name of a process, and the process above it (proc(5)).
fn stat(pid: i32) -> Option<(String, i32)> {
    let text = files::read(&Path::new("/proc").join(pid.to_string()).join("stat")).ok()??;
    let (name, rest) = text.split_once('(')?.1.rsplit_once(") ")?;
    Some((name.to_owned(), rest.split(' ').nth(1)?.parse().ok()?))
}
