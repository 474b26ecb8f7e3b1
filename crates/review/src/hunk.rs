//! The differences between two versions of a file.

use std::ops::Range;

use imara_diff::sources::byte_lines;
use imara_diff::{Algorithm, Diff, InternedInput};

/// A range of whole lines that differs, in bytes of the old and of the new
/// version. The old range is empty for added lines, the new one for removed lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Returns the ranges that differ, in order.
pub(crate) fn hunks(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let differing = line_hunks(old, new).into_iter();
    let (old, new) = (line_starts(old), line_starts(new));
    let bytes = |starts: &[usize], lines: Range<usize>| starts[lines.start]..starts[lines.end];
    differing
        .map(|(before, after)| Hunk {
            old: bytes(&old, before),
            new: bytes(&new, after),
        })
        .collect()
}

/// Returns the lines that differ, by their numbers from 0 in the old and in the new
/// version.
pub(crate) fn line_hunks(old: &[u8], new: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let numbers = |lines: Range<u32>| lines.start as usize..lines.end as usize;
    let hunks = diff.hunks();
    hunks
        .map(|hunk| (numbers(hunk.before), numbers(hunk.after)))
        .collect()
}

/// Returns the start of each line, and the end of the content.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    for line in byte_lines(text) {
        starts.push(starts[starts.len() - 1] + line.len());
    }
    starts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the differences as pairs of old and new text.
    fn pairs<'t>(old: &'t str, new: &'t str) -> Vec<(&'t str, &'t str)> {
        let hunks = hunks(old.as_bytes(), new.as_bytes());
        let texts = hunks.into_iter();
        texts.map(|hunk| (&old[hunk.old], &new[hunk.new])).collect()
    }

    #[test]
    fn differences_are_whole_lines() {
        for (old, new, expected) in [
            ("a\nb\n", "a\nb\n", vec![]),
            ("", "", vec![]),
            ("", "a\n", vec![("", "a\n")]),
            ("a\n", "", vec![("a\n", "")]),
            ("a\nb\nc\n", "a\nx\nc\n", vec![("b\n", "x\n")]),
            ("a\nc", "a\nb\nc", vec![("", "b\n")]),
            (
                "a\nb\nc\nd\ne\n",
                "a\nB\nc\nd\nE\nf\n",
                vec![("b\n", "B\n"), ("e\n", "E\nf\n")],
            ),
            (
                "1\nx\n2\nx\n3\n",
                "1\ny\n2\nx\n3\n4\n",
                vec![("x\n", "y\n"), ("", "4\n")],
            ),
        ] {
            assert_eq!(pairs(old, new), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_moved_line_differs_at_its_old_and_new_place() {
        assert_eq!(
            pairs("m\na\nb\nc\n", "a\nb\nc\nm\n"),
            [("m\n", ""), ("", "m\n")]
        );
    }

    proptest! {
        #[test]
        fn the_hunks_turn_the_old_text_into_the_new(old in "[ab\n]{0,40}", new in "[ab\n]{0,40}") {
            let mut made = String::new();
            let mut at = 0;
            for hunk in hunks(old.as_bytes(), new.as_bytes()) {
                made.push_str(&old[at..hunk.old.start]);
                prop_assert_eq!(made.len(), hunk.new.start);
                prop_assert_ne!(&old[hunk.old.clone()], &new[hunk.new.clone()]);
                made.push_str(&new[hunk.new]);
                at = hunk.old.end;
            }
            made.push_str(&old[at..]);
            prop_assert_eq!(made, new);
        }
    }
}
