//! The records of all targets, protected while an agent runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use review_types::{RunId, UnitId};
use serde::Deserialize;

use super::Records;
use crate::atomic::write_private;
use crate::disk::{self, Durability};
use crate::stamp::{FileTime, Stamp};
use crate::{Action, FileError, RootPath, RunDir, StateDir};

/// The maximum nesting of record folders.
const MAX_DEPTH: usize = 4;

/// The number of seconds after the last event in the journal of a run in which it may
/// still write a record.
const LAST_WORDS: i64 = 60;

/// The records as they were before an agent of a run was called.
///
/// Only the run itself writes the records of its own target. Other runs may write
/// theirs in the meantime; a record that names no such run is not trusted. A record is
/// read once, and again when its file changes.
#[derive(Debug)]
pub struct KeptRecords {
    run: RunDir,
    /// The state folder that the records are in.
    state: StateDir,
    folder: PathBuf,
    /// The target of the run, where its records are in this state folder.
    own: Option<Target>,
    files: BTreeMap<PathBuf, Kept>,
    looked: FileTime,
}

#[derive(Debug)]
struct Kept {
    /// The stamp of the file, if every later change would be visible in it.
    stamp: Option<Stamp>,
    bytes: Vec<u8>,
}

/// The location of a target's records.
#[derive(Debug)]
struct Target {
    spec: PathBuf,
    /// The folder of the task records.
    unit: Option<PathBuf>,
}

/// The fields of a journal's first record that name the target.
#[derive(Deserialize)]
struct Started {
    run: Record,
}

#[derive(Deserialize)]
struct Record {
    input: Named,
}

#[derive(Deserialize)]
struct Named {
    spec: String,
    unit: Option<UnitId>,
}

/// The run that wrote a record.
#[derive(Deserialize)]
struct Written {
    run: RunId,
}

impl RunDir {
    /// The records of all targets; those of a spec and of the tasks of its unit belong
    /// to this run. None is read yet.
    pub fn keep_records(&self, spec: &RootPath, unit: Option<&UnitId>) -> KeptRecords {
        let own = Target::of(&self.state().records(), spec, unit);
        KeptRecords::new(self, self.state(), Some(own))
    }

    /// The records of another state folder, none of which belongs to this run. None is
    /// read yet.
    pub fn keep_records_of(&self, other: StateDir) -> KeptRecords {
        KeptRecords::new(self, other, None)
    }
}

impl KeptRecords {
    fn new(run: &RunDir, state: StateDir, own: Option<Target>) -> Self {
        Self {
            run: run.clone(),
            folder: state.records().folder,
            state,
            own,
            files: BTreeMap::new(),
            looked: FileTime::now(),
        }
    }

    /// Whether a record belongs to the run.
    fn is_own(&self, path: &Path) -> bool {
        self.own.as_ref().is_some_and(|own| own.holds(path))
    }

    /// Reads the records before an agent is called.
    ///
    /// # Errors
    /// Returns an error when they cannot be listed.
    pub fn look(&mut self) -> Result<(), FileError> {
        self.looked = FileTime::now();
        let found = listed(&self.folder)?;
        self.files.retain(|path, _| found.contains_key(path));
        for (path, stamp) in found {
            if self.is_as_kept(&path, stamp) {
                continue;
            }
            if let Some(bytes) = bytes(&path) {
                let stamp = stamp.is_settled(self.looked).then_some(stamp);
                self.files.insert(path, Kept { stamp, bytes });
            }
        }
        Ok(())
    }

    /// Restores the records and returns the paths of those that were changed: all of
    /// the run's own target, and those of others that were not written by their own
    /// run. A deleted record proves nothing, so records of other targets are not
    /// recreated.
    ///
    /// # Errors
    /// Returns an error when they cannot be listed, or one cannot be written or
    /// removed.
    pub fn restore(&self) -> Result<Vec<PathBuf>, FileError> {
        let found = listed(&self.folder)?;
        let gone = self
            .files
            .keys()
            .filter(|path| self.is_own(path) && !found.contains_key(*path));
        let other = found
            .iter()
            .filter(|(path, stamp)| !self.is_as_kept(path, **stamp));
        let mut changed = Vec::new();
        for path in other.map(|(path, _)| path).chain(gone) {
            let before = self.files.get(path).map(|kept| &kept.bytes);
            let now = bytes(path);
            if now.as_ref() == before || self.is_of_another_run(path, now.as_deref()) {
                continue;
            }
            // Another run may be about to revert its agent's changes: a missing record
            // has the same effect for both.
            let is_ours = self.is_own(path) || !self.has_other_runs();
            restore(path, before.filter(|_| is_ours))?;
            if is_ours {
                changed.push(path.clone());
            }
        }
        Ok(changed)
    }

