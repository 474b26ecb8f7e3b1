//! What differs between two versions of a text.

use std::collections::HashMap;
use std::ops::Range;

/// A stretch of whole lines that differs, in bytes of the old and of the new
/// text. Lines that were only added have no old ones, and the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// The lines of a text, each with its line feed.
struct Lines<'t> {
    lines: Vec<&'t [u8]>,
    /// Where each line begins, and where the text ends.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t [u8]) -> Self {
        let lines: Vec<_> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let mut at = 0;
        let ends = lines.iter().map(|line| {
            at += line.len();
            at
        });
        let starts = std::iter::once(0).chain(ends).collect();
        Self { lines, starts }
    }

    fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.starts[lines.start]..self.starts[lines.end]
    }
}

/// The stretches that differ, in order. Lines that occur once in each text, in
/// the same order, are taken for the same; between two of those all is one
/// stretch but for what it begins and ends with alike.
pub(crate) fn hunks(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let (old, new) = (Lines::of(old), Lines::of(new));
    let (all_old, all_new) = trimmed(&old, &new, 0..old.lines.len(), 0..new.lines.len());
    let anchors = anchors(&old, &new, &all_old, &all_new);
    let ends = std::iter::once((all_old.end, all_new.end));
    let mut from = (all_old.start, all_new.start);
    let mut hunks = Vec::new();
    for (to_old, to_new) in anchors.into_iter().chain(ends) {
        let (gap_old, gap_new) = trimmed(&old, &new, from.0..to_old, from.1..to_new);
        if !gap_old.is_empty() || !gap_new.is_empty() {
            hunks.push(Hunk {
                old: old.bytes(&gap_old),
                new: new.bytes(&gap_new),
            });
        }
        from = (to_old + 1, to_new + 1);
    }
    hunks
}

/// Two stretches of lines without what they begin and end with alike.
fn trimmed(
    old: &Lines<'_>,
    new: &Lines<'_>,
    mut in_old: Range<usize>,
    mut in_new: Range<usize>,
) -> (Range<usize>, Range<usize>) {
    while !in_old.is_empty()
        && !in_new.is_empty()
        && old.lines[in_old.start] == new.lines[in_new.start]
    {
        in_old.start += 1;
        in_new.start += 1;
    }
    while !in_old.is_empty()
        && !in_new.is_empty()
        && old.lines[in_old.end - 1] == new.lines[in_new.end - 1]
    {
        in_old.end -= 1;
        in_new.end -= 1;
    }
    (in_old, in_new)
}

/// The places of a line in two texts.
#[derive(Default)]
struct Places {
    old: Vec<usize>,
    new: Vec<usize>,
}

/// The lines that are the same in both texts: the longest row of those that
/// occur once in each, as their numbers there.
fn anchors(
    old: &Lines<'_>,
    new: &Lines<'_>,
    in_old: &Range<usize>,
    in_new: &Range<usize>,
) -> Vec<(usize, usize)> {
    let mut places: HashMap<&[u8], Places> = HashMap::new();
    for at in in_old.clone() {
        places.entry(old.lines[at]).or_default().old.push(at);
    }
    for at in in_new.clone() {
        places.entry(new.lines[at]).or_default().new.push(at);
    }
    let unique = in_old.clone().filter_map(|at| {
        let places = places.get(old.lines[at])?;
        match (&*places.old, &*places.new) {
            ([_], [new]) => Some((at, *new)),
            _ => None,
        }
    });
    longest_row(&unique.collect::<Vec<_>>())
}

/// The longest row of pairs that rises in both numbers; the pairs come in the
/// order of their first one.
fn longest_row(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair that ends a row of that length with the least
    // second number; and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut row = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        row.push(pairs[at]);
        next = before[at];
    }
    row.reverse();
    row
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What differs, as pairs of old and new text.
    fn pairs<'t>(old: &'t str, new: &'t str) -> Vec<(&'t str, &'t str)> {
        let hunks = hunks(old.as_bytes(), new.as_bytes());
        let texts = hunks.into_iter();
        texts.map(|hunk| (&old[hunk.old], &new[hunk.new])).collect()
    }

    #[test]
    fn what_differs_is_told_in_whole_lines() {
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
    fn a_line_that_moved_differs_where_it_was_and_where_it_is() {
        assert_eq!(
            pairs("m\na\nb\nc\n", "a\nb\nc\nm\n"),
            [("m\n", ""), ("", "m\n")]
        );
    }

    proptest! {
        #[test]
        fn the_hunks_lead_from_the_old_text_to_the_new(old in "[ab\n]{0,40}", new in "[ab\n]{0,40}") {
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
