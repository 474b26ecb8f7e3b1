//! The tasks of a run.

use review::machine::BaseState;
use review_flow::{ContentStore, Stop};
use review_tasks::TaskPlan;
use review_types::Manifest;

use crate::error::halted;
use crate::settings::{RunSettings, Target};

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
    let Target::Unit { id, dir, .. } = &settings.target else {
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
    let plan = TaskPlan::load(id.clone(), dir, &files);
    Ok(Some(match &settings.only {
        Some(only) => plan.only(only),
        None => plan,
    }))
}
