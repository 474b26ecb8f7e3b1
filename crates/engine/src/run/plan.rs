//! The tasks of a run.

use std::sync::Arc;

use review::Artifact as _;
use review::machine::BaseState;
use review_flow::{ContentStore, MemoryBlobs, Stop};
use review_store::{FileArtifact, Root};
use review_tasks::{TaskPlan, TaskSelection};
use review_types::Manifest;

use super::artifact_of;
use crate::error::{EngineError, halted};
use crate::settings::{Purpose, ReviewTarget, RunSettings, Stages};

pub(super) fn recorded_plan(
    settings: &RunSettings,
    base: Option<BaseState>,
    texts: &ContentStore,
) -> Result<Option<TaskPlan>, Stop> {
    let Some(base) = base else { return Ok(None) };
    let text = texts.get(&base.manifest).map_err(halted)?;
    let manifest: Manifest = serde_json::from_slice(&text)
        .map_err(|error| Stop::Broken(format!("the recorded artifact is damaged: {error}")))?;
    plan_of(settings, &manifest, texts)
}

pub(crate) fn plan_of(
    settings: &RunSettings,
    manifest: &Manifest,
    texts: &ContentStore,
) -> Result<Option<TaskPlan>, Stop> {
    let plan = whole_plan_of(settings, manifest, texts)?;
    Ok(plan.map(|plan| settings.selected(plan)))
}

/// The tasks of the unit, those that are not to run among them.
fn whole_plan_of(
    settings: &RunSettings,
    manifest: &Manifest,
    texts: &ContentStore,
) -> Result<Option<TaskPlan>, Stop> {
    let ReviewTarget::Unit { id, dir, .. } = &settings.target else {
        return Ok(None);
    };
    let below = format!("{dir}/");
    let mut files = Vec::new();
    for file in manifest.files() {
        if file.path.starts_with(&below) {
            let bytes = texts.get(&file.hash).map_err(halted)?;
            files.push((file.path.clone(), bytes));
        }
    }
    let files = files.iter().map(|(path, bytes)| (path, &**bytes));
    let files: Vec<_> = files.collect();
    Ok(Some(TaskPlan::load(id.clone(), dir, &files)))
}

/// The tasks as their files are now.
pub(super) fn current_plan(
    settings: &RunSettings,
    artifact: &FileArtifact,
) -> Result<Option<TaskPlan>, Stop> {
    let plan = current_whole_plan(settings, artifact)?;
    Ok(plan.map(|plan| settings.selected(plan)))
}

/// The tasks of the unit as their files are now, those that are not to run among them.
pub(crate) fn current_whole_plan(
    settings: &RunSettings,
    artifact: &FileArtifact,
) -> Result<Option<TaskPlan>, Stop> {
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let snapshot = artifact.snapshot(Some(&texts));
    let snapshot =
        snapshot.map_err(|error| Stop::Broken(format!("the tasks cannot be read: {error}")))?;
    whole_plan_of(settings, &snapshot.manifest, &texts)
}

impl RunSettings {
    /// The tasks of a plan that are to run.
    fn selected(&self, plan: TaskPlan) -> TaskPlan {
        match &self.only {
            Some(only) => plan.only(only),
            None => plan,
        }
    }

    /// The tasks as their files are now, if the run is about them.
    pub(super) fn plan_to_work(
        &self,
        artifact: &FileArtifact,
    ) -> Result<Option<TaskPlan>, EngineError> {
        match self.stages == Stages::Review {
            true => Ok(None),
            false => current_plan(self, artifact).map_err(EngineError::of_artifact),
        }
    }

    /// Says which tasks list tests that their commands do not name, or refuses to pay for
    /// them if they have to be named.
    pub(super) fn check_test_names(&self, plan: &TaskPlan) -> Result<(), EngineError> {
        match plan.unnamed_tests() {
            Some(unnamed) if self.config.task.require_names && self.purpose == Purpose::Work => {
                Err(EngineError::hinted(
                    format!("{unnamed}; `task.require_names` demands it"),
                    "make their commands name the tests that ran",
                ))
            }
            Some(unnamed) => {
                tracing::warn!("{unnamed}");
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Runs only the tasks that a user selects, without a review.
    ///
    /// # Errors
    /// When the unit does not exist, or the tasks cannot run without others.
    pub fn select_tasks(
        &mut self,
        root: &Root,
        selection: &TaskSelection,
    ) -> Result<(), EngineError> {
        let artifact = artifact_of(root.clone(), &self.target)?;
        let plan = current_plan(self, &artifact).map_err(EngineError::of_artifact)?;
        let plan = plan.ok_or_else(|| {
            let spec = self.target.spec();
            EngineError::new(format!(
                "no unit belongs to {spec}, so it has no tasks to select"
            ))
        })?;
        let selected = plan.select(selection)?;
        let all = plan.tasks().iter().map(|task| task.number);
        self.not_selected = all.filter(|number| !selected.contains(number)).collect();
        self.only = Some(selected);
        self.stages = Stages::Tasks;
        Ok(())
    }
}
