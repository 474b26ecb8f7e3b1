//! Paths of specs and units.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use review_document::FileRole;

use crate::{Action, ConfineError, FileError, Root, disk};

/// The folders of specs and units, and of the changes of OpenSpec, which are specs.
const FOLDERS: [&str; 4] = ["specs", "tasks", "docs/prd", "openspec"];
/// The maximum number of files that are listed.
const MAX_FILES: usize = 200_000;

/// The files in the folders of specs and tasks, relative to the root and sorted, and
/// those directly in the root. No file is read, and files ignored by git are included,
/// since tasks may be private. Links that lead nowhere are listed with other files of their
/// unit, or as specs.
///
/// # Errors
/// [`ConfineError::NotUtf8`] for a Markdown file whose name is not UTF-8,
/// [`ConfineError::DeadLink`] for a dangling link of no unit with the name of one, and
/// [`ConfineError::NotAFile`] for a pipe, a device or a folder: it would be missing from
/// every later decision.
pub fn paths(root: &Root) -> Result<Vec<String>, ConfineError> {
    let (mut found, mut dangling) = (Vec::new(), Vec::new());
    for folder in FOLDERS {
        let room = MAX_FILES.saturating_sub(found.len());
        for entry in entries(&root.path().join(folder), room) {
            let path = Path::new(folder).join(&entry.path);
            let leads_nowhere = || {
                let path = root.path().join(&path);
                path.is_symlink() && path.metadata().is_err()
            };
            match entry.is_file {
                true => found.push(path),
                false if !is_markdown(&path) => {}
                false if leads_nowhere() => dangling.push(path),
                false => return Err(not_a_file(root, &path)),
            }
        }
    }
    for path in dangling {
        // Its spec, or another file of its unit, is where it is reported.
        let is_beside = |other: &PathBuf| other.parent() == path.parent() && is_markdown(other);
        let is_reported = !path.starts_with("tasks") || found.iter().any(is_beside);
        match is_reported {
            true => found.push(path),
            false => return Err(not_a_file(root, &path)),
        }
    }
    let top = std::fs::read_dir(root.path())
        .into_iter()
        .flatten()
        .flatten();
    found.extend(
        top.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()))
            .map(|entry| PathBuf::from(entry.file_name())),
    );
    let mut paths: Vec<_> = found
        .into_iter()
        .filter_map(named)
        .collect::<Result<_, _>>()?;
    paths.sort_unstable();
    Ok(paths)
}

/// Whether [`paths`] lists a file of the root with this path.
pub fn is_listed(path: &str) -> bool {
    let mut folders = FOLDERS.iter();
    !path.contains('/')
        || folders.any(|folder| {
            let below = path.strip_prefix(folder);
            below.is_some_and(|below| below.starts_with('/'))
        })
}

/// The path as a string; if it is not UTF-8, only Markdown files are an error.
fn named(path: PathBuf) -> Option<Result<String, ConfineError>> {
    match path.into_os_string().into_string() {
        Ok(path) => Some(Ok(path)),
        Err(path) if FileRole::of(&path.to_string_lossy()) == FileRole::Other => None,
        Err(path) => Some(Err(ConfineError::NotUtf8 { path: path.into() })),
    }
}

fn is_markdown(path: &Path) -> bool {
    FileRole::of(&path.to_string_lossy()) != FileRole::Other
}

fn not_a_file(root: &Root, path: &Path) -> ConfineError {
    let path = match root.relative(path) {
        Ok(path) => path,
        Err(error) => return error,
    };
    // A link to a device is reported as what leads out of the root.
    let found = root.resolve(&path).and_then(|real| {
        let found = real.metadata();
        Ok(found.map_err(FileError::of(Action::Read, &real))?)
    });
    match found {
        Ok(found) => {
            let is = disk::kind_of(&found);
            ConfineError::NotAFile { path, is }
        }
        Err(error) => error,
    }
}

/// The files below a folder, relative to it, with nearer folders first. Hidden names
/// and links to folders are skipped.
pub(super) fn below(folder: &Path, limit: usize) -> Vec<PathBuf> {
    let found = entries(folder, limit).into_iter();
    let files = found.filter(|entry| entry.is_file);
    files.map(|entry| entry.path).collect()
}

/// What is found below a folder.
struct FoundEntry {
    path: PathBuf,
    is_file: bool,
}

/// The files below a folder, and what is neither a file nor an ordinary folder.
fn entries(folder: &Path, limit: usize) -> Vec<FoundEntry> {
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
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let is_file = kind.is_file() || kind.is_symlink() && entry.path().is_file();
            let is_odd = match kind.is_symlink() {
                true => !entry.path().is_dir(),
                false => !kind.is_dir() || is_markdown(&path),
            };
            if is_file || is_odd {
                let path = path.clone();
                found.push(FoundEntry { path, is_file });
            }
            if kind.is_dir() {
                folders.push_back(path);
            }
            if found.len() >= limit {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test creates the files it lists"
)]
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
        assert_eq!(found, all.map(PathBuf::from));
        assert_eq!(below(folder.path(), 2).len(), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_markdown_file_with_a_name_that_is_not_utf8_is_an_error() {
        use std::os::unix::ffi::OsStrExt as _;

        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::open(folder.path()).expect("a root");
        std::fs::create_dir(folder.path().join("specs")).expect("a folder");
        let make = |name: &[u8]| {
            let path = folder.path().join(std::ffi::OsStr::from_bytes(name));
            std::fs::write(path, "").expect("a file");
        };
        make(b"specs/A.md");
        make(b"specs/\xff.png");
        assert_eq!(paths(&root).expect("a list"), ["specs/A.md"]);
        make(b"specs/\xff.md");
        let error = paths(&root).expect_err("a name that is not UTF-8");
        assert_eq!(
            error.to_string(),
            "the name specs/\u{fffd}.md is not UTF-8; rename the file"
        );
    }
}
