//! The header `retry-after`, as HTTP writes it.

use std::str::FromStr;
use std::time::Duration;

use jiff::fmt::rfc2822::DateTimeParser;
use review_types::Timestamp;

use super::observed::RetryAfter;

/// A longer wait than any service asks for: a year.
const MAX_SECONDS: f64 = 366.0 * 86_400.0;

/// A string that is neither seconds nor a date of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be seconds or a date such as Sun, 06 Nov 1994 08:49:37 GMT")]
pub struct RetryAfterError;

impl RetryAfter {
    /// What the headers `retry-after-ms` and `retry-after` say; the first one
    /// is more exact.
    pub(crate) fn of_headers(ms: Option<&str>, seconds: Option<&str>) -> Option<Self> {
        let ms = ms.and_then(|ms| ms.trim().parse().ok());
        let exact = ms.map(|ms| Self::In(Duration::from_millis(ms)));
        exact.or_else(|| seconds?.parse().ok())
    }

    /// The instant that is meant by who says it at `now`; a wait that begins
    /// at an unknown time ends at an unknown one.
    #[must_use]
    pub fn instant(self, now: Option<Timestamp>) -> Option<Timestamp> {
        match self {
            Self::In(wait) => now.map(|now| now.after(wait)),
            Self::At(instant) => Some(instant),
        }
    }
}

impl FromStr for RetryAfter {
    type Err = RetryAfterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let seconds = text.parse().ok().filter(|seconds| *seconds >= 0.0);
        match seconds {
            Some(seconds) => Ok(Self::In(Duration::from_secs_f64(MAX_SECONDS.min(seconds)))),
            None => date(text).map(Self::At).ok_or(RetryAfterError),
        }
    }
}

/// Reads a date of mails, which in HTTP is always one of UTC. Its day of the
/// week decides nothing.
fn date(text: &str) -> Option<Timestamp> {
    let parser = DateTimeParser::new().relaxed_weekday(true);
    let date = text.ends_with(" GMT").then(|| parser.parse_timestamp(text));
    Some(date?.ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_seconds_or_a_date() {
        let now = Some(Timestamp::from_unix_ms(5_000));
        for (text, expected) in [
            ("2", "1970-01-01T00:00:07Z"),
            (" 0.25 ", "1970-01-01T00:00:05.250Z"),
            ("0", "1970-01-01T00:00:05Z"),
            ("1e300", "1971-01-02T00:00:05Z"),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("Mon, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ] {
            let read: RetryAfter = text.parse().unwrap();
            assert_eq!(read.instant(now), Some(expected.parse().unwrap()), "{text}");
        }
        assert_eq!(RetryAfter::In(Duration::ZERO).instant(None), None);
    }

    #[test]
    fn milliseconds_come_before_seconds_and_seconds_before_nothing() {
        let wait = |ms| Some(RetryAfter::In(Duration::from_millis(ms)));
        for (ms, seconds, expected) in [
            (None, Some("2"), wait(2000)),
            (Some("1500"), Some("2"), wait(1500)),
            (Some(" 1500 "), None, wait(1500)),
            (Some("soon"), Some("2"), wait(2000)),
            (None, Some("soon"), None),
            (None, None, None),
        ] {
            assert_eq!(RetryAfter::of_headers(ms, seconds), expected);
        }
    }

    #[test]
    fn anything_else_is_no_wait() {
        for text in [
            "",
            "soon",
            "-1",
            "NaN",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Xyz 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 +0100",
            "Sun, 31 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(text.parse::<RetryAfter>(), Err(RetryAfterError), "{text}");
        }
    }
}
