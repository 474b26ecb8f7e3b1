//! Lookup of programs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use rustix::fs::{Access, access};

/// Whether each program is found in a folder of `path`; relative folders are relative
/// to `root`.
pub(super) fn look_up(
    asked: BTreeSet<String>,
    path: Option<&OsStr>,
    root: &Path,
) -> BTreeMap<String, bool> {
    let Some(path) = path else {
        return BTreeMap::new();
    };
    let folders: Vec<_> = std::env::split_paths(path)
        .map(|folder| root.join(folder))
        .collect();
    let is_there = |name: &str| folders.iter().any(|folder| can_run(&folder.join(name)));
    asked
        .into_iter()
        .map(|name| {
            let found = is_there(&name);
            (name, found)
        })
        .collect()
}

fn can_run(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}
