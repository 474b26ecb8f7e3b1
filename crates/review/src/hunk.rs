//! The differences between two versions of a file.

use std::ops::Range;

use imara_diff::sources::byte_lines;
use imara_diff::{Algorithm, Diff, InternedInput};

/// Returns the byte ranges of whole lines of `new` that differ from `old`, in order; an empty
/// one where lines were removed.
pub(crate) fn changed_ranges(old: &[u8], new: &[u8]) -> Vec<Range<usize>> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let mut starts = vec![0];
    for line in byte_lines(new) {
        starts.push(starts[starts.len() - 1] + line.len());
    }
    let at = |line: u32| starts[line as usize];
    let hunks = diff.hunks();
    hunks
        .map(|hunk| at(hunk.after.start)..at(hunk.after.end))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_differs_are_whole_lines_at_their_new_place() {
        for (old, new, expected) in [
            ("a\nb\n", "a\nb\n", vec![]),
            ("", "", vec![]),
            ("", "a\n", vec![(0, "a\n")]),
            ("a\n", "", vec![(0, "")]),
            ("a\nb\nc\n", "a\nx\nc\n", vec![(2, "x\n")]),
            ("a\nc", "a\nb\nc", vec![(2, "b\n")]),
            (
                "a\nb\nc\nd\ne\n",
                "a\nB\nc\nd\nE\nf\n",
                vec![(2, "B\n"), (8, "E\nf\n")],
            ),
            (
                "1\nx\n2\nx\n3\n",
                "1\ny\n2\nx\n3\n4\n",
                vec![(2, "y\n"), (10, "4\n")],
            ),
            ("m\na\nb\nc\n", "a\nb\nc\nm\n", vec![(0, ""), (6, "m\n")]),
        ] {
            let ranges = changed_ranges(old.as_bytes(), new.as_bytes()).into_iter();
            let found: Vec<_> = ranges.map(|range| (range.start, &new[range])).collect();
            assert_eq!(found, expected, "{old:?} {new:?}");
        }
    }

    proptest! {
        #[test]
        fn what_does_not_differ_is_in_the_old_text_in_the_same_order(
            old in "[ab\n]{0,40}", new in "[ab\n]{0,40}",
        ) {
            let ranges = changed_ranges(old.as_bytes(), new.as_bytes());
            prop_assert_eq!(ranges.is_empty(), old == new);
            let mut known = old.split_inclusive('\n');
            let mut at = 0;
            for line in new.split_inclusive('\n') {
                if !ranges.iter().any(|range| range.contains(&at)) {
                    prop_assert!(known.any(|known| known == line), "{line:?}");
                }
                at += line.len();
            }
        }
    }
}
