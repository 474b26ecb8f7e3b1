//! The root that commands about feedback, lessons and prompts work on.

use std::path::PathBuf;

use review::NoSink;
use review_config::{Config, Setting};
use review_engine::learn::{
    Analyst, CONFIG_FILE, Collector, Decided, Evolution, LearnError, Notices, Operators, PromptLog,
    decide, learning_config,
};
use review_learning::config::LearningConfig;
use review_learning::lesson::{Decision, Lesson, WaitingGroup};
use review_learning::protocol::Trigger;
use review_process::Redactor;
use review_report::learn::prompt_update;
use review_types::Timestamp;

use super::rollback::report_of;
use crate::clock::now;
use crate::context::Context;
use crate::error::CommandError;
use crate::learning::notices;
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
    pub(crate) fn is_on(&self) -> Result<bool, LearnError> {
        Ok(learning_config(&self.root, &self.settings)?.is_some())
    }

    /// Collects feedback.
    pub(crate) fn collector<'a>(&'a self, redactor: &'a Redactor) -> Collector<'a> {
        Collector {
            root: &self.root,
            config: &self.config,
            redactor,
            now: self.now,
        }
    }

    /// The prompts and lessons.
    ///
    /// # Errors
    /// When the root is not a folder.
    pub(crate) fn evolution(&self) -> Result<Evolution<'_>, LearnError> {
        Evolution::new(&self.root, &self.config, self.now)
    }

    /// The lessons of all agents, or of one.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub(crate) fn lessons(
        &self,
        context: &mut Context,
        agent: Option<&str>,
    ) -> Result<Vec<Lesson>, CommandError> {
        let mut notices = notices(&mut context.streams);
        Ok(self.evolution()?.lessons(agent, &mut notices)?)
    }

    /// The groups of feedback that wait for words.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(super) fn waiting(&self, context: &Context) -> Result<Vec<WaitingGroup>, CommandError> {
        let redactor = context.environment.redactor();
        let store = self.collector(&redactor).store()?;
        let analyst = Analyst {
            root: &self.root,
            config: &self.config,
            trigger: Trigger::ManualRequest,
            run: None,
            now: self.now,
        };
        let mut agents: Vec<&str> = store.entries().iter().map(|one| &*one.agent).collect();
        agents.sort_unstable();
        agents.dedup();
        let mut waiting = Vec::new();
        for agent in agents {
            waiting.extend(wait_for(analyst.waiting(agent, &store))??);
        }
        Ok(waiting)
    }

    /// The group that waits for words whose id starts so.
    ///
    /// # Errors
    /// When it does not exist, or a file cannot be read.
    pub(super) fn group(&self, context: &Context, id: &str) -> Result<WaitingGroup, CommandError> {
        let wanted = id.to_ascii_lowercase();
        let mut groups = self.waiting(context)?.into_iter();
        let group = groups.find(|group| group.id.as_str().starts_with(&wanted));
        Ok(group.ok_or_else(|| LearnError::NotFound(id.to_owned()))?)
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
        work: impl AsyncFnOnce(
            &Evolution<'_>,
            &PromptLog<'_>,
            &mut Notices<'_>,
        ) -> Result<T, LearnError>,
    ) -> Result<T, CommandError> {
        let state = context.state(&self.settings, &self.root, true)?;
        let (evolution, notify) = (self.evolution()?, self.settings.notify.command.clone());
        let runtime = Runtime::new(context)?;
        let mut notices = notices(&mut context.streams);
        let (environment, root) = (&context.environment, &self.root);
        let done = runtime.block_on(environment, root, state, &NoSink, async |project| {
            let log = PromptLog {
                state: project.state.clone(),
                trigger,
                run: None,
                now: self.now,
                operators: notify.map(|notify| Operators { notify, project }),
            };
            work(&evolution, &log, &mut notices).await
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
        let Decided { lesson, updated } =
            self.change(context, trigger, async |evolution, log, notices| {
                decide(evolution, log, lesson, decision, by, notices).await
            })?;
        let updated = updated.as_ref();
        let version = updated.and_then(|updated| updated.version.as_ref());
        let version = version.map(|version| version.version.get());
        let text = updated.map(|updated| prompt_update(&report_of(updated)));
        Ok((lesson, version, text.unwrap_or_default()))
    }
}
