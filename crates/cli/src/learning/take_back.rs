//! A version that errs more often than the one before it is taken back.

use std::num::NonZeroU32;
use std::path::Path;

use review_config::Overrides;
use review_learning::config::LearningConfig;
use review_learning::protocol::Trigger;
use review_store::RunDir;

use super::observe::Degraded;
use super::{Evolution, Teller};
use crate::clock::now;
use crate::context::Context;
use crate::error::CommandError;

/// Puts the version before in use again, and tells it. Where that cannot be done
/// the version stays, with a warning.
pub(super) fn take_back(
    context: &mut Context,
    root: &Path,
    config: &LearningConfig,
    dir: &RunDir,
    degraded: Degraded,
) {
    let Degraded {
        agent,
        version,
        before,
    } = degraded;
    let agent = agent.as_str();
    let errs = format!(
        "version {version} of the prompt of {agent} errs more often than version {before} did"
    );
    let told = match taken_back(context, root, config, dir, agent, before) {
        Ok(()) => format!(
            "{errs}: version {before} is in use again; `ralph learn stats` shows the evidence"
        ),
        Err(error) => format!("{errs}, and stays in use: {}", error.message()),
    };
    context.streams.warn(&told);
}

fn taken_back(
    context: &mut Context,
    root: &Path,
    config: &LearningConfig,
    dir: &RunDir,
    agent: &str,
    before: NonZeroU32,
) -> Result<(), CommandError> {
    let settings = context.settings(root, Overrides::default())?;
    let now = now();
    let evolution = Evolution::new(root, config, now)?;
    // Somebody else may have taken it back just now: then nothing changes.
    let restored = evolution.roll_back(context, agent, Some(before))?;
    let teller = Teller {
        root,
        settings: &settings,
        state: dir.state(),
        trigger: Trigger::PerformanceDegradation,
        run: Some(dir.id().clone()),
        now,
    };
    teller.rolled_back(context, &restored)
}
