//! A version that errs more often than the one before it is taken back.

use std::path::Path;

use review_learning::config::LearningConfig;
use review_learning::protocol::Trigger;
use review_store::RunDir;

use super::observe::Degraded;
use super::{Evolution, Teller};
use crate::clock::now;
use crate::config::Overrides;
use crate::context::Context;
use crate::error::CommandError;

/// Puts the version before in use again, and tells it.
///
/// # Errors
/// When a file cannot be read or written.
pub(super) fn take_back(
    context: &mut Context,
    root: &Path,
    config: &LearningConfig,
    dir: &RunDir,
    degraded: Degraded,
) -> Result<(), CommandError> {
    let Degraded {
        agent,
        version,
        before,
    } = degraded;
    let settings = context.settings(root, Overrides::default())?;
    let now = now();
    let evolution = Evolution::new(root, config, now)?;
    // Somebody else may have taken it back just now: then nothing changes.
    let restored = evolution.roll_back(context, agent.as_str(), Some(before))?;
    let teller = Teller {
        root,
        settings: &settings,
        state: dir.state(),
        trigger: Trigger::PerformanceDegradation,
        run: Some(dir.id().clone()),
        now,
    };
    teller.rolled_back(context, &restored)?;
    let agent = agent.as_str();
    context.streams.warn(&format!(
        "version {version} of the prompt of {agent} errs more often than version {before} did: \
         version {before} is in use again; `ralph learn stats` shows the evidence"
    ));
    Ok(())
}
