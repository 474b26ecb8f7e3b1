//! Texts that stand in for files.

use std::collections::BTreeMap;

use super::RootPath;

/// Texts that are read in place of files, whether these exist or not: what an
/// editor has not saved, or what fixes would write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay(BTreeMap<RootPath, Vec<u8>>);

impl Overlay {
    /// Puts a text in the place of a file.
    pub fn insert(&mut self, path: RootPath, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path, bytes.into());
    }

    /// The text in the place of a file.
    #[must_use]
    pub fn get(&self, path: &RootPath) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }

    /// All paths with their texts, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&RootPath, &[u8])> {
        self.0.iter().map(|(path, bytes)| (path, bytes.as_slice()))
    }
}
