//! Where in the artifact an item of feedback is.

use std::ops::Range;

use review_types::{FindingPlace, Hash};

use crate::engine::hash_bytes;

/// Bytes of the name of a place that are looked at.
const MAX_NAME: usize = 512;

/// A file of the artifact with its sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileSections {
    path: String,
    hash: Hash,
    sections: Vec<NamedSection>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedSection {
    headings: Vec<String>,
    /// The words of the last heading.
    name: String,
    hash: Hash,
}

impl FileSections {
    /// The file at `path`, whose sections are given by their headings and
    /// bytes.
    pub(crate) fn new(
        path: impl Into<String>,
        text: &[u8],
        sections: impl IntoIterator<Item = (Vec<String>, Range<usize>)>,
    ) -> Self {
        let named = sections.into_iter().filter_map(|(headings, span)| {
            let name = words(headings.last()?);
            let hash = hash_bytes(text.get(span)?);
            (name != " ").then_some(NamedSection {
                headings,
                name,
                hash,
            })
        });
        Self {
            path: path.into(),
            hash: hash_bytes(text),
            sections: named.collect(),
        }
    }

    /// How well a text names the file: by its path, by its name, or not.
    fn naming(&self, named: &str) -> u8 {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        match () {
            () if named.contains(&self.path) => 2,
            () if named.contains(name) => 1,
            () => 0,
        }
    }
}

/// The words of a text in lower case, a blank before each and behind the last.
fn words(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(MAX_NAME));
    let mut words = String::from(" ");
    let parts = text
        .unwrap_or_default()
        .split(|c: char| !c.is_alphanumeric());
    for word in parts.filter(|word| !word.is_empty()) {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    words
}

/// How well the words of a text name a section: as it is called, as a part of
/// what they say, or as a part of what it is called; the longer the better.
fn fit(section: &NamedSection, words: &str) -> Option<(u8, usize)> {
    if section.name == words {
        Some((2, section.name.len()))
    } else if words.contains(&section.name) {
        Some((1, section.name.len()))
    } else if words != " " && section.name.contains(words) {
        Some((0, words.len()))
    } else {
        None
    }
}

/// The place that a reviewer names: the section that fits the best, in the
/// files that are named, or else in all. Where several files have a section
/// that fits as well, no file is told; where none has, the only file is.
pub(crate) fn locate(named: &str, files: &[FileSections]) -> FindingPlace {
    let best = files.iter().map(|file| file.naming(named)).max();
    let files: Vec<_> = files
        .iter()
        .filter(|file| Some(file.naming(named)) == best)
        .collect();
    let words = words(named);
    let sections = files.iter().flat_map(|file| {
        let fitting = file.sections.iter();
        fitting.filter_map(|section| Some((fit(section, &words)?, *file, section)))
    });
    let mut found: Option<((u8, usize), &FileSections, &NamedSection)> = None;
    let mut only_one_file = true;
    for (fit, file, section) in sections {
        match &found {
            Some((best, _, _)) if fit < *best => {}
            Some((best, of, _)) if fit == *best => only_one_file &= of.path == file.path,
            Some(_) | None => {
                found = Some((fit, file, section));
                only_one_file = true;
            }
        }
    }
    match (found, files.as_slice()) {
        (Some((_, file, section)), _) => FindingPlace {
            path: only_one_file.then(|| file.path.clone()),
            headings: section.headings.clone(),
            text: only_one_file.then_some(section.hash),
        },
        (None, [file]) => FindingPlace {
            path: Some(file.path.clone()),
            headings: Vec::new(),
            text: Some(file.hash),
        },
        (None, _) => FindingPlace::default(),
    }
}

/// The hash of the text at a place as it is now; `None` where it cannot be told
/// or is gone.
pub(crate) fn text_at(place: &FindingPlace, files: &[FileSections]) -> Option<Hash> {
    let path = place.path.as_ref()?;
    let file = files.iter().find(|file| file.path == *path)?;
    if place.headings.is_empty() {
        return Some(file.hash);
    }
    let mut sections = file.sections.iter();
    let section = sections.find(|section| section.headings == place.headings);
    section.map(|section| section.hash)
}

