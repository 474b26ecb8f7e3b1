//! Text for people.

use std::borrow::Cow;
use std::time::Duration;

use review_types::write_duration;
use serde_json::Value as Json;
use unicode_width::UnicodeWidthStr as _;

use crate::style::{FAINT, RESET};

/// Puts a visible sign in the place of each character that could do more than be
/// read: those that control a terminal, change the writing direction, or have no width.
/// Line ends and tabs stay, and what joins letters and signs to one.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_hidden = |char: char| {
        matches!(char, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let harmful = |char: char| char.is_control() && char != '\n' && char != '\t' || is_hidden(char);
    if text.contains(harmful) {
        Cow::Owned(text.replace(harmful, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The printable text on one line, its words with single spaces between them.
pub(crate) fn one_line(text: &str) -> String {
    printable(&review_types::one_line(text)).into_owned()
}

/// The last line of the printable text that has words, on one line: where programs say why
/// they failed.
pub(crate) fn last_line(text: &str) -> String {
    let mut lines = text.lines().rev();
    lines
        .find_map(|line| Some(one_line(line)).filter(|line| !line.is_empty()))
        .unwrap_or_default()
}

/// The printable text, each line after the first set off by `indent`.
pub(crate) fn indented(text: &str, indent: &str) -> String {
    let text = printable(text);
    let lines: Vec<_> = text.trim_end().lines().collect();
    lines.join(&format!("\n{indent}"))
}

/// The rows as lines, their cells in columns.
pub(crate) fn columns<const N: usize>(rows: &[[String; N]]) -> impl Iterator<Item = String> {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    rows.iter().map(move |row| {
        let cells = row.iter().zip(widths);
        let cells: Vec<_> = cells
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.width())))
            .collect();
        cells.join("  ").trim_end().to_owned()
    })
}

/// A time for people: minutes and seconds from one minute on, tenths of a second from one
/// second on.
pub(crate) fn seconds(took: Duration) -> String {
    match took.as_millis() {
        60_000.. => write_duration(Duration::from_secs(took.as_secs())),
        ms @ 1_000.. => format!("{}.{}s", ms / 1_000, ms % 1_000 / 100),
        ms => format!("{ms}ms"),
    }
}

/// The end of what a command printed, set off from the report on it.
pub(crate) fn tail(output: &str) -> String {
    let output = printable(output);
    let lines = output
        .lines()
        .map(|line| format!("    {FAINT}|{RESET} {line}\n"));
    lines.collect()
}

/// What an object holds, a field a line, that of objects in it below; what is empty is left
/// out.
pub(crate) fn fields(value: &Json, indent: &str) -> String {
    let Json::Object(object) = value else {
        return String::new();
    };
    let mut text = String::new();
    let below = format!("{indent}  ");
    for (name, field) in object {
        let name = format!("{indent}{FAINT}{}{RESET}:", printable(name));
        let block = match field {
            Json::Object(_) => fields(field, &below),
            Json::Array(items) => items.iter().map(|item| listed(item, &below)).collect(),
            _ => String::new(),
        };
        let line = match field {
            Json::Array(items) if block.is_empty() => {
                items.iter().map(scalar).collect::<Vec<_>>().join(", ")
            }
            Json::Array(_) | Json::Object(_) => String::new(),
            other => scalar(other),
        };
        if !block.is_empty() {
            text.push_str(&format!("{name}\n{block}"));
        } else if !line.is_empty() {
            text.push_str(&format!("{name} {}\n", indented(&line, &below)));
        }
    }
    text
}

/// An object in a list, behind a hyphen.
fn listed(item: &Json, indent: &str) -> String {
    let inner = fields(item, &format!("{indent}  "));
    let first = inner
        .get(indent.len() + 2..)
        .filter(|first| !first.is_empty());
    first.map_or_else(String::new, |first| format!("{indent}- {first}"))
}

/// A value on its own.
fn scalar(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Number(number) if number.is_f64() => {
            format!("{:.2}", number.as_f64().unwrap_or_default())
        }
        other => other.to_string(),
    }
}

/// A task's command to copy, or where it is found if it has several lines.
pub(crate) fn named_command(command: &str) -> String {
    match command.trim().lines().count() {
        0 | 1 => format!("`{}`", printable(command.trim())),
        lines => format!("its command of {lines} lines in its file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(
            printable("a\x1b[31mb\r\n\tc"),
            "a\u{fffd}[31mb\u{fffd}\n\tc"
        );
        for hidden in [
            "\u{202e}", "\u{200b}", "\u{feff}", "\u{ad}", "\u{61c}", "\u{180e}",
        ] {
            assert_eq!(printable(&format!("a{hidden}b")), "a\u{fffd}b");
        }
        assert_eq!(printable("👩\u{200d}🚀"), "👩\u{200d}🚀");
        assert!(matches!(printable("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn the_last_line_with_words_says_why() {
        for (text, expected) in [
            ("one  reason", "one reason"),
            (
                "Traceback:\n  at a.py\nPermissionError: x\n \n",
                "PermissionError: x",
            ),
            ("\n", ""),
        ] {
            assert_eq!(last_line(text), expected);
        }
    }

    #[test]
    fn what_an_object_holds_has_a_line_a_field_and_what_is_empty_has_none() {
        let object = serde_json::json!({
            "a": "one\n\u{1b}two", "b": {"c": 0.625, "d": null}, "e": [1, "x"], "f": [], "g": {},
        });
        assert_eq!(
            crate::style::plain(&fields(&object, "  ")),
            "  a: one\n    \u{fffd}two\n  b:\n    c: 0.62\n  e: 1, x\n"
        );
    }

    #[test]
    fn only_a_command_of_one_line_is_there_to_copy() {
        for (command, expected) in [
            ("test \"a  b\" = c\n", "`test \"a  b\" = c`"),
            (
                "# both\nfor f in a b; do\n  test -f $f\ndone\n",
                "its command of 4 lines in its file",
            ),
        ] {
            assert_eq!(named_command(command), expected);
        }
    }
}
