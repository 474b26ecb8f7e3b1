//! The reports of runs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use review::events::Event;
use review_lane::Lane;
use review_report::run::{IntendedReview, IntendedTasks, Intent, RunLimits, RunReport, RunRequest};
use review_store::{Lock, RunDir};
use review_types::Outcome;

use super::Replay;
use crate::error::EngineError;
use crate::lane;
use crate::settings::{ReviewTarget, RunSettings, Stages, call_budget};

impl RunSettings {
    /// Returns the report of a run with these settings in which nothing has
    /// happened yet.
    pub fn report(&self) -> RunReport {
        let budget = call_budget(&self.config);
        RunReport::new(RunRequest {
            spec: self.target.spec().to_owned(),
            reviewer: self.config.reviewer.to_string(),
            first_reviewer: self.config.reviewer.first().to_string(),
            not_selected: self.not_selected.iter().copied().collect(),
            limits: RunLimits {
                applies: self.apply,
                max_calls: budget.max_calls,
                max_tokens: budget.max_tokens,
                max_cost: budget.max_cost,
                max_time: Some(self.config.run.max_time),
            },
            applier: self.config.applier.to_string(),
        })
    }

    /// Returns what a run with these settings would do.
    pub fn intent(&self) -> Intent<'_> {
        let unit = self.target.unit();
        let review = (self.stages != Stages::Tasks).then(|| IntendedReview {
            reviewer: self.config.reviewer.to_string(),
            applier: self.config.applier.to_string(),
            max_iterations: self.max_iterations(),
        });
        let tasks = match (self.stages, unit) {
            (Stages::Review, _) | (_, None) => IntendedTasks::None,
            (Stages::ReviewThenTasks, Some(_)) => IntendedTasks::IfPassed,
            (_, Some(_)) if self.only.is_some() => IntendedTasks::Selected,
            (Stages::ReviewAndTasks | Stages::Tasks, Some(_)) => IntendedTasks::All,
        };
        let subject = match &self.target {
            ReviewTarget::Unit { spec, id, dir } => {
                format!("unit {id}: {spec} and the tasks in {dir}")
            }
            ReviewTarget::File { path } => path.clone(),
            ReviewTarget::Folder { path } => format!("the Markdown files of {path}"),
        };
        Intent {
            dry_run: true,
            spec: self.target.spec(),
            unit,
            review,
            tasks,
            implementer: self.implementer().map(ToString::to_string),
            selected: self.only.iter().flatten().copied().collect(),
            subject,
        }
    }
}

impl Replay {
    /// Returns the report of the run, which is in `dir`.
    pub fn report(&self, dir: &RunDir) -> RunReport {
        let mut report = self.settings.report();
        for event in &self.events {
            report.take(event);
        }
        report.run = Some(dir.id().clone());
        if self.finished.is_none() {
            match dir.is_live() {
                true => report.goes_on(self.progress(dir, &report)),
                false => {
                    report.end(Outcome::Interrupted);
                    report.block_reason = "it was cut off".to_owned();
                }
            }
        }
        self.add_plan(&mut report);
        report
    }

    /// Adds to its report where the checkouts of its agents are, if any are there. `env`
    /// says where its agents work.
    ///
    /// # Errors
    /// [`EngineError`] when the lane cannot be read.
    pub fn add_checkouts(
        &self,
        report: &mut RunReport,
        env: &BTreeMap<OsString, OsString>,
    ) -> Result<(), EngineError> {
        let Some(lane) = lane::of_run(self, env).filter(|lane| lane.path().is_dir()) else {
            return Ok(());
        };
        let tasks = report.tasks.iter().map(|task| task.id);
        let checkouts = Lane::checkouts(&lane, tasks)?.into_iter();
        let shown = |path: &Path| path.display().to_string();
        let checkouts = checkouts.map(|(task, path)| (task, shown(&path))).collect();
        report.add_checkouts(shown(lane.path()), checkouts);
        Ok(())
    }

    /// Adds the plan of the tasks to its report.
    pub fn add_plan(&self, report: &mut RunReport) {
        let tasks = self.plan.iter();
        let tasks = tasks.map(|task| (task.number, &*task.title, &*task.depends_on));
        report.add_plan(tasks, self.finished.is_some());
    }

    /// Which process is at work on the run, since when, and on what.
    fn progress(&self, dir: &RunDir, report: &RunReport) -> String {
        let is_start = |event: &Event| matches!(event, Event::RunStarted(_) | Event::RunResumed(_));
        let mut events = self.events.iter().rev();
        let started = events.find(|envelope| is_start(&envelope.event));
        let since = started.map_or(self.record.at, |envelope| envelope.timestamp);
        let root = Path::new(&self.input.root);
        let mut holders = self
            .settings
            .target
            .lock_paths()
            .filter_map(|path| Lock::holder(&dir.state(), &root.join(path)));
        let process = match holders.find(|holder| holder.run == *dir.id()) {
            Some(holder) => format!("process {}", holder.pid),
            None => "a process".to_owned(),
        };
        format!("{process} since {since}, {}", report.doing())
    }
}