/// Whether two places are the same: the same headings, in files of which not
/// both are told and differ.
pub(crate) fn is_same(a: &FindingPlace, b: &FindingPlace) -> bool {
    let is_same_file = match (&a.path, &b.path) {
        (Some(a), Some(b)) => a == b,
        (None, _) | (_, None) => true,
    };
    is_same_file && a.headings == b.headings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file whose headings are lines that begin with `# `.
    fn file(path: &str, text: &str) -> FileSections {
        let starts: Vec<_> = text.match_indices("# ").map(|(at, _)| at).collect();
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        let sections = starts.iter().zip(ends).map(|(start, end)| {
            let heading = text[start + 2..].lines().next().unwrap().to_owned();
            (vec![heading], *start..end)
        });
        FileSections::new(path, text.as_bytes(), sections.collect::<Vec<_>>())
    }

    fn found(named: &str, files: &[FileSections]) -> (Option<String>, String) {
        let place = locate(named, files);
        (place.path, place.headings.join("/"))
    }

    #[test]
    fn a_section_is_found_by_its_heading_in_the_file_that_is_named() {
        let files = [
            file("specs/A.md", "# Goal\n1\n# Error codes\n2\n"),
            file("tasks/a/01-x.md", "# Goal\n3\n# Steps\n4\n"),
        ];
        for (named, path, heading) in [
            ("Error codes", Some("specs/A.md"), "Error codes"),
            ("the ERROR CODES section", Some("specs/A.md"), "Error codes"),
            ("codes", Some("specs/A.md"), "Error codes"),
            ("Steps", Some("tasks/a/01-x.md"), "Steps"),
            ("Goal", None, "Goal"),
            ("specs/A.md § Goal", Some("specs/A.md"), "Goal"),
            ("Goal of 01-x.md", Some("tasks/a/01-x.md"), "Goal"),
            ("A.md", Some("specs/A.md"), ""),
            ("Elsewhere", None, ""),
            ("§", None, ""),
        ] {
            let expected = (path.map(str::to_owned), heading.to_owned());
            assert_eq!(found(named, &files), expected, "{named}");
        }
        let only = std::slice::from_ref(&files[0]);
        assert_eq!(found("Elsewhere", only).0.as_deref(), Some("specs/A.md"));
    }

    #[test]
    fn the_longest_heading_that_is_named_is_taken() {
        let files = [file("a", "# Retry\n1\n# Retry limit\n2\n# Limit\n3\n")];
        assert_eq!(found("on the retry limit", &files).1, "Retry limit");
        assert_eq!(found("limit", &files).1, "Limit");
    }

    #[test]
    fn the_text_at_a_place_is_its_section_or_the_file() {
        let before = [file("a", "# X\n1\n# Y\n2\n")];
        let after = [file("a", "# X\n1\n# Y\nTWO\n")];
        let at = |named| locate(named, &before);
        assert_eq!(text_at(&at("X"), &after), at("X").text);
        assert_ne!(text_at(&at("Y"), &after), at("Y").text);
        assert_eq!(text_at(&at("Y"), &after), locate("Y", &after).text);
        assert_ne!(text_at(&at("Z"), &after), at("Z").text);
        assert_eq!(text_at(&at("X"), &[file("b", "# X\n1\n")]), None);
        assert_eq!(text_at(&at("X"), &[file("a", "# Other\n1\n")]), None);
        assert_eq!(text_at(&FindingPlace::default(), &after), None);
    }

    #[test]
    fn places_differ_by_headings_and_by_files_that_are_told() {
        let place = |path: Option<&str>, heading: &str| FindingPlace {
            path: path.map(str::to_owned),
            headings: vec![heading.to_owned()],
            text: None,
        };
        assert!(is_same(&place(Some("a"), "X"), &place(Some("a"), "X")));
        assert!(is_same(&place(None, "X"), &place(Some("a"), "X")));
        assert!(!is_same(&place(Some("b"), "X"), &place(Some("a"), "X")));
        assert!(!is_same(&place(Some("a"), "X"), &place(Some("a"), "Y")));
    }
}
