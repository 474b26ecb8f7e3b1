//! Durations as people write them: `90s`, `10m`, `1h30m`.

use std::time::Duration;

/// A text that is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a duration: write 90s, 10m or 2h")]
pub struct DurationError(pub String);

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
    let error = || DurationError(text.chars().take(40).collect());
    let mut rest = text.trim();
    let mut millis = 0u64;
    while !rest.is_empty() {
        let digits = rest
            .find(|char: char| !char.is_ascii_digit())
            .ok_or_else(error)?;
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
            _ => return Err(error()),
        };
        let part = number
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(factor));
        millis = part
            .and_then(|part| millis.checked_add(part))
            .ok_or_else(error)?;
        rest = tail;
    }
    if millis == 0 || millis > YEAR {
        return Err(error());
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
        assert_eq!(error.0, "x".repeat(40));
    }

    proptest! {
        #[test]
        fn seconds_read_back(seconds in 1u64..30_000_000) {
            let duration = Duration::from_secs(seconds);
            prop_assert_eq!(parse_duration(&format!("{seconds}s")), Ok(duration));
        }
    }
}
