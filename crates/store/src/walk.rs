//! Listing of the files below a folder.

use std::path::{Path, PathBuf};

use ignore::{DirEntry, Walk, WalkBuilder};

/// The maximum number of files that are listed.
const MAX_FILES: usize = 200_000;
/// The maximum depth of folders that are listed.
const MAX_DEPTH: usize = 64;
/// The folder of git in a work tree.
const GIT: &str = ".git";
/// Folders that never contain source files, ignored or not.
pub const SKIPPED_FOLDERS: [&str; 4] = [GIT, ".hg", ".jj", "node_modules"];

/// The maximum number of folders that are listed.
const MAX_FOLDERS: usize = 100_000;

/// A tree has too many files or folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are more than {limit} {entries}; exclude generated {entries} in .gitignore")]
pub struct TooMany {
    /// The limit.
    pub limit: usize,
    /// What there are too many of, in words.
    entries: &'static str,
}

/// The files and links below `root` that no `.gitignore` excludes, relative to it. Those
/// that cannot be read are skipped.
pub(crate) fn all(root: &Path, state: &Path) -> Result<Vec<PathBuf>, TooMany> {
    all_up_to(root, state, MAX_FILES)
}

fn all_up_to(root: &Path, state: &Path, limit: usize) -> Result<Vec<PathBuf>, TooMany> {
    let state = state.to_owned();
    let mut files = Vec::new();
    for entry in walk(root, move |entry| entry.path() != state).flatten() {
        if entry.file_type().is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        if files.len() == limit {
            let entries = "files";
            return Err(TooMany { limit, entries });
        }
        files.extend(entry.path().strip_prefix(root).map(Path::to_owned).ok());
    }
    Ok(files)
}

/// Whether `root` is below a folder of git, whose files decide what a walk leaves out.
fn is_in_git(root: &Path) -> bool {
    root.ancestors().any(|above| above.join(GIT).exists())
}

/// The folders below `root` that no `.gitignore` excludes, sorted. A folder that
/// `enters` refuses is left out with all that is in it. Links are not followed.
///
/// # Errors
/// [`TooMany`] if there are too many folders.
pub fn folders(
    root: &Path,
    enters: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> Result<Vec<PathBuf>, TooMany> {
    folders_up_to(root, enters, MAX_FOLDERS)
}

fn folders_up_to(
    root: &Path,
    enters: impl Fn(&Path) -> bool + Send + Sync + 'static,
    limit: usize,
) -> Result<Vec<PathBuf>, TooMany> {
    let is_folder = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_dir());
    let walk = walk(root, move |entry| is_folder(entry) && enters(entry.path()));
    let mut found = Vec::new();
    for entry in walk.flatten().filter(|entry| entry.depth() > 0) {
        if found.len() == limit {
            let entries = "folders";
            return Err(TooMany { limit, entries });
        }
        found.push(entry.into_path());
    }
    found.sort_unstable();
    Ok(found)
}

/// Walks the entries below `root` that `keeps` does not leave out.
fn walk(root: &Path, keeps: impl Fn(&DirEntry) -> bool + Send + Sync + 'static) -> Walk {
    let in_git = is_in_git(root);
    WalkBuilder::new(root)
        .standard_filters(false)
        .git_ignore(true)
        .git_exclude(true)
        // Outside of git, files above the root do not belong to the project.
        .parents(in_git)
        .require_git(in_git)
        .max_depth(Some(MAX_DEPTH))
        .filter_entry(move |entry| {
            let skipped = |name: &&str| entry.file_name() == *name;
            entry.depth() == 0 || keeps(entry) && !SKIPPED_FOLDERS.iter().any(skipped)
        })
        .build()
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
        let mut files = all_up_to(root.path(), Path::new("/none"), 3).expect("as many");
        files.sort();
        assert_eq!(files, names);
        let error = all_up_to(root.path(), Path::new("/none"), 2).expect_err("one more");
        assert_eq!(
            error.to_string(),
            "there are more than 2 files; exclude generated files in .gitignore"
        );
    }

    #[test]
    fn folders_are_listed_without_those_that_are_ignored_refused_or_links() {
        let root = tempfile::tempdir().expect("a folder");
        let path = |name: &str| root.path().join(name);
        for name in ["a/b", "built/x", "no/x", "node_modules/x", ".git"] {
            std::fs::create_dir_all(path(name)).expect("a folder");
        }
        std::fs::write(path(".gitignore"), "built/\n").expect("a file");
        std::os::unix::fs::symlink(path("a"), path("link")).expect("a link");
        let enters = |folder: &Path| folder.file_name() != Some("no".as_ref());
        let found = folders_up_to(root.path(), enters, 2).expect("as many");
        assert_eq!(found, ["a", "a/b"].map(path));
        let error = folders_up_to(root.path(), enters, 1).expect_err("one more");
        assert_eq!(
            error.to_string(),
            "there are more than 1 folders; exclude generated folders in .gitignore"
        );
    }
}
