//! The documents beside those under review, and what they have in common.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::{DocumentRole, Sibling};

/// The fewest other documents that show what is common.
const MIN_SIBLINGS: usize = 5;

/// Specs and plans that are known by their sections.
///
/// A clone shares its list with the original.
#[derive(Clone, Debug, Default)]
pub struct Siblings(Arc<Listed>);

#[derive(Debug, Default)]
struct Listed {
    all: Vec<Sibling>,
    /// By their kind and their folder.
    families: OnceLock<Vec<Family>>,
}

/// Documents of one kind in one folder of the root.
#[derive(Debug)]
struct Family {
    members: Vec<Member>,
    /// How many members have each section.
    counts: Vec<usize>,
}

/// A document with the number of each of its sections.
#[derive(Debug)]
struct Member {
    index: usize,
    sections: Vec<usize>,
}

impl Siblings {
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Sibling> {
        self.0.all.iter()
    }

    /// The sections that at least four in five of the siblings of a kind in the
    /// folder of `path` have, the document at `path` aside, under the name and
    /// in the order in which those first have them; none where they are few.
    #[must_use]
    pub fn common(&self, role: DocumentRole, path: &str) -> Vec<&str> {
        let all = &self.0.all;
        let families = self.0.families.get_or_init(|| families(all));
        let key = (role, part(path));
        let family = families.binary_search_by_key(&key, |family| family.key(all));
        family.map_or_else(|_| Vec::new(), |at| families[at].common(all, path))
    }
}

impl PartialEq for Siblings {
    fn eq(&self, other: &Self) -> bool {
        self.0.all == other.0.all
    }
}

impl Eq for Siblings {}

impl FromIterator<Sibling> for Siblings {
    fn from_iter<I: IntoIterator<Item = Sibling>>(siblings: I) -> Self {
        Self(Arc::new(Listed {
            all: siblings.into_iter().collect(),
            families: OnceLock::new(),
        }))
    }
}

/// The families among `all`, sorted by their keys.
fn families(all: &[Sibling]) -> Vec<Family> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&index| key(&all[index]));
    let alike = order.chunk_by(|&one, &other| key(&all[one]) == key(&all[other]));
    alike.map(|members| Family::of(all, members)).collect()
}

fn key(sibling: &Sibling) -> (DocumentRole, &str) {
    (sibling.role, part(&sibling.path))
}

/// The folder of the root that a file lies in.
fn part(path: &str) -> &str {
    path.split_once('/').map_or("", |(folder, _)| folder)
}

impl Family {
    fn of(all: &[Sibling], members: &[usize]) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut counts = Vec::new();
        let members = members.iter().map(|&index| {
            let sections = all[index].sections().iter().map(|section| {
                let number = *numbers.entry(&section.key).or_insert(counts.len());
                if number == counts.len() {
                    counts.push(0);
                }
                counts[number] += 1;
                number
            });
            let sections = sections.collect();
            Member { index, sections }
        });
        let members = members.collect();
        Self { members, counts }
    }

    fn key<'a>(&self, all: &'a [Sibling]) -> (DocumentRole, &'a str) {
        key(&all[self.members[0].index])
    }

    fn common<'a>(&self, all: &'a [Sibling], path: &str) -> Vec<&'a str> {
        let members = self.members.iter();
        let is_own = |member: &&Member| all[member.index].path == path;
        let own = members.clone().filter(is_own);
        let others = members.filter(|member| !is_own(member));
        let count = others.clone().count();
        if count < MIN_SIBLINGS {
            return Vec::new();
        }
        let mut counts = self.counts.clone();
        for &number in own.flat_map(|member| &member.sections) {
            counts[number] -= 1;
        }
        let may_lack = count / 5;
        let is_common = |having: usize| having + may_lack >= count;
        let most = counts.iter().filter(|&&having| is_common(having)).count();
        let mut common = Vec::with_capacity(most);
        // A section that more of them lack at the beginning is not common.
        for (at, member) in others.enumerate().take(may_lack + 1) {
            let sections = all[member.index].sections();
            for (&number, section) in member.sections.iter().zip(sections) {
                if is_common(counts[number]) {
                    // It is listed once.
                    counts[number] = 0;
                    common.push((at, section.place, section.name.as_str()));
                }
            }
        }
        common.sort_unstable();
        common.into_iter().map(|(.., name)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What other documents of its folder have in common for the one at `own`.
    fn common(own: &str, others: &[&[&str]]) -> Vec<String> {
        let sibling = |(at, sections): (usize, &&[&str])| {
            let path = format!("specs/{at}.md");
            Sibling::new(path, DocumentRole::Spec, sections.iter().copied())
        };
        let siblings: Siblings = others.iter().enumerate().map(sibling).collect();
        let common = siblings.common(DocumentRole::Spec, own).into_iter();
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

    #[test]
    fn each_kind_and_each_folder_is_a_family() {
        let of = |role, folder: &'static str, section: &'static str| {
            (0..5).map(move |at| Sibling::new(format!("{folder}/{at}.md"), role, [section]))
        };
        let siblings: Siblings = of(DocumentRole::Plan, "b", "B")
            .chain(of(DocumentRole::Spec, "b", "A"))
            .chain(of(DocumentRole::Spec, "a", "C"))
            .collect();
        assert_eq!(siblings.common(DocumentRole::Plan, "b/x.md"), ["B"]);
        assert_eq!(siblings.common(DocumentRole::Spec, "b/c/x.md"), ["A"]);
        assert_eq!(siblings.common(DocumentRole::Spec, "a/x.md"), ["C"]);
        assert_eq!(siblings.common(DocumentRole::Plan, "a/x.md"), [""; 0]);
        assert_eq!(siblings.iter().count(), 15);
    }

    #[test]
    fn siblings_are_equal_by_their_list() {
        let of = |sections: &[&'static str]| {
            let sections = sections.iter().copied();
            Siblings::from_iter([Sibling::new("a/b.md", DocumentRole::Spec, sections)])
        };
        let one = of(&["A"]);
        assert_eq!(one.common(DocumentRole::Spec, "a/c.md"), [""; 0]);
        assert_eq!(one, of(&["A"]));
        assert_ne!(one, of(&["B"]));
    }
}
