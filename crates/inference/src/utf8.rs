//! Joins bytes that come in pieces into text: a code point cut in two is given whole, bytes that can never be text
//! become U+FFFD, the same wherever the stream is cut (LOOP-24). It knows nothing of tokens or events.

/// Holds the bytes of a code point that is not whole yet: at most three.
#[derive(Debug, Default)]
pub struct TextJoiner {
    held: Vec<u8>,
}

impl TextJoiner {
    /// A joiner at the start of a stream.
    #[must_use]
    pub fn new() -> TextJoiner {
        TextJoiner::default()
    }

    /// Adds bytes and gives the text that is whole by now.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let mut text = String::new();
        let mut read = 0;
        loop {
            match std::str::from_utf8(&self.held[read..]) {
                Ok(rest) => {
                    text.push_str(rest);
                    read = self.held.len();
                    break;
                }
                Err(error) => {
                    let good = read + error.valid_up_to();
                    text.push_str(&String::from_utf8_lossy(&self.held[read..good]));
                    read = good;
                    let Some(bad) = error.error_len() else { break };
                    text.push('\u{FFFD}');
                    read += bad;
                }
            }
        }
        self.held.drain(..read);
        text
    }

    /// Ends the stream: bytes that never became a code point are one U+FFFD.
    pub fn finish(&mut self) -> String {
        if self.held.is_empty() {
            return String::new();
        }
        self.held.clear();
        "\u{FFFD}".to_owned()
    }
}
