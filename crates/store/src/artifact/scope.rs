//! The files of an artifact.

use std::path::Path;

use review_document::{FileRole, SourceText, claims_to_be_a_task};
use review_types::UnitId;

use crate::{Action, ConfineError, FileError, Reader, RootPath, disk};

/// The scope of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A unit with its spec: the Markdown files of its folder, and tasks that are below it.
    Unit {
        id: UnitId,
        dir: RootPath,
        spec: Option<RootPath>,
    },
    /// Any file.
    File(RootPath),
    /// The Markdown files of a folder.
    Folder(RootPath),
}

impl Scope {
    /// The files that exist or are named, sorted and distinct.
    pub(crate) fn paths(&self, reader: &mut Reader<'_>) -> Result<Vec<RootPath>, ConfineError> {
        let mut paths = match self {
            Self::Unit { dir, .. } | Self::Folder(dir) => list(dir, reader)?,
            Self::File(_) => Vec::new(),
        };
        if let Self::Unit { dir, .. } = self {
            tasks_below(dir, reader, &mut paths)?;
        }
        paths.extend(self.named().cloned());
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// The file that is part of the scope by name, even if it does not exist.
    fn named(&self) -> Option<&RootPath> {
        match self {
            Self::Unit { spec, .. } => spec.as_ref(),
            Self::File(file) => Some(file),
            Self::Folder(_) => None,
        }
    }

    /// Whether a file at this path would be part of the scope.
    pub(super) fn holds(&self, path: &RootPath) -> bool {
        let in_folder = match self {
            Self::Unit { dir, .. } | Self::Folder(dir) => {
                path.parent() == *dir && FileRole::of(path.as_str()) != FileRole::Other
            }
            Self::File(_) => false,
        };
        in_folder || self.named() == Some(path)
    }

    /// Whether a file at this path can have been part of the scope.
    pub(super) fn may_hold(&self, path: &RootPath) -> bool {
        let is_below = |dir: &RootPath| Path::new(path.as_str()).starts_with(dir.as_str());
        let is_document = FileRole::of(path.as_str()) != FileRole::Other;
        self.holds(path) || is_document && matches!(self, Self::Unit { dir, .. } if is_below(dir))
    }
}

/// The Markdown files directly in a folder; empty if it does not exist.
fn list(dir: &RootPath, reader: &mut Reader<'_>) -> Result<Vec<RootPath>, ConfineError> {
    let mut paths = list_on_disk(dir, reader)?;
    let overlaid = reader.overlaid(dir).cloned();
    let overlaid = overlaid.filter(|path| FileRole::of(path.as_str()) != FileRole::Other);
    paths.extend(overlaid);
    Ok(paths)
}

/// The tasks in the folders below a unit that are not units of their own.
fn tasks_below(
    dir: &RootPath,
    reader: &mut Reader<'_>,
    tasks: &mut Vec<RootPath>,
) -> Result<(), ConfineError> {
    for folder in folders(dir, reader)? {
        let files = list_on_disk(&folder, reader)?;
        let is_plan = |path: &RootPath| FileRole::of(path.as_str()) == FileRole::Plan;
        if files.iter().any(is_plan) {
            continue;
        }
        for file in files {
            let bytes = reader.bytes(&file)?.unwrap_or_default();
            if claims_to_be_a_task(&SourceText::from(bytes)) {
                tasks.push(file);
            }
        }
        tasks_below(&folder, reader, tasks)?;
    }
    Ok(())
}

/// The folders directly in a folder, without hidden ones and links.
fn folders(dir: &RootPath, reader: &mut Reader<'_>) -> Result<Vec<RootPath>, ConfineError> {
    let folder = reader.folder(dir.as_str())?;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let shown = names.filter(|name| !name.starts_with('.'));
    Ok(shown.map(|name| dir.child(&name)).collect())
}

fn list_on_disk(dir: &RootPath, reader: &mut Reader<'_>) -> Result<Vec<RootPath>, ConfineError> {
    let folder = reader.folder(dir.as_str())?.to_owned();
    let mut paths = Vec::new();
    for entry in disk::entries(&folder)? {
        let name = entry.file_name();
        if FileRole::of(&name.to_string_lossy()) == FileRole::Other {
            continue;
        }
        let kind = entry.file_type();
        let kind = kind.map_err(FileError::of(Action::Listed, &folder))?;
        let is_link_to_folder = kind.is_symlink() && entry.path().is_dir();
        // A pipe, a device or a dangling link with the name of a file is refused when it
        // is read.
        if !kind.is_dir() && !is_link_to_folder {
            let name = name.to_str().ok_or_else(|| ConfineError::NotUtf8 {
                path: Path::new(dir.as_str()).join(&name),
            })?;
            paths.push(dir.child(name));
        }
    }
    Ok(paths)
}
