//! Atomic replacement of the user's files.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::disk::{self, Durability, Mode};
use crate::{Action, FileError};

/// Replaces or creates a file, atomically and durably. If the path is a symbolic link,
/// its target is replaced. Permissions are kept.
///
/// # Errors
/// Returns an error when the file cannot be written or the path is a dangling link.
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

/// Writes a file that a user named on the command line, which may be anything, such as
/// `/dev/stdout` or a named pipe: a regular file is replaced, into all else the bytes go.
///
/// # Errors
/// Returns an error when it cannot be written.
pub fn write_named(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    // What is open in this process is not replaced under it.
    let is_open = ["/dev", "/proc"]
        .iter()
        .any(|folder| path.starts_with(folder));
    let is_other = |found: std::fs::Metadata| !found.is_file() && !found.is_dir();
    if is_open || path.metadata().is_ok_and(is_other) {
        let written = disk::append_to(path, bytes);
        return written.map_err(FileError::of(Action::Written, path));
    }
    replace_file(path, bytes)
}

/// Replaces a file that only its owner can access.
pub(crate) fn write_private(
    path: &Path,
    bytes: &[u8],
    durability: Durability,
) -> Result<(), FileError> {
    let written = disk::replace_private(path, bytes, durability);
    written.map_err(FileError::of(Action::Written, path))
}

/// Deletes a file or a link, if it exists.
///
/// # Errors
/// Returns an error when it cannot be deleted.
pub fn delete_file(path: &Path) -> Result<(), FileError> {
    let deleted = disk::remove(path).map(|_| ());
    deleted.map_err(FileError::of(Action::Deleted, path))
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn permissions(file: &Path) -> io::Result<Mode> {
    let found = file.metadata()?;
    disk::require_regular(&found)?;
    Ok(Mode::Exactly(found.permissions().mode() & 0o7777))
}
