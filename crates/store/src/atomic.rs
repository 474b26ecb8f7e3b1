//! Files of the user, replaced in one step.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::disk::{self, Durability, Mode};
use crate::{Action, FileError};

/// Replaces a file or makes a new one, atomically and durably. A symbolic link
/// stays one: the file that it leads to is replaced. Permissions stay.
///
/// # Errors
/// When the file cannot be written, or the path is a link to nothing.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let written = match std::fs::canonicalize(path) {
        Ok(real) => permissions(&real)
            .and_then(|mode| disk::replace(&real, bytes, mode, Durability::Synced)),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_link(path) => {
            disk::replace(path, bytes, Mode::OfUser, Durability::Synced)
        }
        Err(error) => Err(error),
    };
    written.map_err(FileError::of(Action::Written, path))
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn permissions(file: &Path) -> io::Result<Mode> {
    let found = file.metadata()?;
    if found.is_file() {
        Ok(Mode::Exactly(found.permissions().mode() & 0o7777))
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "something that is no regular file is in its place",
        ))
    }
}
