//! Restores a folder to what was in it at an earlier time.
//!
//! Files are compared by their metadata, so that a folder of many files which did not change
//! costs a look at each and no read. A file that was written in the same tick of the clock in
//! which it was noted is compared by its bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::stamp::{FileTime, Stamp};
use crate::{Action, FileError};

/// Returns whether an entry, relative to the folder, is not a part of its state: it is neither
/// noted nor restored. The second argument says whether it is a folder.
pub type LeftOut<'a> = &'a dyn Fn(&Path, bool) -> bool;

/// What was in a folder at a time.
#[derive(Debug)]
pub struct FolderState {
    folder: PathBuf,
    /// The folder with copies of its files; `None` if they have too many bytes.
    copies: Option<PathBuf>,
    entries: BTreeMap<PathBuf, Entry>,
}

#[derive(Debug)]
enum Entry {
    /// With its permission bits.
    Folder(u32),
    /// With what it leads to.
    Link(PathBuf),
    /// With its stamp; `None` if a later change could have the same one.
    File(Option<Stamp>),
}

/// What a folder has of its earlier state.
#[derive(Debug, Default)]
struct Kept {
    entries: BTreeSet<PathBuf>,
    /// The folders whose permission bits are to be set once all is restored.
    modes: Vec<(PathBuf, u32)>,
}

impl FolderState {
    /// Notes what is in a folder, and copies its files to another one, unless they have more
    /// than `most` bytes. Pipes, sockets and devices are not part of it.
    ///
    /// # Errors
    /// Returns an error when an entry cannot be read or copied.
    pub fn note(
        folder: &Path,
        copies: &Path,
        most: u64,
        is_left_out: LeftOut<'_>,
    ) -> Result<Self, FileError> {
        let mut state = Self {
            folder: folder.to_owned(),
            copies: None,
            entries: BTreeMap::new(),
        };
        let mut bytes = 0;
        state.collect(Path::new(""), &mut bytes, is_left_out)?;
        disk::remove_all(copies).map_err(FileError::of(Action::Deleted, copies))?;
        if bytes <= most {
            state.copy_to(copies)?;
            state.copies = Some(copies.to_owned());
        }
        Ok(state)
    }

    fn collect(
        &mut self,
        below: &Path,
        bytes: &mut u64,
        is_left_out: LeftOut<'_>,
    ) -> Result<(), FileError> {
        for (path, found) in entries(&self.folder, below)? {
            if is_left_out(&path, found.is_dir()) {
                continue;
            }
            let entry = if found.is_dir() {
                self.collect(&path, bytes, is_left_out)?;
                Entry::Folder(mode(&found))
            } else if found.is_symlink() {
                let link = self.folder.join(&path);
                let target = std::fs::read_link(&link);
                Entry::Link(target.map_err(FileError::of(Action::Read, &link))?)
            } else if found.is_file() {
                *bytes = bytes.saturating_add(found.len());
                Entry::File(settled(&found))
            } else {
                continue;
            };
            self.entries.insert(path, entry);
        }
        Ok(())
    }

    fn copy_to(&self, copies: &Path) -> Result<(), FileError> {
        let create = |folder: &Path| {
            disk::create_user_folders(folder).map_err(FileError::of(Action::Created, folder))
        };
        create(copies)?;
        for (path, entry) in &self.entries {
            let (from, to) = (self.folder.join(path), copies.join(path));
            match entry {
                Entry::Folder(_) => create(&to)?,
                Entry::File(_) => {
                    disk::copy_with_time(&from, &to)
                        .map_err(FileError::of(Action::Created, &to))?;
                }
                Entry::Link(_) => {}
            }
        }
        Ok(())
    }

