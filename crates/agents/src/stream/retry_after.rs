//! When a service may be asked again: read from headers, bodies and sentences.

use std::str::FromStr;
use std::time::Duration;

use jiff::civil::{Date, Time, Weekday};
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;
use jiff::{Span, SpanRelativeTo, ToSpan};
use review_types::Timestamp;
use serde_json::Value as Json;

use super::observed::RetryAfter;

/// A longer wait than any service asks for: a year.
const MAX_SECONDS: f64 = 366.0 * 86_400.0;

/// Numbers of seconds since 1970 are smaller, those of milliseconds are not.
const MAX_EPOCH_SECONDS: f64 = 1e11;

/// The words of a sentence that a time follows.
const BEFORE_TIME: [&str; 5] = ["reset", "try again", "retry", "available", "wait"];

/// The most words that are read of a time.
const MAX_WORDS: usize = 10;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// From Monday on.
const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// The headers in which services give the end of a limit, in seconds or milliseconds since
/// 1970. Answers that no limit stops have them too.
const RESETS: [&str; 2] = ["anthropic-ratelimit-unified-reset", "x-ratelimit-reset"];

/// The status of an answer that a limit stops.
const TOO_MANY_REQUESTS: u16 = 429;

/// A string that is neither seconds nor a date of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be seconds or a date such as Sun, 06 Nov 1994 08:49:37 GMT")]
pub struct RetryAfterError;

impl RetryAfter {
    /// What the headers of an answer say: `retry-after-ms` before `retry-after`, which is
    /// less exact, and the end of a limit where one stopped the call.
    pub(crate) fn of_headers<'h>(
        status: Option<u16>,
        header: impl Fn(&str) -> Option<&'h str>,
    ) -> Option<Self> {
        let ms = header("retry-after-ms").and_then(|ms| ms.trim().parse().ok());
        let seconds = || header("retry-after")?.parse().ok();
        let reset = || {
            let end = |name: &&str| epoch(header(name)?.trim().parse().ok()?);
            RESETS.iter().find_map(end).map(Self::At)
        };
        ms.map(|ms| Self::In(Duration::from_millis(ms)))
            .or_else(seconds)
            .or_else(|| reset().filter(|_| status == Some(TOO_MANY_REQUESTS)))
    }

    /// Reads the body of an error, in which text may surround the JSON.
    pub(crate) fn in_body(text: &str) -> Option<Self> {
        let start = text.find(['{', '['])?;
        let body = text.get(start..=text.rfind(['}', ']'])?)?;
        Self::of_json(&serde_json::from_str(body).ok()?)
    }

    /// What the first field of a value says that names a wait or a time.
    pub(crate) fn of_json(json: &Json) -> Option<Self> {
        match json {
            Json::Object(fields) => fields.iter().find_map(|(name, value)| match &**name {
                "resets_at" | "resetsAt" | "reset_at" => Self::at(value),
                "resets_in_seconds" | "retry_after" | "retry_after_seconds" => {
                    value.as_f64().and_then(Self::in_seconds)
                }
                "retryDelay" => value.as_str()?.strip_suffix('s')?.parse().ok(),
                _ => Self::of_json(value),
            }),
            Json::Array(items) => items.iter().find_map(Self::of_json),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        }
    }

    /// A time: seconds or milliseconds since 1970, or a date with a time.
    fn at(value: &Json) -> Option<Self> {
        match value {
            Json::String(text) => text.parse().ok().map(Self::At),
            value => epoch(value.as_f64()?).map(Self::At),
        }
    }

    fn in_seconds(seconds: f64) -> Option<Self> {
        (seconds >= 0.0).then(|| Self::In(Duration::from_secs_f64(MAX_SECONDS.min(seconds))))
    }

    /// The instant that is meant by who says it at `now`; a wait that begins
    /// at an unknown time ends at an unknown one.
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
        let seconds = text.parse().ok().and_then(Self::in_seconds);
        let told = seconds.or_else(|| date(text).map(Self::At));
        told.ok_or(RetryAfterError)
    }
}

/// Reads a date of mails, which in HTTP is always one of UTC. Its day of the
/// week decides nothing.
fn date(text: &str) -> Option<Timestamp> {
    let parser = DateTimeParser::new().relaxed_weekday(true);
    let date = text.ends_with(" GMT").then(|| parser.parse_timestamp(text));
    Some(date?.ok()?.into())
}

