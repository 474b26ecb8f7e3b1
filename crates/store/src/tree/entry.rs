//! An entry of a tree.

use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use review_document::{FileRole, file_hash};
use review_flow::hash_bytes;
use review_types::Hash;

use super::Contents;
use crate::disk::{self, Links};

/// The kind of an entry, where a command can observe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File = 0,
    Executable = 1,
    Link = 2,
    /// A folder of another repository, a pipe or a socket, which is not hashed.
    Other = 3,
}

impl Kind {
    pub(super) fn of(found: &Metadata) -> Self {
        if found.is_symlink() {
            Self::Link
        } else if !found.is_file() {
            Self::Other
        } else {
            Self::of_mode(found.permissions().mode())
        }
    }

    /// The kind of a regular file with these permission bits.
    pub(super) const fn of_mode(mode: u32) -> Self {
        match mode & 0o111 {
            0 => Self::File,
            _ => Self::Executable,
        }
    }
}

/// The hash of the target of a link.
pub(super) fn link(file: &Path) -> io::Result<Hash> {
    Ok(hash_bytes(std::fs::read_link(file)?.as_os_str().as_bytes()))
}

/// The hash of a regular file; unless `contents` includes every byte, that of Markdown
/// ignores a task's status.
pub(super) fn file(path: &Path, file: &Path, contents: Contents) -> io::Result<Hash> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if contents == Contents::WithoutStatuses && FileRole::of(&name) != FileRole::Other {
        match disk::read_regular(file) {
            Ok(content) => return Ok(file_hash(&content.bytes)),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {}
            Err(error) => return Err(error),
        }
    }
    let mut hasher = blake3::Hasher::new();
    let (content, _) = disk::open_regular(file, Links::Refused)?;
    hasher.update_reader(content)?;
    Ok(Hash::from_bytes(*hasher.finalize().as_bytes()))
}
