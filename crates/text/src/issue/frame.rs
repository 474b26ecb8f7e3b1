//! Alignment of two issues: whether they have the same sentence, and what one has in
//! place of a part of the other.

use super::Part;

/// The maximum number of words and names of each issue that are aligned.
const MAX_PARTS: usize = 64;
/// The minimum share of common words, in percent, of two issues with the same sentence.
const ALIKE: usize = 65;
/// The weights of an equal word and of a synonym.
const EQUAL: u16 = 4;
const SAME: u16 = 3;

/// Whether two issues have the same sentence with different parts.
pub(super) fn is_swapped(a: &[Part], b: &[Part]) -> bool {
    let (a, b) = (beginning(a), beginning(b));
    let pairs = in_common(a, b);
    let words = |parts: &[Part]| parts.iter().filter(|part| part.word().is_some()).count();
    let shared = pairs.iter().filter(|(at, _)| a[*at].word().is_some());
    let is_alike = 200 * shared.count() >= ALIKE * (words(a) + words(b));
    let (mut from_a, mut from_b) = (0, 0);
    is_alike
        && pairs
            .into_iter()
            .chain([(a.len(), b.len())])
            .any(|(to_a, to_b)| {
                let (of_a, of_b) = (&a[from_a..to_a], &b[from_b..to_b]);
                (from_a, from_b) = (to_a + 1, to_b + 1);
                differs(of_a, a, b) && differs(of_b, b, a)
            })
}

/// Whether parts of an issue name something, or contain a word more often than the
/// other issue.
fn differs(parts: &[Part], own: &[Part], other: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Word(word) => word.is_significant() && is_lacking(part, own, other),
        Part::Anchor(_) => true,
    })
}

/// Whether an issue contains a word more often than the other one.
fn is_lacking(said: &Part, own: &[Part], other: &[Part]) -> bool {
    let times = |parts: &[Part]| parts.iter().filter(|part| part.agreement(said) > 0).count();
    times(own) > times(other)
}

/// Whether each of two issues is about a thing that the other does not mention: "the
/// invoice has no number", "no number is on the receipt".
pub(super) fn are_about_others(a: &[Part], b: &[Part]) -> bool {
    let (a, b) = (beginning(a), beginning(b));
    is_about_other(a, b) && is_about_other(b, a)
}

fn is_about_other(own: &[Part], other: &[Part]) -> bool {
    own.iter().any(|part| match part {
        Part::Word(word) => {
            word.has_article() && word.is_significant() && is_lacking(part, own, other)
        }
        Part::Anchor(_) => false,
    })
}

fn beginning(parts: &[Part]) -> &[Part] {
    &parts[..parts.len().min(MAX_PARTS)]
}

/// The positions of the longest common subsequence.
fn in_common(a: &[Part], b: &[Part]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut longest = vec![0_u16; (a.len() + 1) * width];
    for (i, of_a) in a.iter().enumerate().rev() {
        for (j, of_b) in b.iter().enumerate().rev() {
            let skipped = longest[(i + 1) * width + j].max(longest[i * width + j + 1]);
            longest[i * width + j] = match of_a.agreement(of_b) {
                0 => skipped,
                much => skipped.max(much + longest[(i + 1) * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < a.len() && j < b.len() {
        let here = longest[i * width + j];
        if here == longest[(i + 1) * width + j] {
            i += 1;
        } else if here == longest[i * width + j + 1] {
            j += 1;
        } else {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        }
    }
    pairs
}

impl Part {
    fn agreement(&self, other: &Self) -> u16 {
        match (self, other) {
            (Self::Word(a), Self::Word(b)) if a.is_equal(b) => EQUAL,
            (Self::Word(a), Self::Word(b)) if a.is_same(b) => SAME,
            (Self::Anchor(a), Self::Anchor(b)) if a.is_same(b) => EQUAL,
            (Self::Word(word), Self::Anchor(anchor)) | (Self::Anchor(anchor), Self::Word(word))
                if anchor.is_word(word.text()) =>
            {
                EQUAL
            }
            (Self::Word(_) | Self::Anchor(_), _) => 0,
        }
    }
}
