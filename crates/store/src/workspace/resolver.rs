//! The paths from which specs and units are found.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::text;
use crate::Root;

/// Where specs and units are kept.
const FOLDERS: [&str; 3] = ["specs", "tasks", "docs/prd"];
/// More files are not listed.
const MAX_FILES: usize = 200_000;

/// The files in the folders of specs and tasks, relative to the root, sorted,
/// and those directly in the root. Nothing is read, and what git ignores is
/// listed as well: tasks may be nobody's business but the user's.
#[must_use]
pub fn paths(root: &Root) -> Vec<String> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let room = MAX_FILES.saturating_sub(found.len());
        let below = below(&root.path().join(folder), room);
        found.extend(below.into_iter().map(|name| format!("{folder}/{name}")));
    }
    let top = std::fs::read_dir(root.path())
        .into_iter()
        .flatten()
        .flatten();
    found.extend(
        top.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()))
            .filter_map(|entry| entry.file_name().into_string().ok()),
    );
    found.sort_unstable();
    found
}

/// The files below a folder, relative to it, folders nearer to it first.
/// Hidden names and links to folders are left out.
pub(super) fn below(folder: &Path, limit: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([PathBuf::new()]);
    while let Some(inner) = folders.pop_front() {
        let entries = std::fs::read_dir(folder.join(&inner)).into_iter().flatten();
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = inner.join(name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push_back(path),
                Ok(kind) if kind.is_file() || entry.path().is_file() => found.extend(text(&path)),
                Ok(_) | Err(_) => {}
            }
            if found.len() >= limit {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files it lists")]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_listed_up_to_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = ["a", "b", "c"];
        for name in all {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        let mut found = below(folder.path(), 100);
        found.sort();
        assert_eq!(found, all);
        assert_eq!(below(folder.path(), 2).len(), 2);
    }
}
