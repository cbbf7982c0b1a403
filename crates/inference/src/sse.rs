//! Reads event streams as servers really write them (LOOP-29): any line end, comments between and inside events, events
//! without data, a last one without a blank line, cut at any byte. It knows no JSON.

/// The longest line, in bytes (LOOP-29).
pub const LINE_LIMIT: usize = 4 << 20;

/// A line is longer than a stream may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a line of an event stream over {LINE_LIMIT} bytes")]
pub struct LineTooLong;

/// Turns bytes into the data of events.
#[derive(Debug, Default)]
pub struct EventReader {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    after_return: bool,
    begun: bool,
}

impl EventReader {
    /// A reader at the start of a stream.
    #[must_use]
    pub fn new() -> EventReader {
        EventReader::default()
    }

    /// Adds bytes and gives the data of the events that are whole by now.
    ///
    /// # Errors
    /// If a line is too long; what was whole before it has been given.
    pub fn push(&mut self, bytes: &[u8]) -> (Vec<Vec<u8>>, Result<(), LineTooLong>) {
        let mut events = Vec::new();
        for byte in bytes {
            let after_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    events.extend(self.end_line());
                }
                _ if self.line.len() == LINE_LIMIT => return (events, Err(LineTooLong)),
                _ => self.line.push(*byte),
            }
        }
        (events, Ok(()))
    }

    /// Ends the stream: an event without its blank line counts.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        let ended = if self.line.is_empty() { None } else { self.end_line() };
        ended.or_else(|| self.data.take())
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            return self.data.take();
        }
        // A comment begins with a colon; fields but `data` say nothing that is used.
        if let Some(value) = line.strip_prefix(b"data").and_then(field_value) {
            match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            }
        }
        None
    }
}

/// The value behind a field's name: nothing, or a colon and at most one blank before it.
fn field_value(rest: &[u8]) -> Option<&[u8]> {
    if rest.is_empty() {
        return Some(rest);
    }
    let value = rest.strip_prefix(b":")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}
