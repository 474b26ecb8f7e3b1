//! Listing of the files below a folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ignore::{DirEntry, Walk, WalkBuilder};

use crate::{Action, ConfineError, FileError, Root, disk};

/// The maximum number of files that are listed.
const MAX_FILES: usize = 200_000;
/// The maximum depth of folders that are listed.
const MAX_DEPTH: usize = 64;
/// The folder of git in a work tree.
const GIT: &str = ".git";
/// Folders that never contain source files, ignored or not.
pub const SKIPPED_FOLDERS: [&str; 4] = [GIT, ".hg", ".jj", "node_modules"];

/// The name of the file that says what git ignores.
pub(crate) const IGNORE_FILE: &str = ".gitignore";
/// The maximum size of such a file.
const MAX_IGNORE_FILE: u64 = 1024 * 1024;

/// The maximum number of folders that are listed.
const MAX_FOLDERS: usize = 100_000;

/// Why the files or folders below a root cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// There are too many.
    #[error("there are more than {limit} {entries}; exclude generated {entries} in .gitignore")]
    TooMany {
        /// The limit.
        limit: usize,
        /// What there are too many of, in words.
        entries: &'static str,
    },
    /// A `.gitignore` is not a file of the project, or too large.
    #[error(transparent)]
    IgnoreFile(#[from] ConfineError),
}

/// The files and links below `root` that no `.gitignore` excludes, relative to it. Those
/// that cannot be read are skipped.
pub(crate) fn all(root: &Path, state: &Path) -> Result<Vec<PathBuf>, WalkError> {
    all_up_to(root, state, MAX_FILES)
}

fn all_up_to(root: &Path, state: &Path, limit: usize) -> Result<Vec<PathBuf>, WalkError> {
    let state = state.to_owned();
    let mut walk = Walking::start(root, move |entry| entry.path() != state)?;
    let mut files = Vec::new();
    while let Some(entry) = walk.next()? {
        if entry.file_type().is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        if files.len() == limit {
            let entries = "files";
            return Err(WalkError::TooMany { limit, entries });
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
/// [`WalkError`] if there are too many folders, or an ignore file cannot be read.
pub fn folders(
    root: &Path,
    enters: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> Result<Vec<PathBuf>, WalkError> {
    folders_up_to(root, enters, MAX_FOLDERS)
}

fn folders_up_to(
    root: &Path,
    enters: impl Fn(&Path) -> bool + Send + Sync + 'static,
    limit: usize,
) -> Result<Vec<PathBuf>, WalkError> {
    let is_folder = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_dir());
    let keeps = move |entry: &DirEntry| is_folder(entry) && enters(entry.path());
    let mut walk = Walking::start(root, keeps)?;
    let mut found = Vec::new();
    while let Some(entry) = walk.next()? {
        if entry.depth() == 0 {
            continue;
        }
        if found.len() == limit {
            let entries = "folders";
            return Err(WalkError::TooMany { limit, entries });
        }
        found.push(entry.into_path());
    }
    found.sort_unstable();
    Ok(found)
}

/// A walk over the entries below a root. It ends at the first folder whose ignore file is
/// not one, before anything reads that.
struct Walking {
    walk: Walk,
    refused: Arc<Mutex<Option<ConfineError>>>,
}

impl Walking {
    /// Starts a walk over the entries that `keeps` does not leave out.
    fn start(
        root: &Path,
        keeps: impl Fn(&DirEntry) -> bool + Send + Sync + 'static,
    ) -> Result<Self, ConfineError> {
        let in_git = is_in_git(root);
        if in_git {
            for above in root.ancestors().skip(1) {
                require_file(&above.join(IGNORE_FILE))?;
            }
        }
        require_file(&root.join(GIT).join("info/exclude"))?;
        let top = Root::open(root)?;
        require_ignore_file(&top, root)?;
        let refused = Arc::new(Mutex::new(None));
        let refuses = Arc::clone(&refused);
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
                if entry.depth() == 0 {
                    return true;
                }
                if !keeps(entry) || SKIPPED_FOLDERS.iter().any(skipped) {
                    return false;
                }
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                if is_folder && let Err(error) = require_ignore_file(&top, entry.path()) {
                    locked(&refuses).get_or_insert(error);
                    return false;
                }
                true
            })
            .build();
        Ok(Self { walk, refused })
    }

    /// Returns the next entry. Those that cannot be read are skipped.
    fn next(&mut self) -> Result<Option<DirEntry>, ConfineError> {
        let next = self.walk.find_map(Result::ok);
        match locked(&self.refused).take() {
            Some(error) => Err(error),
            None => Ok(next),
        }
    }
}

fn locked(refused: &Mutex<Option<ConfineError>>) -> MutexGuard<'_, Option<ConfineError>> {
    refused.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fails if the ignore file of a folder is not a file below the root, or too large.
fn require_ignore_file(root: &Root, folder: &Path) -> Result<(), ConfineError> {
    let file = folder.join(IGNORE_FILE);
    match file.symlink_metadata() {
        Ok(found) if found.is_symlink() => {
            let real = root.resolve(&root.relative(&file)?)?;
            require_file(&real)
        }
        Ok(_) => require_file(&file),
        Err(_) => Ok(()),
    }
}

/// Fails if what is at `file` is not a regular file, or is too large for an ignore file.
fn require_file(file: &Path) -> Result<(), ConfineError> {
    let Ok(found) = file.metadata() else {
        return Ok(());
    };
    let is_file = disk::require_regular(&found).and_then(|()| match found.len() {
        0..=MAX_IGNORE_FILE => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {} MiB", MAX_IGNORE_FILE >> 20),
        )),
    });
    is_file.map_err(|error| FileError::of(Action::Read, file)(error).into())
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
