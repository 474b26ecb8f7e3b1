//! Resolution of the name of a run to its folder.

use std::io;
use std::path::{Path, PathBuf};

use review_types::RunId;

use super::{Area, RunDir, StateDir};
use crate::{Action, FileError};

/// The maximum number of runs that a message lists.
const LISTED: usize = 5;
/// The name of the newest run.
const LATEST: &str = "latest";
/// The fewest signs of an id by which a run is found.
const FEWEST: usize = 4;

/// The reason why a name matches no run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The project has no runs.
    #[error("no runs in {}", .0.display())]
    None(PathBuf),
    /// No run has this id.
    #[error("no run \"{text}\"; the newest runs are {}", ids(newest))]
    Unknown {
        /// The requested name.
        text: String,
        /// The newest runs.
        newest: Vec<RunId>,
    },
    /// Several ids start or end with it.
    #[error("\"{text}\" is ambiguous; it matches the runs {}", ids(matching))]
    Ambiguous {
        /// The requested name.
        text: String,
        /// The newest matching runs.
        matching: Vec<RunId>,
    },
    /// The folder does not belong to a run.
    #[error("{} is not the folder of a run: it has no journal", .0.display())]
    NoJournal(PathBuf),
    /// Runs exist, but none that `latest`, with or without a number, stands for.
    #[error("no run \"{text}\" in {}: those of `ralph gate` do not count", folder.display())]
    NoLatest {
        /// The requested name.
        text: String,
        /// The folder with the state.
        folder: PathBuf,
    },
    /// The runs cannot be listed.
    #[error(transparent)]
    File(#[from] FileError),
}

fn ids(runs: &[RunId]) -> String {
    let ids: Vec<_> = runs.iter().map(RunId::short).collect();
    ids.join(", ")
}

impl StateDir {
    /// Lists all runs, the newest first: ids start with the time.
    ///
    /// # Errors
    /// Returns an error when the folder of the runs cannot be read. If it does not
    /// exist, it holds no runs.
    pub fn runs(&self) -> Result<Vec<RunDir>, FileError> {
        let folder = self.area(Area::Runs);
        let listed = |error| FileError::of(Action::Listed, &folder)(error);
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(listed)?,
        };
        let mut runs = Vec::new();
        for entry in entries {
            let entry = entry.map_err(listed)?;
            let is_folder = entry.file_type().map_err(listed)?.is_dir();
            let name = entry.file_name().into_string().ok();
            let id = name.and_then(|name| RunId::new(name).ok());
            if let Some(id) = id.filter(|_| is_folder) {
                runs.push(RunDir::new(id, entry.path()));
            }
        }
        runs.sort_by(|a, b| b.id().cmp(a.id()));
        Ok(runs)
    }

    /// Finds a run here and in `others` by its id, a unique beginning or end of its id, `latest`, `latest~N`
    /// for the one N before, or the path of its folder, relative to `folder`. The latest
    /// run is the newest that `may_be_latest`.
    ///
    /// # Errors
    /// [`RunError`] lists the candidates.
    pub fn find_run(
        &self,
        others: &[Self],
        text: &str,
        folder: &Path,
        may_be_latest: impl Fn(&RunDir) -> bool,
    ) -> Result<RunDir, RunError> {
        let mut runs = self.runs()?;
        for other in others {
            runs.extend(other.runs()?);
        }
        runs.sort_by(|a, b| b.id().cmp(a.id()));
        if let Some(at) = runs.iter().position(|run| run.id().as_str() == text) {
            return Ok(runs.swap_remove(at));
        }
        if text.contains('/') || text == "." || text == ".." {
            return at_path(&folder.join(text));
        }
        if runs.is_empty() {
            return Err(RunError::None(self.path().to_owned()));
        }
        let newest = newest(&runs);
        if let Some(before) = before_latest(text) {
            let latest = runs.into_iter().filter(may_be_latest).nth(before);
            return latest.ok_or_else(|| RunError::NoLatest {
                text: text.to_owned(),
                folder: self.path().to_owned(),
            });
        }
        let is_meant = |id: &str| id.starts_with(text) || id.ends_with(text);
        runs.retain(|run| text.len() >= FEWEST && is_meant(run.id().as_str()));
        let text = text.to_owned();
        match runs.len() {
            1 => Ok(runs.swap_remove(0)),
            0 => Err(RunError::Unknown { text, newest }),
            _ => Err(RunError::Ambiguous {
                text,
                matching: self::newest(&runs),
            }),
        }
    }
}

/// How many runs before the newest a name means: `latest`, or `latest~N`.
fn before_latest(text: &str) -> Option<usize> {
    match text.strip_prefix(LATEST)? {
        "" => Some(0),
        rest => rest.strip_prefix('~')?.parse().ok(),
    }
}

fn newest(runs: &[RunDir]) -> Vec<RunId> {
    runs.iter()
        .take(LISTED)
        .map(|run| run.id().clone())
        .collect()
}

fn at_path(path: &Path) -> Result<RunDir, RunError> {
    let no_journal = || RunError::NoJournal(path.to_owned());
    let path = std::fs::canonicalize(path).map_err(FileError::of(Action::Read, path))?;
    let name = path.file_name().and_then(|name| name.to_str());
    let id = name.and_then(|name| RunId::new(name).ok());
    let run = RunDir::new(id.ok_or_else(no_journal)?, path.clone());
    if run.journal_path().is_file() {
        Ok(run)
    } else {
        Err(no_journal())
    }
}
