//! Automatic fixes for lines whose mistake has only one possible correction.

use std::io::{self, BufRead, Read, Write};
use std::ops::Range;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{MAX_LINE, OffsetTimestamp, PatternName, PatternNameError};
use crate::object::repeated_keys;

/// Copies all lines of an input, fixing those that can be fixed, and returns the number
/// of changed lines. Lines that are too long to be read are copied unchanged.
///
/// # Errors
/// Returns an error when the input cannot be read or the output cannot be written.
pub fn fix_lines(input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<u64> {
    let mut part = Vec::new();
    let mut is_line_start = true;
    let mut changes = 0;
    loop {
        part.clear();
        let max = MAX_LINE as u64 + 1;
        if Read::take(&mut *input, max).read_until(b'\n', &mut part)? == 0 {
            return Ok(changes);
        }
        let is_ended = part.ends_with(b"\n");
        // A last line without its end is complete if it is a JSON object.
        let line = part.strip_suffix(b"\n").unwrap_or(&part);
        let is_whole = is_line_start && line.len() < MAX_LINE;
        let fixed_line = Some(line).filter(|_| is_whole).and_then(fixed_line);
        match fixed_line {
            Some(fixed_line) => {
                output.write_all(&fixed_line)?;
                output.write_all(if is_ended { b"\n" } else { b"" })?;
                changes += 1;
            }
            None => output.write_all(&part)?,
        }
        is_line_start = is_ended;
    }
}

/// A range of a line and its replacement.
struct Edit {
    range: Range<usize>,
    text: String,
}

/// Returns the line with its pattern name in kebab case and with the date of its
/// timestamp; every other byte is unchanged. `None` if there is nothing to fix.
///
/// ```
/// use review_learning::corrections::fixed_line;
///
/// let line = br#"{"pattern_inferred": "scopeCreep", "x": 1}"#;
/// let fixed = fixed_line(line).unwrap();
/// assert_eq!(fixed, br#"{"pattern_inferred": "scope-creep", "x": 1}"#);
/// ```
pub fn fixed_line(line: &[u8]) -> Option<Vec<u8>> {
    let is_object = line.trim_ascii_start().starts_with(b"{");
    if !is_object || !repeated_keys(line).is_empty() {
        return None;
    }
    let raw: Fixable<'_> = serde_json::from_slice(line).ok()?;
    let mut edits: Vec<_> = [pattern(line, &raw), date(line, &raw)]
        .into_iter()
        .flatten()
        .collect();
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|edit| edit.range.start);
    let mut fixed_line = Vec::with_capacity(line.len() + 32);
    let mut from = 0;
    for edit in edits {
        fixed_line.extend_from_slice(&line[from..edit.range.start]);
        fixed_line.extend_from_slice(edit.text.as_bytes());
        from = edit.range.end;
    }
    fixed_line.extend_from_slice(&line[from..]);
    Some(fixed_line)
}

/// The fixable fields of a line, as they are written.
#[derive(Deserialize)]
struct Fixable<'l> {
    #[serde(borrow, default, deserialize_with = "present")]
    date: Option<&'l RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    timestamp: Option<&'l RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pattern_inferred: Option<&'l RawValue>,
}

/// Returns a field that is present, even if it is null.
fn present<'de: 'l, 'l, D: Deserializer<'de>>(from: D) -> Result<Option<&'l RawValue>, D::Error> {
    Deserialize::deserialize(from).map(Some)
}

fn pattern(line: &[u8], raw: &Fixable<'_>) -> Option<Edit> {
    let name = raw.pattern_inferred?;
    let text = text(name)?;
    if PatternName::new(text) != Err(PatternNameError::NotKebab) {
        return None;
    }
    Some(Edit {
        range: range(line, name)?,
        text: format!("\"{}\"", PatternName::converted(text)?.as_str()),
    })
}

fn date(line: &[u8], raw: &Fixable<'_>) -> Option<Edit> {
    let timestamp = OffsetTimestamp::new(text(raw.timestamp?)?)?;
    let date = timestamp.date();
    let Some(found) = raw.date else {
        // Every object starts with its brace, after optional blanks.
        let start = line.iter().position(|byte| *byte == b'{')? + 1;
        return Some(Edit {
            range: start..start,
            text: format!("\"date\":\"{date}\","),
        });
    };
    if text(found)? == date {
        return None;
    }
    Some(Edit {
        range: range(line, found)?,
        text: format!("\"{date}\""),
    })
}

