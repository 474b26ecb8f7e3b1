//! The records of a target, kept while an agent is at work.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use review_types::UnitId;

use super::Records;
use crate::disk::{self, Durability, Mode};
use crate::{Action, FileError, RootPath};

/// The records of a spec and of the tasks of its unit as they were.
#[derive(Clone, Debug)]
pub struct KeptRecords {
    spec: PathBuf,
    /// The folder of the records of the tasks.
    unit: Option<PathBuf>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Records {
    /// Keeps the records of a spec and of the tasks of its unit: whoever holds
    /// the lock of the target is the only one to write them.
    ///
    /// # Errors
    /// When they cannot be listed.
    pub fn keep(&self, spec: &RootPath, unit: Option<&UnitId>) -> Result<KeptRecords, FileError> {
        let (spec, unit) = (
            self.spec_path(spec),
            unit.map(|unit| self.folder.join(unit.as_str())),
        );
        let files = listed(&spec, unit.as_deref())?;
        let files = files
            .into_iter()
            .filter_map(|path| bytes(&path).map(|bytes| (path, bytes)))
            .collect();
        Ok(KeptRecords { spec, unit, files })
    }
}

impl KeptRecords {
    /// Makes the records what they were, and returns the paths of those that
    /// were not.
    ///
    /// # Errors
    /// When one cannot be written or removed.
    pub fn put_back(&self) -> Result<Vec<PathBuf>, FileError> {
        let mut paths = listed(&self.spec, self.unit.as_deref())?;
        paths.extend(self.files.keys().cloned());
        let mut changed = Vec::new();
        for path in paths {
            let before = self.files.get(&path);
            if bytes(&path).as_ref() != before {
                restore(&path, before).map_err(FileError::of(Action::Written, &path))?;
                changed.push(path);
            }
        }
        Ok(changed)
    }
}

fn listed(spec: &Path, unit: Option<&Path>) -> Result<BTreeSet<PathBuf>, FileError> {
    let mut paths = BTreeSet::from([spec.to_owned()]);
    let Some(unit) = unit else { return Ok(paths) };
    let read = FileError::of(Action::Read, unit);
    match std::fs::read_dir(unit) {
        Ok(entries) => {
            for entry in entries {
                match entry {
                    Ok(entry) => paths.insert(entry.path()),
                    Err(error) => return Err(read(error)),
                };
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(read(error)),
    }
    Ok(paths)
}

/// The bytes of a file; what cannot be read counts for nothing as a record, and
/// so is the same as an empty one.
fn bytes(path: &Path) -> Option<Vec<u8>> {
    match disk::read_regular(path) {
        Ok(content) => Some(content.bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => Some(Vec::new()),
    }
}

fn restore(path: &Path, before: Option<&Vec<u8>>) -> io::Result<()> {
    match before {
        Some(bytes) => {
            let mode = Mode::Exactly(disk::PRIVATE_FILE);
            disk::replace(path, bytes, mode, Durability::Synced)
        }
        None => disk::remove(path).map(|_| ()),
    }
}
