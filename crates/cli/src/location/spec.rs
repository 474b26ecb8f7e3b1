//! The spec that a name means.

use std::path::{Path, PathBuf};

use review_document::near::nearest;
use review_types::plural;

use super::Probe;

/// Folders below the root in which a spec is looked up by name, in order.
const FOLDERS: [&str; 2] = ["specs", "specs/completed"];
/// As many names are listed in a message.
const MAX_LISTED: usize = 20;

/// No spec, or no single one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpecError {
    /// No file has the name.
    #[error("no spec \"{name}\" in {} or its completed/", folder.display())]
    Unknown {
        /// The name.
        name: String,
        /// The folder `specs` of the root.
        folder: PathBuf,
        /// The nearest names, or all of them.
        there_are: Vec<String>,
    },
    /// Several files have the name.
    #[error("\"{name}\" may be any of {}", plural(paths.len(), "spec", "specs"))]
    Several {
        /// The name.
        name: String,
        /// The files, relative to the root.
        paths: Vec<String>,
    },
    /// No spec was named, and there is none.
    #[error("no spec in {}", folder.display())]
    Nothing {
        /// The folder `specs` of the root.
        folder: PathBuf,
    },
    /// No spec was named, and there are several.
    #[error("there are {}; say which one", plural(paths.len(), "spec", "specs"))]
    Unnamed {
        /// The files, relative to the root.
        paths: Vec<String>,
    },
}

impl SpecError {
    /// What to try instead, one line each.
    pub(crate) fn hints(&self) -> Vec<String> {
        match self {
            Self::Unknown { there_are, .. } => there_are
                .iter()
                .take(MAX_LISTED)
                .map(|name| format!("there is {name}"))
                .collect(),
            Self::Several { paths, .. } | Self::Unnamed { paths } => paths
                .iter()
                .take(MAX_LISTED)
                .map(|path| format!("--spec {path}"))
                .collect(),
            Self::Nothing { .. } => {
                vec!["`ralph init` writes a first spec and its task".to_owned()]
            }
        }
    }
}

/// The absolute path of the spec `name`: a path, seen from `folder`, if there
/// is something at it; else the file of that name, in any case and with or
/// without `.md`, in `specs/` or `specs/completed/` of `root`. Without a name
/// it is the only spec in `specs/`.
///
/// # Errors
/// When no file or several files are meant.
pub(crate) fn find_spec(
    name: Option<&str>,
    folder: &Path,
    root: &Path,
    probe: &impl Probe,
) -> Result<PathBuf, SpecError> {
    let Some(name) = name else {
        return only_spec(root, probe);
    };
    let path = super::absolute(folder, Path::new(name));
    if probe.exists(&path) {
        return Ok(path);
    }
    let wanted = stem(name);
    let mut known = Vec::new();
    for below in FOLDERS {
        let specs = specs_in(root, below, probe);
        let mut hits: Vec<String> = specs
            .iter()
            .filter(|path| stem(file_name(path)) == wanted)
            .cloned()
            .collect();
        match hits.len() {
            0 => known.extend(specs),
            1 => return Ok(root.join(hits.remove(0))),
            _ => {
                return Err(SpecError::Several {
                    name: name.to_owned(),
                    paths: hits,
                });
            }
        }
    }
    Err(SpecError::Unknown {
        name: name.to_owned(),
        folder: root.join(FOLDERS[0]),
        there_are: nearest_or_all(&wanted, known),
    })
}

fn nearest_or_all(wanted: &str, known: Vec<String>) -> Vec<String> {
    let stems: Vec<String> = known.iter().map(|path| stem(file_name(path))).collect();
    let near = nearest(wanted, stems.iter().map(String::as_str), 3);
    if near.is_empty() {
        return known;
    }
    let is_near = |path: &&String| near.contains(&stem(file_name(path)).as_str());
    known.iter().filter(is_near).cloned().collect()
}

fn only_spec(root: &Path, probe: &impl Probe) -> Result<PathBuf, SpecError> {
    let mut paths = specs_in(root, FOLDERS[0], probe);
    match paths.len() {
        0 => Err(SpecError::Nothing {
            folder: root.join(FOLDERS[0]),
        }),
        1 => Ok(root.join(paths.remove(0))),
        _ => Err(SpecError::Unnamed { paths }),
    }
}

/// The Markdown files of a folder below the root, relative to the root.
fn specs_in(root: &Path, below: &str, probe: &impl Probe) -> Vec<String> {
    probe
        .files(&root.join(below))
        .into_iter()
        .filter(|name| name.to_lowercase().ends_with(".md"))
        .map(|name| format!("{below}/{name}"))
        .collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn stem(name: &str) -> String {
    let name = name.to_lowercase();
    match name.strip_suffix(".md") {
        Some(stem) => stem.to_owned(),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::super::probe::tests::Tree;
    use super::*;

    fn find(name: Option<&str>, paths: &[&str]) -> Result<PathBuf, SpecError> {
        let (folder, root) = (Path::new("/p/sub"), Path::new("/p"));
        find_spec(name, folder, root, &Tree::of(paths))
    }

    #[test]
    fn a_path_wins_over_a_name_and_specs_win_over_completed_ones() {
        let paths = [
            "/p/sub/S.md",
            "/p/specs/S.md",
            "/p/specs/Other-One.md",
            "/p/specs/notes.txt",
            "/p/specs/completed/other-one.md",
            "/p/specs/completed/Old.md",
        ];
        for (name, expected) in [
            ("S.md", "/p/sub/S.md"),
            ("../specs/S.md", "/p/specs/S.md"),
            ("s", "/p/specs/S.md"),
            ("OTHER-ONE.MD", "/p/specs/Other-One.md"),
            ("old", "/p/specs/completed/Old.md"),
        ] {
            assert_eq!(find(Some(name), &paths), Ok(expected.into()), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_lists_the_nearest_or_all() {
        let paths = ["/p/specs/REVIEW.md", "/p/specs/completed/Gate.md"];
        let listed = |name| match find(Some(name), &paths) {
            Err(SpecError::Unknown { there_are, .. }) => there_are,
            other => panic!("{other:?}"),
        };
        assert_eq!(listed("REVEIW.md"), ["specs/REVIEW.md"]);
        assert_eq!(
            listed("xyz"),
            ["specs/REVIEW.md", "specs/completed/Gate.md"]
        );
        assert_eq!(
            listed("notes.txt"),
            ["specs/REVIEW.md", "specs/completed/Gate.md"]
        );
    }

    #[test]
    fn names_that_differ_only_in_case_are_listed() {
        let error = find(Some("a"), &["/p/specs/A.md", "/p/specs/a.MD"]).unwrap_err();
        assert_eq!(error.hints(), ["--spec specs/A.md", "--spec specs/a.MD"]);
        assert_eq!(error.to_string(), "\"a\" may be any of 2 specs");
    }

    #[test]
    fn without_a_name_the_only_spec_is_meant() {
        let one = ["/p/specs/A.md", "/p/specs/completed/B.md"];
        assert_eq!(find(None, &one), Ok("/p/specs/A.md".into()));
        let error = find(None, &["/p/specs/A.md", "/p/specs/B.md"]).unwrap_err();
        assert_eq!(error.to_string(), "there are 2 specs; say which one");
        assert_eq!(error.hints(), ["--spec specs/A.md", "--spec specs/B.md"]);
        let none = find(None, &["/p/specs/"]).unwrap_err();
        assert_eq!(none.to_string(), "no spec in /p/specs");
    }
}
