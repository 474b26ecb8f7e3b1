//! What a run has landed, how that gets to another branch, and what is lost with the
//! checkouts of a run.

use std::collections::BTreeSet;

use review::events::{Event, LaneLanded};
use review_lane::{CommitId, Lane, NotLanded};
use review_report::run::named_tasks;
use review_store::{LaneDir, RunDir};
use review_tasks::TaskPlan;
use review_types::{Outcome, RunId, StartCode, TaskNumber, TaskStatus};

use super::lock::lock;
use super::replay::{Replay, replay, spec_of};
use crate::error::EngineError;
use crate::lane;
use crate::machine::{Destination, ResumeRequest};
use crate::project::Project;
use crate::settings::{Purpose, ReviewTarget, RunSettings};

/// The work of a run that ended and that has not landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingWork {
    /// The run.
    pub run: RunId,
    /// Its tasks that are open in the project.
    pub tasks: Vec<TaskNumber>,
}

/// Returns the work on open tasks of a plan that the newest run on its spec that has such
/// work left on its lane.
///
/// # Errors
/// [`EngineError`] when a journal cannot be read.
pub async fn waiting_work(
    project: &Project<'_>,
    target: &ReviewTarget,
    plan: &TaskPlan,
) -> Result<Option<WaitingWork>, EngineError> {
    let open = plan.tasks().iter();
    let open = open.filter(|task| task.claims != TaskStatus::Complete);
    let open: BTreeSet<_> = open.map(|task| task.number).collect();
    if open.is_empty() {
        return Ok(None);
    }
    let has_lane = |dir: &RunDir| {
        let lane = lane::lane_folder(project.root.path(), &project.env, dir.id());
        lane.is_some_and(|lane| lane.path().is_dir())
    };
    let mut is_newest = true;
    for dir in project.state.runs()? {
        if !has_lane(&dir) || spec_of(&dir).as_deref() != Some(target.spec()) {
            continue;
        }
        let replayed = match replay(&dir).await {
            // Nothing is known of what earlier versions did before the newest run.
            Err(EngineError::AnotherVersion { .. }) if !is_newest => continue,
            replayed => replayed?,
        };
        is_newest = false;
        let tasks: Vec<_> = replayed.on_lane().intersection(&open).copied().collect();
        if replayed.finished.is_some() && !tasks.is_empty() {
            let run = dir.id().clone();
            return Ok(Some(WaitingWork { run, tasks }));
        }
    }
    Ok(None)
}

/// Refuses to have agents work once more on what waits to be landed.
pub(super) async fn refuse_waiting(
    project: &Project<'_>,
    settings: &RunSettings,
    plan: &TaskPlan,
) -> Result<(), EngineError> {
    if settings.implementer().is_none() || settings.purpose != Purpose::Work {
        return Ok(());
    }
    match waiting_work(project, &settings.target, plan).await? {
        None => Ok(()),
        Some(WaitingWork { run, tasks }) => {
            let run = run.short();
            Err(EngineError::hinted(
                format!(
                    "run {run} has done {}, which waits to land",
                    named_tasks(&tasks)
                ),
                format!("`ralph land {run}` lands it; `ralph clean {run} --force` gives it up"),
            ))
        }
    }
}

impl Replay {
    /// Returns what landed last, if the run ended and nothing waits to be landed.
    pub fn landed(&self) -> Option<&LaneLanded> {
        let landed = self.events.iter().rev().find_map(|sent| match &sent.event {
            Event::LaneLanded(landed) => Some(landed),
            _ => None,
        });
        landed.filter(|_| self.finished.is_some() && self.on_lane().is_empty())
    }

    /// The tasks whose work is on the lane only.
    pub(crate) fn on_lane(&self) -> BTreeSet<TaskNumber> {
        let mut tasks = BTreeSet::new();
        for sent in &self.events {
            match &sent.event {
                Event::TaskOnLane(on_lane) => {
                    tasks.insert(on_lane.task);
                }
                Event::LaneLanded(landed) => tasks.retain(|task| !landed.tasks.contains(task)),
                _ => {}
            }
        }
        tasks
    }

