//! Resolves a reference to the file that it means.

use super::{Catalog, split, stem};
use crate::path::joined;
use crate::reference::base_name;
use review_text::near::{fold, nearest};

/// Maximum number of candidates that are compared for near names.
const MAX_CANDIDATES: usize = 2_000;

/// The file that a reference means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located<'a> {
    /// It exists as written.
    AsWritten(&'a str),
    /// One file elsewhere has the name.
    Moved(&'a str),
    /// Several files elsewhere have the name.
    Several(Vec<&'a str>),
    /// No file has the name.
    Missing {
        /// Markdown files with near names.
        nearest: Vec<&'a str>,
    },
}

impl Catalog {
    /// Finds the file that `reference` in a file of the folder `dir` means.
    ///
    /// A leading `/` means the root. Without one the root is tried first, then
    /// `dir`. An anchor is ignored.
    pub fn locate(&self, dir: &str, reference: &str) -> Located<'_> {
        let path = reference.split('#').next().unwrap_or_default().trim();
        let at_root = joined("", path.trim_start_matches('/'));
        for candidate in [at_root, joined(dir, path)].into_iter().flatten() {
            if let Some(path) = self.file(&candidate) {
                return Located::AsWritten(path);
            }
        }
        let name = base_name(path);
        let found = self.by_name.get(&fold(name)).map_or(&[][..], Vec::as_slice);
        match found {
            [] => Located::Missing {
                nearest: self.files_near(name),
            },
            [one] => Located::Moved(&self.paths[*one]),
            _ => Located::Several(found.iter().map(|&at| self.paths[at].as_str()).collect()),
        }
    }

    /// Returns whether `reference` means `path`: exactly, or by its name where nothing
    /// exists as written.
    pub(super) fn means(&self, reference: &str, path: &str) -> bool {
        let written = reference.split('#').next().unwrap_or_default().trim();
        let written = joined("", written.trim_start_matches('/'));
        match written.and_then(|written| self.file(&written)) {
            Some(found) => found == path,
            None => stem(base_name(reference)) == stem(split(path).1),
        }
    }

    fn files_near(&self, name: &str) -> Vec<&str> {
        let wanted = stem(name);
        let files: Vec<_> = self
            .paths
            .iter()
            .map(|path| (stem(split(path).1), path.as_str()))
            .filter(|(_, path)| super::is_markdown(split(path).1))
            .take(MAX_CANDIDATES)
            .collect();
        let near = nearest(&wanted, files.iter().map(|(stem, _)| stem.as_str()), 3);
        near.into_iter()
            .flat_map(|near| files.iter().filter(move |(stem, _)| stem == near))
            .map(|(_, path)| *path)
            .take(3)
            .collect()
    }
}
