//! Durations as people write them: `90s`, `10m`, `1h30m`.

use std::time::Duration;

/// Why a text is no duration that counts; each with the beginning of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// It is not a duration.
    #[error("\"{0}\" is not a duration: write 90s, 10m or 2h")]
    Form(String),
    /// It is zero, or beyond a year.
    #[error("\"{0}\" is out of range: it may be from 1ms to 8784h")]
    Range(String),
}

impl DurationError {
    /// The beginning of the text.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Self::Form(text) | Self::Range(text) => text,
        }
    }
}

/// Reads `90s`, `10m`, `2h`, `500ms` and joined ones such as `1h30m`.
///
/// # Errors
/// [`DurationError`] for anything else, for zero, and beyond a year.
///
/// ```
/// use std::time::Duration;
/// use review_document::parse_duration;
///
/// assert_eq!(parse_duration("10m"), Ok(Duration::from_secs(600)));
/// assert!(parse_duration("10").is_err());
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    const YEAR: u64 = 366 * 24 * 3_600_000;
    let begin = || text.chars().take(40).collect();
    let form = || DurationError::Form(begin());
    let range = || DurationError::Range(begin());
    let mut rest = text.trim();
    let mut millis = 0u64;
    while !rest.is_empty() {
        let digits = rest
            .find(|char: char| !char.is_ascii_digit())
            .filter(|digits| *digits > 0)
            .ok_or_else(form)?;
        let (number, tail) = rest.split_at(digits);
        let unit = tail
            .find(|char: char| char.is_ascii_digit())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit);
        let factor = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            _ => return Err(form()),
        };
        let part = number
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(factor));
        millis = part
            .and_then(|part| millis.checked_add(part))
            .ok_or_else(range)?;
        rest = tail;
    }
    if text.trim().is_empty() {
        return Err(form());
    }
    if millis == 0 || millis > YEAR {
        return Err(range());
    }
    Ok(Duration::from_millis(millis))
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
            ("-5s", None),
            ("1.5h", None),
            ("10 m", None),
            ("10d", None),
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
    fn an_error_quotes_the_beginning_of_the_text() {
        let error = parse_duration(&"x".repeat(100)).expect_err("no duration");
        assert_eq!(error, DurationError::Form("x".repeat(40)));
        assert_eq!(error.into_text(), "x".repeat(40));
    }

    #[test]
    fn a_duration_out_of_range_is_told_from_what_is_none() {
        let beyond = ["0s", "0h0ms", "8784h1ms", "99999999999999999999s"];
        let none = ["", " ", "m", "10", "99999999999999999999x"];
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
