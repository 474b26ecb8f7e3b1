//! From what a user calls a run to its folder.

use std::io;
use std::path::{Path, PathBuf};

use review_types::RunId;

use super::{Area, RunDir, StateDir};
use crate::{Action, FileError};

/// As many runs are listed in a message.
const LISTED: usize = 5;
/// The word for the newest run.
const LATEST: &str = "latest";

/// Why a text names no run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no run at all.
    #[error("there is no run in {}", .0.display())]
    None(PathBuf),
    /// No run has this id.
    #[error("no run \"{text}\"; the newest are {}", ids(newest))]
    Unknown {
        /// What was asked for.
        text: String,
        /// The newest runs.
        newest: Vec<RunId>,
    },
    /// The ids of several runs begin with it.
    #[error("\"{text}\" is the beginning of several runs: {}", ids(matching))]
    Ambiguous {
        /// What was asked for.
        text: String,
        /// The newest of them.
        matching: Vec<RunId>,
    },
    /// A folder is no run.
    #[error("{} is no folder of a run: it holds no journal", .0.display())]
    NoJournal(PathBuf),
    /// The runs cannot be listed.
    #[error(transparent)]
    File(#[from] FileError),
}

fn ids(runs: &[RunId]) -> String {
    let ids: Vec<_> = runs.iter().map(RunId::as_str).collect();
    ids.join(", ")
}

impl StateDir {
    /// All runs, the newest first: ids begin with the time.
    ///
    /// # Errors
    /// When the folder of the runs cannot be read. A missing one has no runs.
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

    /// The run that a user means: its id, a beginning that no other id has,
    /// `latest`, or the folder of a run, seen from `folder`.
    ///
    /// # Errors
    /// [`RunError`] lists the runs that could be meant.
    pub fn find_run(&self, text: &str, folder: &Path) -> Result<RunDir, RunError> {
        let mut runs = self.runs()?;
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
        if text == LATEST {
            return Ok(runs.swap_remove(0));
        }
        runs.retain(|run| !text.is_empty() && run.id().as_str().starts_with(text));
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
