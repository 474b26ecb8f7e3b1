//! Resolution of the name of a run to its folder.

use std::path::Path;

use review_types::RunId;

use super::{Area, RunDir, StateDir};
use crate::{Action, FileError, disk};

/// The maximum number of runs that a message lists.
const LISTED: usize = 5;
/// The name of the newest run.
const LATEST: &str = "latest";
/// The fewest signs of an id by which a run is found.
const FEWEST: usize = 4;

/// The reason why a name matches no run.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct RunError {
    message: String,
    /// What to do about it.
    pub hint: &'static str,
}

impl RunError {
    fn new(message: impl std::fmt::Display) -> Self {
        Self {
            message: message.to_string(),
            hint: "`ralph report` lists the runs",
        }
    }

    fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }
}

impl From<FileError> for RunError {
    fn from(error: FileError) -> Self {
        Self::new(error)
    }
}

impl StateDir {
    /// Lists all runs, the newest first: ids start with the time.
    ///
    /// # Errors
    /// Returns an error when the folder of the runs cannot be read. If it does not
    /// exist, it holds no runs.
    pub fn runs(&self) -> Result<Vec<RunDir>, FileError> {
        let folder = self.area(Area::Runs);
        let mut runs = Vec::new();
        for entry in disk::entries(&folder)? {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
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
            let none = format!("no runs in {}", self.path().display());
            return Err(RunError::new(none).hint("`ralph run` starts one"));
        }
        if let Some(before) = before_latest(text) {
            let latest = runs.into_iter().filter(may_be_latest).nth(before);
            return latest.ok_or_else(|| {
                let folder = self.path().display();
                RunError::new(format!(
                    "no run \"{text}\" in {folder}: those of `ralph gate` do not count"
                ))
            });
        }
        let is_meant = |id: &str| id.starts_with(text) || id.ends_with(text);
        let newest = ids(&runs);
        runs.retain(|run| text.len() >= FEWEST && is_meant(run.id().as_str()));
        match runs.len() {
            1 => Ok(runs.swap_remove(0)),
            0 => Err(
                RunError::new(format!("no run \"{text}\"; the newest runs are {newest}"))
                    .hint("`latest` is the newest run; `ralph report` lists the runs"),
            ),
            _ => Err(RunError::new(format!(
                "\"{text}\" is ambiguous; it matches the runs {}",
                ids(&runs)
            ))),
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

/// The ids of the newest of these runs.
fn ids(runs: &[RunDir]) -> String {
    let ids: Vec<_> = runs
        .iter()
        .take(LISTED)
        .map(|run| run.id().short())
        .collect();
    ids.join(", ")
}

fn at_path(path: &Path) -> Result<RunDir, RunError> {
    let no_journal = || {
        let path = path.display();
        RunError::new(format!(
            "{path} is not the folder of a run: it has no journal"
        ))
    };
    let real = std::fs::canonicalize(path).map_err(FileError::of(Action::Read, path))?;
    let name = real.file_name().and_then(|name| name.to_str());
    let id = name.and_then(|name| RunId::new(name).ok());
    let run = RunDir::new(id.ok_or_else(no_journal)?, real.clone());
    if run.journal_path().is_file() {
        Ok(run)
    } else {
        Err(no_journal())
    }
}
