//! The files of a tree at a point in time.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use review_types::Hash;

use super::TreeHash;
use super::entry::Kind;
use crate::{Root, StateDir, WalkError, walk};

/// The files of a tree at a point in time, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeFiles(Vec<TreeFile>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct TreeFile {
    path: PathBuf,
    kind: Kind,
    hash: Hash,
}

impl TreeFiles {
    /// Appends a file whose path sorts after all others.
    pub(super) fn push(&mut self, path: PathBuf, kind: Kind, hash: Hash) {
        self.0.push(TreeFile { path, kind, hash });
    }

    /// The combined hash of paths, content, links and executable bits.
    pub fn hash(&self) -> TreeHash {
        let mut hasher = blake3::Hasher::new();
        for file in &self.0 {
            let path = file.path.as_os_str().as_bytes();
            hasher.update(&(path.len() as u64).to_le_bytes());
            hasher.update(path);
            hasher.update(&[file.kind as u8]);
            hasher.update(file.hash.as_bytes());
        }
        TreeHash(Hash::from_bytes(*hasher.finalize().as_bytes()))
    }

    /// The hash of the file at `path`.
    pub fn get(&self, path: &Path) -> Option<Hash> {
        self.entry(path).map(|(_, hash)| hash)
    }

    /// The kind and the hash of the entry at `path`.
    pub(super) fn entry(&self, path: &Path) -> Option<(Kind, Hash)> {
        let order = |file: &TreeFile| file.path.as_os_str().cmp(path.as_os_str());
        let found = self.0.binary_search_by(order).ok()?;
        Some((self.0[found].kind, self.0[found].hash))
    }

    /// The paths of the entries that are not links, in order.
    pub(super) fn regular(&self) -> impl Iterator<Item = &Path> {
        let regular = self.0.iter().filter(|file| file.kind != Kind::Link);
        regular.map(|file| file.path.as_path())
    }

    /// The paths that differ, in order.
    pub fn difference<'a>(&'a self, other: &'a Self) -> Vec<&'a Path> {
        let (mut here, mut there) = (self.0.as_slice(), other.0.as_slice());
        let mut paths = Vec::new();
        while let (Some(one), Some(two)) = (here.first(), there.first()) {
            let order = one.path.as_os_str().cmp(two.path.as_os_str());
            if order.is_ne() || one != two {
                let first = if order.is_le() { one } else { two };
                paths.push(first.path.as_path());
            }
            here = &here[usize::from(order.is_le())..];
            there = &there[usize::from(order.is_ge())..];
        }
        let rest = here.iter().chain(there);
        paths.extend(rest.map(|file| file.path.as_path()));
        paths
    }
}

/// The files of a tree, relative to its root, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileList(Vec<PathBuf>);

impl FileList {
    /// Parses the output of `git ls-files -z`, run in the root. Paths out of the root
    /// are left out.
    pub fn from_git(output: &[u8]) -> Self {
        output
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| PathBuf::from(OsStr::from_bytes(path)))
            .collect()
    }

    /// Lists the files of a root without git: every file that no `.gitignore` excludes.
    ///
    /// # Errors
    /// [`WalkError`] if there are too many files, or an ignore file cannot be read.
    pub fn walk(root: &Root, state: &StateDir) -> Result<Self, WalkError> {
        Ok(walk::all(root.path(), state.path())?.into_iter().collect())
    }

    /// The union of both lists.
    pub fn and(&self, other: &Self) -> Self {
        self.0.iter().chain(&other.0).cloned().collect()
    }

    /// The files.
    pub fn paths(&self) -> &[PathBuf] {
        &self.0
    }
}

impl FromIterator<PathBuf> for FileList {
    fn from_iter<I: IntoIterator<Item = PathBuf>>(paths: I) -> Self {
        let is_inside = |path: &PathBuf| {
            let mut parts = Path::new(path).components();
            parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        let mut paths: Vec<_> = paths.into_iter().filter(is_inside).collect();
        paths.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        paths.dedup();
        Self(paths)
    }
}
