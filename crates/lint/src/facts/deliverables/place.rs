//! The meaning of a heading for the files below it.

use review_document::markdown::{Heading, Outline};

use super::DeliverableKind;
use super::mark::kind_of;
use crate::words::beginning;

/// The place of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Below a heading that announces files, such as `Files to Create`, or directly
    /// below `Deliverables`.
    Files(DeliverableKind),
    /// Elsewhere among the deliverables.
    Deliverables,
    /// Outside of the deliverables.
    Elsewhere,
}

/// The maximum number of characters of a heading that are read.
const MAX_HEADING: usize = 200;

/// The places of a document.
pub(super) struct Places<'a> {
    /// The heading of the deliverables section.
    pub(super) deliverables: Option<&'a Heading>,
    /// The heading that announces functions to implement.
    pub(super) functions: Option<&'a Heading>,
    /// The start of each heading whose place differs from the previous one, and its
    /// place.
    below: Vec<(usize, Place)>,
}

impl<'a> Places<'a> {
    pub(super) fn of(outline: &'a Outline) -> Self {
        let headings = &outline.headings;
        let mut places = Self {
            deliverables: None,
            functions: None,
            below: Vec::new(),
        };
        // The end of the last deliverables section.
        let mut end = 0;
        for heading in headings.iter() {
            let words = Words::of(&heading.text);
            let is_deliverables = words.say(HeadingWord::Deliverables);
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

/// The meaning of a word in a heading for the files or functions below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeadingWord {
    /// Results of the task.
    Deliverables,
    File,
    Files,
    Functions,
    /// To be written.
    Write,
    /// To be created.
    Create,
    /// Created, in another form of the word.
    Created,
    /// Changed.
    Modified,
    /// Existing and unchanged.
    About,
}

impl HeadingWord {
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
    said: Vec<HeadingWord>,
    count: usize,
}

impl Words {
    fn of(heading: &str) -> Self {
        let words = beginning(heading, MAX_HEADING).split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        Self {
            said: words.clone().filter_map(HeadingWord::of).collect(),
            count: words.count(),
        }
    }

    fn say(&self, what: HeadingWord) -> bool {
        self.said.contains(&what)
    }

    /// The action on files, if the heading announces some.
    fn files(&self, inside: bool) -> Option<DeliverableKind> {
        let creates = self.say(HeadingWord::Create) || self.say(HeadingWord::Created);
        let modifies = self.say(HeadingWord::Modified);
        let named =
            self.say(HeadingWord::Files) || self.say(HeadingWord::File) && (creates || modifies);
        if !named || self.say(HeadingWord::About) {
            return None;
        }
        let meant = inside || creates || modifies || self.count == 1;
        meant.then_some(match (creates, modifies) {
            (true, false) => DeliverableKind::Create,
            (false, true) => DeliverableKind::Modify,
            _ => DeliverableKind::Unsaid,
        })
    }

    /// Whether the heading announces functions to implement.
    fn announce_functions(&self, inside: bool) -> bool {
        let to_be_made = self.say(HeadingWord::Write) || self.say(HeadingWord::Create);
        self.say(HeadingWord::Functions) && (inside || to_be_made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeliverableKind::{Create, Modify, Unsaid};

    /// The place of the end of a document with these headings.
    fn place(headings: &str) -> Place {
        Places::of(&Outline::parse(headings)).at(headings.len())
    }

    /// A heading that ends with these words, with 200 characters before the last of
    /// them.
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
