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
    let period = shortest_period(tail);
    if period > LONGEST {
        return None;
    }
    // A period shorter than a block counts as well once its multiple is one: `ha ha ha` for 4 KiB is a repetition.
    let block = period.max(period * SHORTEST.div_ceil(period));
    Some(text.ceil_char_boundary(repetition_start(bytes, block) + block))
}

/// Bytes between two looks.
const STRIDE: usize = 256;

/// Looks at a text while it grows, whatever channel its pieces are of.
#[derive(Debug, Default)]
pub struct Watch {
    tail: String,
    unseen: usize,
    repeats: bool,
}

impl Watch {
    /// Takes in the next piece.
    pub fn push(&mut self, piece: &str) {
        self.tail.push_str(piece);
        self.unseen += piece.len();
        if self.unseen < STRIDE {
            return;
        }
        self.unseen = 0;
        self.repeats |= repeats_until(&self.tail).is_some();
        let old = self.tail.floor_char_boundary(self.tail.len().saturating_sub(SPAN));
        self.tail.drain(..old);
    }

    /// Whether what came has begun to repeat itself.
    pub fn repeats(&self) -> bool {
        self.repeats
    }
}

/// The shortest length by which the text can be moved onto itself, in time linear in its length (the failure function of
/// Knuth, Morris and Pratt, 1977).
fn shortest_period(text: &[u8]) -> usize {
    let mut borders = vec![0; text.len()];
    for at in 1..text.len() {
        let mut border: usize = borders[at - 1];
        while border > 0 && text[at] != text[border] {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(text[at] == text[border]);
    }
    text.len() - borders.last().copied().unwrap_or(0)
}

fn repetition_start(bytes: &[u8], block: usize) -> usize {
    let mut start = bytes.len() - block;
    while start > 0 && bytes[start - 1] == bytes[start - 1 + block] {
        start -= 1;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_repeated_for_four_kibibytes_is_cut_to_one() {
        let longest: String = (0..128).map(|n| format!("{n:03} ")).collect();
        for block in ["I will look into that for you right away. ", "ha ", "é", &longest] {
            let text = format!("Well:{}", block.repeat(2 * SPAN / block.len()));
            let end = repeats_until(&text).unwrap();
            let whole_blocks = SHORTEST.div_ceil(block.len()).max(1);
            assert_eq!(text[..end].len(), "Well:".len() + block.len() * whole_blocks, "{block:?}");
        }
    }

    #[test]
    fn a_text_that_grows_is_seen_to_repeat_soon_after_it_does() {
        let mut watch = Watch::default();
        watch.push(&"Something else. ".repeat(2));
        for said in 1.. {
            watch.push("I will look into that for you, é. ");
            if watch.repeats() {
                assert!((SPAN..SPAN + 2 * STRIDE + 64).contains(&(said * 35)), "{said}");
                break;
            }
            assert!(said < 200, "it is never seen");
        }
    }

    #[test]
    fn less_or_longer_blocks_are_no_repetition() {
        let block = "I will look into that for you right away. ";
        assert_eq!(repeats_until(&block.repeat(SPAN / block.len() - 1)), None);
        assert_eq!(repeats_until(&(block.repeat(SPAN / block.len() + 1) + "No.")), None);
        let long: String = (0..513).map(|n: u32| char::from(b'a' + (n * n % 23) as u8)).collect();
        assert_eq!(repeats_until(&long.repeat(20)), None);
        let words: String = (0..2000).map(|n| format!("{n} ")).collect();
        assert_eq!(repeats_until(&words), None);
    }
}