    /// Returns whether an entry at one of these paths was in the folder.
    pub fn has_any<'a>(&self, mut paths: impl Iterator<Item = &'a PathBuf>) -> bool {
        paths.any(|path| self.entries.contains_key(path))
    }

    /// Restores the folder: what is new is deleted, and what was changed or deleted is copied
    /// back. Returns whether it could be, since copies of the files are there if some are
    /// needed. No program may write to the folder during that.
    ///
    /// # Errors
    /// Returns an error when an entry cannot be read, deleted or copied.
    pub fn restore(&mut self, is_left_out: LeftOut<'_>) -> Result<bool, FileError> {
        let mut kept = Kept::default();
        self.keep(Path::new(""), &mut kept, is_left_out)?;
        let missing = self.entries.keys();
        let missing = missing.filter(|path| !kept.entries.contains(*path));
        let missing: Vec<_> = missing.cloned().collect();
        for path in missing {
            if !self.make_again(&path, &mut kept)? {
                return Ok(false);
            }
        }
        // Those above others last: nothing can be changed below some.
        for (folder, bits) in kept.modes.iter().rev() {
            let set = disk::set_mode(folder, *bits);
            set.map_err(FileError::of(Action::Written, folder))?;
        }
        Ok(true)
    }

    /// Collects the entries below a folder that are as they were, and deletes all others.
    fn keep(
        &mut self,
        below: &Path,
        kept: &mut Kept,
        is_left_out: LeftOut<'_>,
    ) -> Result<(), FileError> {
        for (path, found) in entries(&self.folder, below)? {
            if is_left_out(&path, found.is_dir()) {
                continue;
            }
            let at = self.folder.join(&path);
            let deleted = || FileError::of(Action::Deleted, &at);
            if found.is_dir() {
                let now = mode(&found);
                let bits = match self.entries.get(&path) {
                    Some(Entry::Folder(bits)) => Some(*bits),
                    _ => None,
                };
                if now & disk::ALL_OF_OWNER != disk::ALL_OF_OWNER {
                    disk::set_mode(&at, now | disk::ALL_OF_OWNER).map_err(deleted())?;
                    kept.modes.extend(bits.map(|bits| (at.clone(), bits)));
                } else if let Some(bits) = bits.filter(|bits| *bits != now) {
                    kept.modes.push((at.clone(), bits));
                }
                self.keep(&path, kept, is_left_out)?;
                match bits {
                    Some(_) => {
                        kept.entries.insert(path);
                    }
                    // Files that are left out may be in it.
                    None => disk::remove_empty_folder(&at).map_err(deleted())?,
                }
            } else if self.is_as_it_was(&path, &found)? {
                kept.entries.insert(path);
            } else {
                disk::remove_all(&at).map_err(deleted())?;
            }
        }
        Ok(())
    }

    /// Returns whether a link or file is as it was, and notes that this is certain now.
    fn is_as_it_was(&mut self, path: &Path, found: &Metadata) -> Result<bool, FileError> {
        let at = self.folder.join(path);
        let copies = self.copies.as_deref();
        Ok(match self.entries.get_mut(path) {
            Some(Entry::Link(target)) => {
                found.is_symlink() && std::fs::read_link(&at).is_ok_and(|now| now == *target)
            }
            Some(Entry::File(known)) if found.is_file() => match known {
                Some(known) => *known == Stamp::of(found),
                None => {
                    let is_same = match copies {
                        Some(copies) => disk::is_copy(&at, &copies.join(path))
                            .map_err(FileError::of(Action::Read, &at))?,
                        None => true,
                    };
                    if is_same {
                        *known = settled(found);
                    }
                    is_same
                }
            },
            _ => false,
        })
    }

    /// Makes an entry again that is not there; `false` without a copy of it.
    fn make_again(&mut self, path: &Path, kept: &mut Kept) -> Result<bool, FileError> {
        let at = self.folder.join(path);
        let made = FileError::of(Action::Created, &at);
        let result = match self.entries.get_mut(path) {
            None => return Ok(true),
            Some(Entry::Folder(bits)) => {
                kept.modes.push((at.clone(), *bits));
                disk::create_user_folders(&at)
            }
            Some(Entry::Link(target)) => disk::create_link(target, &at),
            Some(Entry::File(known)) => {
                let Some(copies) = &self.copies else {
                    return Ok(false);
                };
                *known = None;
                disk::copy_with_time(&copies.join(path), &at)
            }
        };
        result.map_err(made)?;
        Ok(true)
    }
}

/// The entries of a folder below another one, with their metadata.
fn entries(folder: &Path, below: &Path) -> Result<Vec<(PathBuf, Metadata)>, FileError> {
    let path = folder.join(below);
    let read = || -> io::Result<Vec<_>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&path)? {
            let entry = entry?;
            found.push((below.join(entry.file_name()), entry.metadata()?));
        }
        Ok(found)
    };
    read().map_err(FileError::of(Action::Listed, &path))
}

fn mode(found: &Metadata) -> u32 {
    found.permissions().mode() & 0o7777
}

