//! The reports of runs.

use review_agents::Backend;
use review_report::run::{IntendedReview, IntendedTasks, Intent, RunLimits, RunReport, RunRequest};
use review_store::RunDir;
use review_types::Outcome;

use super::Replay;
use crate::settings::{RunSettings, Stages, Target};

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
            installs: self.installs(),
        })
    }

    /// Returns the commands that install the clients which a run asks.
    fn installs(&self) -> Vec<&'static str> {
        let backends = self.reviewer.iter().chain([&self.applier]);
        let clients = backends.filter_map(|backend| match backend {
            Backend::Client { client, .. } => client.row().install,
            _ => None,
        });
        clients.collect()
    }

    /// Returns what a run with these settings would do.
    #[must_use]
    pub fn intent(&self) -> Intent<'_> {
        let unit = self.target.unit();
        let review = (self.stages != Stages::Tasks).then(|| IntendedReview {
            reviewer: self.reviewer.to_string(),
            applier: self.applier.to_string(),
            max_iterations: if self.apply { self.max_iterations } else { 1 },
        });
        let tasks = match (self.stages, unit) {
            (Stages::Review, _) | (_, None) => IntendedTasks::None,
            (Stages::ReviewThenTasks, Some(_)) => IntendedTasks::IfPassed,
            (Stages::ReviewAndTasks | Stages::Tasks, Some(_)) => IntendedTasks::All,
        };
        let subject = match &self.target {
            Target::Unit { spec, id, dir } => format!("unit {id}: {spec} and the tasks in {dir}"),
            Target::File { path } => path.clone(),
            Target::Folder { path } => format!("the Markdown files of {path}"),
        };
        Intent::new((self.target.spec(), unit), review, tasks, subject)
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
