//! Names in an issue: identifiers, code, quotations and numbers.

use std::collections::BTreeSet;
use std::fmt;

use super::word::is_mistyped;

/// A name in an issue, in a normalized notation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Anchor {
    /// An id, an identifier, a path, a flag, a code span or a quotation.
    Name(String),
    /// A section number.
    Section(String),
    /// A number, with its unit if it has one.
    Number(String, Option<&'static str>),
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Section(number) => write!(f, "\u{a7}{number}"),
            Self::Number(number, unit) => write!(f, "{number}{}", unit.unwrap_or_default()),
        }
    }
}

/// Units after a number, with their normalized notation.
const UNITS: &[(&str, &[&str])] = &[
    ("ns", &["ns", "nanosecond", "nanoseconds"]),
    ("us", &["us", "\u{b5}s", "microsecond", "microseconds"]),
    ("ms", &["ms", "msec", "millisecond", "milliseconds"]),
    ("s", &["s", "sec", "secs", "second", "seconds"]),
    ("min", &["min", "mins", "minute", "minutes"]),
    ("h", &["h", "hr", "hrs", "hour", "hours"]),
    ("d", &["d", "day", "days"]),
    ("w", &["week", "weeks"]),
    ("mo", &["month", "months"]),
    ("y", &["year", "years"]),
    ("bit", &["bit", "bits"]),
    ("b", &["b", "byte", "bytes"]),
    ("kb", &["kb", "kilobyte", "kilobytes"]),
    ("kib", &["kib"]),
    ("mb", &["mb", "megabyte", "megabytes"]),
    ("mib", &["mib"]),
    ("gb", &["gb", "gigabyte", "gigabytes"]),
    ("gib", &["gib"]),
    ("tb", &["tb", "terabyte", "terabytes"]),
    ("tib", &["tib"]),
    ("%", &["%", "percent"]),
    ("px", &["px", "pixel", "pixels"]),
    ("hz", &["hz"]),
    ("khz", &["khz"]),
    ("mhz", &["mhz"]),
    ("ghz", &["ghz"]),
    ("x", &["x", "times"]),
    ("$", &["$", "usd", "dollar", "dollars"]),
    ("\u{20ac}", &["\u{20ac}", "eur", "euro", "euros"]),
];

/// Numbers that are written as words.
const NUMBER_WORDS: &[(&str, &str)] = &[
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("twelve", "12"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
];

/// Returns the normalized notation of a unit.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let mut units = UNITS.iter();
    units
        .find(|(_, forms)| forms.contains(&word.as_str()))
        .map(|(unit, _)| *unit)
}

/// Returns the number that a lower-case word stands for.
pub(super) fn number_word(word: &str) -> Option<&'static str> {
    let mut words = NUMBER_WORDS.iter();
    words
        .find(|(name, _)| *name == word)
        .map(|(_, number)| *number)
}

impl Anchor {
    /// Parses a number, including a unit at its end.
    pub(super) fn number(text: &str) -> Option<Self> {
        let (text, before) = match text.strip_prefix(['$', '\u{20ac}']) {
            Some(rest) => (rest, unit(&text[..text.len() - rest.len()])),
            None => (text, None),
        };
        let (sign, text) = match text.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", text),
        };
        let is_of_number = |c: char| c.is_ascii_digit() || is_number_mark(c);
        let end = text.find(|c| !is_of_number(c)).unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        let (digits, rest) = (digits.trim_end_matches(is_number_mark), rest.trim_start());
        let rest_is_unit = rest.is_empty() || unit(rest).is_some();
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit()) && rest_is_unit;
        let number = || format!("{sign}{}", plain_number(digits));
        is_number.then(|| Self::Number(number(), unit(rest).or(before)))
    }

    /// Normalizes a name: case, brackets, and hyphens before digits.
    pub(super) fn name(text: &str) -> Self {
        let text = text
            .split('(')
            .next()
            .filter(|name| !name.trim().is_empty())
            .unwrap_or(text);
        let lower = text.to_lowercase();
        let words: Vec<_> = lower.split_whitespace().collect();
        Self::Name(words.join(" "))
    }

    /// Normalizes the id of a requirement, a task or similar: letters and numbers.
    pub(super) fn id(text: &str) -> Self {
        let mut id = String::new();
        for c in text.chars().flat_map(char::to_lowercase) {
            let after_letter = id.ends_with(char::is_alphabetic);
            match c {
                '-' | '_' | ' ' | '\u{2011}' => {}
                '0' if after_letter => id.push('0'),
                c if c.is_ascii_digit() && id.ends_with('0') && is_leading_zero(&id) => {
                    id.pop();
                    id.push(c);
                }
                c => id.push(c),
            }
        }
        Self::Name(id)
    }

    /// Whether both may be the same: they are equal, one is a part of the other such as
    /// the file name of a path, or a number has no unit.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(a), Self::Name(b)) => a == b || is_part(a, b) || is_part(b, a),
            (Self::Section(a), Self::Section(b)) => a == b,
            (Self::Number(a, of_a), Self::Number(b, of_b)) => {
                a == b && (of_a == of_b || of_a.is_none() || of_b.is_none())
            }
            (Self::Name(_) | Self::Section(_) | Self::Number(..), _) => false,
        }
    }

    /// The words of a quotation.
    pub(super) fn quoted_words(&self) -> impl Iterator<Item = &str> {
        let quoted = match self {
            Self::Name(name) if name.contains(' ') => name.as_str(),
            Self::Name(_) | Self::Section(_) | Self::Number(..) => "",
        };
        words(quoted)
    }

    /// Whether lower-case words express the same.
    pub(super) fn is_expressed_by(&self, said: &BTreeSet<String>) -> bool {
        let Self::Name(name) = self else {
            return false;
        };
        let has_digit = name.contains(|c: char| c.is_ascii_digit());
        !has_digit && words(name).all(|word| said.contains(word))
    }

    /// Whether it is a name that equals this word, possibly mistyped.
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Name(name) if name == word || is_mistyped(name, word))
    }

    /// Whether it is a name.
    pub(super) fn is_name(&self) -> bool {
        matches!(self, Self::Name(_))
    }

    /// Whether sharing it suggests that two issues are the same: a section is only a
    /// place, and a small number is only a count.
    pub(super) fn is_distinctive(&self) -> bool {
        match self {
            Self::Name(_) => true,
            Self::Section(_) => false,
            Self::Number(number, unit) => unit.is_some() || number.len() > 1,
        }
    }

    /// Whether both are names, numbers or sections.
    pub(super) fn is_of_kind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// Whether a name is the end of a longer path, or words of a longer quotation.
