//! Moments as plain numbers. Reading a clock is an adapter's work.

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00 UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds from `earlier` to `self`; 0 when the clock went back.
    pub fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// The same moment as RFC 3339 text in UTC, with milliseconds, for example `2026-11-30T18:00:00.000Z`.
    pub fn rfc3339(self) -> String {
        let days = self.0.div_euclid(86_400_000);
        let in_day = self.0.rem_euclid(86_400_000);
        let (year, month, day) = civil_from_days(days);
        let (hours, minutes) = (in_day / 3_600_000, in_day / 60_000 % 60);
        let (seconds, millis) = (in_day / 1000 % 60, in_day % 1000);
        format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
    }
}

/// Year, month (1 to 12) and day (1 to 31) of a count of days since 1970-01-01, in the proleptic Gregorian calendar.
/// The arithmetic shifts the year to begin in March, so that the leap day comes last.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn moments_print_as_rfc_3339() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_796_061_600_123, "2026-11-30T18:00:00.123Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp(millis).rfc3339(), text);
        }
    }

    #[test]
    fn a_clock_set_back_gives_no_negative_span() {
        assert_eq!(Timestamp(5).since(Timestamp(9)), 0);
        assert_eq!(Timestamp(9).since(Timestamp(5)), 4);
    }
}
