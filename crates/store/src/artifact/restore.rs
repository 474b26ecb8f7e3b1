//! Restoration of an artifact.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use review_document::{TaskFile, TaskStatus, masked, set_status};
use review_flow::ContentStore;
use review_types::Manifest;

use super::Scope;
use crate::disk::{self, Content};
use crate::{Action, ConfineError, FileError, Reader, Root, RootPath};

/// The manifest names a file that is not part of the artifact.
#[derive(Debug, thiserror::Error)]
#[error("{0} is not a file of the artifact to restore")]
struct NotInArtifact(RootPath);

/// The file to restore.
struct Wanted {
    path: RootPath,
    bytes: Arc<[u8]>,
    mode: u32,
}

/// Restores the files and deletes those that the manifest lacks. All required content
/// is loaded before the first change.
pub(super) fn restore(
    root: &Root,
    scope: &Scope,
    manifest: &Manifest,
    texts: &ContentStore,
) -> io::Result<()> {
    let mut reader = Reader::new(root);
    let found = scope.paths(&mut reader)?;
    let files = wanted(scope, manifest, texts)?;
    let mut folders = BTreeSet::new();
    for file in &files {
        folders.extend(restore_file(root, &mut reader, file)?);
    }
    for path in found
        .iter()
        .filter(|path| manifest.get(path.as_str()).is_none())
    {
        let file = reader.locate(path)?;
        let was_there = disk::remove(&file).map_err(FileError::of(Action::Deleted, &file))?;
        folders.extend(file.parent().filter(|_| was_there).map(Path::to_owned));
    }
    for folder in &folders {
        disk::sync_folder(folder).map_err(FileError::of(Action::Written, folder))?;
    }
    Ok(())
}

fn wanted(scope: &Scope, manifest: &Manifest, texts: &ContentStore) -> io::Result<Vec<Wanted>> {
    let files = manifest.files().iter().map(|entry| {
        let path = RootPath::new(&entry.path)?;
        if !scope.may_hold(&path) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                NotInArtifact(path),
            ));
        }
        let bytes = texts.get(&entry.hash).map_err(io::Error::other)?;
        Ok(Wanted {
            path,
            bytes,
            mode: entry.mode,
        })
    });
    files.collect()
}

/// Restores one file; the caller syncs the changed folder.
fn restore_file(
    root: &Root,
    reader: &mut Reader<'_>,
    wanted: &Wanted,
) -> Result<Option<PathBuf>, ConfineError> {
    let found = reader.content(&wanted.path)?;
    let bytes = found
        .as_ref()
        .map_or(Cow::Borrowed(&*wanted.bytes), |found| {
            with_status_of(found, wanted)
        });
    if found
        .as_ref()
        .is_some_and(|found| found.bytes == *bytes && found.mode == wanted.mode)
    {
        return Ok(None);
    }
    let file = root.resolve(&wanted.path)?;
    if let Some(folder) = file.parent() {
        disk::create_user_folders(folder).map_err(FileError::of(Action::Created, folder))?;
    }
    Root::replace_resolved(&file, &bytes, wanted.mode)?;
    Ok(file.parent().map(Path::to_owned))
}

/// The bytes to write, with the status that the file has on disk.
fn with_status_of<'a>(found: &'a Content, wanted: &'a Wanted) -> Cow<'a, [u8]> {
    if masked(&found.bytes) == masked(&wanted.bytes) {
        return Cow::Borrowed(&found.bytes);
    }
    let status = |bytes: &[u8]| -> Option<(TaskStatus, bool)> {
        let task = TaskFile::parse(wanted.path.as_str(), bytes);
        task.number?;
        Some((task.status, task.status_place.is_some()))
    };
    match (status(&found.bytes), status(&wanted.bytes)) {
        (Some((now, true)), Some((before, _))) if now != before => {
            set_status(&*wanted.bytes, now).map_or(Cow::Borrowed(&*wanted.bytes), Cow::Owned)
        }
        _ => Cow::Borrowed(&wanted.bytes),
    }
}