/// The stamp of a file, if every later change will be visible in it.
fn settled(found: &Metadata) -> Option<Stamp> {
    let stamp = Stamp::of(found);
    stamp.is_settled(FileTime::now()).then_some(stamp)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "programs write to the folder in any way"
)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    const NOTHING: LeftOut<'_> = &|_, _| false;

    /// Every entry of a folder, with what it holds.
    fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
        let mut all = BTreeMap::new();
        let mut open = vec![PathBuf::new()];
        while let Some(below) = open.pop() {
            for (path, found) in entries(folder, &below).unwrap() {
                let at = folder.join(&path);
                let mode = mode(&found);
                let text = if found.is_dir() {
                    open.push(path.clone());
                    format!("folder {mode:o}")
                } else if found.is_symlink() {
                    format!("link {}", fs::read_link(&at).unwrap().display())
                } else if found.is_file() {
                    let text = fs::read_to_string(&at).unwrap();
                    format!("file {mode:o} {:?} {text}", found.modified().unwrap())
                } else {
                    "other".to_owned()
                };
                all.insert(path, text);
            }
        }
        all
    }

    fn folder() -> (TempDir, PathBuf, PathBuf) {
        let folder = TempDir::new().unwrap();
        let (live, copies) = (folder.path().join("live"), folder.path().join("copies"));
        fs::create_dir_all(live.join("deps/a/b")).unwrap();
        for name in ["deps/a/one", "deps/a/b/two", "deps/three", "own"] {
            fs::write(live.join(name), name).unwrap();
        }
        symlink("deps/three", live.join("link")).unwrap();
        (folder, live, copies)
    }

    /// One change that a program makes.
    fn change(live: &Path, what: u8, name: &str, other: &str) {
        let (at, other) = (live.join(name), live.join(other));
        // Some of them cannot be made after others.
        let _ = match what {
            0 => fs::write(&at, "changed"),
            // As long as before.
            1 => fs::read(&at).and_then(|text| fs::write(&at, text.to_ascii_uppercase())),
            2 => fs::remove_file(&at),
            3 => fs::remove_dir_all(&at),
            4 => fs::create_dir_all(at.join("new/folder")),
            5 => symlink(&other, &at),
            6 => fs::rename(&at, &other),
            7 => fs::hard_link(&at, &other),
            8 => fs::set_permissions(&at, fs::Permissions::from_mode(0o500)),
            _ => fs::create_dir_all(at.join(".git")).and_then(|()| fs::write(at.join("x"), "x")),
        };
    }

    proptest! {
        #[test]
        fn whatever_programs_did_the_folder_is_as_it_was(
            changes in prop::collection::vec(
                (
                    0u8..10,
                    prop::sample::select(vec!["deps", "deps/a", "deps/a/one", "deps/three", "link", "own", "new"]),
                    prop::sample::select(vec!["deps/a/b/two", "deps/new", "own", "deps/a/b"]),
                ),
                0..8,
            ),
        ) {
            let (_folder, live, copies) = folder();
            let before = contents(&live);
            let mut state = FolderState::note(&live, &copies, 1 << 20, NOTHING).unwrap();
            for round in 0..2 {
                for (what, name, other) in &changes {
                    change(&live, *what, name, other);
                }
                prop_assert!(state.restore(NOTHING).unwrap());
                prop_assert_eq!(contents(&live), before.clone(), "round {}", round);
            }
        }
    }

    #[test]
    fn what_is_left_out_stays_in_a_folder_that_is_new() {
        let (_folder, live, copies) = folder();
        let is_left_out = |path: &Path, is_folder: bool| !is_folder && path.ends_with("tracked");
        let mut state = FolderState::note(&live, &copies, 1 << 20, &is_left_out).unwrap();
        fs::create_dir_all(live.join("new/folder")).unwrap();
        fs::write(live.join("new/tracked"), "").unwrap();
        fs::write(live.join("new/folder/other"), "").unwrap();
        assert!(state.restore(&is_left_out).unwrap());
        assert!(live.join("new/tracked").exists());
        assert!(!live.join("new/folder").exists());
    }

    #[test]
    fn without_copies_only_what_is_new_is_undone() {
        let (_folder, live, copies) = folder();
        let mut state = FolderState::note(&live, &copies, 5, NOTHING).unwrap();
        assert!(!copies.exists());
        fs::write(live.join("new"), "").unwrap();
        assert!(state.restore(NOTHING).unwrap());
        assert!(!live.join("new").exists());
        fs::remove_file(live.join("own")).unwrap();
        assert!(!state.restore(NOTHING).unwrap());
    }
}
