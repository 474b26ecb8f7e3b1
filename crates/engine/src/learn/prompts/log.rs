//! The journal of learning, and who is notified of a change of a prompt.

use std::cmp::Ordering;
use std::fmt;

use review_agents::CommandLine;
use review_learning::protocol::{LearningEvent, Step, StepContext, Trigger};
use review_store::StateDir;
use review_types::{RunId, Timestamp};
use serde_json::{Value as Json, json};

use super::{Evolution, Switched, Updated};
use crate::learn::{LearnError, LearnNotice, Notices};
use crate::notice::notify;
use crate::project::Project;

/// Journals what becomes of prompts, and notifies operators.
#[derive(Debug)]
pub struct PromptLog<'a> {
    /// The state folder with the journal.
    pub state: StateDir,
    /// Why prompts change.
    pub trigger: Trigger,
    /// The run after which they do, if it was one.
    pub run: Option<RunId>,
    /// The time.
    pub now: Timestamp,
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

impl PromptLog<'_> {
    /// Journals the steps of an update that made a version, notifies operators, and
    /// follows how the version does from now on.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub async fn updated(
        &self,
        evolution: &Evolution<'_>,
        updated: &Updated,
        notices: &mut Notices<'_>,
    ) -> Result<(), LearnError> {
        let Some(version) = &updated.version else {
            return Ok(());
        };
        let agent = &*version.agent;
        let (number, parent) = (version.version, updated.before.version);
        let step = |step, details| self.event(step, agent, details);
        let mut applied = json!({"changes": version.changes, "lessons": version.applied_lessons});
        if updated.unasked {
            applied["approval"] = json!("not required");
        }
        let file = evolution.prompts()?.folder(agent);
        self.journal([
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
        let event = step(Step::NotifyOfUpdate, details);
        self.notify(event, notices).await?;
        self.track(evolution, agent, number.get())?;
        let tracked = json!({"version": number});
        self.journal([step(Step::TrackPerformance, tracked)])
    }

    /// Journals the steps of a change to another version that exists already, and
    /// notifies operators: those of a rollback, or those of an update that makes no
    /// version.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub async fn switched(
        &self,
        evolution: &Evolution<'_>,
        switched: &Switched,
        notices: &mut Notices<'_>,
    ) -> Result<(), LearnError> {
        let (from, to) = (switched.from.version, switched.to.version);
        let agent = &*switched.to.agent;
        let lessons = switched.lessons.iter();
        let lessons: Vec<_> = lessons.map(|lesson| &lesson.id).collect();
        let details = json!({"from": from, "to": to});
        let detailed = json!({"from": from, "to": to, "lessons": lessons});
        let step = |step, details| self.event(step, agent, details);
        match to.cmp(&from) {
            Ordering::Equal => Ok(()),
            Ordering::Less => {
                self.journal([
                    step(Step::IdentifyRollbackTarget, details.clone()),
                    step(Step::RestorePreviousVersion, details.clone()),
                    step(Step::LogRollback, detailed),
                ])?;
                let event = step(Step::NotifyOfRollback, details);
                self.notify(event, notices).await
            }
            Ordering::Greater => {
                self.journal([
                    step(Step::LoadCurrentPrompt, json!({"version": from})),
                    step(Step::ApplyConstraintUpdates, detailed),
                ])?;
                let event = step(Step::NotifyOfUpdate, details);
                self.notify(event, notices).await?;
                self.track(evolution, agent, to.get())?;
                let tracked = json!({"version": to});
                self.journal([step(Step::TrackPerformance, tracked)])
            }
        }
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

    fn journal<const N: usize>(&self, events: [LearningEvent; N]) -> Result<(), LearnError> {
        Ok(self.state.learning_journal().append(&events)?)
    }

    /// Runs the program of the configuration, and journals the outcome. Where it
    /// fails that is reported, and nothing else follows.
    async fn notify(
        &self,
        mut event: LearningEvent,
        notices: &mut Notices<'_>,
    ) -> Result<(), LearnError> {
        let outcome = match &self.operators {
            None => json!("nobody"),
            Some(operators) => {
                let program = operators.notify.program();
                match notify(&operators.notify, &event, operators.project).await {
                    Ok(()) => json!(program),
                    Err(why) => {
                        let outcome = json!({"failed": why});
                        let program = program.to_owned();
                        notices(LearnNotice::NotNotified { program, why });
                        outcome
                    }
                }
            }
        };
        event.payload.details.insert("told".to_owned(), outcome);
        self.journal([event])
    }

    /// Starts the watch over the version.
    fn track(
        &self,
        evolution: &Evolution<'_>,
        agent: &str,
        version: u32,
    ) -> Result<(), LearnError> {
        let files = evolution.performances()?;
        files.update(agent, version, |known| known.activate(self.now))?;
        Ok(())
    }
}
