//! The files of an artifact at one time.

use serde::{Deserialize, Serialize};

use crate::{Hash, listed};

/// Maximum number of files that are named in a message.
const MAX_NAMED: usize = 16;

/// One file of an artifact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path relative to the root, with `/` between its parts.
    pub path: String,
    /// Hash of its exact bytes.
    pub hash: Hash,
    /// Its permission bits.
    pub mode: u32,
}

/// The files of an artifact, ordered by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<FileEntry>", into = "Vec<FileEntry>")]
pub struct Manifest(Vec<FileEntry>);

impl Manifest {
    /// Returns the files, ordered by path.
    pub fn files(&self) -> &[FileEntry] {
        &self.0
    }

    /// Returns the file at `path`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&FileEntry> {
        self.0
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()
            .map(|index| &self.0[index])
    }

    /// Returns the files that differ from `other` or are missing there, in order.
    pub fn unlike(&self, other: &Self) -> impl Iterator<Item = &FileEntry> {
        let is_unlike = |file: &&FileEntry| {
            let known = other.get(&file.path).map(|file| file.hash);
            known != Some(file.hash)
        };
        self.0.iter().filter(is_unlike)
    }

    /// Returns the paths whose bytes differ from `other`, or that only one of the two
    /// has, in order.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Vec<String> {
        let gone = other.0.iter().filter(|file| self.get(&file.path).is_none());
        let mut paths: Vec<_> = self
            .unlike(other)
            .chain(gone)
            .map(|file| file.path.clone())
            .collect();
        paths.sort();
        paths
    }

    /// Names the files that differ from `other`: the first ones, and the number of the others.
    #[must_use]
    pub fn describe_difference(&self, other: &Self) -> String {
        listed(self.difference(other), MAX_NAMED)
    }
}

impl From<Vec<FileEntry>> for Manifest {
    fn from(mut files: Vec<FileEntry>) -> Self {
        files.sort();
        files.dedup_by(|a, b| a.path == b.path);
        Self(files)
    }
}

impl From<Manifest> for Vec<FileEntry> {
    fn from(manifest: Manifest) -> Self {
        manifest.0
    }
}

impl FromIterator<FileEntry> for Manifest {
    fn from_iter<I: IntoIterator<Item = FileEntry>>(files: I) -> Self {
        files.into_iter().collect::<Vec<_>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(files: &[(&str, u8)]) -> Manifest {
        let entry = |(path, content): &(&str, u8)| FileEntry {
            path: (*path).to_owned(),
            hash: Hash::from_bytes([*content; 32]),
            mode: 0o644,
        };
        files.iter().map(entry).collect()
    }

    #[test]
    fn a_difference_lists_changed_new_and_deleted_files_in_order() {
        let before = manifest(&[("c", 1), ("a", 1), ("b", 1)]);
        let after = manifest(&[("a", 2), ("c", 1), ("d", 1)]);
        assert_eq!(after.difference(&before), ["a", "b", "d"]);
        assert_eq!(after.difference(&after), [""; 0]);
        assert_eq!(after.describe_difference(&before), "a, b, d");
        let many: Manifest = (0..20)
            .map(|number| FileEntry {
                path: format!("{number:02}"),
                hash: Hash::from_bytes([1; 32]),
                mode: 0o644,
            })
            .collect();
        let named = many.describe_difference(&Manifest::default());
        assert!(named.ends_with("14, 15 and 4 more"), "{named}");
    }

    #[test]
    fn files_are_ordered_and_found_by_path() {
        let files = manifest(&[("b", 2), ("a", 1)]);
        let paths: Vec<_> = files
            .files()
            .iter()
            .map(|file| file.path.as_str())
            .collect();
        assert_eq!(paths, ["a", "b"]);
        assert_eq!(
            files.get("b").map(|file| file.hash),
            Some(Hash::from_bytes([2; 32]))
        );
        assert_eq!(files.get("c"), None);
    }
}
