//! Durations as people write them: `90s`, `10m`, `1h30m`, `1 hour 30 minutes`.

use std::time::Duration;

use jiff::fmt::friendly::{Spacing, SpanPrinter};
use jiff::{SignedDuration, Span, SpanRelativeTo};

/// An error in a duration, with the start of the input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// It is not a duration.
    #[error("\"{0}\" is not a duration: write 90s, 10m or 2h")]
    Form(String),
    /// It is zero, or longer than a year.
    #[error("\"{0}\" is out of range: it may be from 1ms to 8784h")]
    Range(String),
}

impl DurationError {
    /// The start of the input.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Self::Form(text) | Self::Range(text) => text,
        }
    }
}

/// Parses a duration of 1 ms to a year: `90s`, `10m`, `2h`, `500ms`, combinations
/// such as `1h30m`, and the other forms of `jiff`. A day has 24 hours.
///
/// # Errors
/// [`DurationError`] for anything else.
///
/// ```
/// use std::time::Duration;
/// use review_types::parse_duration;
///
/// assert_eq!(parse_duration("10m"), Ok(Duration::from_secs(600)));
/// assert!(parse_duration("10").is_err());
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    const YEAR: Duration = Duration::from_hours(366 * 24);
    let begin = || text.chars().take(40).collect();
    let span = read_span(text).map_err(|_| DurationError::Form(begin()))?;
    let duration = Duration::try_from(span).ok();
    let duration = duration.filter(|duration| duration.as_millis() > 0 && *duration <= YEAR);
    duration.ok_or_else(|| DurationError::Range(begin()))
}

/// Parses a duration of any length in the same forms; `None` if it is negative or not a
/// duration.
#[must_use]
pub fn parse_age(text: &str) -> Option<Duration> {
    read_span(text).ok()?.try_into().ok()
}

fn read_span(text: &str) -> Result<SignedDuration, jiff::Error> {
    let span: Span = text.trim().parse()?;
    span.to_duration(SpanRelativeTo::days_are_24_hours())
}

/// Formats a duration in the form that is parsed, such as `1h30m`.
#[must_use]
pub fn write_duration(duration: Duration) -> String {
    let printer = SpanPrinter::new().spacing(Spacing::None);
    printer.unsigned_duration_to_string(&duration)
}

/// Returns a duration in whole milliseconds.
#[must_use]
pub fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_are_numbers_with_units() {
        for (text, millis) in [
            ("90s", Some(90_000)),
            ("10m", Some(600_000)),
            ("30m1h", None),
            ("5s500ms1m", None),
            ("5s1x", None),
            ("1h-5s", None),
            ("10min", Some(600_000)),
            (" 2h ", Some(7_200_000)),
            ("1h30m", Some(5_400_000)),
            ("500ms", Some(500)),
            ("8784h", Some(366 * 24 * 3_600_000)),
            ("8784h1ms", None),
            ("0s", None),
            ("", None),
            ("10", None),
            ("m", None),
            ("1 hour, 30 minutes", Some(5_400_000)),
            ("1.5h", Some(5_400_000)),
            ("10 m", Some(600_000)),
            ("10d", Some(864_000_000)),
            ("PT90S", Some(90_000)),
            ("-5s", None),
            ("1mo", None),
            ("1y", None),
            ("0.9ms", None),
            ("99999999999999999999s", None),
            ("9999999999999999999h", None),
        ] {
            let parsed = parse_duration(text)
                .ok()
                .map(|duration| duration.as_millis());
            assert_eq!(parsed, millis, "{text}");
        }
    }

    #[test]
    fn a_duration_is_written_in_the_form_that_is_parsed() {
        for text in ["90ms", "10s", "5m", "2h", "1h30m", "1m1s1ms", "48h"] {
            assert_eq!(write_duration(parse_duration(text).unwrap()), text);
        }
        assert_eq!(write_duration(Duration::from_secs(90)), "1m30s");
        assert_eq!(write_duration(Duration::ZERO), "0s");
    }

    #[test]
    fn an_age_may_be_zero_or_longer_than_a_year() {
        for (text, days) in [
            ("0d", Some(0)),
            ("9d", Some(9)),
            ("400d", Some(400)),
            ("2w", Some(14)),
        ] {
            assert_eq!(
                parse_age(text),
                days.map(|days| Duration::from_hours(24 * days))
            );
        }
        for text in ["", "d", "99999999999d", "-1d", "-99999999999d", "7", "soon"] {
            assert_eq!(parse_age(text), None, "{text}");
        }
    }

    #[test]
    fn an_error_quotes_the_start_of_the_input() {
        let error = parse_duration(&"x".repeat(100)).expect_err("no duration");
        assert_eq!(error, DurationError::Form("x".repeat(40)));
        assert_eq!(error.into_text(), "x".repeat(40));
    }

    #[test]
    fn a_duration_out_of_range_differs_from_an_invalid_one() {
        let beyond = ["0s", "0h0ms", "-5s", "8784h1ms", "99999999h"];
        let none = [
            "",
            " ",
            "m",
            "10",
            "99999999999999999999s",
            "999999999999999s",
        ];
        for text in beyond {
            let error = DurationError::Range(text.to_owned());
            assert_eq!(parse_duration(text), Err(error));
        }
        for text in none {
            assert_eq!(
                parse_duration(text),
                Err(DurationError::Form(text.to_owned()))
            );
        }
    }

    proptest! {
        #[test]
        fn seconds_read_back(seconds in 1u64..30_000_000) {
            let duration = Duration::from_secs(seconds);
            prop_assert_eq!(parse_duration(&format!("{seconds}s")), Ok(duration));
        }
    }
}
