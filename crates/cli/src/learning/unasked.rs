//! Lessons go into prompts by themselves where the gate asks nobody.

use std::path::Path;

use review_learning::config::LearningConfig;
use review_learning::protocol::Trigger;
use review_store::StateDir;
use review_types::RunId;

use super::{Evolution, Teller};
use crate::clock::now;
use crate::config::Overrides;
use crate::context::Context;
use crate::error::CommandError;

/// Puts the lessons that are proposed for an agent into its prompt, where no
/// approval is required, and tells it. Where that cannot be done they stay
/// proposed, with a warning.
pub(crate) fn apply_unasked(
    context: &mut Context,
    root: &Path,
    config: &LearningConfig,
    state: &StateDir,
    run: Option<&RunId>,
    agent: &str,
) {
    let evolution = &config.prompt_evolution;
    if evolution.approval_gate.required || !evolution.versioning.enabled {
        return;
    }
    if let Err(error) = applied(context, root, config, state, run, agent) {
        let why = error.message();
        context
            .streams
            .warn(&format!("the lessons of {agent} stay proposed: {why}"));
    }
}

fn applied(
    context: &mut Context,
    root: &Path,
    config: &LearningConfig,
    state: &StateDir,
    run: Option<&RunId>,
    agent: &str,
) -> Result<(), CommandError> {
    let settings = context.settings(root, Overrides::default())?;
    let now = now();
    let evolution = Evolution::new(root, config, now)?;
    let updated = evolution.update(context, agent)?;
    let teller = Teller {
        root,
        settings: &settings,
        state: state.clone(),
        trigger: Trigger::LessonApproved,
        run: run.cloned(),
        now,
    };
    teller.updated(context, &evolution, &updated)?;
    if let Some(version) = &updated.version {
        let number = version.version;
        context.streams.note(&format!(
            "the prompt of {agent} is at version {number} now: approval is not required"
        ));
    }
    Ok(())
}
