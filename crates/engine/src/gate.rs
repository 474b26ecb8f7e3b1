//! The gate: a spec and its tasks are checked by their records, and by a run of
//! what these do not prove.

use review::MemorySink;
use review_events::TaskState;
use review_report::gate::{Claim, ClaimStatus, SpecGate};
use review_report::run::{RunReport, TaskReport};
use review_tasks::gate::{Check, GateDecision, TaskCheck};
use review_tasks::{PlannedTask, TaskPlan};
use review_types::{
    BlockCode, IndependencePolicy, Outcome, ReadingPolicy, TaskNumber, TaskStatus, Verdict,
};

use crate::error::EngineError;
use crate::inspect::{Inspection, inspect};
use crate::project::Project;
use crate::run::start;
use crate::settings::{Purpose, RunSettings, Stages};

pub use review_tasks::gate::{GateMode, ReviewPolicy};

/// Checks specs of a project.
pub struct Gate<'a> {
    /// The project.
    pub project: &'a Project<'a>,
    /// Whether what no record proves is run.
    pub mode: GateMode,
    /// Which reviews count.
    pub reviews: ReviewPolicy,
    /// Whether every task has to claim to be complete.
    pub require_all: bool,
    /// How reports name the root of the project.
    pub root: String,
}

impl Gate<'_> {
    /// Checks the target of `settings`.
    ///
    /// # Errors
    /// When records or files cannot be read, or a signal ended the check.
    pub async fn check(&self, settings: &RunSettings) -> Result<SpecGate, EngineError> {
        let inspection = inspect(self.project, settings).await?;
        let decision = inspection.decide(self.mode, self.reviews);
        let ran = match stages_due(&decision) {
            Some(stages) => Some(Box::pin(self.run(settings, stages, &decision)).await?),
            None => None,
        };
        Ok(self.conclude(settings, &inspection, &decision, ran.as_ref()))
    }

    /// Runs and reviews what records do not prove, without touching a file.
    async fn run(
        &self,
        settings: &RunSettings,
        stages: Stages,
        decision: &GateDecision,
    ) -> Result<RunReport, EngineError> {
        let due = RunSettings {
            purpose: Purpose::Gate,
            stages,
            only: Some(decision.due().collect()),
            apply: false,
            independence: match self.reviews.require_independence {
                true => IndependencePolicy::Require,
                false => settings.independence,
            },
            reading: match self.reviews.require_reading {
                true => ReadingPolicy::Require,
                false => settings.reading,
            },
            ..settings.clone()
        };
        let sink = MemorySink::default();
        let ended = start(&self.project.with_sink(&sink), due).await?;
        let mut report = settings.report();
        for event in sink.events() {
            report.take(&event);
        }
        report.run = Some(ended.run);
        report.outcome = Some(ended.finished.outcome);
        Ok(report)
    }

    fn conclude(
        &self,
        settings: &RunSettings,
        inspection: &Inspection,
        decision: &GateDecision,
        ran: Option<&RunReport>,
    ) -> SpecGate {
        let open = unclaimed(inspection);
        let mut tasks: Vec<_> = decision
            .tasks
            .iter()
            .map(|check| task_claim(inspection, check, ran))
            .collect();
        if self.require_all {
            tasks.extend(open.iter().map(|task| unclaimed_task(task)));
            tasks.sort_by_key(|claim| claim.id);
        }
        let last = ran.and_then(|ran| ran.iterations.last());
        let recorded = inspection.review.as_ref();
        let recorded = recorded.filter(|_| decision.review == Check::Proven);
        let mut spec = SpecGate {
            folder: self.project.root.given().to_owned(),
            root: self.root.clone(),
            spec: settings.target.spec().to_owned(),
            unit: settings.target.unit().map(ToString::to_string),
            outcome: Outcome::Passed,
            review: self.review_claim(settings, inspection, &decision.review, ran),
            reading: match recorded {
                Some(record) => record.reading,
                None => last.map(|round| round.reading.state),
            },
            independent: match recorded {
                Some(record) => record.independent,
                None => last.and_then(|round| round.independent),
            },
            tasks,
            unclaimed: open.iter().map(|task| task.number).collect(),
            faults: decision.faults.iter().map(ToString::to_string).collect(),
            run: ran.and_then(|ran| ran.run.clone()),
            status: inspection.status(&self.root, &settings.target, self.reviews),
        };
        spec.conclude();
        spec
    }

    fn review_claim(
        &self,
        settings: &RunSettings,
        inspection: &Inspection,
        check: &Check,
        ran: Option<&RunReport>,
    ) -> Claim {
        let recorded = inspection
            .review
            .as_ref()
            .filter(|_| *check == Check::Proven);
        let reviewer = recorded.map_or_else(
            || settings.reviewer.to_string(),
            |record| record.reviewer.backend.clone(),
        );
        let name = match inspection.approver() {
            Some(by) if recorded.is_some() => format!("approval by {by}"),
            _ => format!("review by {reviewer}"),
        };
        let (status, reason) = match (check, ran) {
            (Check::Proven, _) => (ClaimStatus::Recorded, String::new()),
            (Check::Due, Some(ran)) => match ran.verdict {
                Some(Verdict::Pass) if ran.block_code.is_none_or(is_about_tasks) => {
                    (ClaimStatus::Passed, String::new())
                }
                Some(_) => (ClaimStatus::Failed, findings(ran)),
                None => (ClaimStatus::NoVerdict, ran.block_reason.clone()),
            },
            (Check::Fails(fault), _) => (ClaimStatus::Failed, fault.to_string()),
            (Check::Due | Check::Unproven, _) => (
                ClaimStatus::Unproven,
                match (
                    self.reviews.require_independence,
                    self.reviews.require_reading,
                ) {
                    (true, false) => {
                        "no recorded pass of an independent review belongs to this artifact"
                    }
                    (false, true) => {
                        "no recorded pass of a review whose text was delivered belongs to this \
                         artifact"
                    }
                    (true, true) => {
                        "no recorded pass of an independent review whose text was delivered \
                         belongs to this artifact"
                    }
                    (false, false) => "no recorded pass belongs to this artifact",
                }
                .to_owned(),
            ),
        };
        let mut claim = Claim {
            name,
            id: None,
            status,
            tests_run: None,
            must_pass: None,
            seconds: 0.0,
            reason,
            path: Some(settings.target.spec().to_owned()),
            output: String::new(),
            is_approved: false,
        };
        if !claim.holds()
            && let Some(by) = inspection.approver()
        {
            claim.discount_approval(by);
        }
        claim
    }
}

