//! What records prove about a spec and its tasks, before anything is run.

use std::collections::BTreeMap;
use std::sync::Arc;

use review::Artifact;
use review_flow::{ContentStore, Stop};
use review_report::status::{SpecStatus, TaskLine};
use review_store::{Lock, RootPath, SpecRecord, TaskRecord};
use review_tasks::gate::{Evidence, GateDecision, GateMode, decide};
use review_tasks::{TaskExecutor, TaskPlan};
use review_types::{Hash, RunId, TaskNumber};

use crate::error::EngineError;
use crate::project::Project;
use crate::run::{artifact_of, plan_of, task_context};
use crate::settings::{ReviewTarget, RunSettings};

/// What to do about a file of a spec or its tasks that cannot be read.
pub const UNREADABLE_HINT: &str = "remove it, or make it a file that can be read";

/// A spec with its tasks as records know them.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// Hash of the artifact without the statuses of tasks.
    pub artifact: Hash,
    /// The review on record, if there is one.
    pub review: Option<SpecRecord>,
    /// The tasks, if the spec has a unit.
    pub plan: Option<TaskPlan>,
    /// The records that are about this command, file and tree, by task.
    pub proven: BTreeMap<TaskNumber, TaskRecord>,
    /// The run that a process is at work on, if there is one.
    pub live: Option<RunId>,
}

impl Inspection {
    /// What the gate asks for.
    pub fn decide(&self, mode: GateMode) -> GateDecision {
        let proven = self.proven.keys().copied().collect();
        let evidence = Evidence {
            artifact: self.artifact,
            review: self.review.as_ref(),
            plan: self.plan.as_ref(),
            proven: &proven,
        };
        decide(&evidence, mode)
    }

    /// Returns what records prove; reports name the root of the target as `root`.
    pub fn status(&self, root: &str, target: &ReviewTarget) -> SpecStatus {
        let plan = self.plan.as_ref();
        let tasks = plan.into_iter().flat_map(TaskPlan::tasks);
        SpecStatus {
            root: root.to_owned(),
            spec: target.spec().to_owned(),
            unit: target.unit().map(ToString::to_string),
            reviewed: self
                .review
                .as_ref()
                .is_some_and(|record| record.proves(self.artifact)),
            approved_by: self.approver().map(str::to_owned),
            tasks: tasks
                .map(|task| TaskLine {
                    id: task.number,
                    title: task.title.clone(),
                    status: task.claims,
                    recorded: self.proven.contains_key(&task.number),
                    depends_on: task.depends_on.clone(),
                    command: task.command(),
                })
                .collect(),
            faults: self.faults(),
            next: Vec::new(),
        }
    }

    /// The faults that keep all tasks from running.
    pub(crate) fn faults(&self) -> Vec<String> {
        let plan = self.plan.as_ref();
        plan.map_or_else(Vec::new, |plan| plan.faults().to_vec())
    }

    /// Who approved the artifact as it is now, where no review has passed it.
    pub fn approver(&self) -> Option<&str> {
        let record = self.review.as_ref();
        let record = record.filter(|record| !record.proves(self.artifact));
        record.and_then(|record| record.approver(self.artifact))
    }
}

/// Compares the target of `settings` with its records. Nothing is run but
/// `git`, which lists the tree.
///
/// # Errors
/// When the artifact, the tree or a record cannot be read.
pub async fn inspect(
    project: &Project<'_>,
    settings: &RunSettings,
) -> Result<Inspection, EngineError> {
    let artifact = artifact_of(project.root.clone(), &settings.target)?;
    let texts = ContentStore::new(Arc::new(project.state.blobs()));
    let now = artifact
        .snapshot(Some(&texts))
        .map_err(EngineError::of_artifact)?;
    let plan = plan_of(settings, &now.manifest, &texts).map_err(unreadable)?;
    let proven = match &plan {
        Some(plan) if plan.faults().is_empty() => {
            // Nothing is run, so that nothing is ever written there.
            let run = project.state.run(&RunId::new("inspection")?);
            let run = (run, project.redactor(settings));
            let context = task_context(project, settings, run, None);
            let executor = TaskExecutor::new(plan.unit.clone(), context);
            executor.proven(plan).await.map_err(unreadable)?
        }
        _ => BTreeMap::new(),
    };
    let spec = RootPath::new(settings.target.spec())?;
    Ok(Inspection {
        artifact: now.hash,
        review: project.state.records().spec(&spec).record(),
        live: live(project, &settings.target),
        plan,
        proven,
    })
}

/// Returns the status of a target whose files cannot be read, with the reason as its fault;
/// the error itself if it is another one.
///
/// # Errors
/// The error.
pub fn unreadable_status(
    root: &str,
    target: &ReviewTarget,
    error: EngineError,
) -> Result<SpecStatus, EngineError> {
    let EngineError::Unreadable(why) = error else {
        return Err(error);
    };
    Ok(SpecStatus {
        root: root.to_owned(),
        spec: target.spec().to_owned(),
        unit: target.unit().map(ToString::to_string),
        faults: vec![format!("{why}; {UNREADABLE_HINT}")],
        ..SpecStatus::default()
    })
}

/// The run of a target that a process is at work on.
fn live(project: &Project<'_>, target: &ReviewTarget) -> Option<RunId> {
    let root = project.root.path();
    let mut holders = target
        .lock_paths()
        .filter_map(|path| Lock::holder(&project.state, &root.join(path)));
    let live = holders.find(|holder| project.state.run(&holder.run).is_live());
    live.map(|holder| holder.run)
}

/// The error of a stop outside of a run.
pub(crate) fn unreadable(stop: Stop) -> EngineError {
    EngineError::new(format!(
        "the records cannot be compared with the project: {stop}"
    ))
}
