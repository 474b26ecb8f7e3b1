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

/// The files of a scope.
#[derive(Default)]
pub(super) struct Listing {
    /// Those that exist or are named, sorted and distinct.
    pub(super) paths: Vec<RootPath>,
    /// Whether a link leads to no file now: it is part of the scope as soon as it does.
    pub(super) has_dead_link: bool,
}

impl Scope {
    /// The files that exist or are named, sorted and distinct.
    pub(crate) fn paths(&self, reader: &mut Reader<'_>) -> Result<Vec<RootPath>, ConfineError> {
        Ok(self.listing(reader)?.paths)
    }

    pub(super) fn listing(&self, reader: &mut Reader<'_>) -> Result<Listing, ConfineError> {
        let mut listing = match self {
            Self::Unit { dir, .. } | Self::Folder(dir) => list(dir, reader)?,
            Self::Spec(_) | Self::File(_) => Listing::default(),
        };
        listing.paths.extend(self.named().cloned());
        listing.paths.sort();
        listing.paths.dedup();
        Ok(listing)
    }

    /// The file that is part of the scope by name, even if it does not exist.
    fn named(&self) -> Option<&RootPath> {
        match self {
            Self::Unit { spec, .. } => spec.as_ref(),
            Self::Spec(file) | Self::File(file) => Some(file),
            Self::Folder(_) => None,
        }
    }

    /// The folders that say which files are part of the scope.
    pub(super) fn folders(&self) -> Vec<RootPath> {
        let listed = match self {
            Self::Unit { dir, .. } | Self::Folder(dir) => Some(dir.clone()),
            Self::Spec(_) | Self::File(_) => None,
        };
        let named = self.named().map(RootPath::parent);
        listed.into_iter().chain(named).collect()
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
fn list(dir: &RootPath, reader: &mut Reader<'_>) -> Result<Listing, ConfineError> {
    let mut listing = list_on_disk(dir, reader)?;
    let overlaid = reader.overlaid(dir).cloned();
    let overlaid = overlaid.filter(|path| FileRole::of(path.as_str()) != FileRole::Other);
    listing.paths.extend(overlaid);
    Ok(listing)
}

fn list_on_disk(dir: &RootPath, reader: &mut Reader<'_>) -> Result<Listing, ConfineError> {
    let folder = reader.folder(dir.as_str())?.to_owned();
    let failed = |error| FileError::of(Action::Listed, &folder)(error);
    let mut listing = Listing::default();
    let entries = match std::fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listing),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if FileRole::of(&name.to_string_lossy()) == FileRole::Other {
            continue;
        }
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_symlink() && is_dead(&entry.path()) {
            listing.has_dead_link = true;
        } else if !kind.is_dir() {
            // A pipe or a device with the name of a file is refused when it is read.
            let name = name.to_str().ok_or_else(|| ConfineError::NotUtf8 {
                path: Path::new(dir.as_str()).join(&name),
            })?;
            listing.paths.push(dir.child(name));
        }
    }
    Ok(listing)
}

/// Whether a link leads nowhere, or to a folder.
fn is_dead(link: &Path) -> bool {
    link.metadata().map_or(true, |found| found.is_dir())
}
