//! The saved content of the files of a tree.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use review_flow::hash_bytes;

use super::TreeFiles;
use super::entry::Kind;
use crate::disk::{self, Content};
use crate::{Action, ConfineError, FileError, Reader, Root};

/// The maximum total size of the content kept in memory.
const MAX_KEPT: u64 = 64 * 1024 * 1024;

/// The content of regular files of a tree at a point in time, up to 64 MiB.
#[derive(Debug, Default)]
pub struct KeptFiles(BTreeMap<PathBuf, Content>);

impl KeptFiles {
    /// Reads those of `files` below `root` for which `wanted` is true. A file that
    /// cannot be read or exceeds the limit is not kept.
    pub fn read(root: &Root, files: &TreeFiles, wanted: impl Fn(&Path) -> bool) -> Self {
        let mut room = MAX_KEPT;
        let mut kept = BTreeMap::new();
        for path in files.regular().filter(|path| wanted(path)) {
            let file = root.path().join(path);
            let fits = |found: &std::fs::Metadata| found.len() <= room;
            if !file.symlink_metadata().is_ok_and(|found| fits(&found)) {
                continue;
            }
            let Ok(content) = disk::read_regular(&file) else {
                continue;
            };
            room = room.saturating_sub(content.bytes.len() as u64);
            kept.insert(path.to_owned(), content);
        }
        Self(kept)
    }

    /// Returns the bytes of a file that is kept.
    pub fn get(&self, path: &Path) -> Option<&[u8]> {
        self.0.get(path).map(|kept| &*kept.bytes)
    }

    /// Restores the file at `path` to its state in `before` if it still has its state
    /// in `left`. Otherwise, and if it was not kept or is a link, returns `false`
    /// without any change.
    ///
    /// # Errors
    /// Returns an error when the path leaves the root, or cannot be read or written.
    pub fn restore(
        &self,
        root: &Root,
        path: &Path,
        before: &TreeFiles,
        left: &TreeFiles,
    ) -> Result<bool, ConfineError> {
        let file = Reader::new(root).locate(&root.relative(path)?)?;
        let found = match disk::read_regular(&file) {
            Ok(found) => Some((Kind::of_mode(found.mode), hash_bytes(&found.bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) if disk::is_link(&error) => return Ok(false),
            Err(error) => return Err(FileError::of(Action::Read, &file)(error).into()),
        };
        if found != left.entry(path) {
            return Ok(false);
        }
        match (self.0.get(path), before.entry(path)) {
            (Some(kept), _) => write(&file, kept).map(|()| true),
            (None, None) => Ok(disk::remove(&file).map_err(FileError::of(Action::Deleted, &file))?),
            (None, Some(_)) => Ok(false),
        }
    }
}

fn write(file: &Path, kept: &Content) -> Result<(), ConfineError> {
    if let Some(folder) = file.parent() {
        disk::create_user_folders(folder).map_err(FileError::of(Action::Created, folder))?;
    }
    let mode = disk::Mode::Exactly(kept.mode);
    let written = disk::replace(file, &kept.bytes, mode, disk::Durability::Synced);
    Ok(written.map_err(FileError::of(Action::Written, file))?)
}
