//! What the heading above a line says about the files below it.

use review_document::Span;
use review_document::markdown::{Heading, Outline};

use super::DeliverableKind;
use super::mark::kind_of;

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Below a heading that announces files, such as `Files to Create`, or
    /// right below `Deliverables`.
    Files(DeliverableKind),
    /// Somewhere else among the deliverables.
    Deliverables,
    /// Outside.
    Elsewhere,
}

/// So many characters of a heading are read.
const MAX_HEADING: usize = 200;

/// Words of headings whose files are there already and stay as they are.
const ABOUT: [&str; 8] = [
    "read",
    "reference",
    "references",
    "related",
    "existing",
    "context",
    "see",
    "source",
];

/// The places of a document, asked for in order.
pub(super) struct Places<'a> {
    outline: &'a Outline,
    /// The start of the last heading, and the place below it.
    last: Option<(usize, Place)>,
}

impl<'a> Places<'a> {
    pub(super) fn of(outline: &'a Outline) -> Self {
        Self {
            outline,
            last: None,
        }
    }

    /// The place of the byte at `offset`; a heading is read again only after
    /// another one.
    pub(super) fn at(&mut self, offset: usize) -> Place {
        let Some(heading) = self.outline.heading_at(offset) else {
            return Place::Elsewhere;
        };
        let start = heading.span.start;
        match self.last {
            Some((last, place)) if last == start => place,
            _ => {
                let place = Place::below(self.outline, heading);
                self.last = Some((start, place));
                place
            }
        }
    }
}

impl Place {
    fn below(outline: &Outline, heading: &Heading) -> Self {
        let inside = outline.is_below(heading.span.start, is_deliverables);
        if let Some(kind) = files(heading, inside) {
            return Self::Files(kind);
        }
        match (inside, is_deliverables(heading)) {
            (_, true) => Self::Files(DeliverableKind::Unsaid),
            (true, false) => Self::Deliverables,
            (false, false) => Self::Elsewhere,
        }
    }
}

fn is_deliverables(heading: &Heading) -> bool {
    const STEM: &str = "deliverable";
    words(&heading.text)
        .filter_map(|word| word.get(..STEM.len()))
        .any(|stem| stem.eq_ignore_ascii_case(STEM))
}

/// What a heading that announces files says is done to them.
fn files(heading: &Heading, inside: bool) -> Option<DeliverableKind> {
    let words: Vec<_> = words(&heading.text).collect();
    let has = |wanted: &str| words.iter().any(|word| word.eq_ignore_ascii_case(wanted));
    let says = |kind| words.iter().any(|word| kind_of(word) == Some(kind));
    let (creates, modifies) = (says(DeliverableKind::Create), says(DeliverableKind::Modify));
    let named = has("files") || has("file") && (creates || modifies);
    let meant = inside || creates || modifies || words.len() == 1;
    if !named || !meant || ABOUT.iter().any(|about| has(about)) {
        return None;
    }
    Some(match (creates, modifies) {
        (true, false) => DeliverableKind::Create,
        (false, true) => DeliverableKind::Modify,
        _ => DeliverableKind::Unsaid,
    })
}

/// The heading of the section of deliverables.
pub(super) fn deliverables(outline: &Outline) -> Option<&Heading> {
    outline
        .headings()
        .iter()
        .find(|heading| is_deliverables(heading))
}

/// The heading that announces functions to be written.
pub(super) fn functions(outline: &Outline) -> Option<Span> {
    let announces = |heading: &&Heading| {
        let has = |wanted: &[&str]| {
            let is_wanted =
                |word: &str| wanted.iter().any(|known| word.eq_ignore_ascii_case(known));
            words(&heading.text).any(is_wanted)
        };
        has(&["function", "functions", "method", "methods"])
            && (has(&["implement", "write", "add", "create"])
                || outline.is_below(heading.span.start, is_deliverables))
    };
    let heading = outline.headings().iter().find(announces)?;
    Some(heading.span)
}

/// The first words of a heading.
fn words(heading: &str) -> impl Iterator<Item = &str> {
    let end = heading.char_indices().nth(MAX_HEADING);
    let beginning = &heading[..end.map_or(heading.len(), |(at, _)| at)];
    beginning
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeliverableKind::{Create, Modify, Unsaid};

    /// The place of the end of a document of these headings.
    fn place(headings: &str) -> Place {
        Places::of(&Outline::parse(headings)).at(headings.len())
    }

    /// A heading that ends with these words and has 200 characters without
    /// the first of them.
    fn long(words: &str) -> String {
        format!(
            "# T\n## {} {words}\n",
            "é".repeat(MAX_HEADING - 1 - "Deliverables".len())
        )
    }

    #[test]
    fn headings_announce_files() {
        for (headings, expected) in [
            ("# T\n## Deliverables\n", Place::Files(Unsaid)),
            ("# T\n## Files to Create\n", Place::Files(Create)),
            ("# T\n## Test File to Create\n", Place::Files(Create)),
            ("# T\n## Modified files\n", Place::Files(Modify)),
            ("# T\n## Files to Create/Modify\n", Place::Files(Unsaid)),
            ("# T\n## Files\n", Place::Files(Unsaid)),
            (
                "# T\n## Deliverables\n### Static files\n",
                Place::Files(Unsaid),
            ),
            (
                "# T\n## Deliverables\n### Test File (a)\n",
                Place::Deliverables,
            ),
            ("# T\n## Deliverables\n### Layout\n", Place::Deliverables),
            ("# T\n## Static files\n", Place::Elsewhere),
            ("# T\n## Existing files to change\n", Place::Elsewhere),
            ("# T\n## Create a profile\n", Place::Elsewhere),
            ("", Place::Elsewhere),
            (&long("Deliverables"), Place::Files(Unsaid)),
            (&long("x Deliverables"), Place::Elsewhere),
        ] {
            assert_eq!(place(headings), expected, "{headings}");
        }
    }

    #[test]
    fn headings_announce_functions() {
        for (headings, announced) in [
            ("# T\n## Functions to Implement\n", true),
            ("# T\n## Deliverables\n### Internal Functions\n", true),
            ("# T\n## Add methods\n", true),
            ("# T\n## Functions\n", false),
            ("# T\n## Types to Implement\n", false),
        ] {
            let found = functions(&Outline::parse(headings));
            let text = found.map(|span| span.slice(headings).unwrap_or_default().trim_end());
            let last = headings.lines().last().filter(|_| announced);
            assert_eq!(text, last, "{headings}");
        }
    }
}
