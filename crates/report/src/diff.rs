//! Unified diffs, and what a run changed.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Interner, Token};
use review_types::{RunId, plural};
use serde::Serialize;

use crate::style::{ADDED, HINT, REMOVED, RESET, STRONG};
use crate::text::printable;

/// The lines that are shown around each difference.
const CONTEXT: u32 = 3;

/// Returns the unified diff of two strings; empty where they are equal. The names are
/// in its head.
#[must_use]
pub fn unified(names: (&str, &str), before: &str, after: &str) -> String {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks: Vec<Hunk> = diff.hunks().collect();
    let mut text = String::new();
    if !hunks.is_empty() {
        let (before, after) = names;
        text = format!("--- {before}\n+++ {after}\n");
    }
    let is_apart = |one: &Hunk, next: &Hunk| next.before.start - one.before.end > 2 * CONTEXT;
    for group in hunks.chunk_by(|one, next| !is_apart(one, next)) {
        write_group(&mut text, group, &input);
    }
    text
}

/// Writes differences that are near each other, with the lines around them.
fn write_group(text: &mut String, group: &[Hunk], input: &InternedInput<&str>) {
    let [first, ..] = group else { return };
    let last = &group[group.len() - 1];
    let start = first.before.start.saturating_sub(CONTEXT);
    let end =
        (last.before.end + CONTEXT).min(u32::try_from(input.before.len()).unwrap_or(u32::MAX));
    let old = start..end;
    let new =
        first.after.start - (first.before.start - start)..last.after.end + (end - last.before.end);
    text.push_str(&format!("@@ -{} +{} @@\n", numbers(&old), numbers(&new)));
    let mut write = |sign, side: &[Token], lines: Range<u32>| {
        for token in &side[lines.start as usize..lines.end as usize] {
            write_line(text, sign, *token, &input.interner);
        }
    };
    let mut at = start;
    for hunk in group {
        write(' ', &input.before, at..hunk.before.start);
        write('-', &input.before, hunk.before.clone());
        write('+', &input.after, hunk.after.clone());
        at = hunk.before.end;
    }
    write(' ', &input.before, at..end);
}

fn write_line(text: &mut String, sign: char, line: Token, lines: &Interner<&str>) {
    let line = lines[line];
    text.push(sign);
    text.push_str(line);
    if !line.ends_with('\n') {
        text.push_str("\n\\ No newline at end of file\n");
    }
}

/// A range of lines as the head of a group has it: the first line from 1 and
/// their number; an empty range names the line before it.
fn numbers(lines: &Range<u32>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// What a line of a diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// The beginning of a file of git.
    File,
    /// The name of a file before or after.
    Name,
    /// The head of a hunk.
    Place,
    /// A line that is new.
    Added,
    /// A line that is gone.
    Removed,
    /// Any other.
    Other,
}

/// The lines of a diff with their ends, and what each is. What is in a hunk is text, whatever
/// it looks like.
pub(crate) fn kinds(diff: &str) -> impl Iterator<Item = (LineKind, &str)> {
    let (mut old, mut new) = (0_usize, 0_usize);
    diff.split_inclusive('\n').map(move |line| {
        let kind = if old > 0 || new > 0 {
            let (kind, gone, came) = match line.as_bytes().first() {
                Some(b'-') => (LineKind::Removed, 1, 0),
                Some(b'+') => (LineKind::Added, 0, 1),
                Some(b'\\') => (LineKind::Other, 0, 0),
                _ => (LineKind::Other, 1, 1),
            };
            (old, new) = (old.saturating_sub(gone), new.saturating_sub(came));
            kind
        } else if let Some(head) = line.strip_prefix("@@ -") {
            (old, new) = lines_of(head).unwrap_or_default();
            LineKind::Place
        } else if line.starts_with("diff --git ") {
            LineKind::File
        } else if line.starts_with("--- ") || line.starts_with("+++ ") {
            LineKind::Name
        } else {
            LineKind::Other
        };
        (kind, line)
    })
}

/// Returns the lines of a diff in the colours that tools have for them.
#[must_use]
pub fn coloured(diff: &str) -> String {
    let mut text = String::with_capacity(diff.len());
    for (kind, line) in kinds(diff) {
        let style = match kind {
            LineKind::Name => STRONG,
            LineKind::Place => HINT,
            LineKind::Added => ADDED,
            LineKind::Removed => REMOVED,
            LineKind::File | LineKind::Other => {
                text.push_str(line);
                continue;
            }
        };
        let (line, end) = line
            .strip_suffix('\n')
            .map_or((line, ""), |line| (line, "\n"));
        text.push_str(&format!("{style}{line}{RESET}{end}"));
    }
    text
}

/// What a run changed. This is the object that `--format json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct DiffReport {
    /// The run.
    pub run: RunId,
    /// The files that changed, in the order of the diff.
    pub files: Vec<FileChange>,
    /// The change as a unified diff.
    pub diff: String,
}

/// A file that a run changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Its path after the change, as the diff has it.
    pub path: String,
    /// The lines that are new in it.
    pub added: usize,
    /// The lines that are gone from it.
    pub removed: usize,
}

impl DiffReport {
    /// The change of a run, with the files that its diff is about.
    #[must_use]
    pub fn new(run: RunId, diff: String) -> Self {
        Self {
            run,
            files: files(&diff),
            diff,
        }
    }