    /// Refuses to land a run that ended and has no work on its lane.
    pub(super) fn refuse_nothing_to_land(
        &self,
        request: &ResumeRequest,
    ) -> Result<(), EngineError> {
        let has_none = self.on_lane().is_empty() && self.landed().is_none();
        match request.land.is_some() && has_none && self.finished.is_some() {
            true => Err(EngineError::new(format!(
                "run {} has nothing to land: no task of it is on its lane",
                self.record.run.short()
            ))),
            false => Ok(()),
        }
    }

    /// Refuses to go on with a run whose lane was removed, where that would lose work.
    pub(super) fn refuse_gone_lane(
        &self,
        project: &Project<'_>,
        request: &ResumeRequest,
    ) -> Result<(), EngineError> {
        let mut events = self.events.iter();
        let was_opened = events.any(|sent| matches!(sent.event, Event::LaneOpened(_)));
        let tasks = self.on_lane();
        let has_passed = matches!(
            self.outcome(),
            Some(Outcome::Passed | Outcome::Approved | Outcome::Nothing)
        );
        let is_over = has_passed && tasks.is_empty();
        let has_nothing_to_land = request.land.is_some() && tasks.is_empty();
        let Some(dir) = lane::of_run(self, &project.env) else {
            return Ok(());
        };
        let is_there = Lane::find(lane::git(project), dir.clone())?.is_some();
        match is_there || !was_opened || is_over || has_nothing_to_land {
            true => Ok(()),
            false => Err(lane_gone(&dir, &tasks, self.settings.target.spec())),
        }
    }
}

/// The folder with the checkouts and the commits of a run was removed, and with it the
/// work on `tasks`.
fn lane_gone(lane: &LaneDir, tasks: &BTreeSet<TaskNumber>, spec: &str) -> EngineError {
    let tasks: Vec<_> = tasks.iter().copied().collect();
    let lost = match tasks.is_empty() {
        true => "the attempts at its tasks".to_owned(),
        false => format!("the work of {}, which had not landed", named_tasks(&tasks)),
    };
    EngineError::hinted(
        format!(
            "{}: the run cannot go on: its folder {} was removed, with {lost}",
            StartCode::LaneGone,
            lane.path().display()
        ),
        format!(
            "`ralph run {spec}` starts a new run, in which the tasks that are not complete are \
             implemented"
        ),
    )
}

/// Brings what a run has landed to another branch. Returns the branch that has it.
///
/// # Errors
/// [`EngineError`] when git fails, or another process works on the unit.
pub async fn land_again(
    project: &Project<'_>,
    replay: &Replay,
    landed: &LaneLanded,
    destination: &Destination,
) -> Result<Result<String, NotLanded>, EngineError> {
    let commit = landed.commit.parse::<CommitId>();
    let commit = commit.map_err(|error| EngineError::new(error.to_string()))?;
    let _lock = lock(project, &replay.settings.target, &replay.record.run)?;
    let git = lane::git(project);
    let branch = match destination {
        Destination::Branch(branch) => branch.clone(),
        Destination::Target => {
            let dir = lane::of_run(replay, &project.env);
            let lane = dir.map(|dir| Lane::reopen(git.clone(), dir)).transpose()?;
            let Some(lane) = lane.flatten() else {
                return Ok(Ok(landed.branch.clone()));
            };
            let target = lane.source().target.clone();
            if target != landed.branch {
                let landed = lane.land(&commit).await?;
                return Ok(landed.map(|_| target));
            }
            target
        }
    };
    let root = project.root.path();
    let landed = review_lane::land_in(&git, root, &branch, &commit).await;
    Ok(landed?.map(|()| branch))
}
