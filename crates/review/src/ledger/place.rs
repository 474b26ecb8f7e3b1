//! Finds the place in the artifact that an item of feedback refers to.

use review_types::{FindingPlace, Hash};

use super::sections::{FileSections, NamedSection};
use crate::naming::{file_named, lines_named, words};

/// The place of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Located {
    pub(super) place: FindingPlace,
    /// Whether the place is in no file of the artifact, or in text that did not
    /// change since the base.
    pub(super) out_of_scope: bool,
}

/// Returns how well `words` match the name of a section: equal, containing it, or
/// contained in it; longer matches are better.
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

/// Returns the place that a reviewer refers to: lines of a file, or the best
/// matching section, in the named files or else in all. Without a file where
/// several files match equally well; the only file where no section matches.
pub(super) fn locate(named: &str, files: &[FileSections]) -> Located {
    if let Some(place) = elsewhere(named, files) {
        return Located {
            place,
            out_of_scope: true,
        };
    }
    let best = files.iter().map(|file| file.naming(named)).max();
    let files: Vec<_> = files
        .iter()
        .filter(|file| Some(file.naming(named)) == best)
        .collect();
    let place = at_lines(named, &files).unwrap_or_else(|| in_section(named, &files));
    located_at(place, files)
}

/// Returns a place of the artifact with whether it is in scope.
pub(super) fn located_at<'f>(
    place: FindingPlace,
    files: impl IntoIterator<Item = &'f FileSections>,
) -> Located {
    let mut files = files.into_iter();
    let file = files.find(|file| place.path.as_deref() == Some(&file.path));
    Located {
        out_of_scope: file.is_some_and(|file| !file.counts(&place)),
        place,
    }
}

/// Returns the place if `text` names another file and nothing else.
fn elsewhere(named: &str, files: &[FileSections]) -> Option<FindingPlace> {
    let (path, rest) = file_named(named)?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let rest = words(&rest);
    let is_ours = |file: &FileSections| {
        let mut sections = file.sections.iter();
        file.name().eq_ignore_ascii_case(name)
            || sections.any(|section| {
                let heading = section.headings.last();
                let is_heading = heading.is_some_and(|heading| heading.contains(path));
                is_heading || rest != " " && fit(section, &rest).is_some()
            })
    };
    (!files.iter().any(is_ours)).then(|| FindingPlace {
        path: Some(path.to_owned()),
        ..FindingPlace::default()
    })
}

fn at_lines(named: &str, files: &[&FileSections]) -> Option<FindingPlace> {
    files.iter().find_map(|file| {
        let lines = lines_named(named, &file.path).or_else(|| lines_named(named, file.name()));
        file.at_lines(lines?)
    })
}

fn in_section(named: &str, files: &[&FileSections]) -> FindingPlace {
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
    match (found, files) {
        (Some((_, file, section)), _) if only_one_file => file.at(section),
        (Some((_, _, section)), _) => FindingPlace {
            headings: section.headings.clone(),
            ..FindingPlace::default()
        },
        (None, [file]) => file.whole(),
        (None, _) => FindingPlace::default(),
    }
}

/// Returns the current position of a place; `None` if it is unknown or gone.
pub(super) fn again(place: &FindingPlace, files: &[FileSections]) -> Option<FindingPlace> {
    let path = place.path.as_ref()?;
    let file = files.iter().find(|file| file.path == *path)?;
    file.again(place)
}

/// Returns the hash of the current text at a place; `None` if it is unknown or
/// gone.
pub(crate) fn text_at(place: &FindingPlace, files: &[FileSections]) -> Option<Hash> {
    again(place, files)?.text
}