/// The time of a number of seconds or milliseconds since 1970.
fn epoch(number: f64) -> Option<Timestamp> {
    let ms = if number < MAX_EPOCH_SECONDS {
        number * 1000.0
    } else {
        number
    };
    let is_time = number >= 1e9;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float is cast to the nearest"
    )]
    is_time.then(|| Timestamp::from_unix_ms(ms as i64))
}

/// When a service may be asked again by the message of an error that was met at `now`.
/// A time of a day without a zone is one of `local`; one without a date is the next one.
pub(crate) fn reset_time(message: &str, now: Timestamp, local: &TimeZone) -> Option<Timestamp> {
    if let Some(told) = RetryAfter::in_body(message) {
        return told.instant(Some(now));
    }
    let message = message.to_lowercase();
    if let Some((_, number)) = message.split_once("limit reached|") {
        let end = number.find(|c: char| !c.is_ascii_digit());
        return epoch(number[..end.unwrap_or(number.len())].parse().ok()?);
    }
    let mut places: Vec<usize> = BEFORE_TIME
        .iter()
        .flat_map(|word| message.match_indices(word))
        .map(|(at, word)| at + word.len())
        .collect();
    places.sort_unstable();
    places.into_iter().find_map(|at| {
        let words = words(message[at..].trim_start_matches(char::is_alphabetic));
        let words: Vec<&str> = words.collect();
        wait(&words)
            .map(|wait| now.after(wait))
            .or_else(|| Moment::read(&words)?.next(now, local))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ",;\"'`\u{b7}\u{2219}".contains(c))
        .map(|word| word.trim_matches(['.', ':', '[', ']']))
        .filter(|word| !matches!(*word, "" | "and" | "at" | "on" | "the" | "by" | "until"))
        .take(MAX_WORDS)
}

/// A wait such as `in 3 days 4 hours`: as many words as are one.
fn wait(words: &[&str]) -> Option<Duration> {
    let words = match words {
        ["in" | "after" | "for", rest @ ..] => rest,
        words => words,
    };
    (1..=words.len()).rev().find_map(|count| {
        let span: Span = words[..count].join(" ").parse().ok()?;
        let wait = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
        Duration::try_from(wait).ok()
    })
}

/// A time of a day, with its date and its zone where they are given.
#[derive(Default)]
struct Moment {
    at: Option<Timestamp>,
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    weekday: Option<Weekday>,
    time: Option<Time>,
    zone: Option<TimeZone>,
}

impl Moment {
    /// Reads words up to the first that belongs to no time.
    fn read(words: &[&str]) -> Option<Self> {
        let mut moment = Self::default();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let half = words.peek().copied().filter(|word| is_half(word));
            if let Some(time) = clock(word, half) {
                moment.time = Some(time);
                words.next_if(|word| is_half(word));
            } else if !moment.take(word)? {
                break;
            }
        }
        Some(moment)
            .filter(|moment| moment.at.is_some() || moment.time.is_some() || moment.month.is_some())
    }

    /// Takes a word that is not a time of a day, if it belongs to a date or a zone;
    /// `None` for a zone that is not known.
    fn take(&mut self, word: &str) -> Option<bool> {
        let named = |names: &[&str]| {
            let start = word
                .get(..3)
                .filter(|_| word.chars().all(char::is_alphabetic));
            let at = names.iter().position(|name| Some(*name) == start)?;
            i8::try_from(at).ok()
        };
        if let Ok(at) = word.parse() {
            self.at = Some(at);
        } else if let Some(month) = named(&MONTHS) {
            self.month = Some(month + 1);
        } else if let Some(weekday) = named(&WEEKDAYS) {
            self.weekday = Weekday::from_monday_zero_offset(weekday).ok();
        } else if word.contains('/') || matches!(word, "utc" | "gmt") || word.starts_with('(') {
            let name = word.trim_matches(['(', ')', '.']);
            self.zone = Some(TimeZone::get(name).ok()?);
        } else {
            let number = word.trim_end_matches(char::is_alphabetic).parse().ok();
            match (number, self.day) {
                (Some(day @ 1..=31), None) if self.month.is_some() => {
                    self.day = i8::try_from(day).ok();
                }
                (Some(year @ 2000..), _) => self.year = Some(year),
                (Some(_) | None, _) => return Some(false),
            }
        }
        Some(true)
    }

    /// The first such time from about `now` on.
    fn next(self, now: Timestamp, local: &TimeZone) -> Option<Timestamp> {
        if let Some(at) = self.at {
            return Some(at);
        }
        let now = jiff::Timestamp::from_millisecond(now.unix_ms()).ok()?;
        let now = now.to_zoned(self.zone.unwrap_or_else(|| local.clone()));
        let time = self.time.unwrap_or(Time::midnight());
        let of = |date: Date| {
            date.to_datetime(time)
                .to_zoned(now.time_zone().clone())
                .ok()
        };
        let at = match (self.month, self.day) {
            (Some(month), day) => {
                let year = |year| of(Date::new(year, month, day.unwrap_or(1)).ok()?);
                match self.year {
                    Some(told) => year(told),
                    None => {
                        let recent = now.checked_sub(1.day()).ok()?;
                        let this = year(now.year()).filter(|at| *at >= recent);
                        this.or_else(|| year(now.year().checked_add(1)?))
                    }
                }
            }
            (None, _) => (0..=7).find_map(|days: i64| {
                let date = now.date().checked_add(days.days()).ok()?;
                let is_day = self.weekday.is_none_or(|day| day == date.weekday());
                of(date).filter(|at| is_day && *at > now)
            }),
        };
        Some(at?.timestamp().into())
    }
}

