//! Resolves a reference to the file that it means.

use super::{Catalog, split, stem};
use crate::path::joined;
use crate::reference::base_name;

impl Catalog {
    /// Finds the file that `reference` in a file of the folder `dir` means: as it is
    /// written, else the only one of its name.
    ///
    /// A leading `/` means the root. Without one the root is tried first, then
    /// `dir`. An anchor is ignored.
    pub fn locate(&self, dir: &str, reference: &str) -> Option<&str> {
        let path = reference.split('#').next().unwrap_or_default().trim();
        let at_root = joined("", path.trim_start_matches('/'));
        let written = [at_root, joined(dir, path)].into_iter().flatten();
        let written = written.filter_map(|candidate| self.paths.file(&candidate));
        written.into_iter().next().or_else(|| {
            let mut named = self.paths.alike(base_name(path));
            named.next().filter(|_| named.next().is_none())
        })
    }

    /// Returns whether `reference` means `path`: exactly, or by its name where nothing
    /// exists as written.
    pub(super) fn means(&self, reference: &str, path: &str) -> bool {
        let written = reference.split('#').next().unwrap_or_default().trim();
        let written = joined("", written.trim_start_matches('/'));
        match written.and_then(|written| self.paths.file(&written)) {
            Some(found) => found == path,
            None => stem(base_name(reference)) == stem(split(path).1),
        }
    }
}
