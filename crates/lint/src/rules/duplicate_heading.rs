//! S5.

use review_document::markdown::Heading;

use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a heading that stands twice under the same heading.
    ///
    /// ## What it does
    /// Compares the texts of the headings right below one heading, without
    /// regard to case. The same heading under two others, such as `Errors` under each
    /// command, is no finding.
    ///
    /// ## Why is this bad
    /// Feedback names the place it is about by its headings, and links go to the
    /// first of two that are alike: the second can be named by neither.
    ///
    /// ## Example
    /// `## Reading` and `## Writing` with another `## Reading` below them.
    ///
    /// ## Fix
    /// Join the sections, or give each a heading that says what only it holds.
    DuplicateHeading {
        code: "S5",
        name: "duplicate-heading",
        criterion: Consistency,
        severity: Info,
        summary: "A heading stands twice under the same heading.",
    }
}

impl DuplicateHeading {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let mut keys = Vec::new();
        for document in facts.markdown() {
            let headings = document.outline.headings();
            sink.look_at(headings.len());
            let repeated = repeated(headings, &mut keys);
            for heading in repeated.into_iter().filter_map(|at| headings.get(at)) {
                let text = excerpt(&heading.text, 80);
                let above = heading.parent.and_then(|parent| headings.get(parent));
                let place = above.map_or("in the document".to_owned(), |above| {
                    format!("under `{}`", excerpt(&above.text, 80))
                });
                sink.push(
                    document,
                    heading.span,
                    format!("The heading `{text}` stands twice {place}."),
                    format!(
                        "Join the two sections, or write what only this one holds behind `{text}`."
                    ),
                );
            }
        }
    }
}

/// What headings are sorted by: the one above, the letters, and the place.
type Key = (Option<usize>, u64, usize);

/// The places of the headings whose text another one before them has under the
/// same heading; `keys` is overwritten.
fn repeated(headings: &[Heading], keys: &mut Vec<Key>) -> Vec<usize> {
    keys.clear();
    let places = headings.iter().enumerate();
    keys.extend(places.map(|(at, heading)| (heading.parent, letters(&heading.text), at)));
    keys.sort_unstable();
    let words = |at: usize| words(headings.get(at).map_or("", |heading| &heading.text));
    let mut repeated = Vec::new();
    for alike in keys.chunk_by_mut(|one, other| (one.0, one.1) == (other.0, other.1)) {
        alike.sort_unstable_by(|&(.., one), &(.., other)| {
            words(one).cmp(words(other)).then(one.cmp(&other))
        });
        let pairs = alike.windows(2).map(|pair| (pair[0].2, pair[1].2));
        let same = pairs
            .filter(|&(one, other)| words(one).eq(words(other)) && words(one).next().is_some());
        repeated.extend(same.map(|(_, at)| at));
    }
    repeated.sort_unstable();
    repeated
}

/// A number that is the same for texts whose letters are the same; it tells
/// most names apart before they are compared.
fn letters(text: &str) -> u64 {
    // One bit makes a letter a small one.
    let letter = |c: u32| u64::from(if c > 0x20 { c | 0x20 } else { 0 });
    if text.is_ascii() {
        text.bytes().map(|byte| letter(byte.into())).sum()
    } else {
        words(text).map(|c| letter(c.into())).sum()
    }
}

/// The words of a text in lower case, a blank behind each.
fn words(text: &str) -> impl Iterator<Item = char> {
    // A sigma that ends a word is the same letter.
    let small = |c: char| c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c });
    text.split_whitespace()
        .flat_map(move |word| word.chars().flat_map(small).chain([' ']))
}

#[cfg(test)]
mod tests {
    use review_document::markdown::Outline;

    use super::*;

    #[test]
    fn names_are_compared_word_by_word_in_any_case() {
        for (headings, expected) in [
            ("# T\n## Error  Handling\n## error handling\n", 1),
            ("# T\n## ab c\n## a bc\n## ba c\n", 0),
            ("# T\n## \u{c9}TAT\n## \u{e9}tat\n", 1),
            ("# T\n## A\u{3000}\u{c9}\n## a \u{e9}\n", 1),
            ("# T\n## \u{3a3}A\u{3a3}\n## \u{3c3}a\u{3c2}\n", 1),
            ("# T\n## A\n## a\n## A\n", 2),
            ("# T\n## ab c\n## ba c\n## ab c\n", 1),
            ("# T\n## A\n# U\n## A\n", 0),
            ("# T\n##\n##\n", 0),
        ] {
            let outline = Outline::parse(headings);
            let repeated = repeated(outline.headings(), &mut vec![(None, 0, 0)]);
            assert_eq!(repeated.len(), expected, "{headings}");
        }
    }
}
