//! The only module that changes files and folders.
#![expect(
    clippy::disallowed_methods,
    reason = "all writes to disk are in this module"
)]

use std::fs::{self, DirBuilder, DirEntry, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::{Action, FileError};

/// The mode of files in the state folder.
pub(crate) const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;
/// The bits with which its owner can list a folder and change what is in it.
pub(crate) const ALL_OF_OWNER: u32 = 0o700;
/// The maximum size of a user's file that is read into memory.
pub(crate) const MAX_FILE: u64 = 64 * 1024 * 1024;
/// The maximum size of a file of the state folder that is read into memory.
pub(crate) const MAX_STATE: u64 = 1024 * 1024 * 1024;

/// The permission bits of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// These bits.
    Exactly(u32),
    /// Read and write permissions for everybody, reduced by the user's umask.
    OfUser,
}

/// The durability of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The file and its folder are synced.
    Synced,
    /// The file is synced; the caller syncs the folder.
    FileSynced,
    /// Nothing is synced: the file can be rebuilt.
    Unsynced,
}

/// The content of a regular file.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: u32,
}

/// Whether a symbolic link at the end of a path is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// It is.
    Followed,
    /// It is an error, for which [`is_link`] is true.
    Refused,
}

/// Opens a regular file for reading. Whatever else is there is an error, and is neither
/// opened nor waited for.
pub(crate) fn open_regular(path: &Path, links: Links) -> io::Result<(File, Metadata)> {
    if links == Links::Followed {
        require_regular(&path.metadata()?)?;
    } else {
        let found = path.symlink_metadata()?;
        if !found.is_symlink() {
            require_regular(&found)?;
        }
    }
    let no_follow = match links {
        Links::Followed => OFlags::empty(),
        Links::Refused => OFlags::NOFOLLOW,
    };
    let flags = OFlags::NONBLOCK | no_follow;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    let found = file.metadata()?;
    require_regular(&found)?;
    Ok((file, found))
}

/// Fails unless it is a regular file, and says what it is.
pub(crate) fn require_regular(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let message = format!("it is {}, not a regular file", kind_of(found));
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// What is there in place of a regular file, with its article.
pub(crate) fn kind_of(found: &Metadata) -> &'static str {
    let kind = found.file_type();
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

/// Reads a regular file. Fails with [`is_link`] for a symbolic link.
pub(crate) fn read_regular(path: &Path) -> io::Result<Content> {
    let (file, found) = open_regular(path, Links::Refused)?;
    Ok(Content {
        bytes: read_up_to(file, found.len(), MAX_FILE)?,
        mode: found.permissions().mode() & 0o7777,
    })
}

/// Reads a file of the state folder. Fails with [`is_link`] for a symbolic link.
pub(crate) fn read_state(path: &Path) -> io::Result<Vec<u8>> {
    let (file, found) = open_regular(path, Links::Refused)?;
    read_up_to(file, found.len(), MAX_STATE)
}

/// Reads all of `input`, of which `expected` bytes are expected, unless it is longer than
/// `limit` bytes.
pub(crate) fn read_up_to(input: impl Read, expected: u64, limit: u64) -> io::Result<Vec<u8>> {
    let expected = usize::try_from(expected.min(limit)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(expected + 1);
    input.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {} MiB", limit >> 20),
        ));
    }
    Ok(bytes)
}

/// Whether [`read_regular`] failed because the path is a symbolic link.
pub(crate) fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Replaces a file with `bytes` in one rename, so that readers see either the old or
/// the new bytes. A link at `path` is replaced as well.
pub(crate) fn replace(
    path: &Path,
    bytes: &[u8],
    mode: Mode,
    durability: Durability,
) -> io::Result<()> {
    let file = temporary(path, bytes, mode, durability)?;
    file.persist(path).map_err(|error| error.error)?;
    sync_parent(path, durability)
}

/// Replaces a file that only its owner can access.
pub(crate) fn replace_private(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    replace(path, bytes, Mode::Exactly(PRIVATE_FILE), durability)
}

/// Like [`replace`] with the output of `write`, if it returns that the file should be
/// replaced.
pub(crate) fn replace_if(
    path: &Path,
    mode: Mode,
    durability: Durability,
    write: impl FnOnce(&mut File) -> io::Result<bool>,
) -> io::Result<()> {
    let mut file = temporary(path, &[], mode, Durability::Unsynced)?;
    if write(file.as_file_mut())? {
        file.persist(path).map_err(|error| error.error)?;
        sync_parent(path, durability)?;
    }
    Ok(())
}

