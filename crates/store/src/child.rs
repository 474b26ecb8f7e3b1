//! The process group that a run has started, for whoever comes after it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::disk;

/// The file has this size always: a note is written over the one before with a
/// single write, which costs less than making and deleting a file for each
/// call.
const SIZE: usize = 64;

/// The file that names the process group of the program that runs.
#[derive(Debug)]
pub struct ChildFile {
    path: PathBuf,
    file: Option<File>,
}

impl ChildFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Notes a group, in the words that [`ChildFile::read`] is to give back:
    /// at most 64 bytes, blanks at both ends are lost.
    ///
    /// # Errors
    /// When the file cannot be written or the note is too long.
    pub fn write(&mut self, group: &str) -> io::Result<()> {
        let mut note = [b' '; SIZE];
        let place = note.get_mut(..group.len());
        place
            .ok_or(io::ErrorKind::InvalidInput)?
            .copy_from_slice(group.as_bytes());
        if self.file.is_none() {
            self.file = Some(disk::open_private(&self.path)?);
        }
        match &self.file {
            Some(file) => file.write_all_at(&note, 0),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Notes that no program runs.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn clear(&mut self) -> io::Result<()> {
        match &self.file {
            Some(file) => file.write_all_at(&[b' '; SIZE], 0),
            None if self.path.exists() => self.write(""),
            None => Ok(()),
        }
    }

    /// Takes the file away, when no program of the run is started any more.
    ///
    /// # Errors
    /// When it is there and cannot be taken away.
    pub fn remove(self) -> io::Result<()> {
        disk::remove(&self.path).map(|_| ())
    }

    /// The group that was noted and not cleared; `None` if there is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self) -> io::Result<Option<String>> {
        let note = match disk::read_regular(&self.path) {
            Ok(content) => content.bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let note = String::from_utf8_lossy(&note[..note.len().min(SIZE)]);
        let group = note.trim();
        Ok((!group.is_empty()).then(|| group.to_owned()))
    }
}
