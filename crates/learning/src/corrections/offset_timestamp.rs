//! Dates and timestamps of corrections.

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

/// A timestamp with the string that it was read from, which keeps its offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OffsetTimestamp {
    text: String,
    at: Timestamp,
}

impl OffsetTimestamp {
    /// Parses an RFC 3339 time with an offset; `None` if it is not one.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let at = instant(text)?;
        let text = text.to_owned();
        Some(Self { text, at })
    }

    /// Parses a time without an offset as UTC; `None` if it is not one.
    pub(crate) fn naive(text: &str) -> Option<Self> {
        Self::new(&format!("{text}Z"))
    }

    /// Returns the string that was read.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The timestamp.
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// The date at the start of the string.
    pub fn date(&self) -> &str {
        self.text.get(..10).unwrap_or_default()
    }
}

/// A string that is not an RFC 3339 time with an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an RFC 3339 time with an offset")]
pub struct NoOffsetTimestamp;

impl TryFrom<String> for OffsetTimestamp {
    type Error = NoOffsetTimestamp;

    fn try_from(text: String) -> Result<Self, NoOffsetTimestamp> {
        Self::new(&text).ok_or(NoOffsetTimestamp)
    }
}

impl From<OffsetTimestamp> for String {
    fn from(time: OffsetTimestamp) -> Self {
        time.text
    }
}

/// Parses an RFC 3339 string. A leap second is allowed only at the end of a day in UTC,
/// and a `T` is required before the time.
fn instant(text: &str) -> Option<Timestamp> {
    let at: Timestamp = text.parse().ok()?;
    let bytes = text.as_bytes();
    let has_t = matches!(bytes.get(10), Some(b'T' | b't'));
    let is_leap = bytes.get(17..19) == Some(b"60");
    let last_minute = at.unix_ms().div_euclid(60_000).rem_euclid(24 * 60) == 24 * 60 - 1;
    (has_t && (!is_leap || last_minute)).then_some(at)
}

/// Whether a string is a valid date, written as `YYYY-MM-DD`.
pub(super) fn is_date(text: &str) -> bool {
    text.len() == 10 && instant(&format!("{text}T00:00:00Z")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_valid_calendar_days() {
        for text in ["2026-03-01", "2024-02-29", "0000-01-01", "9999-12-31"] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "",
            "2025-02-30",
            "2025-02-29",
            "2025-13-01",
            "2025-1-01",
            "2025-01-1",
            "2025/01/01",
            "2025-01-01Z",
            "2025-00-10",
            "20250-1-01",
            "2025-01-\u{661}",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn timestamps_have_a_t_and_an_offset() {
        for (text, ms) in [
            ("2026-03-01T12:30:05Z", 1_772_368_205_000),
            ("2026-03-01t14:30:05.5+02:00", 1_772_368_205_500),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000),
            ("2017-01-01T05:29:60+05:30", 1_483_228_799_000),
        ] {
            let moment = OffsetTimestamp::new(text).unwrap();
            assert_eq!((moment.as_str(), moment.at().unix_ms()), (text, ms));
            assert_eq!(moment.date(), &text[..10]);
        }
        for text in [
            "2026-03-01T12:30:05",
            "2026-03-01 12:30:05Z",
            "2026-03-01T12:30:60Z",
            "2016-12-31T23:59:60+01:00",
            "2026-02-30T12:30:05Z",
        ] {
            assert_eq!(OffsetTimestamp::new(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_without_an_offset_is_utc() {
        let moment = OffsetTimestamp::naive("2026-03-01T12:30:05").unwrap();
        assert_eq!(moment.as_str(), "2026-03-01T12:30:05Z");
        assert_eq!(OffsetTimestamp::naive("2026-03-01"), None);
        assert_eq!(OffsetTimestamp::naive("2026-03-01T12:30:05Z"), None);
    }
}
