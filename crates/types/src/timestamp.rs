//! Timestamps, to the millisecond.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::fmt::temporal::Pieces;
use serde::{Deserialize, Serialize};

/// A time in UTC with millisecond precision, between the years 0000 and
/// 9999; serialized as RFC 3339, such as `2026-03-01T12:30:05.250Z`.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Timestamp(jiff::Timestamp);

/// The start of the year 0000; RFC 3339 has no earlier time.
const MIN: jiff::Timestamp = jiff::Timestamp::constant(-62_167_219_200, 0);

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Self = Self(jiff::Timestamp::UNIX_EPOCH);

    /// Returns the time `ms` milliseconds after the Unix epoch, clamped to
    /// the years 0000 to 9999.
    #[must_use]
    pub fn from_unix_ms(ms: i64) -> Self {
        let at = jiff::Timestamp::from_millisecond(ms.max(MIN.as_millisecond()));
        Self(at.unwrap_or(jiff::Timestamp::MAX))
    }

    /// Returns the milliseconds since the Unix epoch.
    pub fn unix_ms(self) -> i64 {
        self.0.as_millisecond()
    }

    /// Returns the time from `earlier` to this one; zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        let since = self.0.duration_since(earlier.0);
        since.try_into().unwrap_or_default()
    }

    /// Returns this time plus `duration`.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let ms = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_unix_ms(self.unix_ms().saturating_add(ms))
    }

    /// Returns this time minus `duration`.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        let ms = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_unix_ms(self.unix_ms().saturating_sub(ms))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = if self.unix_ms() % 1000 == 0 { 0 } else { 3 };
        write!(f, "{:.decimals$}", self.0)
    }
}

/// A string that is not an RFC 3339 timestamp.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an RFC 3339 timestamp such as 2026-03-01T12:30:05Z, got \"{0}\"")]
pub struct TimestampError(pub String);

impl FromStr for Timestamp {
    type Err = TimestampError;

    /// Parses a time with any offset. Digits beyond the millisecond are cut
    /// off, and a leap second becomes the last second of its minute.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| TimestampError(text.to_owned()))
    }
}

/// The number of digits of a fraction of a second that `jiff` parses.
const FRACTION: usize = 9;

fn parse(text: &str) -> Option<Timestamp> {
    let shortened = text.split_once('.').map(|(whole, rest)| {
        let end = rest.find(|char: char| !char.is_ascii_digit());
        let end = end.unwrap_or(rest.len());
        format!("{whole}.{}{}", &rest[..end.min(FRACTION)], &rest[end..])
    });
    let short = shortened.as_deref().unwrap_or(text);
    let pieces = Pieces::parse(short).ok().filter(|_| is_rfc3339(short))?;
    let local = pieces.date().to_datetime(pieces.time()?);
    let offset = pieces.to_numeric_offset()?;
    let at = offset.to_timestamp(local).unwrap_or(jiff::Timestamp::MAX);
    let is_legal = at >= MIN && offset.seconds().abs() < 24 * 60 * 60;
    is_legal.then(|| at.into())
}

/// Returns whether a string has the form of RFC 3339, which is one of many that ISO 8601
/// allows.
fn is_rfc3339(text: &str) -> bool {
    let form: String = text
        .chars()
        .map(|char| if char.is_ascii_digit() { '0' } else { char })
        .collect();
    let time = form
        .strip_prefix("0000-00-00")
        .and_then(|rest| rest.strip_prefix(['T', 't', ' ']))
        .and_then(|time| time.strip_prefix("00:00:00"));
    let offset = time.map(|rest| match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches('0'),
        None => rest,
    });
    matches!(offset, Some("Z" | "z" | "+00:00" | "-00:00"))
}

impl From<jiff::Timestamp> for Timestamp {
    fn from(at: jiff::Timestamp) -> Self {
        Self::from_unix_ms(at.as_millisecond())
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(at: Timestamp) -> Self {
        at.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_serialized_and_parsed_again() {
        let table = [
            (0, "1970-01-01T00:00:00Z"),
            (1_772_368_205_250, "2026-03-01T12:30:05.250Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00Z"),
            (i64::MIN, "0000-01-01T00:00:00Z"),
            (i64::MAX, "9999-12-30T22:00:00.999Z"),
        ];
        for (ms, text) in table {
            let at = Timestamp::from_unix_ms(ms);
            assert_eq!(at.to_string(), text);
            assert_eq!(serde_json::to_value(at).unwrap(), text);
            assert_eq!(text.parse(), Ok(at));
        }
    }

    #[test]
    fn offsets_and_long_fractions_are_parsed() {
        let table = [
            ("9999-12-31T23:59:59Z", i64::MAX),
            ("2026-03-01 12:30:05.250Z", 1_772_368_205_250),
            ("2026-03-01T14:30:05.2509999+02:00", 1_772_368_205_250),
            ("2026-03-01T12:30:05.25012345678999Z", 1_772_368_205_250),
            ("2026-03-01t07:00:05.25-05:30", 1_772_368_205_250),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000),
        ];
        for (text, ms) in table {
            assert_eq!(text.parse(), Ok(Timestamp::from_unix_ms(ms)), "{text}");
        }
    }

    #[test]
    fn an_invalid_timestamp_is_refused() {
        for text in [
            "",
            "2026-03-01",
            "2026-03-01T12:30:05",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+0200",
            "2026-01-01T00:00:00+02",
            "2026-01-01T00:00:00+02:00[Europe/Rome]",
            "2026-01-01T00:00:00,5Z",
            "2026-01-01T00:00Z",
            "20260101T000000Z",
            "+002026-01-01T00:00:00Z",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00Zz",
            "1900-02-29T00:00:00Z",
            "0000-01-01T00:00:00+00:01",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn since_is_never_negative() {
        let (early, late) = (
            Timestamp::from_unix_ms(1_000),
            Timestamp::from_unix_ms(3_500),
        );
        assert_eq!(late.since(early), Duration::from_millis(2_500));
        assert_eq!(early.since(late), Duration::ZERO);
        assert_eq!(early.after(Duration::from_millis(2_500)), late);
        assert_eq!(late.before(Duration::from_millis(2_500)), early);
        assert_eq!(
            late.before(Duration::MAX).to_string(),
            "0000-01-01T00:00:00Z"
        );
    }
}
