//! Time and names: the one place of the server that looks at the system's clock.
#![expect(clippy::disallowed_methods, reason = "this is the clock of the server")]

use std::time::{SystemTime, UNIX_EPOCH};

use domain::time::Timestamp;
use harness::ports::Clock;

/// The letters of Crockford's base 32, in which ULIDs are written.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The clock of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn new_id(&self) -> String {
        let mut random = [0_u8; 10];
        getrandom::fill(&mut random).expect("a system without random numbers cannot run a server");
        ulid(self.now(), random)
    }
}

/// 48 bits of milliseconds and 80 random bits as 26 letters (the ULID specification).
fn ulid(now: Timestamp, random: [u8; 10]) -> String {
    let mut bits = u128::from(now.0.unsigned_abs() & 0xffff_ffff_ffff);
    for byte in random {
        bits = bits << 8 | u128::from(byte);
    }
    (0..26).rev().map(|place| char::from(LETTERS[(bits >> (5 * place) & 31) as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::{Timestamp, ulid};

    #[test]
    fn ids_sort_by_time_and_have_26_letters() {
        assert_eq!(ulid(Timestamp(0), [0; 10]), "0".repeat(26));
        assert_eq!(ulid(Timestamp(1_469_918_176_385), [0xff; 10]), "01ARYZ6S41ZZZZZZZZZZZZZZZZ");
        assert!(ulid(Timestamp(1), [0xff; 10]) < ulid(Timestamp(2), [0; 10]));
    }
}
