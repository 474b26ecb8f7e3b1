//! The files of an artifact.

use std::io;
use std::path::Path;

use review_document::FileRole;
use review_types::UnitId;

use crate::{Action, ConfineError, FileError, Reader, RootPath};

/// The scope of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A unit with its spec.
    Unit {
        id: UnitId,
        dir: RootPath,
        spec: Option<RootPath>,
    },
    /// A spec alone.
    Spec(RootPath),
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
            Self::Spec(_) | Self::File(_) => Vec::new(),
        };
        paths.extend(self.named().cloned());
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// The file that is part of the scope by name, even if it does not exist.
    fn named(&self) -> Option<&RootPath> {
        match self {
            Self::Unit { spec, .. } => spec.as_ref(),
            Self::Spec(file) | Self::File(file) => Some(file),
            Self::Folder(_) => None,
        }
    }

    /// Whether a file at this path would be part of the scope.
    pub(super) fn holds(&self, path: &RootPath) -> bool {
        let in_folder = match self {
            Self::Unit { dir, .. } | Self::Folder(dir) => {
                path.parent() == *dir && FileRole::of(path.as_str()) != FileRole::Other
            }
            Self::Spec(_) | Self::File(_) => false,
        };
        in_folder || self.named() == Some(path)
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

fn list_on_disk(dir: &RootPath, reader: &mut Reader<'_>) -> Result<Vec<RootPath>, ConfineError> {
    let folder = reader.folder(dir.as_str())?.to_owned();
    let failed = |error| FileError::of(Action::Listed, &folder)(error);
    let mut paths = Vec::new();
    let entries = match std::fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(paths),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if FileRole::of(&name.to_string_lossy()) == FileRole::Other {
            continue;
        }
        let kind = entry.file_type().map_err(failed)?;
        let is_dead = kind.is_symlink() && is_dead(&entry.path());
        // A pipe or a device with the name of a file is refused when it is read.
        if !kind.is_dir() && !is_dead {
            let name = name.to_str().ok_or_else(|| ConfineError::NotUtf8 {
                path: Path::new(dir.as_str()).join(&name),
            })?;
            paths.push(dir.child(name));
        }
    }
    Ok(paths)
}

/// Whether a link leads nowhere, or to a folder.
fn is_dead(link: &Path) -> bool {
    link.metadata().map_or(true, |found| found.is_dir())
}
