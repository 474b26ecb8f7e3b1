//! What the documents of one kind in one folder of the root have in common.

use std::collections::HashMap;

use review_document::workspace::{Document, DocumentRole, Sibling};

/// The fewest other documents from which a template is inferred.
const MIN_SIBLINGS: usize = 5;

/// The documents of each kind in each folder of the root, counted when one of
/// them is first compared with the others.
pub(super) struct Families<'a> {
    siblings: &'a [Sibling],
    known: HashMap<(DocumentRole, &'a str), Family<'a>>,
}

/// Documents of one kind in one folder.
#[derive(Default)]
struct Family<'a> {
    members: Vec<Member<'a>>,
    /// The number of each section.
    numbers: HashMap<&'a str, usize>,
    /// How many members have each section.
    counts: Vec<usize>,
}

/// A document with its sections: the number, the place and the name of each.
struct Member<'a> {
    path: &'a str,
    sections: Vec<(usize, usize, &'a str)>,
}

impl<'a> Families<'a> {
    pub(super) fn new(siblings: &'a [Sibling]) -> Self {
        Self {
            siblings,
            known: HashMap::new(),
        }
    }

    /// The sections that at least four in five of the siblings of the kind and
    /// the folder of a document have, the document itself aside, under the name
    /// and in the order in which those first have them; none where they are few.
    pub(super) fn common(&mut self, document: &'a Document) -> Vec<&'a str> {
        let (role, part) = (document.role, part(&document.path));
        let family = self.known.entry((role, part)).or_insert_with(|| {
            let mut family = Family::default();
            for sibling in self.siblings {
                if sibling.role == role && self::part(&sibling.path) == part {
                    family.add(sibling);
                }
            }
            family
        });
        family.common(&document.path)
    }
}

impl<'a> Family<'a> {
    fn add(&mut self, sibling: &'a Sibling) {
        let numbered = sibling.sections().iter().map(|section| {
            let next = self.numbers.len();
            let number = *self.numbers.entry(&section.key).or_insert(next);
            if number == self.counts.len() {
                self.counts.push(0);
            }
            self.counts[number] += 1;
            (number, section.place, section.name.as_str())
        });
        let sections = numbered.collect();
        self.members.push(Member {
            path: &sibling.path,
            sections,
        });
    }

    fn common(&self, own: &str) -> Vec<&'a str> {
        let (own, others): (Vec<_>, Vec<_>) =
            self.members.iter().partition(|member| member.path == own);
        if others.len() < MIN_SIBLINGS {
            return Vec::new();
        }
        let mut counts = self.counts.clone();
        for (number, ..) in own.iter().flat_map(|member| &member.sections) {
            counts[*number] -= 1;
        }
        let may_lack = others.len() / 5;
        let mut common = Vec::new();
        // A section that more of them lack at the beginning is not common.
        for (index, member) in others.iter().enumerate().take(may_lack + 1) {
            for &(number, place, name) in &member.sections {
                if counts[number] + may_lack >= others.len() {
                    // It is listed once.
                    counts[number] = 0;
                    common.push((index, place, name));
                }
            }
        }
        common.sort_unstable();
        common.into_iter().map(|(.., name)| name).collect()
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
        let sibling = |(at, sections): (usize, &&[&str])| {
            let path = format!("specs/{at}.md");
            Sibling::new(path, DocumentRole::Spec, sections.iter().copied())
        };
        let siblings: Vec<_> = others.iter().enumerate().map(sibling).collect();
        let document = Document::parse(own, DocumentRole::Spec, "");
        let common = Families::new(&siblings).common(&document).into_iter();
        common.map(str::to_owned).collect()
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

    #[test]
    fn one_in_five_may_lack_a_section() {
        let (with, without): (&[&str], &[&str]) = (&["A"], &["B"]);
        let one = [without, with, with, with, with];
        assert_eq!(common("specs/9.md", &one), ["A"]);
        let two = [without, without, with, with, with, with];
        assert_eq!(common("specs/9.md", &two), [""; 0]);
        let late = [with, with, with, with, without, without];
        assert_eq!(common("specs/9.md", &late), [""; 0]);
        assert_eq!(common("specs/0.md", &two), ["A"]);
    }
}