    fn is_as_kept(&self, path: &Path, stamp: Stamp) -> bool {
        let kept = self.files.get(path).and_then(|kept| kept.stamp);
        kept == Some(stamp)
    }

    /// Whether a record names a run of its target that was active since the agent was
    /// called.
    fn is_of_another_run(&self, path: &Path, bytes: Option<&[u8]>) -> bool {
        let written = bytes.and_then(|bytes| serde_json::from_slice::<Written>(bytes).ok());
        written.is_some_and(|written| {
            let run = self.state.run(&written.run);
            !self.is_own(path)
                && (run.is_live() || self.is_active(&run))
                && self
                    .target_of(&run)
                    .is_some_and(|target| target.holds(path))
        })
    }

    /// The target of a run, from its journal.
    fn target_of(&self, run: &RunDir) -> Option<Target> {
        let journal = run.read_journal().ok()?;
        let first = journal.split(|byte| *byte == b'\n').next()?;
        let started: Started = serde_json::from_slice(first).ok()?;
        let named = started.run.input;
        let (records, spec) = (self.state.records(), RootPath::new(&named.spec));
        Some(Target::of(&records, &spec.ok()?, named.unit.as_ref()))
    }

    fn is_active(&self, run: &RunDir) -> bool {
        let journal = std::fs::metadata(run.journal_path());
        journal.is_ok_and(|journal| {
            let spoke = Stamp::of(&journal).modified.seconds;
            spoke.saturating_add(LAST_WORDS) >= self.looked.seconds
        })
    }

    /// Whether another run is active in this state folder.
    fn has_other_runs(&self) -> bool {
        let runs = self.state.runs().unwrap_or_default();
        runs.iter()
            .any(|run| run.id() != self.run.id() && run.is_live())
    }
}

impl Target {
    fn of(records: &Records, spec: &RootPath, unit: Option<&UnitId>) -> Self {
        Self {
            spec: records.spec_path(spec),
            unit: unit.map(|unit| records.folder.join(unit.as_str())),
        }
    }

    /// Whether a record belongs to this target.
    fn holds(&self, path: &Path) -> bool {
        path == self.spec || (self.unit.is_some() && path.parent() == self.unit.as_deref())
    }
}

/// The files below a folder, with their stamps.
fn listed(folder: &Path) -> Result<BTreeMap<PathBuf, Stamp>, FileError> {
    let mut found = BTreeMap::new();
    list(folder, MAX_DEPTH, &mut found)?;
    Ok(found)
}

fn list(
    folder: &Path,
    depth: usize,
    found: &mut BTreeMap<PathBuf, Stamp>,
) -> Result<(), FileError> {
    for entry in disk::entries(folder)? {
        let path = entry.path();
        // Another run may be replacing it.
        let looks = disk::found(entry.metadata()).map_err(FileError::of(Action::Read, &path))?;
        match looks {
            Some(looks) if looks.is_dir() && depth > 0 => list(&path, depth - 1, found)?,
            Some(looks) if !looks.is_dir() => {
                found.insert(path, Stamp::of(&looks));
            }
            Some(_) | None => {}
        }
    }
    Ok(())
}

/// The bytes of a file; `None` for one that cannot be read, which counts as an empty
/// record.
fn bytes(path: &Path) -> Option<Vec<u8>> {
    let found = disk::found(disk::read_regular(path));
    found.map_or(Some(Vec::new()), |found| Some(found?.bytes))
}

fn restore(path: &Path, before: Option<&Vec<u8>>) -> Result<(), FileError> {
    match before {
        Some(bytes) => write_private(path, bytes, Durability::Synced),
        None => crate::delete_file(path),
    }
}
