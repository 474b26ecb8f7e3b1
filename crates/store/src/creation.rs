//! New files of the user that belong together: all of them are created or none, also when
//! the process is killed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use review_flow::hash_bytes;
use review_types::Hash;

use crate::disk;
use crate::{Action, Area, ConfineError, FileError, Reader, Root, RootPath, StateDir};

/// The maximum size of the list of files.
const MAX_LIST: u64 = 16 * 1024 * 1024;

/// The right to create the files of a folder. Other processes wait until it is dropped.
#[derive(Debug)]
pub struct Creation {
    path: PathBuf,
    /// The files that are being created; empty if no creation was cut off.
    list: File,
}

/// The files of a creation, relative to the root, with the hashes of their content.
type List = BTreeMap<String, Hash>;

impl StateDir {
    /// Prepares the creation of files in a folder.
    ///
    /// # Errors
    /// Returns an error when the list of the files cannot be opened.
    pub fn creation(&self, folder: &RootPath) -> Result<Creation, FileError> {
        let hash = hash_bytes(folder.as_str().as_bytes()).short();
        let path = self.make(Area::Plans)?.join(hash);
        let list = disk::open_private(&path).map_err(FileError::of(Action::Created, &path))?;
        list.lock().map_err(FileError::of(Action::Locked, &path))?;
        Ok(Creation { path, list })
    }
}

impl Creation {
    /// Deletes the files of a creation that was cut off, and returns them. None is
    /// deleted if all of them are there, or the content of one is another now: then they
    /// are in use.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read or deleted.
    pub fn undo(&mut self, root: &Root) -> Result<Vec<RootPath>, ConfineError> {
        let mut made = Vec::new();
        let list = self.read()?;
        let mut is_partial = false;
        let mut reader = Reader::new(root);
        for (path, hash) in &list {
            let path = RootPath::new(path)?;
            delete_unfinished(&root.resolve(&path)?)?;
            match reader.bytes(&path)? {
                None => is_partial = true,
                Some(bytes) if hash_bytes(&bytes) == *hash => made.push(path),
                Some(_) => {
                    self.write(&List::new())?;
                    return Ok(Vec::new());
                }
            }
        }
        if !is_partial {
            made.clear();
        }
        for path in &made {
            let file = root.resolve(path)?;
            disk::remove(&file).map_err(FileError::of(Action::Deleted, &file))?;
        }
        self.write(&List::new())?;
        Ok(made)
    }

    /// Creates the files. Returns the first that already exists, if one does.
    ///
    /// # Errors
    /// Returns an error when a path leaves the root or cannot be written.
    pub fn create(
        mut self,
        root: &Root,
        files: &BTreeMap<RootPath, impl AsRef<[u8]>>,
    ) -> Result<Option<RootPath>, ConfineError> {
        self.undo(root)?;
        // Only files that are not there yet are its own.
        for path in files.keys() {
            if root.resolve(path)?.symlink_metadata().is_ok() {
                return Ok(Some(path.clone()));
            }
        }
        self.begin(files)?;
        let existing = root.create_all(files)?;
        self.write(&List::new())?;
        Ok(existing)
    }

    fn begin(&mut self, files: &BTreeMap<RootPath, impl AsRef<[u8]>>) -> Result<(), FileError> {
        let list = files.iter();
        let list = list.map(|(path, bytes)| (path.to_string(), hash_bytes(bytes.as_ref())));
        self.write(&list.collect())
    }

