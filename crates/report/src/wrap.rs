//! Lines for terminals.

use unicode_width::UnicodeWidthStr as _;

use crate::style::plain;

/// How much further the rest of a line is set off than its start.
const HANGING: usize = 2;

/// Lines at most `width` columns wide; without a width the lines as they are.
///
/// A line is ended between words alone, so that ids and paths stay whole. A word that is
/// wider than a line has a line for itself. The rest of a line is set off further than its
/// start.
#[must_use]
pub fn wrapped(text: String, width: Option<usize>) -> String {
    let Some(width) = width else { return text };
    let lines = text.split('\n').map(|line| wrapped_line(line, width));
    lines.collect::<Vec<_>>().join("\n")
}

fn columns(text: &str) -> usize {
    plain(text).width()
}

fn wrapped_line(line: &str, width: usize) -> String {
    let start = line.len() - line.trim_start_matches(' ').len();
    let (start, words) = line.split_at(start);
    let (mut text, mut used) = (start.to_owned(), start.len());
    for (at, word) in words.split(' ').enumerate() {
        let columns = columns(word);
        if at > 0 && used + 1 + columns > width {
            text.truncate(text.trim_end().len());
            text.push_str(&format!("\n{start}{}", " ".repeat(HANGING)));
            used = start.len() + HANGING;
        } else if at > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += columns;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{FAINT, RESET};

    fn lines(text: &str, width: usize) -> Vec<String> {
        let text = wrapped(text.to_owned(), Some(width));
        text.split('\n').map(str::to_owned).collect()
    }

    #[test]
    fn lines_end_between_words() {
        let line = "  round 1  needs_revision  architecture 80  completeness 30";
        assert_eq!(
            lines(line, 40),
            [
                "  round 1  needs_revision  architecture",
                "    80  completeness 30",
            ]
        );
        assert_eq!(lines(line, line.len()), [line]);
        assert_eq!(wrapped(line.to_owned(), None), line);
    }

    #[test]
    fn words_ids_and_paths_are_never_cut() {
        let text = "  reviewer cmd:judge · run 0199c0de-0000-7000-8000-000000000000\n\nnext\n";
        assert_eq!(
            lines(text, 30),
            [
                "  reviewer cmd:judge · run",
                "    0199c0de-0000-7000-8000-000000000000",
                "",
                "next",
                "",
            ]
        );
        let path = "specs/a-very-long-path-that-is-wider-than-any-line.md";
        assert_eq!(lines(path, 20), [path]);
    }

    #[test]
    fn styles_take_no_columns() {
        let text = format!("{FAINT}one two three{RESET}");
        assert_eq!(wrapped(text.clone(), Some(13)), text);
        assert_eq!(
            wrapped(text, Some(8)),
            format!("{FAINT}one two\n  three{RESET}")
        );
    }
}
