//! The root that commands about feedback, lessons and prompts work on.

use std::path::PathBuf;

use review::NoSink;
use review_config::{Config, Setting};
use review_engine::EngineError;
use review_engine::learn::{
    CONFIG_FILE, Decided, Evolution, Learner, Operators, find_by_id, learning_config,
};
use review_learning::AgentName;
use review_learning::config::LearningConfig;
use review_learning::lesson::{Decision, Lesson, WaitingGroup};
use review_learning::protocol::Trigger;
use review_report::learn::prompt_update;
use review_types::Timestamp;

use super::rollback::report_of;
use crate::clock::now;
use crate::context::Context;
use crate::error::CommandError;
use crate::runtime::{Runtime, wait_for};

/// The current root, with its configuration of learning.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    pub(crate) settings: Config,
    pub(crate) config: LearningConfig,
    pub(crate) now: Timestamp,
}

impl Place {
    /// Reads the configuration, where options replace keys of it, or takes that of learning
    /// from `otherwise` if the project has no configuration.
    ///
    /// # Errors
    /// When it cannot be used, or does not exist.
    pub(super) fn of(
        context: &mut Context,
        overrides: &[Setting],
        otherwise: Option<LearningConfig>,
    ) -> Result<Self, CommandError> {
        context.show_log();
        let root = context.current_root();
        let settings = context.settings(&root, overrides)?;
        let config = learning_config(&root, &settings)?.or(otherwise);
        let off = || {
            let message = format!(
                "nothing is learned here: there is no {CONFIG_FILE}, and no table [learning] in \
                 ralph.toml"
            );
            let hint = "an empty table [learning] in ralph.toml switches it on";
            CommandError::new(message).hint(hint)
        };
        Ok(Self {
            config: config.ok_or_else(off)?,
            root,
            settings,
            now: now(),
        })
    }

    /// Reads the configuration, or takes the defaults without one.
    ///
    /// # Errors
    /// When it cannot be used.
    pub(crate) fn or_default(context: &mut Context) -> Result<Self, CommandError> {
        Self::of(context, &[], Some(LearningConfig::default()))
    }

    /// Whether something is learned here.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub(crate) fn is_on(&self) -> Result<bool, EngineError> {
        Ok(learning_config(&self.root, &self.settings)?.is_some())
    }

    /// The feedback, lessons and prompts.
    ///
    /// # Errors
    /// When the root is not a folder.
    pub(crate) fn learner(&self) -> Result<Learner<'_>, EngineError> {
        Learner::new(&self.root, &self.config, self.now)
    }

    /// The groups of feedback that wait for words.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(super) fn waiting(&self) -> Result<Vec<WaitingGroup>, CommandError> {
        let learner = self.learner()?;
        let store = learner.feedback()?;
        let mut agents: Vec<&AgentName> = store.entries().iter().map(|one| &one.agent).collect();
        agents.sort_unstable();
        agents.dedup();
        let mut waiting = Vec::new();
        for agent in agents {
            waiting.extend(wait_for(learner.waiting(agent, &store))??);
        }
        Ok(waiting)
    }

    /// The group that waits for words whose id starts so.
    ///
    /// # Errors
    /// When it does not exist, or a file cannot be read.
    pub(super) fn group(&self, id: &str) -> Result<WaitingGroup, CommandError> {
        let group = find_by_id(id, self.waiting()?, |group| group.id.as_str())?;
        group.ok_or_else(|| not_found(id))
    }

    /// Changes prompts and lessons: the steps are journaled, and operators are
    /// notified.
    ///
    /// # Errors
    /// When the state folder cannot be written, or the work fails.
    pub(super) fn change<T>(
        &self,
        context: &mut Context,
        trigger: Trigger,
        work: impl AsyncFnOnce(&Evolution<'_>) -> Result<T, EngineError>,
    ) -> Result<T, CommandError> {
        let state = context.state(&self.settings, &self.root, true)?;
        let (learner, notify) = (self.learner()?, self.settings.notify.command.clone());
        let runtime = Runtime::new(context)?;
        let (environment, root) = (&context.environment, &self.root);
        let done = runtime.block_on(environment, root, state, &NoSink, async |project| {
            let evolution = Evolution {
                learner: &learner,
                state: project.state.clone(),
                trigger,
                run: None,
                operators: notify.map(|notify| Operators { notify, project }),
            };
            work(&evolution).await
        })?;
        Ok(done?)
    }

    /// Carries out a decision on a lesson; returns the lesson, the version of the prompt that
    /// was made, and the message that says so.
    ///
    /// # Errors
    /// When it cannot be decided so, or not by this user, or a file cannot be used.
    pub(super) fn decide(
        &self,
        context: &mut Context,
        lesson: &Lesson,
        decision: Decision,
        by: &str,
    ) -> Result<(Lesson, Option<u32>, String), CommandError> {
        let trigger = Trigger::LessonApproved;
        let Decided { lesson, updated } = self.change(context, trigger, async |evolution| {
            evolution.decide(lesson, decision, by).await
        })?;
        let updated = updated.as_ref();
        let version = updated.and_then(|updated| updated.version.as_ref());
        let version = version.map(|version| version.version.get());
        let text = updated.map(|updated| prompt_update(&report_of(updated)));
        Ok((lesson, version, text.unwrap_or_default()))
    }
}

/// Neither a lesson nor a group nor an entry has an id that starts so.
pub(super) fn not_found(id: &str) -> CommandError {
    let message = format!("no lesson, group or entry has the id \"{id}\"");
    let hint = "`ralph learn show` lists the lessons, with an agent its feedback";
    CommandError::new(message).hint(hint)
}
