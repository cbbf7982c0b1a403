//! What a command wrote: clean text with its head and its tail, the exact count of what is left out between them, and
//! the whole bytes up to a cap for storing. It reads no pipe.

mod clean;

use clean::Cleaner;
use std::collections::VecDeque;

/// Of the two streams, one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A stream as it comes in. Head and tail are kept as 2 : 3 (REACH-57).
#[derive(Debug)]
pub struct Capture {
    cleaner: Cleaner,
    head: String,
    head_room: usize,
    tail: VecDeque<char>,
    tail_room: usize,
    left_out: u64,
    stored: Vec<u8>,
    stored_room: usize,
    bytes: u64,
}

impl Capture {
    /// Keeps `chars` characters of text and `stored` bytes.
    pub fn new(chars: usize, stored: usize) -> Capture {
        let head_room = chars * 2 / 5;
        Capture {
            cleaner: Cleaner::default(),
            head: String::new(),
            head_room,
            tail: VecDeque::new(),
            tail_room: chars - head_room,
            left_out: 0,
            stored: Vec::new(),
            stored_room: stored,
            bytes: 0,
        }
    }

    /// Takes the next bytes and returns their clean text, for showing it live.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.bytes += bytes.len() as u64;
        let fits = bytes.len().min(self.stored_room - self.stored.len());
        self.stored.extend_from_slice(&bytes[..fits]);
        let text = self.cleaner.push(bytes);
        self.keep(&text);
        text
    }

    /// Closes the stream. The second value is the last clean text, to be shown live like that of `push`.
    pub fn finish(mut self) -> (Captured, String) {
        let last = self.cleaner.finish();
        self.keep(&last);
        let captured = Captured {
            head: self.head,
            left_out: self.left_out,
            tail: self.tail.into_iter().collect(),
            bytes: self.bytes,
            stored: self.stored,
        };
        (captured, last)
    }

    fn keep(&mut self, text: &str) {
        let mut rest = text.chars();
        while self.head_room > 0 {
            let Some(character) = rest.next() else { return };
            self.head.push(character);
            self.head_room -= 1;
        }
        for character in rest {
            self.tail.push_back(character);
            if self.tail.len() > self.tail_room {
                let dropped = self.tail.pop_front();
                self.left_out += dropped.map_or(0, char::len_utf8) as u64;
            }
        }
    }
}

/// What one stream held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning, clean.
    pub head: String,
    /// Bytes of clean text between head and tail that were left out.
    pub left_out: u64,
    /// The end, clean. When nothing was left out it follows the head directly.
    pub tail: String,
    /// Bytes that the command wrote.
    pub bytes: u64,
    /// Its first bytes as they were, for storing.
    pub stored: Vec<u8>,
}

impl Captured {
    /// Whether `stored` is all of it.
    pub fn is_whole(&self) -> bool {
        self.stored.len() as u64 == self.bytes
    }

    /// The text with at most `chars` characters of it, and a line that counts what is left out.
    pub fn text(&self, chars: usize) -> String {
        let (head, tail) = (self.head.chars().count(), self.tail.chars().count());
        if self.left_out == 0 && head + tail <= chars {
            return format!("{}{}", self.head, self.tail);
        }
        let whole = if self.left_out == 0 { format!("{}{}", self.head, self.tail) } else { String::new() };
        let (first, last) = if whole.is_empty() { (&self.head, &self.tail) } else { (&whole, &whole) };
        let head_room = chars * 2 / 5;
        let start: String = first.chars().take(head_room).collect();
        let skipped = last.chars().count().saturating_sub(chars - head_room);
        let end: String = last.chars().skip(skipped).collect();
        let all = (self.head.len() + self.tail.len()) as u64 + self.left_out;
        let left_out = all - (start.len() + end.len()) as u64;
        let parting = if start.is_empty() || start.ends_with('\n') { "" } else { "\n" };
        format!("{start}{parting}[{left_out} bytes left out]\n{end}")
    }
}

/// Both streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
}

impl Output {
    /// The texts of both streams with at most `chars` characters together: one that needs less than half leaves the
    /// rest to the other.
    pub fn texts(&self, chars: usize) -> (String, String) {
        let length = |captured: &Captured| {
            let kept = captured.head.chars().count() + captured.tail.chars().count();
            if captured.left_out > 0 { usize::MAX } else { kept }
        };
        let half = chars / 2;
        let errors = length(&self.stderr).min(chars - length(&self.stdout).min(half));
        let errors = errors.min(chars);
        (self.stdout.text(chars - errors), self.stderr.text(errors))
    }
}

#[cfg(test)]
mod tests;
