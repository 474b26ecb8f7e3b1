//! Changes of prompts: by decisions of users, or without where none is required. They are
//! journaled, and whoever the configuration names is notified.

use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroU32;

use review_agents::CommandLine;
use review_learning::AgentName;
use review_learning::lesson::{Decision, Lesson, LessonStatus};
use review_learning::protocol::{LearningEvent, Step, StepContext, Trigger};
use review_store::StateDir;
use review_types::{RunId, error_chain};
use serde_json::{Value as Json, json};

use super::{Switched, Updated};
use crate::error::EngineError;
use crate::learn::Learner;
use crate::notice::notify;
use crate::project::Project;

/// Changes the prompts of a root.
#[derive(Debug)]
pub struct Evolution<'a> {
    /// The prompts and lessons.
    pub learner: &'a Learner<'a>,
    /// The state folder with the journal.
    pub state: StateDir,
    /// Why prompts change.
    pub trigger: Trigger,
    /// The run after which they do, if it was one.
    pub run: Option<RunId>,
    /// Who is notified, if the configuration names a program.
    pub operators: Option<Operators<'a>>,
}

/// The program that is notified of changes, and where it runs.
#[derive(Clone)]
pub struct Operators<'a> {
    /// The program.
    pub notify: CommandLine,
    /// The project in which it runs.
    pub project: &'a Project<'a>,
}

impl fmt::Debug for Operators<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Operators").field(&self.notify).finish()
    }
}

/// A lesson after a decision.
#[derive(Debug)]
pub struct Decided {
    /// The lesson as it is now.
    pub lesson: Lesson,
    /// The prompt, where the decision concerns it.
    pub updated: Option<Updated>,
}