fn is_half(word: &str) -> bool {
    matches!(word, "am" | "pm" | "a.m" | "p.m")
}

/// A time of a day such as `1am`, `3:30 pm` or `15:04`, whose half may be the next word.
fn clock(word: &str, next: Option<&str>) -> Option<Time> {
    let word = word.trim_end_matches(')');
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '.');
    let half = Some(&word[digits.len()..]).filter(|half| !half.is_empty());
    let half = half.or(next);
    let mut parts = digits.split(':').map(str::parse::<i8>);
    let hour = parts.next()?.ok()?;
    let minute = parts.next().map(Result::ok);
    let hour = match half {
        Some(half) if is_half(half) && (1..=12).contains(&hour) => {
            hour % 12 + if half.starts_with('p') { 12 } else { 0 }
        }
        Some(_) => return None,
        None if minute.is_some() => hour,
        None => return None,
    };
    Time::new(hour, minute.unwrap_or(Some(0))?, 0, 0).ok()
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
            let header = |name: &str| match name {
                "retry-after-ms" => ms,
                "retry-after" => seconds,
                _ => None,
            };
            assert_eq!(RetryAfter::of_headers(Some(429), header), expected);
        }
    }

    #[test]
    fn the_end_of_a_limit_is_read_from_headers_where_the_limit_stopped_the_call() {
        let end = Some(RetryAfter::At(Timestamp::from_unix_ms(1_781_000_000_000)));
        for (status, name, value, expected) in [
            (429, "anthropic-ratelimit-unified-reset", "1781000000", end),
            (429, "x-ratelimit-reset", " 1781000000000 ", end),
            (429, "x-ratelimit-reset", "soon", None),
            (429, "x-ratelimit-reset", "60", None),
            (429, "x-ratelimit-limit", "1781000000", None),
            (500, "anthropic-ratelimit-unified-reset", "1781000000", None),
        ] {
            let header = |asked: &str| (asked == name).then_some(value);
            let read = RetryAfter::of_headers(Some(status), header);
            assert_eq!(read, expected, "{status} {name} {value}");
        }
        let both = |name: &str| match name {
            "retry-after" => Some("2"),
            "retry-after-ms" => None,
            _ => Some("1781000000"),
        };
        let wait = RetryAfter::of_headers(Some(429), both);
        assert_eq!(wait, Some(RetryAfter::In(Duration::from_secs(2))));
    }

    #[test]
    fn the_time_of_an_error_is_read_however_it_is_told() {
        // A Monday, 20:00 in Berlin and 16:00 in Sao Paulo.
        let now: Timestamp = "2026-06-08T19:00:00Z".parse().unwrap();
        let local = TimeZone::fixed(jiff::tz::offset(2));
        for (message, expected) in [
            (
                "You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours 12 minutes.",
                Some("2026-06-11T23:12:00Z"),
            ),
            (
                "try again in 3 days, 4 hours and 12 minutes",
                Some("2026-06-11T23:12:00Z"),
            ),
            (
                "Your quota will reset after 3h12m5s.",
                Some("2026-06-08T22:12:05Z"),
            ),
            (
                "Limit reached. Please try again in 1.5s. Visit us.",
                Some("2026-06-08T19:00:01.500Z"),
            ),
            (
                "slow\nSuggested retry after 3.07s.]\nPlease wait",
                Some("2026-06-08T19:00:03.070Z"),
            ),
            ("Wait 5 minutes and retry", Some("2026-06-08T19:05:00Z")),
            (
                "Claude AI usage limit reached|1781000000",
                Some("2026-06-09T10:13:20Z"),
            ),
            (
                "5-hour limit reached \u{2219} resets 10pm",
                Some("2026-06-08T20:00:00Z"),
            ),
            (
                "5-hour limit reached \u{b7} resets 8:30 PM",
                Some("2026-06-09T18:30:00Z"),
            ),
            ("resets 8pm (UTC)", Some("2026-06-08T20:00:00Z")),
            ("resets at 12am GMT", Some("2026-06-09T00:00:00Z")),
            ("resets at 21:30", Some("2026-06-08T19:30:00Z")),
            ("Your limit will reset at 3am (Mars/Phobos).", None),
            ("resets Jun 9 at 1am (UTC)", Some("2026-06-09T01:00:00Z")),
            ("resets Jun 8, 6pm (UTC)", Some("2026-06-08T18:00:00Z")),
            ("resets May 1 at 1am (UTC)", Some("2027-05-01T01:00:00Z")),
            (
                "try again at Jan 5th, 2027 3:14 PM.",
                Some("2027-01-05T13:14:00Z"),
            ),
            ("resets Thu 9am (UTC)", Some("2026-06-11T09:00:00Z")),
            (
                "resets at 2026-06-30T01:00:00Z",
                Some("2026-06-30T01:00:00Z"),
            ),
            (
                "429: {\"error\": {\"resets_in_seconds\": 60}}",
                Some("2026-06-08T19:01:00Z"),
            ),
            ("try again later", None),
            ("resets Feb 30 at 1am", None),
            ("retry 3 times", None),
            ("resets at 25pm and 61:99", None),
            ("", None),
        ] {
            let expected = expected.map(|at| at.parse().unwrap());
            assert_eq!(reset_time(message, now, &local), expected, "{message}");
        }
    }

    #[test]
    fn the_zone_of_a_time_is_found_by_its_name() {
        let Ok(zone) = TimeZone::get("America/Sao_Paulo") else {
            return;
        };
        let now = "2026-06-08T19:00:00Z".parse().unwrap();
        let message = "resets Jun 9 at 1am (America/Sao_Paulo)";
        let at = reset_time(message, now, &TimeZone::UTC).unwrap();
        assert_eq!(at, "2026-06-09T04:00:00Z".parse().unwrap());
        let local = reset_time("resets Jun 9 at 1am", now, &zone);
        assert_eq!(local, Some(at));
    }

    #[test]
    fn a_body_names_a_wait_or_a_time_in_one_of_its_fields() {
        let after = |ms| Some(RetryAfter::In(Duration::from_millis(ms)));
        let at = |ms| Some(RetryAfter::At(Timestamp::from_unix_ms(ms)));
        for (body, expected) in [
            (
                r#"[{"error":{"code":429,"details":[{},1,{"retryDelay":"7.5s"}]}}]"#,
                after(7_500),
            ),
            (
                r#"{"error":{"resets_in_seconds":12,"resets_at":1781000000}}"#,
                at(1_781_000_000_000),
            ),
            (
                r#"{"error":{"resets_at":1781000000123}}"#,
                at(1_781_000_000_123),
            ),
            (
                r#"{"resets_at":"2026-06-09T10:13:20Z"}"#,
                at(1_781_000_000_000),
            ),
            (r#"x {"retry_after":0.25} y"#, after(250)),
            (r#"{"details":[{"retryDelay":"7"},{"retryDelay":7}]}"#, None),
            (r#"{"resets_in_seconds":-1,"resets_at":7}"#, None),
            ("} terminated {", None),
            ("", None),
        ] {
            assert_eq!(RetryAfter::in_body(body), expected, "{body}");
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
