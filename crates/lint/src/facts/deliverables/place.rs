//! What the heading above a line says about the files below it.

use review_document::markdown::{Heading, Outline};

use super::DeliverableKind;
use super::mark::kind_of;
use crate::words::beginning;

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
    pub(super) deliverables: Option<&'a Heading>,
    /// The heading that announces functions to be written.
    pub(super) functions: Option<&'a Heading>,
    /// Where each heading begins whose place differs from the one before, and
    /// its place.
    below: Vec<(usize, Place)>,
}

impl<'a> Places<'a> {
    pub(super) fn of(outline: &'a Outline) -> Self {
        let headings = outline.headings();
        let mut places = Self {
            deliverables: None,
            functions: None,
            below: Vec::new(),
        };
        // Where the last section of deliverables ends.
        let mut end = 0;
        for heading in headings.iter() {
            let words = Words::of(&heading.text);
            let is_deliverables = words.say(Said::Deliverables);
            let is_inside = is_deliverables || heading.span.start < end;
            let place = match words.files(is_inside) {
                Some(kind) => Place::Files(kind),
                None if is_deliverables => Place::Files(DeliverableKind::Unsaid),
                None if is_inside => Place::Deliverables,
                None => Place::Elsewhere,
            };
            if is_deliverables {
                places.deliverables.get_or_insert(heading);
                end = end.max(heading.section.end);
            }
            if words.announce_functions(is_inside) {
                places.functions.get_or_insert(heading);
            }
            let before = places.below.last();
            if before.map_or(Place::Elsewhere, |(_, before)| *before) != place {
                places.below.push((heading.span.start, place));
            }
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
    /// They are made, in another form of the word.
    Created,
    /// They are changed.
    Modified,
    /// They are there already and stay as they are.
    About,
}

impl Said {
    fn of(word: &str) -> Option<Self> {
        Some(match word.to_lowercase().as_str() {
            word if word.starts_with("deliverable") => Self::Deliverables,
            "file" => Self::File,
            "files" => Self::Files,
            "function" | "functions" | "method" | "methods" => Self::Functions,
            "implement" | "write" | "add" => Self::Write,
            "create" => Self::Create,
            "read" | "reference" | "references" | "related" | "existing" | "context" | "see"
            | "source" => Self::About,
            other => match kind_of(other)? {
                DeliverableKind::Create => Self::Created,
                DeliverableKind::Modify => Self::Modified,
                DeliverableKind::Unsaid => return None,
            },
        })
    }
}

/// The first words of a heading.
struct Words {
    said: Vec<Said>,
    count: usize,
}

impl Words {
    fn of(heading: &str) -> Self {
        let words = beginning(heading, MAX_HEADING).split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        Self {
            said: words.clone().filter_map(Said::of).collect(),
            count: words.count(),
        }
    }

    fn say(&self, what: Said) -> bool {
        self.said.contains(&what)
    }

    /// What they say is done to files, where they announce some.
    fn files(&self, inside: bool) -> Option<DeliverableKind> {
        let creates = self.say(Said::Create) || self.say(Said::Created);
        let modifies = self.say(Said::Modified);
        let named = self.say(Said::Files) || self.say(Said::File) && (creates || modifies);
        if !named || self.say(Said::About) {
            return None;
        }
        let meant = inside || creates || modifies || self.count == 1;
        meant.then_some(match (creates, modifies) {
            (true, false) => DeliverableKind::Create,
            (false, true) => DeliverableKind::Modify,
            _ => DeliverableKind::Unsaid,
        })
    }

    /// Whether they announce functions to be written.
    fn announce_functions(&self, inside: bool) -> bool {
        let to_be_made = self.say(Said::Write) || self.say(Said::Create);
        self.say(Said::Functions) && (inside || to_be_made)
    }
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
            (
                "# T\n## Deliverables\n### Deliverable 1\n### Layout\n",
                Place::Deliverables,
            ),
            ("# T\n## Deliverables\n## Layout\n", Place::Elsewhere),
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
