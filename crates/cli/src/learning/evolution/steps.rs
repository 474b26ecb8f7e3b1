//! The steps of the protocols, as they are told.

use std::path::Path;

use review::NoSink;
use review_config::Config;
use review_engine::Notify;
use review_learning::protocol::{
    LearningEvent, RollbackStep, Step, StepContext, Trigger, UpdateStep,
};
use review_store::{PerformanceFiles, StateDir};
use review_types::{RunId, Timestamp};
use serde_json::{Value as Json, json};

use super::{Evolution, RolledBack, Updated};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::unwritable;
use crate::session::World;

/// Tells the journal of learning, and operators, what became of prompts.
pub(crate) struct Teller<'a> {
    pub(crate) root: &'a Path,
    pub(crate) settings: &'a Config,
    pub(crate) state: StateDir,
    pub(crate) trigger: Trigger,
    /// The run after which it happened, if it was one.
    pub(crate) run: Option<RunId>,
    pub(crate) now: Timestamp,
}

impl Teller<'_> {
    /// Tells the steps of an update that made a version, and follows how the
    /// version does.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn updated(
        &self,
        context: &mut Context,
        evolution: &Evolution<'_>,
        updated: &Updated,
    ) -> Result<(), CommandError> {
        let Some(version) = &updated.version else {
            return Ok(());
        };
        let agent = &*version.agent;
        let (number, parent) = (version.version, updated.before.version);
        let step = |step, details| self.event(Step::Update(step), agent, details);
        let mut applied = json!({"changes": version.changes, "lessons": version.applied_lessons});
        if updated.unasked {
            applied["approval"] = json!("not required");
        }
        let file = evolution.prompts()?.folder(agent);
        self.journal([
            step(UpdateStep::LoadCurrentPrompt, json!({"version": parent})),
            step(UpdateStep::ApplyConstraintUpdates, applied),
            step(
                UpdateStep::GenerateNewVersion,
                json!({"version": number, "parent": parent, "approved_by": version.approved_by}),
            ),
            step(
                UpdateStep::StoreVersion,
                json!({"version": number, "folder": file.as_str()}),
            ),
        ])?;
        let told = json!({"version": number, "previous": parent, "changes": version.changes});
        self.notify(context, step(UpdateStep::NotifyOperators, told))?;
        let p0 = self.track(evolution, agent, number.get(), parent.get())?;
        let tracked = json!({"version": number, "p0": p0});
        self.journal([step(UpdateStep::TrackPerformance, tracked)])
    }

    /// Tells the steps of a rollback.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn rolled_back(
        &self,
        context: &mut Context,
        rolled_back: &RolledBack,
    ) -> Result<(), CommandError> {
        let (from, to) = (rolled_back.from.version, rolled_back.to.version);
        if from == to {
            return Ok(());
        }
        let agent = &*rolled_back.to.agent;
        let step = |step, details| self.event(Step::Rollback(step), agent, details);
        let lessons: Vec<_> = rolled_back
            .lessons
            .iter()
            .map(|lesson| &lesson.id)
            .collect();
        let told = json!({"from": from, "to": to});
        let noted = json!({"from": from, "to": to, "lessons": lessons});
        self.journal([
            step(RollbackStep::IdentifyRollbackTarget, told.clone()),
            step(RollbackStep::RestorePreviousVersion, told.clone()),
            step(RollbackStep::LogRollback, noted),
        ])?;
        self.notify(context, step(RollbackStep::NotifyOperators, told))
    }

    fn event(&self, step: Step, agent: &str, details: Json) -> LearningEvent {
        let course = StepContext {
            run: self.run.as_ref(),
            at: self.now,
            trigger: self.trigger,
            agent,
        };
        course.step(step, details)
    }

    fn journal<const N: usize>(&self, events: [LearningEvent; N]) -> Result<(), CommandError> {
        let written = self.state.learning_journal().append(&events);
        written.map_err(unwritable)
    }

    /// Runs the program of the configuration, and notes what became of it.
    /// Whatever that is, it is no more than a warning.
    fn notify(&self, context: &mut Context, mut event: LearningEvent) -> Result<(), CommandError> {
        let told = match Notify::of(self.settings) {
            None => json!("nobody"),
            Some(notify) => {
                let world = World::new(context)?;
                let told = world.block_on(
                    &context.environment,
                    self.root,
                    self.state.clone(),
                    &NoSink,
                    async |project| review_engine::notify(&notify, &event, project).await,
                )?;
                let program = notify.command.program();
                if let Err(why) = &told {
                    context
                        .streams
                        .warn(&format!("{program} was not told: {why}"));
                }
                told.map_or_else(|why| json!({"failed": why}), |()| json!(program))
            }
        };
        event.payload.details.insert("told".to_owned(), told);
        self.journal([event])
    }

    /// Freezes the rate of errors that the version is held against, and returns
    /// it.
    fn track(
        &self,
        evolution: &Evolution<'_>,
        agent: &str,
        version: u32,
        before: u32,
    ) -> Result<Option<f64>, CommandError> {
        let storage = &evolution.config.prompt_evolution.storage_path;
        let files = PerformanceFiles::new(&evolution.root, storage);
        let tracked = files.map_err(Into::into).and_then(|files| {
            let before = files.read(agent, before)?;
            files.update(agent, version, |known| known.activate(self.now, &before))
        });
        let tracked = tracked.map_err(|error: review_store::PerformanceFileError| {
            CommandError::new(ErrorKind::Output, error.to_string())
        })?;
        Ok(tracked.p0())
    }
}
