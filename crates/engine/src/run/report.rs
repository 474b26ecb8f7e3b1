//! The reports of runs.

use review_report::run::{RunLimits, RunReport, RunRequest};
use review_store::RunDir;
use review_types::Outcome;

use super::Replay;
use crate::settings::RunSettings;

impl RunSettings {
    /// Returns the report of a run with these settings in which nothing has
    /// happened yet.
    #[must_use]
    pub fn report(&self) -> RunReport {
        RunReport::new(RunRequest {
            spec: self.target.spec().to_owned(),
            reviewer: self.reviewer.to_string(),
            first_reviewer: self.reviewer.first().to_string(),
            limits: RunLimits {
                applies: self.apply,
                max_calls: self.max_calls,
                max_tokens: self.budget.max_tokens,
                max_cost: self.budget.max_cost,
                max_time: self.max_time,
            },
        })
    }
}

impl Replay {
    /// Returns the report of the run, which is in `dir`.
    #[must_use]
    pub fn report(&self, dir: &RunDir) -> RunReport {
        let mut report = self.settings.report();
        for event in &self.events {
            report.take(event);
        }
        report.run = Some(dir.id().clone());
        if self.finished.is_none() {
            report.end(Outcome::Interrupted);
            report.is_live = dir.is_live();
            report.block_reason = match report.is_live {
                true => "it still runs",
                false => "it was cut off",
            }
            .to_owned();
        }
        report
    }
}
