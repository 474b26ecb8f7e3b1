//! What an agent opened of the files of which its prompt gives the paths.

use std::ops::Range;
use std::sync::Arc;

use review_flow::{ContentStore, MissingContent};
use review_types::{Hash, Manifest, Opened};
use serde::{Deserialize, Serialize};

use crate::hunk::line_hunks;

/// What the tools of an agent showed of the files, in this call and before it in the
/// same session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedText {
    /// The share of the files, and what is missing.
    pub opened: Opened,
    /// The lines of each file.
    pub files: Vec<OpenedFile>,
}

/// The lines of a file that were opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedFile {
    /// The file.
    pub path: String,
    /// Hash of its text.
    pub text: Hash,
    /// The ranges of its lines, from 0.
    pub lines: Vec<Range<usize>>,
}

/// Returns the lines that were opened and are unchanged in a newer state of the files.
pub(crate) fn still_opened(
    files: &[OpenedFile],
    now: &Manifest,
    texts: &ContentStore,
) -> Result<Vec<OpenedFile>, MissingContent> {
    let mut unchanged = Vec::new();
    for file in files {
        let Some(entry) = now.get(&file.path) else {
            continue;
        };
        if entry.hash == file.text {
            unchanged.push(file.clone());
            continue;
        }
        let old = match texts.get(&file.text) {
            Ok(old) => old,
            // Without its old text, nothing of the file counts as unchanged.
            Err(MissingContent::Gone(_)) => continue,
            Err(error) => return Err(error),
        };
        let new: Arc<[u8]> = texts.get(&entry.hash)?;
        unchanged.push(OpenedFile {
            path: file.path.clone(),
            text: entry.hash,
            lines: unchanged_lines(&file.lines, &old, &new),
        });
    }
    Ok(unchanged)
}

/// Returns the ranges of lines at their new places, without the lines that differ.
fn unchanged_lines(lines: &[Range<usize>], old: &[u8], new: &[u8]) -> Vec<Range<usize>> {
    let mut unchanged = Vec::new();
    let (mut from, mut to) = (0, 0);
    let end = (usize::MAX..usize::MAX, 0..0);
    for (before, after) in line_hunks(old, new).into_iter().chain([end]) {
        for range in lines {
            let (start, end) = (range.start.max(from), range.end.min(before.start));
            if start < end {
                unchanged.push(start - from + to..end - from + to);
            }
        }
        (from, to) = (before.end, after.end);
    }
    unchanged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_place_in_the_text_around_a_change() {
        let old = b"1\n2\n3\n4\n5\n6\n";
        for (new, opened, expected) in [
            ("1\n2\n3\n4\n5\n6\n", vec![0..2, 4..6], vec![0..2, 4..6]),
            (
                "1\n2\nX\n4\n5\n6\n",
                vec![Range { start: 0, end: 6 }],
                vec![0..2, 3..6],
            ),
            ("0\n1\n2\n3\n4\n5\n6\n", vec![0..2, 5..6], vec![1..3, 6..7]),
            ("1\n4\n5\n6\n", vec![0..3, 3..5], vec![0..1, 1..3]),
            ("", vec![Range { start: 0, end: 6 }], vec![]),
            ("X\n", vec![], vec![]),
        ] {
            let came = unchanged_lines(&opened, old, new.as_bytes());
            assert_eq!(came, expected, "{new:?} {opened:?}");
        }
    }
}
