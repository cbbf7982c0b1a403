//! Cuts the bytes of an answer into events, by either framing. It knows no JSON.

use super::wire::Framing;
use crate::sse::{EventReader, LINE_LIMIT, LineTooLong};

/// Turns bytes into events.
#[derive(Debug)]
pub(super) enum Frames {
    /// An event stream.
    Events(EventReader),
    /// Lines.
    Lines(Vec<u8>),
}

impl Frames {
    /// A reader at the start of an answer.
    pub(super) fn new(framing: Framing) -> Frames {
        match framing {
            Framing::Events => Frames::Events(EventReader::new()),
            Framing::Lines => Frames::Lines(Vec::new()),
        }
    }

    /// Adds bytes and gives the events that are whole by now; what was whole before a line that is too long is given.
    pub(super) fn push(&mut self, bytes: &[u8]) -> (Vec<Vec<u8>>, Result<(), LineTooLong>) {
        match self {
            Frames::Events(reader) => reader.push(bytes),
            Frames::Lines(held) => push_lines(held, bytes),
        }
    }

    /// Ends the answer: a last event without its end counts.
    pub(super) fn finish(&mut self) -> Option<Vec<u8>> {
        match self {
            Frames::Events(reader) => reader.finish(),
            Frames::Lines(held) => Some(std::mem::take(held)).filter(|line| !line.trim_ascii().is_empty()),
        }
    }
}

fn push_lines(held: &mut Vec<u8>, bytes: &[u8]) -> (Vec<Vec<u8>>, Result<(), LineTooLong>) {
    let mut lines = Vec::new();
    for part in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        if held.len() + part.len() > LINE_LIMIT {
            return (lines, Err(LineTooLong));
        }
        held.extend_from_slice(part);
        if part.ends_with(b"\n") || part.ends_with(b"\r") {
            lines.push(std::mem::take(held));
        }
    }
    lines.retain(|line| !line.trim_ascii().is_empty());
    (lines, Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_at_every_cut_and_with_either_end() {
        let bytes = b"{\"a\": 1}\n\n{\"b\": 2}\r\n{\"c\": 3}";
        for cut in 0..=bytes.len() {
            let mut frames = Frames::new(Framing::Lines);
            let mut lines = frames.push(&bytes[..cut]).0;
            lines.extend(frames.push(&bytes[cut..]).0);
            lines.extend(frames.finish());
            let lines: Vec<_> = lines.iter().map(|line| line.trim_ascii()).collect();
            assert_eq!(lines, [&b"{\"a\": 1}"[..], b"{\"b\": 2}", b"{\"c\": 3}"], "cut at {cut}");
        }
    }

    #[test]
    fn a_line_that_never_ends_is_refused() {
        let mut frames = Frames::new(Framing::Lines);
        let piece = vec![b'x'; LINE_LIMIT / 2];
        assert!(frames.push(&piece).1.is_ok() && frames.push(&piece).1.is_ok());
        assert_eq!(frames.push(b"x").1, Err(LineTooLong));
    }
}
