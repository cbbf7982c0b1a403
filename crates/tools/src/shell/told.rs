//! What the model reads of a command that ended, whatever ended it.

use harness::ports::Ran;
use sandbox::{Ended, Finished, Why};

use super::OUTPUT_CHARS;
use super::cover::Unshown;
use super::input::MOST_SECONDS;
use crate::files::visible;

/// What a result says of a home that was not shown, or not whole.
pub(super) fn told_of_home(home: &Result<Vec<Vec<String>>, Unshown>) -> String {
    match home {
        Ok(covers) if covers.is_empty() => String::new(),
        Ok(_) => "\n[files of keys in the home were covered; no command reads them]".to_owned(),
        Err(unshown) => format!("\n[the home was not shown to this command: {unshown}]"),
    }
}

/// The result of a command, as the model reads it.
pub(super) fn told(finished: &Finished, place: &str, seconds: u64) -> Ran {
    let (stdout, stderr) = finished.output.texts(OUTPUT_CHARS);
    let ended = match finished.ended {
        Some(Ended::Exit(code)) => format!("exit code {code}"),
        Some(Ended::Signal(number)) => format!("ended by signal {number}"),
        None => "ended".to_owned(),
    };
    let why = match finished.why {
        Why::Program => String::new(),
        Why::Deadline => format!("; it was ended after {seconds} s (give timeout_s up to {MOST_SECONDS})"),
        Why::Cancelled => "; it was stopped".to_owned(),
        Why::Memory => "; it was ended since it used more memory than there is for it".to_owned(),
    };
    let mut text = format!("{ended}{why} ({} ms, in {place})", finished.elapsed.as_millis());
    for (name, output) in [("stdout", stdout), ("stderr", stderr)] {
        if !output.trim().is_empty() {
            text.push_str(&format!("\n--- {name} ---\n{}", output.trim_end()));
        }
    }
    if !finished.left.is_empty() {
        text.push_str(&format!(
            "\n[programs it left running were ended: {}]",
            visible::name(&finished.left.join(", "))
        ));
    }
    match finished.why {
        Why::Cancelled => Ran::cancelled(text),
        Why::Program if finished.is_success() => Ran::done(text),
        Why::Program | Why::Deadline | Why::Memory => Ran::failed(text),
    }
}

/// The result of a command that was ended since it filled the work folder.
pub(super) fn too_much(ran: &Ran, how: &str) -> Ran {
    Ran::failed(format!(
        "{}\n[it was ended since the work folder is full: {how}; take away what is not needed with rm]",
        ran.text
    ))
}