/// Copies a file with its permissions; nothing is synced. Fails if the path exists.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let (mut read, found) = open_regular(from, Links::Followed)?;
    let mut made = OpenOptions::new().write(true).create_new(true).open(to)?;
    io::copy(&mut read, &mut made)?;
    made.set_permissions(found.permissions())
}

/// Copies what is in a folder to another one, with the times of files. Links stay links, and
/// what is neither is left out.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            fs::create_dir(&to)?;
            copy_folder(&from, &to)?;
        } else if kind.is_symlink() {
            create_link(&fs::read_link(&from)?, &to)?;
        } else if kind.is_file() {
            copy_with_time(&from, &to)?;
        }
    }
    Ok(())
}

/// Like [`copy`], with the time at which the file was modified.
pub(crate) fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    File::open(to)?.set_modified(modified)
}

/// Returns whether two files have the same bytes and permissions, and were modified at the
/// same time.
pub(crate) fn is_copy(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, left) = open_regular(one, Links::Refused)?;
    let (mut other, right) = open_regular(other, Links::Refused)?;
    let is_alike = left.len() == right.len()
        && left.permissions() == right.permissions()
        && left.modified()? == right.modified()?;
    let mut buffers = [vec![0; 1 << 16], vec![0; 1 << 16]];
    let mut rest = if is_alike {
        left.len()
    } else {
        return Ok(false);
    };
    while rest > 0 {
        let [left, right] = &mut buffers;
        let count = usize::try_from(rest).unwrap_or(usize::MAX).min(left.len());
        one.read_exact(&mut left[..count])?;
        other.read_exact(&mut right[..count])?;
        if left[..count] != right[..count] {
            return Ok(false);
        }
        rest -= count as u64;
    }
    Ok(true)
}

/// Appends bytes to what is there.
pub(crate) fn append_to(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(bytes)
}

/// Creates a link.
pub(crate) fn create_link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Sets the permission bits of a file or folder.
pub(crate) fn set_mode(path: &Path, bits: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(bits))
}

/// Deletes a folder, unless something is in it.
pub(crate) fn remove_empty_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(error),
        _ => Ok(()),
    }
}

/// Gives a file another name, or copies it to another file system.
pub(crate) fn share(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(_) => {
            let (mut read, _) = open_regular(from, Links::Followed)?;
            replace_if(to, Mode::OfUser, Durability::Synced, |file| {
                io::copy(&mut read, file).map(|_| true)
            })
        }
        Ok(()) => Ok(()),
    }
}

/// Like [`replace`], but fails if the path exists.
pub(crate) fn create(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
    let file = temporary(path, bytes, mode, Durability::Synced)?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    sync_parent(path, Durability::Synced)
}

/// How the names of files and folders start and end that are not written to the end.
const UNFINISHED: (&str, &str) = (".ralph-review-", ".tmp");

/// Creates a folder that appears with all that `fill` puts into it, or not at all.
pub(crate) fn create_folder(
    path: &Path,
    fill: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let above = parent(path);
    let _turn = lock_folder(above)?;
    remove_unfinished(above)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    builder.permissions(Permissions::from_mode(0o777));
    let made = builder.tempdir_in(above)?;
    fill(made.path())?;
    rename(made.path(), path)
}

/// Deletes the folders that a process which was killed did not write to the end.
fn remove_unfinished(above: &Path) -> io::Result<()> {
    for entry in fs::read_dir(above)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_ours =
            name.starts_with(UNFINISHED.0.as_bytes()) && name.ends_with(UNFINISHED.1.as_bytes());
        if is_ours && entry.file_type()?.is_dir() {
            remove_all(&entry.path())?;
        }
    }
    Ok(())
}

fn temporary(
    path: &Path,
    bytes: &[u8],
    mode: Mode,
    durability: Durability,
) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    if mode == Mode::OfUser {
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(parent(path))?;
    // Errors of the file itself do not name its temporary path.
    file.as_file_mut().write_all(bytes)?;
    match mode {
        // `tempfile` creates private files.
        Mode::OfUser | Mode::Exactly(PRIVATE_FILE) => {}
        Mode::Exactly(bits) => file
            .as_file()
            .set_permissions(Permissions::from_mode(bits))?,
    }
    if durability != Durability::Unsynced {
        file.as_file().sync_all()?;
    }
    Ok(file)
}

