//! What the heading above a line says about the files below it.

use review_document::markdown::{Heading, Outline};

use super::DeliverableKind;
use super::mark::kind_of_lower;
use crate::words::{beginning, lower_bytes};

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

/// The places of a document.
pub(super) struct Places<'a> {
    /// The heading of the section of deliverables.
    pub(super) deliverables: Option<Heading<&'a str>>,
    /// The heading that announces functions to be written.
    pub(super) functions: Option<Heading<&'a str>>,
    /// Where each heading begins, and the place below it.
    below: Vec<(usize, Place)>,
}

impl<'a> Places<'a> {
    pub(super) fn of(outline: &'a Outline) -> Self {
        let headings = outline.headings();
        let mut places = Self {
            deliverables: None,
            functions: None,
            below: Vec::with_capacity(headings.len()),
        };
        let mut inside: Vec<bool> = Vec::with_capacity(headings.len());
        for heading in headings.iter() {
            let said: Vec<Said> = words(heading.text).filter_map(Said::of).collect();
            let is_deliverables = said.contains(&Said::Deliverables);
            let above = heading.parent.and_then(|parent| inside.get(parent));
            let is_inside = is_deliverables || above == Some(&true);
            let place = match files(heading.text, &said, is_inside) {
                Some(kind) => Place::Files(kind),
                None if is_deliverables => Place::Files(DeliverableKind::Unsaid),
                None if is_inside => Place::Deliverables,
                None => Place::Elsewhere,
            };
            if is_deliverables {
                places.deliverables.get_or_insert(heading);
            }
            if announces_functions(&said, is_inside) {
                places.functions.get_or_insert(heading);
            }
            places.below.push((heading.span.start, place));
            inside.push(is_inside);
        }
        places
    }

    /// The place of the byte at `offset`.
    pub(super) fn at(&self, offset: usize) -> Place {
        let behind = self.below.partition_point(|(start, _)| *start <= offset);
        let heading = behind.checked_sub(1).and_then(|last| self.below.get(last));
        heading.map_or(Place::Elsewhere, |(_, place)| *place)
    }
}

/// What a word of a heading says about the files or functions below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// They are results of the task.
    Deliverables,
    File,
    Files,
    Functions,
    /// They are to be written.
    Write,
    /// They are to be made.
    Create,
    /// They are made or changed in another form of the word.
    Done(DeliverableKind),
    /// They are there already and stay as they are.
    About,
}

impl Said {
    fn of(word: &str) -> Option<Self> {
        const STEM: &str = "deliverable";
        let stem = word.get(..STEM.len());
        if stem.is_some_and(|stem| stem.eq_ignore_ascii_case(STEM)) {
            return Some(Self::Deliverables);
        }
        match lower_bytes(word, &mut [0; 12])? {
            b"file" => Some(Self::File),
            b"files" => Some(Self::Files),
            b"function" | b"functions" | b"method" | b"methods" => Some(Self::Functions),
            b"implement" | b"write" | b"add" => Some(Self::Write),
            b"create" => Some(Self::Create),
            b"read" | b"reference" | b"references" | b"related" | b"existing" | b"context"
            | b"see" | b"source" => Some(Self::About),
            other => kind_of_lower(other).map(Self::Done),
        }
    }
}

/// What a heading that announces files says is done to them.
fn files(heading: &str, said: &[Said], inside: bool) -> Option<DeliverableKind> {
    let has = |word: Said| said.contains(&word);
    let creates = has(Said::Create) || has(Said::Done(DeliverableKind::Create));
    let modifies = has(Said::Done(DeliverableKind::Modify));
    let named = has(Said::Files) || has(Said::File) && (creates || modifies);
    if !named || has(Said::About) {
        return None;
    }
    let meant = inside || creates || modifies || words(heading).count() == 1;
    meant.then_some(match (creates, modifies) {
        (true, false) => DeliverableKind::Create,
        (false, true) => DeliverableKind::Modify,
        _ => DeliverableKind::Unsaid,
    })
}

/// Whether a heading announces functions to be written.
fn announces_functions(said: &[Said], inside: bool) -> bool {
    let is_to_be_made = |said: &Said| matches!(said, Said::Write | Said::Create);
    said.contains(&Said::Functions) && (inside || said.iter().any(is_to_be_made))
}

/// The first words of a heading.
fn words(heading: &str) -> impl Iterator<Item = &str> {
    beginning(heading, MAX_HEADING)
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
            let outline = Outline::parse(headings);
            let found = Places::of(&outline).functions;
            let text = found.map(|found| found.span.slice(headings).unwrap_or_default().trim_end());
            let last = headings.lines().last().filter(|_| announced);
            assert_eq!(text, last, "{headings}");
        }
    }
}
