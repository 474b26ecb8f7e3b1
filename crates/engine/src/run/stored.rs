//! What the first record of a run keeps, and the run that a user means.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use review::events::{PinnedPrompt, RunEvent, RunInput};
use review::machine::BaseState;
use review_flow::{ContentStore, MemoryJournal, RunLog, RunRecord};
use review_store::{RunDir, RunError, StateDir};
use review_types::Manifest;
use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::project::Project;
use crate::settings::{Purpose, RunSettings};

/// What the first record of a run keeps as its configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) settings: RunSettings,
    pub(super) base: BaseState,
    /// The folder that the user was in.
    pub(super) cwd: PathBuf,
}

impl Stored {
    pub(super) fn of(record: &RunRecord) -> Result<(RunInput, Self), EngineError> {
        let misfit = |error: serde_json::Error| EngineError::AnotherVersion {
            run: record.run.clone(),
            version: record.version.clone(),
            cause: format!("its settings cannot be read: {error}"),
        };
        let input = RunInput::deserialize(&record.input).map_err(misfit)?;
        let stored = Self::deserialize(&input.config).map_err(misfit)?;
        Ok((input, stored))
    }
}

pub(super) fn input_of(
    project: &Project<'_>,
    settings: &RunSettings,
    base: BaseState,
    manifest: Manifest,
    prompts: Vec<PinnedPrompt>,
) -> Result<RunInput, serde_json::Error> {
    let stored = Stored {
        settings: settings.clone(),
        base,
        cwd: project.cwd.clone(),
    };
    Ok(RunInput {
        root: project.root.path().display().to_string(),
        spec: settings.target.spec().to_owned(),
        unit: settings.target.unit().cloned(),
        manifest,
        prompts,
        config: serde_json::to_value(&stored)?,
        command: project.command.clone(),
    })
}

/// Reads how a run was started; its content is loaded.
pub(super) fn stored(
    dir: &RunDir,
    texts: &ContentStore,
) -> Result<(RunRecord, RunInput, Stored), EngineError> {
    let mut journal = MemoryJournal::from_bytes(dir.read_journal()?);
    let record = RunLog::<RunEvent>::open(&mut journal, texts)?.run().clone();
    let (input, stored) = Stored::of(&record)?;
    Ok((record, input, stored))
}

/// Finds a run by its id, a unique beginning or end of its id, `latest`, `latest~N`, or
/// the path of its folder, relative to `folder`, in `state` and in `others`. A run that a gate made is
/// never `latest`.
///
/// # Errors
/// [`RunError`] lists the candidates.
pub fn find_run(
    state: &StateDir,
    others: &[StateDir],
    text: &str,
    folder: &Path,
) -> Result<RunDir, RunError> {
    state.find_run(others, text, folder, |run| !is_of_gate(run))
}

/// Whether a gate made the run. One that cannot be read counts as work, so that its
/// error is reported.
fn is_of_gate(dir: &RunDir) -> bool {
    let texts = ContentStore::new(Arc::new(dir.state().blobs()));
    stored(dir, &texts).is_ok_and(|(_, _, stored)| stored.settings.purpose == Purpose::Gate)
}
