//! What a run leaves for the gate.

use review_store::{RootPath, SpecRecord};
use review_types::{ModelId, Timestamp, Verdict};

use super::opened::Opened;
use crate::error::EngineError;
use crate::machine::RunDone;

impl Opened<'_> {
    /// Records that the spec passed its review as it was then, for the gate.
    pub(super) fn record_pass(&self, done: &RunDone, at: Timestamp) -> Result<(), EngineError> {
        let (Some(artifact), Some(reviewer), true) = (
            done.artifact,
            done.reviewed_by.clone(),
            self.settings.records_pass,
        ) else {
            return Ok(());
        };
        self.record(SpecRecord {
            artifact,
            reviewer,
            verdict: Verdict::Pass,
            approved_by: None,
            run: self.dir.id().clone(),
            at,
        })
    }

    /// Records who approved the spec as it is, unless it is on record that it
    /// passed.
    pub(super) fn record_approval(
        &self,
        done: &RunDone,
        by: String,
        at: Timestamp,
    ) -> Result<(), EngineError> {
        let (Some(artifact), true) = (done.artifact, self.settings.records_pass) else {
            return Ok(());
        };
        let spec = RootPath::new(self.settings.target.spec())?;
        let known = self.project.state.records().spec(&spec).record();
        if known.is_some_and(|record| record.proves(artifact)) {
            return Ok(());
        }
        let nobody = || ModelId {
            backend: self.settings.config.reviewer.to_string(),
            model: None,
            prompt: None,
        };
        self.record(SpecRecord {
            artifact,
            reviewer: done.reviewed_by.clone().unwrap_or_else(nobody),
            verdict: Verdict::NeedsRevision,
            approved_by: Some(by),
            run: self.dir.id().clone(),
            at,
        })
    }

    fn record(&self, record: SpecRecord) -> Result<(), EngineError> {
        let spec = RootPath::new(self.settings.target.spec())?;
        Ok(self.project.state.records().put_spec(&spec, &record)?)
    }
}
