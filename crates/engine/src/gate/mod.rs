//! The gate: a spec and its tasks are checked by their records, and by a run of
//! what these do not prove.

use review::MemorySink;
use review_events::TaskState;
use review_report::gate::{Claim, ClaimStatus, SpecGate};
use review_report::run::{RunReport, TaskReport, with_places_joined};
use review_tasks::gate::{Check, GateDecision, TaskCheck};
use review_tasks::{PlannedTask, TaskPlan};
use review_types::{BlockCode, Finding, FindingStatus, Outcome, TaskNumber, TaskStatus, Verdict};

mod as_it_was;
mod base;
mod compare;
mod roots;

pub use as_it_was::HeldTask;
pub use base::Base;

use crate::error::EngineError;
use crate::inspect::{Inspection, inspect, unreadable_status};
use crate::live::Sinks;
use crate::project::Project;
use crate::run::start;
use crate::settings::{Purpose, RunSettings, Stages};

pub use review_tasks::gate::GateMode;

/// Checks specs of a project.
pub struct Gate<'a> {
    /// The project.
    pub project: &'a Project<'a>,
    /// Whether what no record proves is run.
    pub mode: GateMode,
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
        let inspection = match inspect(self.project, settings).await {
            Ok(inspection) => inspection,
            Err(error) => return self.unreadable(settings, error),
        };
        let decision = inspection.decide(self.mode);
        let ran = match stages_due(&decision) {
            Some(stages) => Some(Box::pin(self.run(settings, stages, &decision)).await?),
            None => None,
        };
        Ok(self.conclude(settings, &inspection, &decision, ran.as_ref()))
    }

    /// What is claimed of a spec some of whose files cannot be read: nothing is proved.
    fn unreadable(
        &self,
        settings: &RunSettings,
        error: EngineError,
    ) -> Result<SpecGate, EngineError> {
        let status = unreadable_status(&self.root, &settings.target, error)?;
        let mut spec = SpecGate {
            folder: self.project.root.given().to_owned(),
            root: status.root.clone(),
            spec: status.spec.clone(),
            unit: status.unit.clone(),
            outcome: Outcome::NotPassed,
            review: review_claim(settings, None, &Check::Unproven, None),
            tasks: Vec::new(),
            unclaimed: Vec::new(),
            faults: status.faults.clone(),
            run: None,
            status,
        };
        spec.conclude();
        Ok(spec)
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
            ..settings.clone()
        };
        let events = MemorySink::default();
        let sink = Sinks([&events, self.project.sink]);
        let ended = Box::pin(start(&self.project.with_sink(&sink), due)).await?;
        let mut report = settings.report();
        for event in events.events() {
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
        let mut spec = SpecGate {
            folder: self.project.root.given().to_owned(),
            root: self.root.clone(),
            spec: settings.target.spec().to_owned(),
            unit: settings.target.unit().map(ToString::to_string),
            outcome: Outcome::Passed,
            review: review_claim(settings, Some(inspection), &decision.review, ran),
            tasks,
            unclaimed: open.iter().map(|task| task.number).collect(),
            faults: inspection.faults(),
            run: ran.and_then(|ran| ran.run.clone()),
            status: inspection.status(&self.root, &settings.target),
        };
        spec.conclude();
        spec
    }
}

fn review_claim(
    settings: &RunSettings,
    inspection: Option<&Inspection>,
    check: &Check,
    ran: Option<&RunReport>,
) -> Claim {
    let recorded = inspection
        .and_then(|inspection| inspection.review.as_ref())
        .filter(|_| *check == Check::Proven);
    let name = match (recorded, inspection.and_then(Inspection::approver)) {
        (Some(_), Some(by)) => format!("approved by {by}"),
        (Some(record), None) => format!("review by {}", record.reviewer.backend),
        (None, _) => format!("review by {}", settings.config.reviewer),
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
        (Check::Fails(reason), _) => (ClaimStatus::Failed, reason.clone()),
        (Check::Due | Check::Unproven, _) => (
            ClaimStatus::Unproven,
            "no recorded pass belongs to this artifact".to_owned(),
        ),
    };
    Claim {
        name,
        id: None,
        status,
        tests_run: None,
        must_pass: None,
        seconds: 0.0,
        reason,
        path: Some(settings.target.spec().to_owned()),
        output: String::new(),
        findings: ran
            .filter(|_| status == ClaimStatus::Failed)
            .map_or_else(Vec::new, raised),
    }
}

/// The findings of the last round, where they are followed.
fn raised(ran: &RunReport) -> Vec<Finding> {
    let round = ran.iterations.last().map(|round| round.iteration);
    let counts = |finding: &&Finding| {
        finding.raised.last().copied() == round
            && finding.status != FindingStatus::Waived
            && !finding.out_of_scope
    };
    ran.ledger.iter().filter(counts).cloned().collect()
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
        BlockCode::TaskFailed | BlockCode::Tampered | BlockCode::DiskFloor
    )
}

/// What the reviewer found, one line an item.
fn findings(ran: &RunReport) -> String {
    let items = with_places_joined(&ran.findings);
    let issues = items.iter();
    let issues: Vec<_> = issues
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
        (Check::Fails(reason), _) => (ClaimStatus::Failed, reason.clone()),
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
        findings: Vec::new(),
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
        findings: Vec::new(),
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
