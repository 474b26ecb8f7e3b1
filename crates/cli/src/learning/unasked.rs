//! Lessons go into prompts by themselves where the gate asks nobody.

use std::path::Path;

use review_config::Overrides;
use review_learning::config::LearningConfig;
use review_learning::protocol::Trigger;
use review_store::StateDir;
use review_types::RunId;

use super::{Evolution, Teller};
use crate::clock::now;
use crate::context::Context;
use crate::error::CommandError;

/// By what lessons go into prompts where no approval is required.
pub(crate) struct OpenGate<'a> {
    pub(crate) root: &'a Path,
    pub(crate) config: &'a LearningConfig,
    pub(crate) state: StateDir,
    /// The run after which they do, if it was one.
    pub(crate) run: Option<&'a RunId>,
}

impl OpenGate<'_> {
    /// Puts the lessons that are proposed for an agent into its prompt, where no
    /// approval is required, and tells it. Where that cannot be done they stay
    /// proposed, with a warning.
    pub(crate) fn pass(&self, context: &mut Context, agent: &str) {
        let evolution = &self.config.prompt_evolution;
        if evolution.approval_gate.required || !evolution.versioning.enabled {
            return;
        }
        if let Err(error) = self.passed(context, agent) {
            let why = error.message();
            context
                .streams
                .warn(&format!("the lessons of {agent} stay proposed: {why}"));
        }
    }

    fn passed(&self, context: &mut Context, agent: &str) -> Result<(), CommandError> {
        let settings = context.settings(self.root, Overrides::default())?;
        let now = now();
        let evolution = Evolution::new(self.root, self.config, now)?;
        let updated = evolution.update(context, agent)?;
        let teller = Teller {
            root: self.root,
            settings: &settings,
            state: self.state.clone(),
            trigger: Trigger::LessonApproved,
            run: self.run.cloned(),
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
}