fn is_part(short: &str, long: &str) -> bool {
    let of_path = long
        .strip_suffix(short)
        .is_some_and(|before| before.ends_with(['/', '.', ':', ' ']));
    let of_words = long.contains(' ') && !short.is_empty() && {
        long.match_indices(short).any(|(at, _)| {
            let is_edge =
                |part: &str, c: Option<char>| part.is_empty() || c.is_some_and(|c| c == ' ');
            let (before, behind) = (&long[..at], &long[at + short.len()..]);
            is_edge(before, before.chars().next_back()) && is_edge(behind, behind.chars().next())
        })
    };
    of_path || of_words
}

/// Whether an id ends with a leading zero of its number.
fn is_leading_zero(id: &str) -> bool {
    let before = id[..id.len() - 1].chars().next_back();
    before.is_some_and(char::is_alphabetic)
}

fn is_number_mark(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | '/' | '-' | '\u{2013}')
}

/// Removes thousands separators and normalizes dashes.
fn plain_number(digits: &str) -> String {
    let groups: Vec<_> = digits.split(',').collect();
    let thousands = groups.len() > 1 && groups[1..].iter().all(|group| group.len() == 3);
    let plain = if thousands {
        groups.concat()
    } else {
        digits.to_owned()
    };
    plain.replace('\u{2013}', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Anchor {
        Anchor::name(text)
    }

    fn number(text: &str) -> Anchor {
        Anchor::number(text).unwrap()
    }

    #[test]
    fn names_are_the_same_if_one_is_the_end_or_some_words_of_the_other() {
        for (a, b, expected) in [
            (name("a.rs"), name("A.rs"), true),
            (name("src/a.rs"), name("a.rs"), true),
            (name("src/aa.rs"), name("a.rs"), false),
            (name("config.timeout"), name("timeout"), true),
            (name("config.timeout"), name("config"), false),
            (name("std::io"), name("io"), true),
            (name("get /users"), name("/users"), true),
            (name("get /users"), name("get /user"), false),
            (name("get /users"), name("post /users"), false),
            (name("as fast as possible"), name("as fast"), true),
            (name("as fast as possible"), name("fast as"), true),
            (name("as fast as possible"), name("ast as"), false),
            (name("as fast as possible"), name("fast a"), false),
            (number("30s"), number("30"), true),
            (number("30s"), number("30ms"), false),
            (number("30s"), number("60s"), false),
            (
                Anchor::Section("4".to_owned()),
                Anchor::Section("5".to_owned()),
                false,
            ),
            (name("30"), number("30"), false),
        ] {
            assert_eq!(
                (a.is_same(&b), b.is_same(&a)),
                (expected, expected),
                "{a} {b}"
            );
        }
    }

    #[test]
    fn a_name_without_digits_may_be_written_as_plain_words() {
        let said = ["retry", "policy", "3", "times"].map(str::to_owned).into();
        for (anchor, expected) in [
            (name("retry_policy"), true),
            (name("retry policy"), true),
            (name("retry"), true),
            (name("retry_count"), false),
            (name("3 times"), false),
            (number("3"), false),
        ] {
            assert_eq!(anchor.is_expressed_by(&said), expected, "{anchor}");
        }
    }

    #[test]
    fn a_number_has_digits_and_a_known_unit() {
        for (text, expected) in [
            ("5", Some("5")),
            ("5MB", Some("5mb")),
            ("1.5h", Some("1.5h")),
            ("10,000", Some("10000")),
            ("1,5", Some("1,5")),
            ("8:00", Some("8:00")),
            ("\u{20ac}5", Some("5\u{20ac}")),
            ("5apples", None),
            ("v5", None),
            ("-", None),
            ("", None),
        ] {
            let number = Anchor::number(text).map(|number| number.to_string());
            assert_eq!(number.as_deref(), expected, "{text}");
        }
    }
}
