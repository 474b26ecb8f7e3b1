//! Dates and instants, as corrections have them.

use review_types::Timestamp;
use serde::Serialize;

/// An instant with the text that it was written as, which keeps its offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Moment {
    text: String,
    #[serde(skip)]
    at: Timestamp,
}

impl Moment {
    /// Reads an RFC 3339 instant with an offset; `None` if it is none.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let at = instant(text)?;
        let text = text.to_owned();
        Some(Self { text, at })
    }

    /// Reads an instant without an offset as UTC; `None` if it is none.
    #[must_use]
    pub fn naive(text: &str) -> Option<Self> {
        Self::new(&format!("{text}Z"))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The instant.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// The date that the text begins with.
    #[must_use]
    pub fn date(&self) -> &str {
        self.text.get(..10).unwrap_or_default()
    }
}

/// The instant of an RFC 3339 text. A leap second stands only at the end of a
/// day in UTC, and a `T` before the time.
fn instant(text: &str) -> Option<Timestamp> {
    let at: Timestamp = text.parse().ok()?;
    let bytes = text.as_bytes();
    let has_t = matches!(bytes.get(10), Some(b'T' | b't'));
    let is_leap = bytes.get(17..19) == Some(b"60");
    let last_minute = at.unix_ms().div_euclid(60_000).rem_euclid(24 * 60) == 24 * 60 - 1;
    (has_t && (!is_leap || last_minute)).then_some(at)
}

/// Whether a text is a day of the calendar, written as `YYYY-MM-DD`.
pub(super) fn is_date(text: &str) -> bool {
    text.len() == 10 && instant(&format!("{text}T00:00:00Z")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_of_the_calendar() {
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
    fn instants_have_a_t_and_an_offset() {
        for (text, ms) in [
            ("2026-03-01T12:30:05Z", 1_772_368_205_000),
            ("2026-03-01t14:30:05.5+02:00", 1_772_368_205_500),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000),
            ("2017-01-01T05:29:60+05:30", 1_483_228_799_000),
        ] {
            let moment = Moment::new(text).unwrap();
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
            assert_eq!(Moment::new(text), None, "{text}");
        }
    }

    #[test]
    fn an_instant_without_an_offset_is_one_of_utc() {
        let moment = Moment::naive("2026-03-01T12:30:05").unwrap();
        assert_eq!(moment.as_str(), "2026-03-01T12:30:05Z");
        assert_eq!(Moment::naive("2026-03-01"), None);
        assert_eq!(Moment::naive("2026-03-01T12:30:05Z"), None);
    }
}
