//! What a call of `shell` holds, and its own bounds. Whether its words may run is judged in `domain`.

use schemars::JsonSchema;
use serde::Deserialize;

/// Bytes of standard input (256 KiB).
const STDIN_BYTES: usize = 256 * 1024;
/// Seconds a program has if the call does not say.
pub(super) const SECONDS: u64 = 120;
/// The most seconds.
pub(super) const MOST_SECONDS: u64 = 600;

/// Run one program of the tool image, in a sandbox without network. It sees the home (read-only) and the work folder
/// work/ (writable). There is no shell: no pipes, redirects, variables or patterns; one program a call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shell {
    /// Program and arguments in one line, for example grep -rn "plan" notes. Give line or argv.
    #[serde(default)]
    line: Option<String>,
    /// Program and arguments as a list.
    #[serde(default)]
    argv: Option<Vec<String>>,
    /// The folder to run in: ~/… or work/…; the home if absent.
    #[serde(default)]
    pub(super) dir: Option<String>,
    /// Text for its standard input.
    #[serde(default)]
    pub(super) stdin: Option<String>,
    /// Seconds it may run, 1 to 600; 120 if absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600))]
    timeout_s: Option<u64>,
}

impl Shell {
    /// Program and arguments.
    pub(super) fn argv(&self) -> Result<Vec<String>, String> {
        let split =
            |line: &str| domain::argv::split(line).map_err(|fault| format!("This is no plain command: {fault}."));
        match (&self.line, &self.argv) {
            (Some(line), None) => split(line),
            (None, Some(argv)) => Ok(argv.clone()),
            // Many models fill in all members; an empty one says nothing.
            (Some(line), Some(argv)) if argv.is_empty() => split(line),
            (Some(line), Some(argv)) if line.is_empty() => Ok(argv.clone()),
            (Some(_), Some(_)) => Err("Give line or argv, not both.".to_owned()),
            (None, None) => Err("Give the program and its arguments as line or argv.".to_owned()),
        }
    }

    /// Seconds it may run.
    pub(super) fn seconds(&self) -> Result<u64, String> {
        match self.timeout_s.unwrap_or(SECONDS) {
            seconds @ 1..=MOST_SECONDS => Ok(seconds),
            _ => Err("timeout_s is 1 to 600.".to_owned()),
        }
    }

    /// Refuses what is too long to be handed to a program.
    pub(super) fn check_stdin(&self) -> Result<(), String> {
        match &self.stdin {
            Some(text) if text.len() > STDIN_BYTES => {
                Err("stdin is longer than 256 KiB; write it to a file in work/ and name that.".to_owned())
            }
            Some(_) | None => Ok(()),
        }
    }
}
