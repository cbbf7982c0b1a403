//! Numbers as text: what is a number of JSON, whether two are equal, whether 64 bits hold one without loss. No digit
//! goes through a float here.

use serde_json::Number;

/// A number by its digits: `digits` times ten to the `exponent`.
#[derive(Debug, PartialEq, Eq)]
struct Decimal<'n> {
    negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: std::borrow::Cow<'n, str>,
    exponent: i64,
}

/// The length of the number of JSON at the start of a text.
pub(super) fn length(text: &str) -> Option<usize> {
    let mut rest = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with('0')) {
        return None;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.get(digits(fraction)..).filter(|_| digits(fraction) > 0)?;
    }
    if let Some(power) = rest.strip_prefix(['e', 'E']) {
        let power = power.strip_prefix(['+', '-']).unwrap_or(power);
        rest = power.get(digits(power)..).filter(|_| digits(power) > 0)?;
    }
    Some(text.len() - rest.len())
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The number in quoted text, blanks around it aside.
pub(super) fn number_in(text: &str) -> Option<&str> {
    let text = trimmed(text);
    (length(text) == Some(text.len()) && is_finite(text)).then_some(text)
}

/// The integer in quoted text: plain digits, or a fraction of zeros, which is left out. An exponent makes it none.
pub(super) fn integer_in(text: &str) -> Option<&str> {
    let text = number_in(text).filter(|text| !text.contains(['e', 'E']))?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole = if whole == "-0" { "0" } else { whole };
    fraction.bytes().all(|digit| digit == b'0').then_some(whole)
}

/// The boolean in quoted text, in any case.
pub(super) fn boolean_in(text: &str) -> Option<bool> {
    let text = trimmed(text);
    [true, false].into_iter().find(|value| text.eq_ignore_ascii_case(if *value { "true" } else { "false" }))
}

/// Without the blanks around it.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_ascii_whitespace())
}

/// Whether the number has no fraction, however it is written.
pub(super) fn is_integral(number: &str) -> bool {
    decimal(number).is_some_and(|number| number.exponent >= 0)
}

/// Whether both are the same number.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || decimal(one).is_some_and(|one| decimal(other) == Some(one))
}

/// Whether the number is not beyond the bounds of a 64-bit float.
pub(super) fn is_finite(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The number, if 64 bits hold all of its digits.
pub(super) fn held(number: &str) -> Option<Number> {
    let held: Number = serde_json::from_str(number).ok()?;
    same(&held.to_string(), number).then_some(held)
}

fn decimal(number: &str) -> Option<Decimal<'_>> {
    let (negative, number) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
    let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = if fraction.is_empty() { whole.into() } else { format!("{whole}{fraction}").into() };
    let power: i64 = power.parse().ok()?;
    let exponent = power.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    stripped(negative, digits, exponent)
}

fn stripped(negative: bool, digits: std::borrow::Cow<'_, str>, exponent: i64) -> Option<Decimal<'_>> {
    let kept = digits.trim_end_matches('0');
    let exponent = exponent.checked_add(i64::try_from(digits.len() - kept.len()).ok()?)?;
    let kept = kept.trim_start_matches('0').to_owned();
    if kept.is_empty() {
        return Some(Decimal { negative: false, digits: kept.into(), exponent: 0 });
    }
    Some(Decimal { negative, digits: kept.into(), exponent })
}

#[cfg(test)]
mod tests {
    use super::{held, integer_in, is_integral, length, number_in, same};

    #[test]
    fn only_numbers_of_json_are_numbers() {
        for text in ["0", "-0", "10", "0.5", "-1.25e-3", "1E+9", "1e0"] {
            assert_eq!(length(text), Some(text.len()), "{text}");
        }
        for text in ["", "-", "+1", ".5", "5.", "007", "-01", "1e", "1e+", "x", "٥", "Infinity", "0x1"] {
            assert_ne!(length(text), Some(text.len()), "{text}");
        }
    }

    #[test]
    fn quoted_numbers_keep_their_digits() {
        assert_eq!(integer_in(" 9007199254740993 "), Some("9007199254740993"));
        assert_eq!(integer_in("5.00"), Some("5"));
        for text in ["5.5", "1e3", "1,000", "007", "five", "", "٥", "0x5", "1_000", "5 km", "\u{a0}5"] {
            assert_eq!(integer_in(text), None, "{text}");
        }
        assert_eq!(number_in("1e-3"), Some("1e-3"));
        assert_eq!(number_in("1e999"), None);
    }

    #[test]
    fn numbers_are_compared_by_their_digits() {
        assert!(same("1e3", "1000.0") && same("-0", "0") && same("0.10", "1e-1"));
        assert!(!same("9007199254740993", "9007199254740992") && !same("1", "-1") && !same("1", "10"));
        assert!(is_integral("5.0") && is_integral("1e3") && !is_integral("1e-3") && is_integral("0.0"));
    }

    #[test]
    fn what_64_bits_would_round_is_not_held() {
        for text in ["0.1", "3.14", "-9223372036854775808", "18446744073709551615", "1e300", "0.30000000000000004"] {
            assert!(held(text).is_some(), "{text}");
        }
        for text in ["18446744073709551616", "0.1000000000000000055511151231257827", "1e400", "9007199254740993.0"] {
            assert_eq!(held(text), None, "{text}");
        }
    }
}
