//! S5.

use review_document::markdown::{Heading, Headings};

use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::{Sink, excerpt};
use crate::words::Folded;

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
        for document in facts.markdown() {
            let headings = document.outline.headings();
            sink.look_at(headings.len());
            for heading in repeated(headings) {
                let text = excerpt(heading.text, 80);
                let above = heading.parent.and_then(|parent| headings.get(parent));
                let place = above.map_or("in the document".to_owned(), |above| {
                    format!("under `{}`", excerpt(above.text, 80))
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

/// The headings whose text another one before them has under the same heading.
fn repeated(headings: Headings<'_>) -> impl Iterator<Item = Heading<&str>> {
    let mut folded = Folded::of_names(headings.len());
    for heading in headings.iter() {
        folded.push(heading.text, char::is_whitespace);
    }
    let named = headings.iter().zip(folded.iter()).enumerate();
    let named = named.filter(|(_, (_, name))| !name.is_empty());
    // Lengths tell most names apart before their texts are looked at.
    let keys = named.map(|(at, (heading, name))| (heading.parent, name.len(), name, at));
    let mut keys: Vec<_> = keys.collect();
    keys.sort_unstable();
    let pairs = keys.windows(2).map(|pair| (pair[0], pair[1]));
    let same = pairs.filter(|(one, other)| (one.0, one.2) == (other.0, other.2));
    let mut repeated: Vec<usize> = same.map(|(_, other)| other.3).collect();
    repeated.sort_unstable();
    repeated.into_iter().filter_map(move |at| headings.get(at))
}
