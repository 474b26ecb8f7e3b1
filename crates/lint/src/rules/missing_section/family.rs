//! What the documents of one kind in one folder of the root have in common.

use review_document::workspace::{Document, Sibling};

/// The fewest other documents from which a template is inferred.
const MIN_SIBLINGS: usize = 5;

/// The sections that at least four in five of the siblings of the kind and the
/// folder of a document have, the document itself aside, under the name and in
/// the order in which those first have them; none where they are few.
pub(super) fn common<'a>(
    document: &Document,
    siblings: &'a [Sibling],
) -> impl Iterator<Item = &'a str> {
    let part = part(&document.path);
    let others = siblings.iter().filter(|sibling| {
        sibling.role == document.role
            && self::part(&sibling.path) == part
            && sibling.path != document.path
    });
    let others: Vec<_> = others.collect();
    let may_lack = others.len() / 5;
    // What more of them lack at the beginning is no common section.
    let first = (0..=may_lack).filter(|_| others.len() >= MIN_SIBLINGS);
    let mut common = Vec::new();
    for member in first {
        let (before, rest) = others.split_at(member);
        let may_lack = may_lack - member;
        for section in rest[0].sections() {
            let is_first = !before.iter().any(|other| other.has(&section.key));
            let mut lacking = rest.iter().filter(|other| !other.has(&section.key));
            if is_first && lacking.nth(may_lack).is_none() {
                common.push((member, section.place, section.name.as_str()));
            }
        }
    }
    common.sort_unstable();
    common.into_iter().map(|(.., name)| name)
}

/// The folder of the root that a file lies in.
fn part(path: &str) -> &str {
    path.split_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use review_document::workspace::DocumentRole;

    use super::*;

    /// What the first document of a folder misses that others have.
    fn common(own: &str, others: &[&[&str]]) -> Vec<String> {
        let sibling = |(at, sections): (usize, &&[&str])| {
            let path = format!("specs/{at}.md");
            Sibling::new(path, DocumentRole::Spec, sections.iter().copied())
        };
        let siblings: Vec<_> = others.iter().enumerate().map(sibling).collect();
        let document = Document::parse(own, DocumentRole::Spec, "");
        super::common(&document, &siblings)
            .map(str::to_owned)
            .collect()
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
