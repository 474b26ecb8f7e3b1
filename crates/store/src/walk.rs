//! Listing of the files below a folder.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// The maximum number of files that are listed.
const MAX_FILES: usize = 200_000;
/// The maximum depth of folders that are listed.
const MAX_DEPTH: usize = 64;
/// Folders that never contain source files, ignored or not.
const SKIPPED: [&str; 4] = [".git", ".hg", ".jj", "node_modules"];

/// A tree has too many files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are more than {limit} files; exclude generated files in .gitignore")]
pub struct TooMany {
    /// The limit.
    pub limit: usize,
}

/// The files and links below `root`, relative to it, that no `.gitignore` excludes.
/// Entries that cannot be read are skipped.
pub(crate) fn files(root: &Path, state: &Path) -> Result<Vec<PathBuf>, TooMany> {
    files_up_to(root, state, MAX_FILES)
}

fn files_up_to(root: &Path, state: &Path, limit: usize) -> Result<Vec<PathBuf>, TooMany> {
    let in_git = root.ancestors().any(|above| above.join(".git").exists());
    let state = state.to_owned();
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .git_ignore(true)
        .git_exclude(true)
        // Outside of git, files above the root do not belong to the project.
        .parents(in_git)
        .require_git(in_git)
        .max_depth(Some(MAX_DEPTH))
        .filter_entry(move |entry| {
            let skipped = |name: &&str| entry.file_name() == *name;
            let is_state = state == entry.path();
            entry.depth() == 0 || !is_state && !SKIPPED.iter().any(skipped)
        })
        .build();
    let mut found = Vec::new();
    for entry in walk.flatten() {
        let is_folder = entry.file_type().is_none_or(|kind| kind.is_dir());
        if is_folder {
            continue;
        }
        if found.len() == limit {
            return Err(TooMany { limit });
        }
        found.extend(entry.path().strip_prefix(root).map(Path::to_owned).ok());
    }
    Ok(found)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test creates the files it lists"
)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_listed_up_to_a_limit() {
        let root = tempfile::tempdir().expect("a folder");
        let names = ["a", "b", "c"].map(PathBuf::from);
        for name in &names {
            std::fs::write(root.path().join(name), "").expect("a file");
        }
        let mut found = files_up_to(root.path(), Path::new("/none"), 3).expect("as many");
        found.sort();
        assert_eq!(found, names);
        let error = files_up_to(root.path(), Path::new("/none"), 2).expect_err("one more");
        assert_eq!(
            error.to_string(),
            "there are more than 2 files; exclude generated files in .gitignore"
        );
    }
}