    /// The list in the file. One that was not written to the end is of a creation that had
    /// no file yet.
    fn read(&mut self) -> Result<List, FileError> {
        let read = |list: &mut File| {
            let mut bytes = Vec::new();
            list.seek(SeekFrom::Start(0))?;
            list.take(MAX_LIST).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read(&mut self.list).map_err(FileError::of(Action::Read, &self.path))?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    fn write(&mut self, list: &List) -> Result<(), FileError> {
        let write = |file: &mut File| -> io::Result<()> {
            file.set_len(0)?;
            if !list.is_empty() {
                file.seek(SeekFrom::Start(0))?;
                file.write_all(&serde_json::to_vec(list)?)?;
            }
            file.sync_all()
        };
        write(&mut self.list).map_err(FileError::of(Action::Written, &self.path))
    }
}

/// Deletes what a process left in the folder of a file that it did not write to the end.
fn delete_unfinished(file: &Path) -> Result<(), FileError> {
    let Some(folder) = file.parent().filter(|folder| folder.is_dir()) else {
        return Ok(());
    };
    let listed = || FileError::of(Action::Listed, folder);
    for entry in std::fs::read_dir(folder).map_err(listed())? {
        let entry = entry.map_err(listed())?;
        if disk::is_unfinished(&entry.file_name()) {
            let path = entry.path();
            disk::remove(&path).map_err(FileError::of(Action::Deleted, &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests make the files that a killed process leaves"
)]
mod tests {
    use super::*;

    struct Folder {
        _temporary: tempfile::TempDir,
        root: Root,
        state: StateDir,
    }

    impl Folder {
        fn new() -> Self {
            let temporary = tempfile::tempdir().unwrap();
            Self {
                root: Root::open(temporary.path()).unwrap(),
                state: StateDir::under(temporary.path()).unwrap(),
                _temporary: temporary,
            }
        }

        fn creation(&self) -> Creation {
            self.state.creation(&path("new")).unwrap()
        }

        fn undone(&self) -> Vec<String> {
            let undone = self.creation().undo(&self.root).unwrap().into_iter();
            undone.map(|path| path.to_string()).collect()
        }

        fn there(&self) -> Vec<String> {
            let entries = std::fs::read_dir(self.root.path().join("new")).unwrap();
            let mut names: Vec<_> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }

        /// What a process leaves that is killed after it has created some of the files.
        fn cut_off_after(&self, created: usize) {
            self.creation().begin(&files()).unwrap();
            for (path, text) in files().iter().take(created) {
                assert!(self.root.create(path, text.as_bytes()).unwrap());
            }
        }
    }

    fn path(text: &str) -> RootPath {
        RootPath::new(text).unwrap()
    }

    fn files() -> BTreeMap<RootPath, &'static str> {
        [("new/1.md", "one"), ("new/2.md", "two"), ("new/3.md", "3")]
            .map(|(name, text)| (path(name), text))
            .into()
    }

    #[test]
    fn a_creation_that_was_cut_off_is_undone_and_made_again() {
        for created in 0..3 {
            let folder = Folder::new();
            folder.cut_off_after(created);
            let unfinished = folder.root.path().join("new");
            std::fs::create_dir_all(&unfinished).unwrap();
            std::fs::write(unfinished.join(".ralph-review-x7.tmp"), "ha").unwrap();
            let expected: Vec<_> = (1..=created).map(|n| format!("new/{n}.md")).collect();
            assert_eq!(folder.undone(), expected);
            assert_eq!(folder.there(), Vec::<String>::new());
            assert_eq!(folder.undone(), Vec::<String>::new());
            let creation = folder.creation();
            assert_eq!(creation.create(&folder.root, &files()).unwrap(), None);
            assert_eq!(folder.there(), ["1.md", "2.md", "3.md"]);
        }
    }

    #[test]
    fn files_that_are_complete_or_were_edited_stay() {
        let folder = Folder::new();
        folder.cut_off_after(3);
        assert_eq!(folder.undone(), Vec::<String>::new());
        assert_eq!(folder.there(), ["1.md", "2.md", "3.md"]);

        let folder = Folder::new();
        folder.cut_off_after(2);
        folder.root.replace(&path("new/1.md"), b"edited").unwrap();
        assert_eq!(folder.undone(), Vec::<String>::new());
        assert_eq!(folder.there(), ["1.md", "2.md"]);

        let folder = Folder::new();
        folder.creation().create(&folder.root, &files()).unwrap();
        std::fs::remove_file(folder.root.path().join("new/2.md")).unwrap();
        assert_eq!(folder.undone(), Vec::<String>::new());
        assert_eq!(folder.there(), ["1.md", "3.md"]);
    }

    #[test]
    fn a_file_that_was_there_before_is_never_undone() {
        let folder = Folder::new();
        folder.root.create(&path("new/2.md"), b"two").unwrap();
        let created = folder.creation().create(&folder.root, &files());
        assert_eq!(created.unwrap(), Some(path("new/2.md")));
        assert_eq!(folder.undone(), Vec::<String>::new());
        assert_eq!(folder.there(), ["2.md"]);
    }
}
