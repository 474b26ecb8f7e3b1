//! Titles of tests after marks, indented below their suites.

use super::listed::{Ended, SeenTests};

/// Maximum nesting of suites.
const MAX_DEPTH: usize = 16;

/// Maximum number of bytes of a suite's title.
const MAX_TITLE: usize = 1024;

/// Returns the mark of a line, and the title after it.
pub(super) fn marked(line: &str) -> Option<(Ended, &str)> {
    let (mark, title) = line.split_once(' ')?;
    let ended = match mark {
        "✓" | "✔" | "√" => Ended::Passed,
        "✕" | "✖" | "×" | "✗" => Ended::Failed,
        "○" | "↓" | "﹣" | "✎" | "□" => Ended::Skipped,
        _ => return None,
    };
    Some((ended, title.trim_start()))
}

/// Returns the number of spaces before a line.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns a title without the times and attempts that runners add.
pub(super) fn without_notes(title: &str) -> &str {
    let mut title = title;
    while let Some((rest, note)) = last_note(title) {
        let is_again = ["retry x", "repeat x"]
            .iter()
            .any(|word| note.starts_with(word));
        if !is_again && !is_time(note) {
            break;
        }
        title = rest.trim_end();
    }
    title
}

fn last_note(title: &str) -> Option<(&str, &str)> {
    match title.strip_suffix(')') {
        Some(open) => open.rsplit_once(" ("),
        None => title.rsplit_once(' '),
    }
}

/// Returns whether a string is a time such as `1.2ms`, `3 ms` or `1s`.
fn is_time(text: &str) -> bool {
    let number = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let unit = &text[number.len()..];
    matches!(unit, "ms" | "s" | "m") && number.trim_end().parse::<f64>().is_ok()
}

/// The suites around a line, by their indentation.
#[derive(Debug, Default)]
pub(super) struct Suites {
    open: Vec<(usize, String)>,
}

impl Suites {
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Adds the title of a suite.
    pub(super) fn open(&mut self, indent: usize, title: &str) {
        self.close(indent);
        if self.open.len() < MAX_DEPTH && title.len() <= MAX_TITLE {
            self.open.push((indent, title.to_owned()));
        }
    }

    /// Closes the suites that a line does not belong to; returns whether one with
    /// this title had the line's indentation.
    pub(super) fn close(&mut self, indent: usize) -> bool {
        let kept = self.open.partition_point(|(outer, _)| *outer < indent);
        let closed = self.open.get(kept).is_some_and(|(own, _)| *own == indent);
        self.open.truncate(kept);
        closed
    }

    /// Records the end of a test with this indentation.
    pub(super) fn ended(&mut self, indent: usize, title: &str, how: Ended, seen: &mut SeenTests) {
        self.close(indent);
        let short = without_notes(title);
        let suites = || self.open.iter().map(|(_, suite)| suite.as_str());
        let name = || suites().chain([short]).collect::<Vec<_>>().join(" > ");
        seen.ended(name, suites().chain([short]), how);
        if short != title {
            seen.mark(suites().chain([title]), how.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_of_runners_to_a_title_are_removed() {
        for (title, expected) in [
            ("adds (2 ms)", "adds"),
            ("adds (0.55ms)", "adds"),
            ("adds 3ms", "adds"),
            ("adds (retry x2) 1.20s", "adds"),
            ("adds (two)", "adds (two)"),
            ("adds 3", "adds 3"),
            ("(2 ms)", "(2 ms)"),
            ("", ""),
        ] {
            assert_eq!(without_notes(title), expected);
        }
    }
}
