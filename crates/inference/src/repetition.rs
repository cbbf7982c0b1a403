//! Says whether a text has begun to repeat itself: a block of 32 to 512 bytes over and over for 4 KiB (LOOP-27).
//! Pure; what is done about it is the caller's matter.

const SHORTEST: usize = 32;
const LONGEST: usize = 512;
const SPAN: usize = 4096;

/// The length of the text with the repetition cut to one block, if its end repeats a block for 4 KiB.
#[must_use]
pub fn repeats_until(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let tail = &bytes[bytes.len().checked_sub(SPAN)?..];
    let block = (1..=LONGEST).find(|length| has_period(tail, *length))?;
    // A period shorter than a block counts as well once its multiple is one: `ha ha ha` for 4 KiB is a repetition.
    let block = block.max(block * SHORTEST.div_ceil(block));
    let start = repetition_start(bytes, block);
    let mut end = start + block;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    Some(end)
}

fn has_period(tail: &[u8], length: usize) -> bool {
    tail[length..].iter().zip(tail).all(|(now, before)| now == before)
}

fn repetition_start(bytes: &[u8], block: usize) -> usize {
    let mut start = bytes.len() - block;
    while start > 0 && bytes[start - 1] == bytes[start - 1 + block] {
        start -= 1;
    }
    start
}