/// Returns a string that has no escapes.
fn text(value: &RawValue) -> Option<&str> {
    let text = value.get().strip_prefix('"')?.strip_suffix('"')?;
    (!text.contains('\\')).then_some(text)
}

/// The bytes of the line that a value was borrowed from.
fn range(line: &[u8], value: &RawValue) -> Option<Range<usize>> {
    let value = value.get();
    let start = value.as_ptr().addr().checked_sub(line.as_ptr().addr())?;
    let range = start..start + value.len();
    (line.get(range.clone()) == Some(value.as_bytes())).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(line: &str) -> Option<String> {
        fixed_line(line.as_bytes()).map(|line| String::from_utf8(line).unwrap())
    }

    #[test]
    fn names_and_dates_are_fixed_and_the_rest_is_unchanged() {
        let line = r#" {"timestamp": "2026-03-02T01:00:00+02:00", "date":"2026-03-01","pattern_inferred":"Scope_Creep", "z": [1.0]}"#;
        let expected = r#" {"timestamp": "2026-03-02T01:00:00+02:00", "date":"2026-03-02","pattern_inferred":"scope-creep", "z": [1.0]}"#;
        assert_eq!(fixed(line).as_deref(), Some(expected));
        assert_eq!(fixed(expected), None);
    }

    #[test]
    fn a_missing_date_is_inserted_first() {
        assert_eq!(
            fixed(r#"{"timestamp":"2026-03-02T01:00:00Z"}"#).as_deref(),
            Some(r#"{"date":"2026-03-02","timestamp":"2026-03-02T01:00:00Z"}"#)
        );
    }

    #[test]
    fn all_lines_of_a_file_are_fixed() {
        let bad = r#"{"pattern_inferred":"a_b"}"#;
        let long = format!("{}{bad}", " ".repeat(MAX_LINE + 1));
        let text = format!("{bad}\nno\n\n{bad}\r\n{long}\n{bad}");
        let mut output = Vec::new();
        let changes = fix_lines(&mut text.as_bytes(), &mut output).unwrap();
        let good = r#"{"pattern_inferred":"a-b"}"#;
        let expected = format!("{good}\nno\n\n{good}\r\n{long}\n{good}");
        assert_eq!((changes, String::from_utf8(output).unwrap()), (3, expected));
    }

    #[test]
    fn a_name_keeps_the_letters_of_its_language() {
        for (name, expected) in [
            ("über-complex", Some("ueber-complex")),
            ("Größe Limit", Some("groesse-limit")),
            ("missingLimit", Some("missing-limit")),
            ("ошибка-limit", None),
        ] {
            let line = |name: &str| format!("{{\"pattern_inferred\":\"{name}\"}}");
            assert_eq!(fixed(&line(name)), expected.map(line), "{name}");
        }
    }

    #[test]
    fn an_ambiguous_mistake_is_left_as_it_is() {
        for line in [
            r#"{"timestamp":"2026-03-02T01:00:00","date":"2026-03-01"}"#,
            r#"{"timestamp":"2026-03-02T01:00:00Z","date":7}"#,
            r#"{"timestamp":"2026-03-02T01:00:00Z","date":"2026-03-0\u0031"}"#,
            r#"{"pattern_inferred":"_"}"#,
            r#"{"pattern_inferred":"a_b","pattern_inferred":"a_b"}"#,
            r#"{"pattern_inferred":"a_b","agent":"a","agent":"b"}"#,
            r#"{"pattern_inferred":"a_b""#,
            r#"["pattern_inferred"]"#,
            r#"["2026-03-01","2026-03-02T01:00:00Z","a_b"]"#,
            r#"{"timestamp":"2026-03-02T01:00:00Z","date":null}"#,
            "{}",
        ] {
            assert_eq!(fixed(line), None, "{line}");
        }
        let long = format!("{{\"pattern_inferred\":\"{}\"}}", "a".repeat(65));
        assert_eq!(fixed(&long), None);
    }
}
