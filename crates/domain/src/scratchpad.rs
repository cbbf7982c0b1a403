//! The scratchpad of a conversation: short values under keys, which all frames of it read and write. It is a fold of
//! entries: a write is true when its result is recorded, and a result is recorded only on the entries that it was decided
//! on, so frames that write side by side lose nothing. Nobody is asked and nothing is run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::id::CallId;
use crate::result::{Status, ToolResult};
use crate::tool::ToolName;

/// The tool that reads.
pub const READ: &str = "scratchpad_read";
/// The tool that writes.
pub const WRITE: &str = "scratchpad_write";

/// Letters of a key (LOOP-96).
pub const KEY_CHARS: usize = 64;
/// Keys.
pub const KEYS: usize = 64;
/// Letters of a value.
pub const VALUE_CHARS: usize = 4_000;
/// Bytes of all keys and values (32 KiB).
pub const BYTES: usize = 32 * 1024;

/// Letters of a value that stand beside a message.
const SHOWN_CHARS: usize = 120;

/// Whether a call of this tool concerns the scratchpad.
pub fn is_scratchpad(tool: &ToolName) -> bool {
    [READ, WRITE].contains(&tool.as_str())
}

/// Values by their keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scratchpad(BTreeMap<String, Slot>);

/// A value. A key that was emptied keeps counting its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot {
    version: u64,
    value: String,
}

impl Scratchpad {
    /// The result of a call, as the scratchpad is now.
    pub fn result(&self, call: &CallId, tool: &ToolName, arguments: &Value) -> ToolResult {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let answer = match (tool.as_str(), text("key")) {
            (WRITE, Some(key)) => {
                let version = arguments.get("version").and_then(Value::as_u64).unwrap_or(0);
                self.refusal(key, version, text("value").unwrap_or_default())
                    .map_or_else(|| Ok(format!("{key} is now version {}.", self.version(key) + 1)), Err)
            }
            (READ, Some(key)) => self.read(key),
            _ => Ok(self.listed()),
        };
        match answer {
            Ok(text) => ToolResult::new(call.clone(), Status::Done, &text),
            Err(text) => ToolResult::new(call.clone(), Status::Failed, &text),
        }
    }

    /// A call came back: a write that is done is true from then on.
    pub(crate) fn returned(&mut self, tool: &ToolName, arguments: &Value, status: Status) {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        if tool.as_str() != WRITE || status != Status::Done {
            return;
        }
        if let (Some(key), Some(value)) = (text("key"), text("value")) {
            let version = self.version(&key) + 1;
            self.0.insert(key, Slot { version, value });
        }
    }

    /// Whether nothing stands in it.
    pub fn is_empty(&self) -> bool {
        self.held().next().is_none()
    }

    /// What stands beside a message that opens a turn.
    pub fn aside(&self) -> String {
        format!("The scratchpad holds:{}", self.lines(SHOWN_CHARS))
    }

    fn held(&self) -> impl Iterator<Item = (&String, &Slot)> {
        self.0.iter().filter(|(_, slot)| !slot.value.is_empty())
    }

    fn version(&self, key: &str) -> u64 {
        self.0.get(key).map_or(0, |slot| slot.version)
    }

    fn read(&self, key: &str) -> Result<String, String> {
        match self.0.get(key).filter(|slot| !slot.value.is_empty()) {
            Some(slot) => Ok(format!("{key}, version {}:\n{}", slot.version, slot.value)),
            None => Err(format!(
                "Nothing stands under {key}. To write there, give version {}. {}",
                self.version(key),
                self.listed()
            )),
        }
    }

    fn listed(&self) -> String {
        if self.is_empty() { "The scratchpad is empty.".to_owned() } else { self.aside() }
    }

    fn lines(&self, most: usize) -> String {
        let mut lines = String::new();
        for (key, slot) in self.held() {
            let shown: String = slot.value.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
            let more = if slot.value.chars().count() > most { "…" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(lines, "\n- {key} (version {}): {shown}{more}", slot.version);
        }
        lines
    }

    /// Why a write is not done.
    fn refusal(&self, key: &str, version: u64, value: &str) -> Option<String> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.-".contains(c);
        if key.is_empty() || key.len() > KEY_CHARS || !key.chars().all(fits) {
            return Some(format!(
                "A key has 1 to {KEY_CHARS} letters of a-z, 0-9, `_`, `.` and `-`. Nothing was written."
            ));
        }
        if version != self.version(key) {
            return Some(self.overtaken(key));
        }
        if value.chars().count() > VALUE_CHARS {
            return Some(format!("A value has at most {VALUE_CHARS} letters. Nothing was written; write less."));
        }
        let others = || self.held().filter(|(other, _)| *other != key);
        let bytes: usize = others().map(|(key, slot)| key.len() + slot.value.len()).sum();
        if !value.is_empty() && (others().count() >= KEYS || bytes + key.len() + value.len() > BYTES) {
            return Some(format!(
                "The scratchpad holds at most {KEYS} keys and {BYTES} bytes. Nothing was written; empty a key first by \
                 writing an empty value."
            ));
        }
        None
    }

    /// What a writer is told that has read an older version: the value as it is.
    fn overtaken(&self, key: &str) -> String {
        let now = match self.0.get(key).filter(|slot| !slot.value.is_empty()) {
            Some(slot) => format!("it holds:\n{}", slot.value),
            None => "nothing stands there.".to_owned(),
        };
        format!("Nothing was written: {key} is at version {}, {now}", self.version(key))
    }
}

#[cfg(test)]
mod tests;
