//! The checks that reviewers may name as proof: what the user's own files define.

use async_trait::async_trait;
use review::checks::{CheckNames, NamedChecks, NamedOutcome};
use review_agents::BuiltinAgent;
use review_flow::{Step, Stop};
use review_tasks::{PlannedTask, TaskContext, TaskPlan, run_gate, run_named};
use review_types::{NamedCheck, TaskNumber, TaskStatus};

use super::opened::Opened;
use super::plan::current_plan;

/// The embedded rules, the commands of `review.checks`, and the commands of tasks.
pub(super) struct ProjectChecks<'a> {
    pub(super) run: &'a Opened<'a>,
    /// What the commands share.
    pub(super) context: TaskContext,
    pub(super) rules: &'a BuiltinAgent,
}

impl ProjectChecks<'_> {
    fn plan(&self) -> Result<Option<TaskPlan>, Stop> {
        let settings = &self.run.settings;
        match settings.target.unit() {
            Some(_) => current_plan(settings, &self.run.artifact),
            None => Ok(None),
        }
    }

    async fn task(&self, step: &Step, number: TaskNumber) -> Result<NamedOutcome, Stop> {
        let plan = self.plan()?;
        let Some(task) = plan.as_ref().and_then(|plan| plan.task(number)) else {
            return Ok(NamedOutcome::NotRun(format!("there is no task {number}")));
        };
        if task.commands.is_empty() {
            let why = format!("task {number} has no command");
            return Ok(NamedOutcome::NotRun(why));
        }
        if !shows_something(task) {
            let status = task.claims;
            let why = format!("task {number} is {status}, so that its command may fail");
            return Ok(NamedOutcome::NotRun(why));
        }
        run_gate(&self.context, step, task).await
    }
}

/// Returns whether the command of a task must pass: before the task is complete it fails
/// without any fault in the artifact.
fn shows_something(task: &PlannedTask) -> bool {
    task.claims == TaskStatus::Complete && !task.commands.is_empty()
}

#[async_trait]
impl NamedChecks for ProjectChecks<'_> {
    fn names(&self) -> Result<CheckNames, Stop> {
        let plan = self.plan()?;
        let tasks = plan.iter().flat_map(|plan| plan.tasks());
        let tasks = tasks.filter(|task| shows_something(task));
        Ok(CheckNames {
            checks: self.run.settings.checks.keys().cloned().collect(),
            tasks: tasks.map(|task| task.number).collect(),
        })
    }

    async fn run(&self, step: &Step, named: &NamedCheck) -> Result<NamedOutcome, Stop> {
        match named {
            NamedCheck::Rule(rule) => Ok(self.rules.reports(rule)),
            NamedCheck::Check(name) => match self.run.settings.checks.get(name) {
                Some(command) => run_named(&self.context, step, name, command).await,
                None => Ok(NamedOutcome::NotRun(format!(
                    "review.checks has no check {name:?}"
                ))),
            },
            NamedCheck::Task(number) => self.task(step, *number).await,
        }
    }
}
