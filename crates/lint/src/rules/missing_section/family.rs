//! What the documents of one kind in one folder of the root have in common.

use std::collections::HashMap;

use review_document::workspace::{Document, DocumentRole, Sibling};

use super::folded;

/// The fewest other documents from which a template is inferred.
const MIN_SIBLINGS: usize = 5;

/// The documents of one kind in one folder of the root.
pub(super) struct Family<'a> {
    role: DocumentRole,
    part: &'a str,
    /// The path of each member, and which sections it has.
    members: Vec<(&'a str, Vec<usize>)>,
    sections: Vec<Shared<'a>>,
}

/// A section that members share.
struct Shared<'a> {
    /// How many have it, and the last of them.
    members: usize,
    last: usize,
    first: Mention<'a>,
    /// The first one in another member.
    second: Option<Mention<'a>>,
}

/// A place at which a member has a section, and what it calls it.
#[derive(Clone, Copy)]
struct Mention<'a> {
    member: usize,
    place: usize,
    name: &'a str,
}

impl<'a> Family<'a> {
    /// The siblings of the kind and the folder of a document.
    pub(super) fn of(document: &'a Document, siblings: &'a [Sibling]) -> Self {
        let part = part(&document.path);
        let own = siblings
            .iter()
            .filter(|sibling| sibling.role == document.role && self::part(&sibling.path) == part);
        let own: Vec<_> = own.collect();
        let names = own.iter().flat_map(|sibling| &sibling.sections);
        let count = own.iter().map(|sibling| sibling.sections.len()).sum();
        let folded = folded(names.map(String::as_str), count);
        let mut folded = folded.iter();
        let mut family = Self {
            role: document.role,
            part,
            members: Vec::with_capacity(own.len()),
            sections: Vec::new(),
        };
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (member, sibling) in own.iter().enumerate() {
            let mut held = Vec::with_capacity(sibling.sections.len());
            let sections = sibling.sections.iter().zip(folded.by_ref());
            for (place, (name, folded)) in sections.enumerate() {
                let mention = Mention {
                    member,
                    place,
                    name,
                };
                let section = *known.entry(folded).or_insert(family.sections.len());
                held.push(section);
                family.note(section, mention);
            }
            held.sort_unstable();
            family.members.push((&sibling.path, held));
        }
        family
    }

    /// Whether a document is of the same kind in the same folder.
    pub(super) fn is_of(&self, document: &Document) -> bool {
        self.role == document.role && self.part == part(&document.path)
    }

    /// The sections that at least four in five of the members beside a
    /// document have, under the name and in the order in which those first
    /// have them; none where they are few.
    pub(super) fn common(&self, document: &Document) -> impl Iterator<Item = &'a str> {
        let own = self
            .members
            .iter()
            .position(|(path, _)| *path == document.path);
        let others = self.members.len() - usize::from(own.is_some());
        let mut common: Vec<Mention<'_>> = Vec::new();
        if others >= MIN_SIBLINGS {
            for (index, shared) in self.sections.iter().enumerate() {
                let is_own =
                    own.is_some_and(|own| self.members[own].1.binary_search(&index).is_ok());
                let others_have = shared.members - usize::from(is_own);
                if others_have * 5 >= others * 4 {
                    common.extend(shared.first_beside(own));
                }
            }
        }
        common.sort_by_key(|mention| (mention.member, mention.place));
        common.into_iter().map(|mention| mention.name)
    }

    fn note(&mut self, section: usize, mention: Mention<'a>) {
        match self.sections.get_mut(section) {
            Some(shared) => shared.note(mention),
            None => self.sections.push(Shared {
                members: 1,
                last: mention.member,
                first: mention,
                second: None,
            }),
        }
    }
}

impl<'a> Shared<'a> {
    /// Mentions come in the order of the members.
    fn note(&mut self, mention: Mention<'a>) {
        if self.last == mention.member {
            return;
        }
        self.last = mention.member;
        self.members += 1;
        self.second.get_or_insert(mention);
    }

    fn first_beside(&self, own: Option<usize>) -> Option<Mention<'a>> {
        if Some(self.first.member) == own {
            self.second
        } else {
            Some(self.first)
        }
    }
}

/// The folder of the root that a file lies in.
fn part(path: &str) -> &str {
    path.split_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the first document of a folder misses that others have.
    fn common(own: &str, others: &[&[&str]]) -> Vec<String> {
        let sibling = |(at, sections): (usize, &&[&str])| Sibling {
            path: format!("specs/{at}.md"),
            role: DocumentRole::Spec,
            sections: sections.iter().map(|&name| name.to_owned()).collect(),
        };
        let siblings: Vec<_> = others.iter().enumerate().map(sibling).collect();
        let document = Document::parse(own, DocumentRole::Spec, "");
        let family = Family::of(&document, &siblings);
        family.common(&document).map(str::to_owned).collect()
    }

    #[test]
    fn a_document_says_nothing_about_itself() {
        let all: &[&[&str]] = &[
            &["b", "A"],
            &["A", "B"],
            &["A"],
            &["A"],
            &["A", "B"],
            &["a", "b"],
        ];
        assert_eq!(common("specs/0.md", all), ["A"]);
        assert_eq!(common("specs/2.md", all), ["b", "A"]);
        assert_eq!(common("specs/9.md", all), ["A"]);
        assert_eq!(common("specs/0.md", &all[..5]), [""; 0]);
        assert_eq!(common("specs/9.md", &all[..5]), ["A"]);
        assert_eq!(common("docs/9.md", all), [""; 0]);
    }

    #[test]
    fn a_section_that_stands_twice_counts_once() {
        let all: &[&[&str]] = &[&["A", "A"], &["A", "A"], &["A", "A"], &["B"], &["B"]];
        assert_eq!(common("specs/9.md", all), [""; 0]);
    }
}
