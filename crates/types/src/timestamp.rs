//! Instants, as UTC milliseconds.

use std::fmt;
use std::str::{FromStr, Utf8Error};
use std::time::Duration;

use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

/// An instant in UTC with millisecond precision, between the years 0000 and
/// 9999; written as RFC 3339, such as `2026-03-01T12:30:05.250Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String")]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
pub struct Timestamp(i64);

const DAY_MS: i64 = 86_400_000;
const MIN_MS: i64 = -62_167_219_200_000;
const MAX_MS: i64 = 253_402_300_799_999;

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Self = Self(0);

    /// The instant that lies `ms` milliseconds after the Unix epoch, held
    /// within the years 0000 to 9999.
    #[must_use]
    pub const fn from_unix_ms(ms: i64) -> Self {
        Self(if ms < MIN_MS {
            MIN_MS
        } else if ms > MAX_MS {
            MAX_MS
        } else {
            ms
        })
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn unix_ms(self) -> i64 {
        self.0
    }

    /// The time from `earlier` to this instant; zero if it lies after it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// This instant moved on by `duration`.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let ms = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_unix_ms(self.0.saturating_add(ms))
    }
}

/// Days since the Unix epoch of a date of the proleptic Gregorian calendar
/// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The inverse of [`days_from_civil`].
const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

impl Timestamp {
    /// The characters of the instant in `text`, without a fraction of zero.
    fn write(self, text: &mut [u8; 24]) -> Result<&str, Utf8Error> {
        let (year, month, day) = civil_from_days(self.0.div_euclid(DAY_MS));
        let ms = self.0.rem_euclid(DAY_MS);
        *text = *b"0000-00-00T00:00:00.000Z";
        for (at, number) in [
            (0..4, year),
            (5..7, month),
            (8..10, day),
            (11..13, ms / 3_600_000),
            (14..16, ms / 60_000 % 60),
            (17..19, ms / 1000 % 60),
            (20..23, ms % 1000),
        ] {
            put_digits(&mut text[at], number);
        }
        let mut length = text.len();
        if ms % 1000 == 0 {
            text[19] = b'Z';
            length = 20;
        }
        std::str::from_utf8(&text[..length])
    }
}

/// The last digits of a number that is not negative.
fn put_digits(digits: &mut [u8], mut number: i64) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10).to_le_bytes()[0];
        number /= 10;
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 24];
        f.write_str(self.write(&mut text).map_err(|_| fmt::Error)?)
    }
}

/// A text that is no RFC 3339 instant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an RFC 3339 instant such as 2026-03-01T12:30:05Z, got \"{0}\"")]
pub struct TimestampError(pub String);

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text.as_bytes()).ok_or_else(|| TimestampError(text.to_owned()))
    }
}

fn parse(text: &[u8]) -> Option<Timestamp> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(expect(rest, b"-")?, 2)?;
    let (day, rest) = number(expect(rest, b"-")?, 2)?;
    let (hour, rest) = number(expect(rest, b"Tt ")?, 2)?;
    let (minute, rest) = number(expect(rest, b":")?, 2)?;
    let (second, rest) = number(expect(rest, b":")?, 2)?;
    let (fraction, rest) = fraction(rest)?;
    let offset = offset(rest)?;
    let legal = (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !legal {
        return None;
    }
    // A leap second is the last moment of its minute, as in most calendars.
    let second = second.min(59);
    let ms = days_from_civil(year, month, day) * DAY_MS
        + ((hour * 60 + minute - offset) * 60 + second) * 1000
        + fraction;
    (MIN_MS..=MAX_MS).contains(&ms).then_some(Timestamp(ms))
}

fn number(text: &[u8], digits: usize) -> Option<(i64, &[u8])> {
    let (head, rest) = text.split_at_checked(digits)?;
    head.iter().all(u8::is_ascii_digit).then(|| {
        let value = head
            .iter()
            .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        (value, rest)
    })
}

fn expect<'a>(text: &'a [u8], one_of: &[u8]) -> Option<&'a [u8]> {
    let (first, rest) = text.split_first()?;
    one_of.contains(first).then_some(rest)
}

/// Milliseconds of an optional fraction; further digits are cut off.
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some(digits) = text.strip_prefix(b".") else {
        return Some((0, text));
    };
    let count = digits.iter().take_while(|c| c.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let ms = (0..3).fold(0, |sum, place| {
        let digit = if place < count {
            digits[place] - b'0'
        } else {
            0
        };
        sum * 10 + i64::from(digit)
    });
    Some((ms, &digits[count..]))
}

/// Minutes east of UTC.
fn offset(text: &[u8]) -> Option<i64> {
    let sign = match text {
        b"Z" | b"z" => return Some(0),
        [b'+', ..] => 1,
        [b'-', ..] => -1,
        _ => return None,
    };
    let (hours, rest) = number(&text[1..], 2)?;
    let (minutes, rest) = number(expect(rest, b":")?, 2)?;
    (rest.is_empty() && hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = [0; 24];
        serializer.serialize_str(self.write(&mut text).map_err(S::Error::custom)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_and_read_back() {
        let table = [
            (0, "1970-01-01T00:00:00Z"),
            (1_772_368_205_250, "2026-03-01T12:30:05.250Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (MIN_MS, "0000-01-01T00:00:00Z"),
            (MAX_MS, "9999-12-31T23:59:59.999Z"),
        ];
        for (ms, text) in table {
            let at = Timestamp::from_unix_ms(ms);
            assert_eq!(at.to_string(), text);
            assert_eq!(serde_json::to_value(at).unwrap(), text);
            assert_eq!(text.parse(), Ok(Timestamp(ms)));
        }
    }

    #[test]
    fn offsets_and_long_fractions_are_read() {
        let table = [
            ("2026-03-01T14:30:05.2509999+02:00", 1_772_368_205_250),
            ("2026-03-01t07:00:05.25-05:30", 1_772_368_205_250),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000),
        ];
        for (text, ms) in table {
            assert_eq!(text.parse(), Ok(Timestamp(ms)), "{text}");
        }
    }

    #[test]
    fn what_is_no_instant_is_refused() {
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
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00Zz",
            "1900-02-29T00:00:00Z",
            "0000-01-01T00:00:00+00:01",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_survives_the_round_trip() {
        for day in 0..146_097 {
            let (year, month, date) = civil_from_days(day);
            assert_eq!(days_from_civil(year, month, date), day);
        }
    }

    #[test]
    fn since_never_goes_below_zero() {
        let (early, late) = (Timestamp(1_000), Timestamp(3_500));
        assert_eq!(late.since(early), Duration::from_millis(2_500));
        assert_eq!(early.since(late), Duration::ZERO);
        assert_eq!(early.after(Duration::from_millis(2_500)), late);
    }
}
