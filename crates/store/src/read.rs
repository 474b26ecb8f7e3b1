//! Reading of files by their absolute paths. Files of a project are read by their
//! [`Root`](crate::Root), which no link leaves.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::disk::{self, Links, MAX_FILE};

/// Reads a regular file of at most 64 MiB. Links are followed; a pipe, a device or a
/// folder is refused and not waited for.
///
/// # Errors
/// Returns an error when it does not exist, is larger, or cannot be read.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let (file, found) = disk::open_regular(path, Links::Followed)?;
    disk::read_up_to(file, found.len(), MAX_FILE)
}

/// Opens a regular file, for a caller that reads it in bounded memory. Links are
/// followed; a pipe, a device or a folder is refused and not waited for.
///
/// # Errors
/// Returns an error when it does not exist or cannot be opened.
pub fn open_file(path: &Path) -> io::Result<File> {
    disk::open_regular(path, Links::Followed).map(|(file, _)| file)
}

/// Opens a file that a user named on the command line, which may be anything, such as
/// `/dev/stdin` or a named pipe.
///
/// # Errors
/// Returns an error when it does not exist or cannot be opened.
pub fn open_named(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads a file that a user named on the command line, which may be anything, of at most
/// 64 MiB.
///
/// # Errors
/// Returns an error when it does not exist, is larger, or cannot be read.
pub fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    disk::read_up_to(open_named(path)?, 0, MAX_FILE)
}