/// Returns whether anything changed at the place that a reviewer refers to: in the section
/// that it or its lines are in, in the file that it names, or anywhere where it names nothing
/// that is known.
pub(crate) fn is_changed(named: &str, [before, after]: [&[FileSections]; 2]) -> bool {
    let place = locate(named, before).place;
    let is_meant = |file: &FileSections| {
        Some(&file.path) == place.path.as_ref()
            && (file.naming(named) > 0 || !place.headings.is_empty())
    };
    let path = place.path.as_ref();
    let path = path.filter(|_| before.iter().any(is_meant));
    let texts = |files: &[FileSections]| -> Vec<_> {
        let files = files
            .iter()
            .filter(|file| path.is_none_or(|path| file.path == *path));
        let here = files.map(|file| (file.path.clone(), file.again(&place).map(|at| at.text)));
        here.collect()
    };
    texts(before) != texts(after)
}

/// Returns whether two places overlap: the same headings, unless their files are
/// known and different, or a section and a part of it in one file.
pub(super) fn overlap(a: &FindingPlace, b: &FindingPlace) -> bool {
    match (&a.path, &b.path) {
        (Some(one), Some(other)) => {
            let (a, b) = (&a.headings, &b.headings);
            one == other && (a.starts_with(b) || b.starts_with(a))
        }
        (None, _) | (_, None) => a.headings == b.headings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> FileSections {
        crate::ledger::test_file(path, text)
    }

    fn found(named: &str, files: &[FileSections]) -> (Option<String>, String) {
        let place = locate(named, files).place;
        (place.path, place.headings.join("/"))
    }

    #[test]
    fn a_section_is_found_by_its_heading_in_the_named_file() {
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
    fn the_longest_matching_heading_wins() {
        let files = [file("a", "# Retry\n1\n# Retry limit\n2\n# Limit\n3\n")];
        assert_eq!(found("on the retry limit", &files).1, "Retry limit");
        assert_eq!(found("limit", &files).1, "Limit");
    }

    #[test]
    fn the_text_at_a_place_is_its_section_or_the_file() {
        let before = [file("a", "# X\n1\n# Y\n2\n")];
        let after = [file("a", "# X\n1\n# Y\nTWO\n")];
        let at = |named| locate(named, &before).place;
        assert_eq!(text_at(&at("X"), &after), at("X").text);
        assert_ne!(text_at(&at("Y"), &after), at("Y").text);
        assert_eq!(text_at(&at("Y"), &after), locate("Y", &after).place.text);
        assert_ne!(text_at(&at("Z"), &after), at("Z").text);
        assert_eq!(text_at(&at("X"), &[file("b", "# X\n1\n")]), None);
        assert_eq!(text_at(&at("X"), &[file("a", "# Other\n1\n")]), None);
        assert_eq!(text_at(&FindingPlace::default(), &after), None);
    }

    #[test]
    fn a_place_changed_when_its_section_or_file_did() {
        let same = file("specs/B.md", "# Tests\nthree\n");
        let before = [
            file("specs/A.md", "# Goals\none\n# Limits\ntwo\n# Gone\nsix\n"),
            same.clone(),
        ];
        let after = [
            file(
                "specs/A.md",
                "# Goals\none\n# Limits\nTWO\n# Added\nseven\n",
            ),
            same.clone(),
        ];
        for (section, expected) in [
            ("Goals", false),
            ("Limits", true),
            ("the limits of it", true),
            ("LIMITS", true),
            ("Gone", true),
            ("Added", true),
            ("Tests", false),
            ("specs/A.md § Goals", false),
            ("specs/A.md § Limits", true),
            ("specs/A.md", true),
            ("specs/B.md", false),
            ("specs/A.md:0", true),
            ("specs/A.md:1", false),
            ("specs/A.md:2", false),
            ("specs/A.md:3", true),
            ("specs/A.md:4 is open", true),
            ("specs/A.md:1-2", false),
            ("specs/B.md:1-99", false),
            ("specs/A.md:99", true),
            ("specs/B.md:1", false),
            ("src/api.rs:12", true),
            ("Everything", true),
            ("§", true),
        ] {
            assert_eq!(
                is_changed(section, [&before, &after]),
                expected,
                "{section}"
            );
        }
        let untouched = std::slice::from_ref(&same);
        for section in ["Everything", "specs/B.md:99", "src/api.rs:12"] {
            assert!(!is_changed(section, [untouched, untouched]), "{section}");
        }
        assert!(is_changed("Everything", [untouched, &after]));
        assert!(is_changed("Tests", [&after, &after[..1]]));
        assert!(!is_changed("Everything", [&[], &[]]));
    }

    #[test]
    fn removed_lines_and_added_lines_count_as_changes() {
        let full = [file("a", "# X\n1\n# Y\n2\n")];
        let bare = [file("a", "# X\n# Y\n2\n")];
        for versions in [[&full[..], &bare], [&bare, &full]] {
            assert!(is_changed("X", versions));
            assert!(!is_changed("Y", versions));
        }
    }

    #[test]
    fn lines_are_found_by_the_path_or_the_name_of_their_file() {
        let files = [file("specs/A.md", "# Goal\n1\n# Error codes\n2\n")];
        for (named, heading) in [
            ("specs/A.md:2", "Goal"),
            ("A.md:4-5", "Error codes"),
            ("A.md:4 (Goal)", "Error codes"),
            ("A.md:9 Goal", "Goal"),
        ] {
            assert_eq!(found(named, &files).1, heading, "{named}");
        }
        let lines = locate("A.md:4-5", &files).place.lines.unwrap();
        assert_eq!((lines.first, lines.last), (4, 5));
    }

    #[test]
    fn another_file_is_out_of_scope() {
        let files = [file("specs/A.md", "# Goal\n1\n# What main.rs does\n2\n")];
        for (named, out_of_scope) in [
            ("src/api.rs:12", true),
            ("the table of src/api.rs", true),
            ("README.md", true),
            ("specs/A.md", false),
            ("a.md", false),
            ("old/A.md", false),
            ("Goal (see src/api.rs)", false),
            ("main.rs", false),
            ("Elsewhere", false),
        ] {
            let located = locate(named, &files);
            assert_eq!(located.out_of_scope, out_of_scope, "{named}");
        }
        let place = locate("src/api.rs:12", &files).place;
        assert_eq!(place.path.as_deref(), Some("src/api.rs"));
        assert_eq!(text_at(&place, &files), None);
    }

    #[test]
    fn text_that_did_not_change_since_the_base_is_out_of_scope() {
        let text = "# X\n1\n# Y\n2\n";
        let files = [file("a", text).since(b"# X\n1\n# Y\nTWO\n")];
        for (named, out_of_scope) in [("X", true), ("Y", false), ("a:2", true), ("a", false)] {
            let located = locate(named, &files);
            assert_eq!(located.out_of_scope, out_of_scope, "{named}");
        }
        let two = [files[0].clone(), file("b", text)];
        assert!(!locate("X", &two).out_of_scope, "the file is unknown");
    }

    #[test]
    fn places_overlap_by_headings_in_known_files() {
        let place = |path: Option<&str>, headings: &[&str]| FindingPlace {
            path: path.map(str::to_owned),
            headings: headings.iter().map(|name| (*name).to_owned()).collect(),
            ..FindingPlace::default()
        };
        let a = Some("a");
        for (one, other, expected) in [
            (place(a, &["X"]), place(a, &["X"]), true),
            (place(None, &["X"]), place(a, &["X"]), true),
            (place(Some("b"), &["X"]), place(a, &["X"]), false),
            (place(a, &["X"]), place(a, &["Y"]), false),
            (place(a, &["X"]), place(a, &["X", "Y"]), true),
            (place(a, &["X", "Z"]), place(a, &["X", "Y"]), false),
            (place(a, &[]), place(a, &["X"]), true),
            (place(None, &[]), place(a, &["X"]), false),
            (place(None, &["X"]), place(a, &["X", "Y"]), false),
        ] {
            assert_eq!(overlap(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(overlap(&other, &one), expected, "{other:?} {one:?}");
        }
    }
}
