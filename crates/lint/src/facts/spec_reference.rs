//! Resolution of spec references in tasks and plans.

use review_document::workspace::{Document, PathSet};
use review_document::{Spanned, joined};

/// A spec that a document names.
#[derive(Debug)]
pub(crate) struct NamedSpec<'a> {
    pub(crate) document: &'a Document,
    /// The reference as written.
    pub(crate) name: &'a Spanned<String>,
    pub(crate) found: SpecReference<'a>,
}

impl<'a> NamedSpec<'a> {
    /// Looks up a reference.
    pub(super) fn of(
        document: &'a Document,
        name: &'a Spanned<String>,
        paths: &'a PathSet,
    ) -> Self {
        Self {
            document,
            name,
            found: SpecReference::of(&name.value, &document.path, paths),
        }
    }
}

/// The folder of a file.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The target of a spec reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SpecReference<'a> {
    /// The file, relative to the root or to the referring file.
    AsWritten,
    /// Files of the same name in other folders.
    Moved(Vec<&'a str>),
    /// No file.
    Missing,
    /// Not a file of the workspace.
    Foreign,
}

/// The maximum number of files of one name that are listed.
const MAX_NAMED: usize = 20;

impl<'a> SpecReference<'a> {
    /// Looks up `reference` in the file at `from`.
    fn of(reference: &str, from: &str, paths: &'a PathSet) -> Self {
        let path = spec_path(reference);
        if path.contains("://") || path.is_empty() {
            return Self::Foreign;
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let path = path.trim_start_matches('/');
        let there = ["", folder(from)].map(|at| joined(at, path));
        let exists = |path: &String| paths.contains(path) || paths.is_file(&format!("{path}.md"));
        if there.iter().flatten().any(exists) {
            return Self::AsWritten;
        }
        let with_extension = format!("{name}.md");
        let named = paths.named(name).chain(paths.named(&with_extension));
        let found: Vec<_> = named.take(MAX_NAMED).collect();
        if found.is_empty() {
            Self::Missing
        } else {
            Self::Moved(found)
        }
    }
}

/// The path of a reference without its anchor, percent-decoded.
pub(crate) fn spec_path(reference: &str) -> String {
    let path = reference.split('#').next().unwrap_or_default().trim();
    path.replace("%20", " ").replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use review_document::Place;
    use review_document::workspace::DocumentRole;

    use super::*;

    #[test]
    fn a_spec_is_looked_up_as_written_and_then_by_name() {
        let paths = PathSet::from_iter([
            "specs/done/A.md",
            "specs/B.md",
            "specs/~E.md",
            "tasks/web/C.md",
            "x/B.md",
        ]);
        let at = |reference: &str| SpecReference::of(reference, "tasks/web/01-a.md", &paths);
        for reference in [
            "/specs/B.md",
            "./specs/B.md#x",
            "C.md",
            "../../specs/~E.md",
            "specs/~E",
            "../../specs/B.md",
            "specs/B",
            "/specs",
        ] {
            assert_eq!(at(reference), SpecReference::AsWritten, "{reference}");
        }
        for reference in ["/specs/A.md", "A.md", r"C:\x\A.md", "/Users/me/specs/A"] {
            let moved = SpecReference::Moved(vec!["specs/done/A.md"]);
            assert_eq!(at(reference), moved, "{reference}");
        }
        let two = SpecReference::Moved(vec!["specs/B.md", "x/B.md"]);
        assert_eq!(at("/docs/B.md"), two);
        assert_eq!(at("/specs/D.md"), SpecReference::Missing);
        for reference in ["https://example.com/B.md", "#goals", ""] {
            assert_eq!(at(reference), SpecReference::Foreign, "{reference}");
        }
    }

    #[test]
    fn a_reference_is_relative_to_the_folder_of_its_document() {
        let paths = PathSet::from_iter(["a/A.md"]);
        let documents = ["a/1.md", "a/2.md", "b/3.md", "b/4.md"]
            .map(|path| Document::parse(path, DocumentRole::Task, ""));
        let names = ["A.md", "A.md", "A.md", "B.md"].map(|name| Spanned {
            value: name.to_owned(),
            place: Place::default(),
        });
        let named = documents.iter().zip(&names);
        let found: Vec<_> = named
            .map(|(document, name)| NamedSpec::of(document, name, &paths).found)
            .collect();
        assert_eq!(
            found,
            [
                SpecReference::AsWritten,
                SpecReference::AsWritten,
                SpecReference::Moved(vec!["a/A.md"]),
                SpecReference::Missing,
            ]
        );
    }
}