/// The stages that are due; `None` when nothing is.
fn stages_due(decision: &GateDecision) -> Option<Stages> {
    let review = decision.review == Check::Due;
    let tasks = decision.due().next().is_some();
    match (review, tasks) {
        (true, true) => Some(Stages::ReviewAndTasks),
        (true, false) => Some(Stages::Review),
        (false, true) => Some(Stages::Tasks),
        (false, false) => None,
    }
}

fn is_about_tasks(code: BlockCode) -> bool {
    matches!(
        code,
        BlockCode::TaskFailed
            | BlockCode::TestsChanged
            | BlockCode::NotLanded
            | BlockCode::LeakMain
            | BlockCode::DiskFloor
    )
}

/// What the reviewer found, one line an item.
fn findings(ran: &RunReport) -> String {
    let issues: Vec<_> = ran
        .findings
        .iter()
        .map(|item| format!("{}: {}", item.section(), item.issue()))
        .collect();
    if issues.is_empty() {
        ran.block_reason.clone()
    } else {
        issues.join("\n")
    }
}

fn task_claim(inspection: &Inspection, check: &TaskCheck, ran: Option<&RunReport>) -> Claim {
    let planned = inspection
        .plan
        .as_ref()
        .and_then(|plan| plan.task(check.task));
    let title = planned.map_or_else(String::new, |task| format!(" {}", task.title));
    let recorded = inspection.proven.get(&check.task);
    let found = ran.and_then(|ran| ran.tasks.iter().find(|task| task.id == check.task));
    let (status, reason) = match (&check.check, found) {
        (Check::Proven, _) => (ClaimStatus::Recorded, String::new()),
        (Check::Fails(fault), _) => (ClaimStatus::Failed, fault.to_string()),
        (Check::Due, Some(task)) if task.status != TaskState::NotRun => task_status(task),
        (Check::Due, _) => (ClaimStatus::NoVerdict, not_reached(check.task, ran)),
        (Check::Unproven, _) => (
            ClaimStatus::Unproven,
            "no recorded passing run belongs to this tree".to_owned(),
        ),
    };
    Claim {
        name: format!("task {}{title}", check.task),
        id: Some(check.task),
        status,
        tests_run: found.and_then(|task| task.tests_run),
        must_pass: match &check.check {
            Check::Proven => recorded.and_then(|record| record.must_pass.clone()),
            Check::Due | Check::Fails(_) | Check::Unproven => {
                found.and_then(|task| task.must_pass.clone())
            }
        },
        seconds: found.map_or(0.0, |task| task.seconds),
        reason,
        path: planned.map(|task| task.path.clone()),
        output: found.map_or_else(String::new, |task| task.tail.clone()),
        is_approved: false,
    }
}

/// The tasks that do not claim to be complete, where the unit can be trusted.
fn unclaimed(inspection: &Inspection) -> Vec<&PlannedTask> {
    let plan = inspection.plan.iter();
    let plan = plan.filter(|plan| plan.faults().is_empty());
    plan.flat_map(TaskPlan::tasks)
        .filter(|task| task.claims != TaskStatus::Complete)
        .collect()
}

fn unclaimed_task(task: &PlannedTask) -> Claim {
    Claim {
        name: format!("task {} {}", task.number, task.title),
        id: Some(task.number),
        status: ClaimStatus::Unclaimed,
        tests_run: None,
        must_pass: None,
        seconds: 0.0,
        reason: format!(
            "its status is {}, and --require-all demands complete",
            task.claims
        ),
        path: Some(task.path.clone()),
        output: String::new(),
        is_approved: false,
    }
}

fn task_status(task: &TaskReport) -> (ClaimStatus, String) {
    match task.status {
        TaskState::Passed | TaskState::Landed => return (ClaimStatus::Passed, String::new()),
        TaskState::Skipped => return (ClaimStatus::Skipped, task.reason.clone()),
        TaskState::Failed
        | TaskState::TimedOut
        | TaskState::NoTests
        | TaskState::TestsMissing
        | TaskState::NoCommand
        | TaskState::OnLane
        | TaskState::Parked
        | TaskState::Held
        | TaskState::NotRun => {}
    }
    let log = task
        .log
        .as_ref()
        .map_or_else(String::new, |log| format!(" (log: {log})"));
    let reason = format!("{}: {}{log}", task.status.as_str(), task.reason);
    (ClaimStatus::Failed, reason)
}

fn not_reached(task: TaskNumber, ran: Option<&RunReport>) -> String {
    let why = ran.map_or("", |ran| ran.block_reason.as_str());
    format!("task {task} had no turn: {why}")
}