    /// Returns the files with the lines that were added and removed, a line each, and the sums.
    #[must_use]
    pub fn stat(&self) -> String {
        let width = self
            .files
            .iter()
            .map(|file| file.path.chars().count())
            .max();
        let width = width.unwrap_or_default();
        let mut text = String::new();
        for FileChange {
            path,
            added,
            removed,
        } in &self.files
        {
            let path = printable(path);
            text.push_str(&format!(
                " {path:width$} | {ADDED}+{added}{RESET} {REMOVED}-{removed}{RESET}\n"
            ));
        }
        let sum = |lines: fn(&FileChange) -> usize| self.files.iter().map(lines).sum::<usize>();
        let (added, removed) = (sum(|file| file.added), sum(|file| file.removed));
        let count = plural(self.files.len(), "file", "files");
        text.push_str(&format!(" {count} changed, +{added} -{removed}\n"));
        text
    }
}

/// Returns the files that a diff is about.
fn files(diff: &str) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    for (kind, line) in kinds(diff) {
        let line = line.trim_end_matches('\n');
        if let (LineKind::File, Some(names)) = (kind, line.strip_prefix("diff --git ")) {
            let (_, path) = names.rsplit_once(" b/").unwrap_or((names, names));
            files.push(FileChange {
                path: path.to_owned(),
                ..FileChange::default()
            });
        }
        let Some(file) = files.last_mut() else {
            continue;
        };
        match kind {
            LineKind::Name => {
                if let Some(path) = line.strip_prefix("+++ b/") {
                    file.path = path.trim_end_matches('\t').to_owned();
                }
            }
            LineKind::Added => file.added += 1,
            LineKind::Removed => file.removed += 1,
            LineKind::File | LineKind::Place | LineKind::Other => {}
        }
    }
    files
}

/// The lines of both sides of a hunk whose head is `1,2 +3 @@` after its first sign.
fn lines_of(head: &str) -> Option<(usize, usize)> {
    let mut ranges = head.split(' ');
    let lines = |range: &str| match range.split_once(',') {
        Some((_, lines)) => lines.parse().ok(),
        None => Some(1),
    };
    Some((
        lines(ranges.next()?)?,
        lines(ranges.next()?.strip_prefix('+')?)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_three_lines_around_each_group_of_changes() {
        let text = |changed: &[u32]| -> String {
            let line = |n| {
                if changed.contains(&n) {
                    format!("{n}!\n")
                } else {
                    format!("{n}\n")
                }
            };
            (1..=20).map(line).collect()
        };
        let diff = unified(("a", "b"), &text(&[]), &text(&[5, 12, 20]));
        assert_eq!(
            diff,
            "--- a\n+++ b\n@@ -2,14 +2,14 @@\n 2\n 3\n 4\n-5\n+5!\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n\
             +12!\n 13\n 14\n 15\n@@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+20!\n"
        );
        assert_eq!(unified(("a", "b"), "same\n", "same\n"), "");
    }

    #[test]
    fn what_is_in_a_hunk_is_text_whatever_it_looks_like() {
        use LineKind::{Added, File, Name, Other, Place, Removed};
        let before = "-- old\n@@ -1 +1 @@\n";
        let change = unified(("a", "b"), before, "++ new\n@@ -1 +1 @@");
        let diff = format!("diff --git a/a b/a\nindex 1..2\n{change}{change}");
        let found: Vec<_> = kinds(&diff).map(|(kind, _)| kind).collect();
        let of_change = [Name, Name, Place, Removed, Removed, Added, Added, Other];
        assert_eq!(
            found,
            [&[File, Other] as &[_], &of_change, &of_change].concat()
        );
        let lines = coloured(&change);
        assert!(
            lines.contains(&format!("\n{REMOVED}--- old{RESET}\n")),
            "{lines}"
        );
        assert!(
            lines.contains(&format!("\n{ADDED}+++ new{RESET}\n")),
            "{lines}"
        );
    }

    #[test]
    fn files_of_a_diff_are_counted_by_its_hunks() {
        let inner = "--- a\n+++ b/inner\n@@ -1 +1 @@\n";
        let first = unified(("a/x y.md", "b/x y.md"), inner, "one\n");
        let last = "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n\
                    diff --git a/img.png b/img.png\nBinary files a/img.png and b/img.png differ\n";
        let diff = format!("diff --git a/x y.md b/x y.md\n{first}{last}");
        let change = |path: &str, added, removed| FileChange {
            path: path.to_owned(),
            added,
            removed,
        };
        let run = RunId::new("0192f0c1-0000-7000-8000-000000000000").unwrap();
        let report = DiffReport::new(run, diff);
        let expected = [
            change("x y.md", 1, 3),
            change("new", 0, 0),
            change("img.png", 0, 0),
        ];
        assert_eq!(report.files, expected);
        assert!(
            report.stat().ends_with(" 3 files changed, +1 -3\n"),
            "{}",
            report.stat()
        );
    }

    #[test]
    fn ends_of_texts_are_as_tools_for_patches_write_them() {
        for (before, after, expected) in [
            ("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"),
            ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
            (
                "a",
                "a\n",
                "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
            ),
            (
                "x\na\r",
                "a\r",
                "@@ -1,2 +1 @@\n-x\n a\r\n\\ No newline at end of file\n",
            ),
        ] {
            let diff = unified(("p", "q"), before, after);
            assert_eq!(diff, format!("--- p\n+++ q\n{expected}"), "{before:?}");
        }
    }
}
