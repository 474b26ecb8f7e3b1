//! The documents next to those under review, and their common sections.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{DocumentRole, Sibling};

/// Minimum number of other documents for common sections.
const MIN_SIBLINGS: usize = 5;

/// Specs and plans with their sections.
///
/// A clone shares its list with the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Siblings(Arc<SiblingList>);

#[derive(Debug, Default, PartialEq, Eq)]
struct SiblingList {
    all: Vec<Sibling>,
    /// By their kind and the top-level folder.
    families: HashMap<(DocumentRole, String), Family>,
}

/// Documents of one kind in one top-level folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct Family {
    /// Their positions in the list.
    members: Vec<usize>,
    /// The number of documents with each section, by its key.
    counts: HashMap<String, usize>,
}

impl Siblings {
    /// Returns all of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Sibling> {
        self.0.all.iter()
    }

    /// Returns the sections that at least four in five of the siblings of a kind in the
    /// top-level folder of `path` have, without the document at `path`, with the name
    /// and order from the first of them; none if there are few siblings.
    #[must_use]
    pub fn common(&self, role: DocumentRole, path: &str) -> Vec<&str> {
        let key = (role, part(path).to_owned());
        let Some(family) = self.0.families.get(&key) else {
            return Vec::new();
        };
        let members = family.members.iter().map(|&at| &self.0.all[at]);
        let (own, others): (Vec<_>, Vec<_>) = members.partition(|member| member.path == path);
        if others.len() < MIN_SIBLINGS {
            return Vec::new();
        }
        let may_lack = others.len() / 5;
        let own = own.iter().flat_map(|own| own.sections());
        let own: Vec<_> = own.map(|section| section.key.as_str()).collect();
        let is_common = |key: &str| {
            let own = own.iter().filter(|own| **own == key).count();
            family.counts[key] - own + may_lack >= others.len()
        };
        let mut seen = HashSet::new();
        let mut common = Vec::new();
        // A section that more of them lack at the start is not common.
        for (at, member) in others.iter().enumerate().take(may_lack + 1) {
            for section in member.sections() {
                if is_common(&section.key) && seen.insert(&section.key) {
                    common.push((at, section.place, section.name.as_str()));
                }
            }
        }
        common.sort_unstable();
        common.into_iter().map(|(.., name)| name).collect()
    }
}

impl FromIterator<Sibling> for Siblings {
    fn from_iter<I: IntoIterator<Item = Sibling>>(siblings: I) -> Self {
        let all: Vec<Sibling> = siblings.into_iter().collect();
        let mut families: HashMap<_, Family> = HashMap::new();
        for (at, sibling) in all.iter().enumerate() {
            let key = (sibling.role, part(&sibling.path).to_owned());
            let family = families.entry(key).or_default();
            family.members.push(at);
            for section in sibling.sections() {
                *family.counts.entry(section.key.clone()).or_default() += 1;
            }
        }
        Self(Arc::new(SiblingList { all, families }))
    }
}

/// Returns the top-level folder of a file.
fn part(path: &str) -> &str {
    path.split_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what other documents of its folder have in common for the one at `own`.
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
    fn a_document_does_not_count_for_itself() {
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
    fn a_repeated_section_counts_once() {
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
