//! Text for people.

use std::borrow::Cow;

use crate::style::{FAINT, RESET};

/// The text without control characters that could reach the terminal; line
/// ends and tabs stay.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let harmful = |char: char| char.is_control() && char != '\n' && char != '\t';
    if text.contains(harmful) {
        Cow::Owned(text.replace(harmful, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The printable text on one line, its words with single spaces between them.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    printable(&words.join(" ")).into_owned()
}

/// The printable text, each line after the first set off by `indent`.
pub(crate) fn indented(text: &str, indent: &str) -> String {
    let text = printable(text);
    let lines: Vec<_> = text.trim_end().lines().collect();
    lines.join(&format!("\n{indent}"))
}

/// The end of what a command printed, set off from what is said about it.
pub(crate) fn tail(output: &str) -> String {
    let output = printable(output);
    let lines = output
        .lines()
        .map(|line| format!("    {FAINT}|{RESET} {line}\n"));
    lines.collect()
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
        assert!(matches!(printable("plain"), Cow::Borrowed("plain")));
    }
}
