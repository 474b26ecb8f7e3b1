//! S5.

use std::collections::HashSet;

use review_document::markdown::Heading;

use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a heading that occurs twice under the same heading.
    ///
    /// ## What it does
    /// Compares the headings directly below one heading, ignoring case. The same
    /// heading under two different ones, such as `Errors` under each command, is not
    /// reported.
    ///
    /// ## Why is this bad
    /// Feedback refers to a section by its headings, and links lead to the first of two
    /// equal ones: the second cannot be addressed.
    ///
    /// ## Example
    /// `## Reading` and `## Writing` with another `## Reading` below them.
    ///
    /// ## Fix
    /// Join the sections, or give each a distinct heading.
    DuplicateHeading {
        code: "S5",
        name: "duplicate-heading",
        criterion: Consistency,
        severity: Info,
        summary: "A heading occurs twice under the same heading.",
    }
}

impl DuplicateHeading {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for document in facts.markdown() {
            let headings = document.outline.headings();
            sink.look_at(headings.len());
            for heading in repeated(headings) {
                let text = excerpt(&heading.text, 80);
                let above = heading.parent.and_then(|parent| headings.get(parent));
                let place = above.map_or("in the document".to_owned(), |above| {
                    format!("under `{}`", excerpt(&above.text, 80))
                });
                sink.push(
                    document,
                    heading.span,
                    format!("The heading `{text}` occurs twice {place}."),
                    format!(
                        "Join the two sections, or add what is specific to this one to `{text}`."
                    ),
                );
            }
        }
    }
}

/// The headings that repeat an earlier one under the same heading.
fn repeated(headings: &[Heading]) -> Vec<&Heading> {
    let mut seen = HashSet::new();
    let is_repeated = |heading: &&Heading| {
        let words = words(&heading.text);
        !words.is_empty() && !seen.insert((heading.parent, words))
    };
    headings.iter().filter(is_repeated).collect()
}

/// The words of a string in lower case.
fn words(text: &str) -> Vec<String> {
    // A sigma at the end of a word is the same letter.
    let small = |word: &str| word.to_lowercase().replace('ς', "σ");
    text.split_whitespace().map(small).collect()
}

#[cfg(test)]
mod tests {
    use review_document::markdown::Outline;

    use super::*;

    #[test]
    fn headings_are_compared_by_words_ignoring_case() {
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
            let repeated = repeated(outline.headings());
            assert_eq!(repeated.len(), expected, "{headings}");
        }
    }
}
