//! Finds the file that a program's name means.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// Finds the file that `program` means: a name is looked up in the folders of
/// `path`, the value of the variable `PATH`; anything with a `/` is a file,
/// relative to `folder`. Relative folders of `path` start at `folder` as well.
///
/// `None` means that there is no such file that may be executed.
#[must_use]
pub fn find_program(program: &Path, path: Option<&OsStr>, folder: &Path) -> Option<PathBuf> {
    if !is_name(program) {
        return Some(folder.join(program)).filter(|file| is_executable(file));
    }
    std::env::split_paths(path?)
        .map(|entry| folder.join(entry).join(program))
        .find(|file| is_executable(file))
}

pub(crate) fn is_name(program: &Path) -> bool {
    !program.as_os_str().as_encoded_bytes().contains(&b'/')
}

/// Resolves the program of a command as far as this process has to: a bare
/// name without a `PATH` of its own is left to the system, which looks it up
/// while it spawns.
pub(crate) fn resolve(program: &Path, path: Option<&OsString>, cwd: &Path) -> Option<PathBuf> {
    match path {
        None if is_name(program) => Some(program.to_owned()),
        _ if !is_name(program) => Some(cwd.join(program)),
        path => find_program(program, path.map(OsString::as_os_str), cwd),
    }
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}