impl Evolution<'_> {
    /// Carries out what a user decided on a lesson, and updates its prompt where the
    /// decision concerns it.
    ///
    /// # Errors
    /// When it cannot be decided so, or not by this user, or a file cannot be used.
    pub async fn decide(
        &self,
        lesson: &Lesson,
        decision: Decision,
        by: &str,
    ) -> Result<Decided, EngineError> {
        let learner = self.learner;
        learner.admits(by)?;
        lesson.decided(decision, by)?;
        let was_applied = lesson.status == LessonStatus::Applied;
        let concerns_prompt = decision == Decision::Approve || was_applied;
        if concerns_prompt {
            // A lesson that cannot be applied stays proposed.
            learner.current(&lesson.agent)?;
        }
        let decided = learner.decided(lesson, decision, by)?;
        if !concerns_prompt || !learner.config.prompt_evolution.versioning.enabled {
            return Ok(Decided {
                lesson: decided,
                updated: None,
            });
        }
        let updated = self.update(&lesson.agent).await?;
        // Another process may have applied it.
        let lessons = learner.lessons(Some(&lesson.agent))?;
        let now = lessons.into_iter().find(|now| now.id == decided.id);
        Ok(Decided {
            lesson: now.unwrap_or(decided),
            updated: Some(updated),
        })
    }

    /// Puts the lessons that are proposed for an agent into its prompt, where no
    /// approval is required; `None` where nothing changes. Warns of lessons that cannot
    /// go in, which stay proposed.
    pub async fn update_unasked(&self, agent: &AgentName) -> Option<Updated> {
        let config = &self.learner.config.prompt_evolution;
        if config.approval_gate.required || !config.versioning.enabled {
            return None;
        }
        match self.update(agent).await {
            Ok(updated) => Some(updated),
            Err(error) => {
                let why = error_chain(&error);
                tracing::warn!("the lessons of {agent} stay proposed: {why}");
                None
            }
        }
    }

    /// Puts what is approved into the prompt of an agent, and takes out what was
    /// rejected. The steps of an update that makes a version are journaled, and how that
    /// one does is followed from now on.
    ///
    /// # Errors
    /// When the agent has no prompt, or a file cannot be read or written.
    pub async fn update(&self, agent: &AgentName) -> Result<Updated, EngineError> {
        let updated = self.learner.update(agent)?;
        let Some(version) = &updated.version else {
            return Ok(updated);
        };
        let (number, parent) = (version.version, updated.before.version);
        let step = |step, details| self.event(step, agent, details);
        let mut applied = json!({"changes": version.changes, "lessons": version.applied_lessons});
        if updated.unasked {
            applied["approval"] = json!("not required");
        }
        let file = self.learner.prompts()?.folder(agent);
        self.journal(&[
            step(Step::LoadCurrentPrompt, json!({"version": parent})),
            step(Step::ApplyConstraintUpdates, applied),
            step(
                Step::GenerateNewVersion,
                json!({"version": number, "parent": parent, "approved_by": version.approved_by}),
            ),
            step(
                Step::StoreVersion,
                json!({"version": number, "folder": file.as_str()}),
            ),
        ])?;
        let details = json!({"version": number, "previous": parent, "changes": version.changes});
        self.notify(step(Step::NotifyOfUpdate, details)).await?;
        self.track(agent, number)?;
        Ok(updated)
    }

    /// Makes another version that exists already the one in use: `to`, or the version
    /// before the present one. Without a user it is taken back since its runs fail. The
    /// steps are those of a rollback, or of an update that makes no version.
    ///
    /// # Errors
    /// When the user may not decide, the version does not exist, it holds a lesson that
    /// was rejected, or a file cannot be read or written.
    pub async fn switch(
        &self,
        agent: &AgentName,
        to: Option<NonZeroU32>,
        by: Option<&str>,
        reason: Option<String>,
    ) -> Result<Switched, EngineError> {
        let switched = self.learner.switch(agent, to, by, reason)?;
        let (from, to) = (switched.from.version, switched.to.version);
        let lessons = switched.lessons.iter();
        let lessons: Vec<_> = lessons.map(|lesson| &lesson.id).collect();
        let details = json!({"from": from, "to": to});
        let detailed = json!({"from": from, "to": to, "lessons": lessons});
        let step = |step, details| self.event(step, agent, details);
        match to.cmp(&from) {
            Ordering::Equal => {}
            Ordering::Less => {
                self.journal(&[
                    step(Step::IdentifyRollbackTarget, details.clone()),
                    step(Step::RestorePreviousVersion, details.clone()),
                    step(Step::LogRollback, detailed),
                ])?;
                self.notify(step(Step::NotifyOfRollback, details)).await?;
            }
            Ordering::Greater => {
                self.journal(&[
                    step(Step::LoadCurrentPrompt, json!({"version": from})),
                    step(Step::ApplyConstraintUpdates, detailed),
                ])?;
                self.notify(step(Step::NotifyOfUpdate, details)).await?;
                self.track(agent, to)?;
            }
        }
        Ok(switched)
    }

    fn event(&self, step: Step, agent: &AgentName, details: Json) -> LearningEvent {
        let course = StepContext {
            run: self.run.as_ref(),
            at: self.learner.now,
            trigger: self.trigger,
            agent,
        };
        course.step(step, details)
    }

    fn journal(&self, events: &[LearningEvent]) -> Result<(), EngineError> {
        Ok(self.state.learning_journal().append(events)?)
    }

    /// Runs the program of the configuration, and journals the outcome. Where it
    /// fails that is a warning, and nothing else follows.
    async fn notify(&self, mut event: LearningEvent) -> Result<(), EngineError> {
        let outcome = match &self.operators {
            None => json!("nobody"),
            Some(operators) => {
                let program = operators.notify.program();
                match notify(&operators.notify, &event, operators.project).await {
                    Ok(()) => json!(program),
                    Err(why) => {
                        tracing::warn!("{program} was not notified: {why}");
                        json!({"failed": why})
                    }
                }
            }
        };
        event.payload.details.insert("told".to_owned(), outcome);
        self.journal(&[event])
    }

    /// Starts the watch over the version.
    fn track(&self, agent: &AgentName, version: NonZeroU32) -> Result<(), EngineError> {
        let files = self.learner.performances()?;
        files.update(agent, version.get(), |known| {
            known.activate(self.learner.now);
        })?;
        self.journal(&[self.event(Step::TrackPerformance, agent, json!({"version": version}))])
    }
}
