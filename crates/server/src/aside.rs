//! What the host adds beside a message: date, time and zone of its person, minted once. The text of the prefix never
//! changes with the clock, so this is where a model learns what day it is.

use domain::time::Timestamp;
use jiff::tz::TimeZone;

/// The line beside a message that was sent now, for example
/// `Sent on Monday, 30 November 2026, 19:16 (Europe/Rome, UTC+01:00).` An unknown zone counts as UTC.
pub fn aside(now: Timestamp, zone: &str) -> String {
    let known = TimeZone::get(zone).ok();
    let name = if known.is_some() { zone } else { "UTC" };
    let moment = jiff::Timestamp::from_millisecond(now.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let local = moment.to_zoned_datetime(known.unwrap_or(TimeZone::UTC));
    format!("Sent on {} ({name}, UTC{}).", local.strftime("%A, %-d %B %Y, %H:%M"), local.strftime("%:z"))
}

#[cfg(test)]
mod tests {
    use super::{Timestamp, aside};

    #[test]
    fn a_message_tells_the_day_of_its_person() {
        let now = Timestamp(1_796_066_190_303);
        assert_eq!(aside(now, "Europe/Rome"), "Sent on Monday, 30 November 2026, 20:16 (Europe/Rome, UTC+01:00).");
        assert_eq!(aside(now, "Asia/Tokyo"), "Sent on Tuesday, 1 December 2026, 04:16 (Asia/Tokyo, UTC+09:00).");
        assert_eq!(aside(now, "Atlantis/Old"), "Sent on Monday, 30 November 2026, 19:16 (UTC, UTC+00:00).");
    }
}
