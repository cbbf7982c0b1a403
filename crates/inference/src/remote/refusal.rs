//! What a refusal means. Classes come from statuses and fields, never from the words of a message: a tool's text could
//! imitate those (LOOP-15).

use domain::model::SampleFault;
use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;

/// An answer other than a reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refused {
    /// The status.
    pub(super) status: u16,
    /// The JSON that came with it, or null.
    pub(super) body: Value,
    /// Milliseconds to wait, if it says so.
    pub(super) retry_ms: Option<u64>,
    /// Tokens of the request by our own estimate.
    pub(super) estimate: u32,
    /// Tokens of the engine's window.
    pub(super) window: u32,
}

impl Refused {
    /// An error that came inside a stream, where no status and no header can follow.
    pub(super) fn in_stream(status: u16, body: Value) -> Refused {
        Refused { status, body, retry_ms: None, estimate: 0, window: 0 }
    }

    /// The object that tells of the error: under `error`, or the body itself.
    pub(super) fn error(&self) -> &Value {
        self.body.get("error").filter(|error| !error.is_null()).unwrap_or(&self.body)
    }

    /// A field of that object, if it is text.
    pub(super) fn field(&self, name: &str) -> &str {
        self.error().get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A field of that object, if it is a count of tokens.
    pub(super) fn tokens(&self, name: &str) -> Option<u32> {
        self.error().get(name).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok())
    }

    /// The prompt does not fit; numbers the engine did not state are ours.
    pub(super) fn too_long(&self) -> SampleFault {
        SampleFault::TooLong {
            needed: self.tokens("n_prompt_tokens").unwrap_or(self.estimate),
            window: self.tokens("n_ctx").unwrap_or(self.window),
        }
    }

    /// It serves others.
    pub(super) fn busy(&self) -> SampleFault {
        self.retry_ms.map_or(SampleFault::Busy, SampleFault::BusyFor)
    }
}

/// What a status alone means.
pub(super) fn fault_of_status(refused: &Refused) -> SampleFault {
    let status = refused.status;
    match status {
        401 | 403 => SampleFault::Unauthorised,
        402 => SampleFault::NoCredit,
        404 | 410 => SampleFault::Gone(format!("the engine answered {status}")),
        408 | 504 => SampleFault::Timeout("the engine".to_owned()),
        413 => refused.too_long(),
        429 => SampleFault::RateLimited(refused.retry_ms),
        // Some engines tell a prompt that is too long by words alone; our own count tells it without them.
        400 if refused.window > 0 && refused.estimate > refused.window => refused.too_long(),
        400..=499 => SampleFault::BadRequest(format!("the engine answered {status}: {}", excerpt(refused))),
        500..=599 => refused.busy(),
        _ => SampleFault::Unknown(format!("the engine answered {status}")),
    }
}

fn excerpt(refused: &Refused) -> String {
    let text = refused.error().as_str().unwrap_or_else(|| refused.field("message"));
    text.chars().filter(|letter| !letter.is_control()).take(300).collect()
}

/// The longest wait that is believed, in milliseconds: a day.
const LONGEST_WAIT: u64 = 24 * 60 * 60 * 1000;

/// How long the headers ask to wait, in milliseconds (RFC 9110, 10.2.3). A date is read against the date of the answer
/// itself, so that no clock is needed.
pub(super) fn retry_after<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<u64> {
    let millis = header("retry-after-ms").and_then(|text| text.trim().parse::<u64>().ok());
    let text = header("retry-after").map(str::trim);
    let seconds = text.and_then(seconds);
    let until = || {
        let moment = |text: &str| DateTimeParser::new().parse_timestamp(text).ok();
        let left = moment(text?)?.as_second() - moment(header("date")?.trim())?.as_second();
        Some(u64::try_from(left).unwrap_or(0).saturating_mul(1000))
    };
    millis.or(seconds).or_else(until).map(|wait| wait.min(LONGEST_WAIT))
}

/// Whole or broken seconds, as milliseconds.
fn seconds(text: &str) -> Option<u64> {
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.saturating_mul(1000));
    }
    let broken = text.parse::<f64>().ok().filter(|seconds| (0.0..1e6).contains(seconds))?;
    u64::try_from(std::time::Duration::from_secs_f64(broken).as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headers: &[(&str, &'static str)], expected: Option<u64>) {
        let header = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        assert_eq!(retry_after(header), expected, "{headers:?}");
    }

    #[test]
    fn a_wait_is_read_in_every_form() {
        check(&[("retry-after", "3")], Some(3000));
        check(&[("retry-after", " 1.5 ")], Some(1500));
        check(&[("retry-after-ms", "250"), ("retry-after", "3")], Some(250));
        let date = ("date", "Wed, 21 Oct 2026 07:28:00 GMT");
        check(&[date, ("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT")], Some(30_000));
        check(&[date, ("retry-after", "Wed, 21 Oct 2026 07:27:30 GMT")], Some(0));
        check(&[("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT")], None);
        check(&[("retry-after", "99999999999999999999")], None);
        check(&[("retry-after", "999999999999")], Some(LONGEST_WAIT));
        check(&[("retry-after", "-3")], None);
        check(&[("retry-after", "soon")], None);
        check(&[], None);
    }
}
