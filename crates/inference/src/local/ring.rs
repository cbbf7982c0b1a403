//! Keeps the last 256 KiB that a worker wrote to its standard streams (OPS-27), so that a full pipe never blocks it and
//! the operator can read why it died.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Mutex, PoisonError};

const CAPACITY: usize = 256 << 10;

/// The last output of one worker.
#[derive(Debug, Default)]
pub(crate) struct Ring(Mutex<VecDeque<u8>>);

impl Ring {
    /// Reads a stream to its end.
    pub(crate) fn read_all(&self, stream: &mut dyn Read) {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            self.push(&buffer[..length]);
        }
    }

    /// The last line that is not blank.
    pub(crate) fn last_line(&self) -> String {
        let bytes: Vec<u8> = self.lock().iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(400).collect()
    }

    fn push(&self, bytes: &[u8]) {
        let mut held = self.lock();
        held.extend(bytes);
        let over = held.len().saturating_sub(CAPACITY);
        held.drain(..over);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<u8>> {
        // Bytes are bytes even if a writer panicked between them.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_the_end_and_no_more_than_its_capacity() {
        let ring = Ring::default();
        let flood = vec![b'x'; CAPACITY * 2];
        ring.read_all(&mut flood.as_slice());
        ring.read_all(&mut b"\nthe end\n\n".as_slice());
        assert_eq!(ring.lock().len(), CAPACITY);
        assert_eq!(ring.last_line(), "the end");
    }
}
