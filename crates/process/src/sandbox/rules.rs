//! What programs may do with files.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// What programs may do with a file, or with a folder and all below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// Nothing: a folder is found empty, or cannot be read.
    Hidden,
    /// Read it.
    Read,
    /// Read and change it.
    Write,
}

/// What programs may do with files: read them all, unless a rule says otherwise. The rule
/// of a folder holds below it, up to the next rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRules(BTreeMap<PathBuf, FileAccess>);

impl FileRules {
    /// Adds a rule for a path, in place of an earlier one. A path that does not exist
    /// has none.
    #[must_use]
    pub fn with(mut self, path: &Path, access: FileAccess) -> Self {
        if let Ok(path) = path.canonicalize() {
            self.0.insert(path, access);
        }
        self
    }

    /// The rules that differ from that of the folder above, the outer ones first.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&Path, FileAccess)> {
        let is_change = |(path, access): &(&Path, FileAccess)| self.above(path) != *access;
        let rules = self.0.iter().map(|(path, access)| (&**path, *access));
        rules.filter(is_change)
    }

    /// The rule of a path itself.
    pub(super) fn at(&self, path: &Path) -> Option<FileAccess> {
        self.0.get(path).copied()
    }

    /// Whether a path has rules below it.
    pub(super) fn has_below(&self, path: &Path) -> bool {
        let after = (Bound::Excluded(path), Bound::Unbounded);
        let mut after = self.0.range::<Path, _>(after);
        after.next().is_some_and(|(next, _)| next.starts_with(path))
    }

    /// What the folders above a path say.
    fn above(&self, path: &Path) -> FileAccess {
        let mut above = path.ancestors().skip(1);
        above
            .find_map(|folder| self.at(folder))
            .unwrap_or(FileAccess::Read)
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "rules are about files that exist"
)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_holds_below_its_folder_up_to_the_next_rule() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("a/b/c")).unwrap();
        let rules = FileRules::default()
            .with(&top.join("a/b"), FileAccess::Hidden)
            .with(&top.join("a"), FileAccess::Write)
            .with(&top.join("a/b/c"), FileAccess::Hidden)
            .with(&top.join("absent"), FileAccess::Write)
            .with(&top, FileAccess::Read);
        let changes: Vec<_> = rules.changes().collect();
        assert_eq!(
            changes,
            [
                (&*top.join("a"), FileAccess::Write),
                (&*top.join("a/b"), FileAccess::Hidden)
            ]
        );
        assert!(rules.has_below(&top.join("a/b")));
        assert!(!rules.has_below(&top.join("a/b/c")));
    }
}
