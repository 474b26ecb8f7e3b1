//! Lines for terminals.

use unicode_width::UnicodeWidthStr as _;

use crate::style::plain;

/// How much further the rest of a line is set off than its start.
const HANGING: usize = 2;

/// Lines at most `width` columns wide; without a width the lines as they are.
///
/// A line is ended between words alone, so that ids and paths stay whole, and where it
/// has cells, which are two blanks apart, between cells. A word that is wider than a
/// line has a line for itself. The rest of a line is set off further than its start.
#[must_use]
pub fn wrapped(text: String, width: Option<usize>) -> String {
    let Some(width) = width else { return text };
    if text.lines().all(|line| columns(line) <= width) {
        return text;
    }
    let lines = text.split('\n').map(|line| match columns(line) <= width {
        true => line.to_owned(),
        false => wrapped_line(line, width),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn columns(text: &str) -> usize {
    plain(text).width()
}

fn wrapped_line(line: &str, width: usize) -> String {
    let text = line.trim_start_matches(' ');
    let start = line.len() - text.len();
    let mut out = Out {
        text: " ".repeat(start),
        used: start,
        hanging: start + HANGING,
        width,
    };
    for cell in text.split("  ").filter(|cell| !cell.is_empty()) {
        let columns = columns(cell);
        if out.has_room(2, columns) || out.hanging + columns <= width {
            out.push(2, cell, columns);
            continue;
        }
        for (index, word) in cell.split(' ').enumerate() {
            let blanks = if index == 0 { 2 } else { 1 };
            out.push(blanks, word, self::columns(word));
        }
    }
    out.text
}

/// The lines so far.
struct Out {
    text: String,
    /// The columns of the last line.
    used: usize,
    /// How far the lines after the first are set off.
    hanging: usize,
    width: usize,
}

impl Out {
    fn is_at_start(&self) -> bool {
        let line = self.text.rsplit('\n').next().unwrap_or_default();
        line.trim_start().is_empty()
    }

    /// Whether text of this width fits on the last line.
    fn has_room(&self, blanks: usize, columns: usize) -> bool {
        let blanks = if self.is_at_start() { 0 } else { blanks };
        self.used + blanks + columns <= self.width
    }

    /// Appends text that is not cut, on a line of its own where it does not fit.
    fn push(&mut self, blanks: usize, text: &str, columns: usize) {
        let is_at_start = self.is_at_start();
        if !is_at_start && !self.has_room(blanks, columns) {
            self.text.push('\n');
            self.text.push_str(&" ".repeat(self.hanging));
            self.used = self.hanging;
        } else if !is_at_start {
            self.text.push_str(&" ".repeat(blanks));
            self.used += blanks;
        }
        self.text.push_str(text);
        self.used += columns;
    }
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
    fn scores_stay_beside_their_criteria() {
        let line = "  round 1  needs_revision  architecture 80  completeness 30  consistency 85  \
                    testability 45";
        assert_eq!(
            lines(line, 80),
            [
                "  round 1  needs_revision  architecture 80  completeness 30  consistency 85",
                "    testability 45",
            ]
        );
        assert_eq!(
            lines(line, 40),
            [
                "  round 1  needs_revision",
                "    architecture 80  completeness 30",
                "    consistency 85  testability 45",
            ]
        );
        assert_eq!(lines(line, 91), [line]);
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
