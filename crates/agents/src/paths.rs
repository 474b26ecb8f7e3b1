//! The files that a call read or changed.

use std::collections::BTreeSet;
use std::path::Path;

use review_store::{Root, RootPath};

/// The most paths that are listed.
const MAX_PATHS: usize = 1024;

/// The longest path that is listed, in bytes.
const MAX_PATH: usize = 4 * 1024;

/// Paths in order, each of them once, up to a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    listed: BTreeSet<String>,
    is_partial: bool,
}

impl Paths {
    /// No path, where nothing reports which there are.
    pub(crate) fn unknown() -> Self {
        Self {
            is_partial: true,
            ..Self::default()
        }
    }

    /// The listed paths in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.listed.iter().map(String::as_str)
    }

    /// Whether there may be others: the agent does not report all of them, or
    /// there are more than are listed.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Marks the list as one from which paths may be missing.
    pub(crate) fn set_partial(&mut self) {
        self.is_partial = true;
    }

    /// Adds a path; beyond the limits, only that some are missing.
    pub(crate) fn insert(&mut self, path: &str) {
        let fits = path.len() <= MAX_PATH && self.listed.len() < MAX_PATHS;
        if fits {
            self.listed.insert(path.to_owned());
        } else if !self.listed.contains(path) {
            self.is_partial = true;
        }
    }

    /// Those of the paths, as an agent writes them, that are below `root` with
    /// every link followed: relative to it.
    pub(crate) fn below(&self, root: &Root) -> Self {
        self.mapped(|path| below(root, path))
    }

    /// Those of [`below`](Self::below) that are files.
    pub(crate) fn files_below(&self, root: &Root) -> Self {
        self.mapped(|path| {
            let (relative, real) = resolved(root, path)?;
            real.is_file().then_some(relative)
        })
    }

    fn mapped(&self, path: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            listed: self.listed.iter().filter_map(|one| path(one)).collect(),
            is_partial: self.is_partial,
        }
    }
}

impl<S: AsRef<str>> FromIterator<S> for Paths {
    fn from_iter<T: IntoIterator<Item = S>>(paths: T) -> Self {
        let mut listed = Self::default();
        listed.extend(paths);
        listed
    }
}

impl<S: AsRef<str>> Extend<S> for Paths {
    fn extend<T: IntoIterator<Item = S>>(&mut self, paths: T) {
        paths
            .into_iter()
            .for_each(|path| self.insert(path.as_ref()));
    }
}

/// A path, as an agent writes it, as seen from the root, if it is below it.
pub(crate) fn below(root: &Root, path: &str) -> Option<String> {
    Some(resolved(root, path)?.0)
}

/// A path as seen from the root, and where it leads.
fn resolved(root: &Root, path: &str) -> Option<(String, std::path::PathBuf)> {
    let relative: RootPath = root.relative(Path::new(path)).ok()?;
    let real = root.resolve(&relative).ok()?;
    Some((relative.as_str().to_owned(), real))
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn listed(paths: &Paths) -> Vec<&str> {
        paths.iter().collect()
    }

    #[test]
    fn paths_are_sorted_and_listed_once_up_to_a_number() {
        let mut paths = Paths::default();
        paths.extend(["b", "a", "b"]);
        assert_eq!(
            (listed(&paths), paths.is_partial()),
            (vec!["a", "b"], false)
        );
        paths.extend((0..MAX_PATHS).map(|number| number.to_string()));
        assert_eq!(
            (paths.iter().count(), paths.is_partial()),
            (MAX_PATHS, true)
        );
        let mut paths = Paths::default();
        paths.insert(&"x".repeat(MAX_PATH + 1));
        assert_eq!((listed(&paths), paths.is_partial()), (vec![], true));
    }

    #[test]
    fn only_files_inside_the_root_are_listed_relative_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(at.join("root/specs")).unwrap();
        std::fs::write(at.join("root/specs/A.md"), "").unwrap();
        std::fs::write(at.join("root-2"), "").unwrap();
        std::fs::write(at.join("secret"), "").unwrap();
        symlink(at.join("secret"), at.join("root/link")).unwrap();
        symlink(at.join("root"), at.join("alias")).unwrap();
        let root = Root::open(&at.join("root")).unwrap();
        let mut paths = Paths::default();
        paths.extend([
            "specs/A.md",
            "./specs/../specs/A.md",
            "specs",
            "gone.md",
            "../secret",
            "link",
        ]);
        paths.extend(
            ["root/specs/A.md", "root-2", "secret", "alias/specs/A.md"]
                .map(|path| at.join(path).to_str().unwrap().to_owned()),
        );
        assert_eq!(listed(&paths.files_below(&root)), ["specs/A.md"]);
        assert_eq!(
            listed(&paths.below(&root)),
            ["gone.md", "specs", "specs/A.md"]
        );
    }
}