fn sync_parent(path: &Path, durability: Durability) -> io::Result<()> {
    if durability == Durability::Synced {
        sync_folder(parent(path))?;
    }
    Ok(())
}

/// Makes the entries of a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Opens a private file for reading and writing, and creates it if it does not exist.
/// Fails if `path` is a link, which could lead anywhere.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    regular(private().create(true).truncate(false).open(path)?)
}

/// Creates a private file; fails if it exists.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    private().create_new(true).open(path)
}

/// Opens an existing file for reading and appending.
pub(crate) fn open_append(path: &Path) -> io::Result<File> {
    regular(private().append(true).open(path)?)
}

/// Appends bytes to a private file, which is created if it does not exist.
pub(crate) fn append_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    regular(private().append(true).create(true).open(path)?)?.write_all(bytes)
}

/// Opens a file of the user for reading and appending, and creates it if it does not
/// exist. Links are followed.
pub(crate) fn open_user_append(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)?;
    regular(file)
}

fn regular(file: File) -> io::Result<File> {
    require_regular(&file.metadata()?)?;
    Ok(file)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .mode(PRIVATE_FILE)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    options
}

/// Creates a private folder; `false` if it already exists. Fails if a link or anything
/// else is at `path`.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<bool> {
    match DirBuilder::new().mode(PRIVATE_FOLDER).create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::symlink_metadata(path)?.is_dir() {
                Ok(false)
            } else {
                Err(io::Error::new(
                    io::ErrorKind::NotADirectory,
                    "it is not a folder",
                ))
            }
        }
        Err(error) => Err(error),
    }
}

/// Creates a folder in the temporary one, with a name that starts with `prefix`; it stays.
///
/// # Errors
/// When the temporary folder cannot be written.
pub fn temporary_folder(prefix: &str) -> io::Result<PathBuf> {
    let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
    fs::canonicalize(folder.keep())
}

/// Creates a folder of the user and its parents.
pub(crate) fn create_user_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Locks a folder until the returned file is closed; other callers wait.
pub(crate) fn lock_folder(path: &Path) -> Result<File, FileError> {
    let locked = File::open(path).and_then(|folder| folder.lock().map(|()| folder));
    locked.map_err(FileError::of(Action::Locked, path))
}

/// Deletes a file or a link; `false` if it did not exist.
pub(crate) fn remove(path: &Path) -> io::Result<bool> {
    Ok(found(fs::remove_file(path))?.is_some())
}

/// Returns what was found; `None` where there is no such file.
pub(crate) fn found<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Whether a file does not exist, including when its folder became a file.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Lists a folder; it is empty where there is none.
pub(crate) fn entries(folder: &Path) -> Result<Vec<DirEntry>, FileError> {
    match fs::read_dir(folder).and_then(Iterator::collect) {
        Err(error) if is_gone(&error) => Ok(Vec::new()),
        listed => listed.map_err(FileError::of(Action::Listed, folder)),
    }
}

/// Deletes a file, a link, or a folder with all that it contains; links are not
/// followed. What does not exist is deleted already.
pub(crate) fn remove_all(path: &Path) -> io::Result<()> {
    let is_folder = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?.is_dir(),
    };
    match is_folder {
        true => match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                make_writable(path)?;
                fs::remove_dir_all(path)
            }
            removed => removed,
        },
        false => fs::remove_file(path),
    }
}

/// Lets the owner of a folder and of those in it delete what they contain. Links are not
/// followed.
fn make_writable(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(PRIVATE_FOLDER))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

/// Moves a folder, durably: it does not appear in its old place again.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_folder(parent(to))?;
    sync_folder(parent(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_written_to_the_end_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let names = || -> Vec<_> {
            let entries = fs::read_dir(folder.path()).unwrap();
            entries.map(|entry| entry.unwrap().file_name()).collect()
        };
        let path = folder.path().join("new");
        let failed = create_folder(&path, |made| {
            fs::write(made.join("1.md"), "text")?;
            assert_eq!(names().len(), 1);
            assert!(!path.exists());
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(names().is_empty(), "{:?}", names());
        // A process was killed at the same place.
        fs::create_dir(folder.path().join(".ralph-review-1.tmp")).unwrap();
        create_folder(&path, |made| fs::write(made.join("1.md"), "text")).unwrap();
        assert_eq!(names(), ["new"]);
    }
}
