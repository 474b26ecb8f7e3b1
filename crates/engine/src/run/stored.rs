//! What the first record of a run keeps.

use std::path::PathBuf;

use review::events::{RunRecord, Seed};
use review::{BaseState, MemoryJournal, NoSink, RunLog, Texts};
use review_store::RunDir;
use review_types::{Manifest, RunId};
use serde::{Deserialize, Serialize};

use super::broken;
use crate::error::{EngineError, halted};
use crate::project::Project;
use crate::settings::RunSettings;

/// What the first record of a run keeps as its configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) settings: RunSettings,
    pub(super) base: BaseState,
    /// The folder that the user was in: programs given as paths are there.
    pub(super) cwd: PathBuf,
}

impl Stored {
    pub(super) fn of(record: &RunRecord) -> Result<Self, EngineError> {
        Self::deserialize(&record.config).map_err(|error| EngineError::Settings {
            run: record.run.clone(),
            message: error.to_string(),
        })
    }
}

pub(super) fn record_of(
    project: &Project<'_>,
    settings: &RunSettings,
    base: BaseState,
    manifest: Manifest,
    run: &RunId,
    seed: Seed,
) -> Result<RunRecord, EngineError> {
    let stored = Stored {
        settings: settings.clone(),
        base,
        cwd: project.cwd.clone(),
    };
    Ok(RunRecord {
        run: run.clone(),
        seed,
        at: project.clock.now(),
        root: project.root.path().display().to_string(),
        spec: settings.target.spec().to_owned(),
        unit: settings.target.unit().cloned(),
        manifest,
        texts: Vec::new(),
        prompts: Vec::new(),
        config: serde_json::to_value(&stored).map_err(|error| broken(run, &halted(error)))?,
        command: project.command.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// Reads how a run began; its texts are loaded.
pub(super) fn stored(dir: &RunDir, texts: &Texts) -> Result<(RunRecord, Stored), EngineError> {
    let mut journal = MemoryJournal::from_bytes(dir.read_journal()?);
    let record = RunLog::open(&mut journal, texts, &NoSink)?.run().clone();
    let stored = Stored::of(&record)?;
    Ok((record, stored))
}
