//! How lessons change prompts, and how that is rolled back.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::{Lesson, LessonStatus};
use review_learning::prompt::{ChangeCause, PromptState, PromptVersion, Switch, Update, Write};
use review_learning::{AgentName, Id};
use review_store::{AgentLock, PromptFiles};

use crate::error::EngineError;
use crate::learn::Learner;

/// The name of the approver where no approval is required.
const NOBODY: &str = "nobody: approval is not required";

/// A prompt after an update.
#[derive(Debug)]
pub struct Updated {
    /// The version that was in use before.
    pub before: PromptVersion,
    /// The version that was made; `None` when there was nothing to change.
    pub version: Option<PromptVersion>,
    /// The lessons whose state changed, as they are now.
    pub lessons: Vec<Lesson>,
    /// Whether lessons were applied without an approval.
    pub unasked: bool,
}

impl Updated {
    /// Whether it put a lesson into the prompt.
    pub fn has_applied(&self, id: &Id) -> bool {
        let is_it = |lesson: &Lesson| lesson.id == *id && lesson.status == LessonStatus::Applied;
        self.lessons.iter().any(is_it)
    }
}

/// A prompt of which another version is in use.
#[derive(Debug)]
pub struct Switched {
    /// The version that was in use.
    pub from: PromptVersion,
    /// The version that is in use now.
    pub to: PromptVersion,
    /// The lessons whose state changed, as they are now.
    pub lessons: Vec<Lesson>,
}

impl Learner<'_> {
    /// Puts what is approved into the prompt of an agent, and takes out what was
    /// rejected. Where no approval is required, what is proposed goes in as
    /// well, unless it was deferred or rolled back before.
    ///
    /// # Errors
    /// When the agent has no prompt, or a file cannot be read or written.
    pub(super) fn update(&self, agent: &AgentName) -> Result<Updated, EngineError> {
        let evolution = &self.config.prompt_evolution;
        // Who has no prompt gets no folder either.
        self.current(agent)?;
        let prompts = self.prompts()?;
        let lock = prompts.lock(agent)?;
        let mut standing = self.standing(agent)?;
        let mut unasked = false;
        if !evolution.approval_gate.required {
            for lesson in standing
                .lessons
                .iter_mut()
                .filter(|lesson| goes_unasked(lesson))
            {
                lesson.status = LessonStatus::Approved;
                lesson.approved_by = Some(NOBODY.to_owned());
                unasked = true;
            }
        }
        let update = self.planned(&standing)?;
        self.carry_out(&prompts, &lock, agent, &update.writes)?;
        let used = update.version.as_ref().unwrap_or(&standing.current);
        self.publish(agent, &used.content)?;
        Ok(Updated {
            before: standing.current,
            version: update.version,
            lessons: lessons_of(update.writes),
            unasked,
        })
    }

    /// What an update writes, without writing it.
    ///
    /// # Errors
    /// When the prompt cannot be edited.
    pub(in crate::learn) fn planned(&self, standing: &PromptState) -> Result<Update, EngineError> {
        let max = self.config.prompt_evolution.rollback.max_versions;
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        let by = approvers(&standing.lessons);
        let update = standing.update(by, self.now, max);
        update.map_err(|error| {
            let agent = &standing.current.agent;
            EngineError::new(format!("the prompt of {agent} cannot be edited: {error}"))
        })
    }

    /// Makes another version of an agent's prompt the one in use: `to`, or the version
    /// before the present one. Without a user it is taken back since its runs fail.
    ///
    /// # Errors
    /// When the user may not decide, the version does not exist, it holds a lesson that
    /// was rejected, or a file cannot be read or written.
    pub(super) fn switch(
        &self,
        agent: &AgentName,
        to: Option<NonZeroU32>,
        by: Option<&str>,
        reason: Option<String>,
    ) -> Result<Switched, EngineError> {
        if let Some(by) = by {
            self.admits(by)?;
        }
        // Who has no prompt gets no folder either.
        self.current(agent)?;
        let prompts = self.prompts()?;
        let lock = prompts.lock(agent)?;
        let standing = self.standing(agent)?;
        let current = standing.current.version;
        let target = self.target(&standing, to)?;
        let goes_back = target.version < current;
        if goes_back && !self.config.prompt_evolution.rollback.enabled {
            return Err(switched_off("prompt_evolution.rollback.enabled"));
        }
        let writes = match target.version == current {
            true => standing.unfinished(),
            false => {
                let cause = match (by, goes_back) {
                    (None, _) => ChangeCause::Degradation,
                    (Some(_), true) => ChangeCause::Rollback,
                    (Some(_), false) => ChangeCause::Restore,
                };
                let by = by.map(str::to_owned);
                let switch = Switch { cause, by, reason };
                let mut writes = standing.switch(&target, self.now, switch);
                let rolled_back = self.rolled_back(&standing, &writes)?;
                writes.extend(rolled_back.into_iter().map(Box::new).map(Write::Lesson));
                writes
            }
        };
        self.carry_out(&prompts, &lock, agent, &writes)?;
        self.publish(agent, &target.content)?;
        Ok(Switched {
            from: standing.current,
            to: target,
            lessons: lessons_of(writes),
        })
    }

    /// The lessons that are proposed, and follow from runs of versions that these writes
    /// roll back.
    fn rolled_back(
        &self,
        standing: &PromptState,
        writes: &[Write],
    ) -> Result<Vec<Lesson>, EngineError> {
        let active = writes.iter().find_map(|write| match write {
            Write::Active(active) => Some(active),
            Write::Version(_) | Write::Lesson(_) | Write::Remove(_) => None,
        });
        let Some(active) = active else {
            return Ok(Vec::new());
        };
        let agent = &standing.current.agent;
        let mut runs = BTreeSet::new();
        for version in &standing.kept {
            if active.rolled_back(*version).is_some() {
                let seen = self.runs_of(agent, *version)?;
                runs.extend(seen.into_iter().map(|seen| seen.run));
            }
        }
        let store = self.feedback()?;
        let is_of_them = |entry: &&FeedbackEntry| {
            let run = entry.context.session.as_ref();
            entry.agent == *agent && run.is_some_and(|run| runs.contains(run))
        };
        let entries = store.entries().iter().filter(is_of_them);
        let entries = entries.map(|entry| entry.id.as_str()).collect();
        let lessons = standing.lessons.iter();
        Ok(lessons
            .filter_map(|lesson| lesson.rolled_back(&entries, self.now))
            .collect())
    }

    /// Refuses a user who may not decide which version is in use.
    ///
    /// # Errors
    /// When the approvers of the configuration do not include the user.
    pub(in crate::learn) fn admits(&self, by: &str) -> Result<(), EngineError> {
        let gate = &self.config.prompt_evolution.approval_gate;
        match gate.accepts(by) {
            true => Ok(()),
            false => {
                let approvers = gate.approvers.join(", ");
                let message =
                    format!("{by} may not decide on lessons; those who may are: {approvers}");
                let hint = "prompt_evolution.approval_gate.approvers lists them";
                Err(EngineError::forbidden(message).hint(hint))
            }
        }
    }

    fn target(
        &self,
        standing: &PromptState,
        to: Option<NonZeroU32>,
    ) -> Result<PromptVersion, EngineError> {
        let current = &standing.current;
        let agent = &current.agent;
        let Some(number) = to else {
            return self.before(standing);
        };
        let target = self.version(agent, number)?;
        match standing.rejected_in(&target) {
            Some(rejected) if number != current.version => {
                let message = format!(
                    "version {number} of the prompt of {agent} holds lesson {}, which is rejected",
                    rejected.id
                );
                let hint = format!(
                    "`ralph learn rollback {agent}` goes back to the latest version without it, \
                     and `ralph learn show {agent}` lists the versions with their lessons"
                );
                Err(EngineError::forbidden(message).hint(hint))
            }
            Some(_) | None => Ok(target),
        }
    }

    /// The latest version before the one in use that is kept and holds no lesson that
    /// was rejected.
    fn before(&self, standing: &PromptState) -> Result<PromptVersion, EngineError> {
        let agent = &standing.current.agent;
        for number in standing.earlier() {
            match self.version(agent, number) {
                Ok(version) if standing.rejected_in(&version).is_none() => return Ok(version),
                Ok(_) | Err(EngineError::NoVersion { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let version = standing.current.version;
        Err(EngineError::forbidden(format!(
            "version {version} of the prompt of {agent} has none before it"
        )))
    }

    fn carry_out(
        &self,
        prompts: &PromptFiles<'_>,
        lock: &AgentLock,
        agent: &AgentName,
        writes: &[Write],
    ) -> Result<(), EngineError> {
        for write in writes {
            let written = match write {
                Write::Version(version) => prompts.make(lock, version),
                Write::Active(active) => prompts.activate(lock, agent, active),
                Write::Lesson(lesson) => {
                    self.put(lesson)?;
                    continue;
                }
                Write::Remove(version) => prompts.remove(lock, agent, *version),
            };
            written?;
        }
        Ok(())
    }
}

/// What a key of the configuration forbids.
pub fn switched_off(key: &str) -> EngineError {
    EngineError::forbidden(format!("this is switched off by {key} = false"))
}

/// Whether a lesson goes into a prompt without an approval.
fn goes_unasked(lesson: &Lesson) -> bool {
    lesson.status == LessonStatus::Proposed && !lesson.needs_decision()
}

/// Who approved what goes in now, each once.
fn approvers(lessons: &[Lesson]) -> Option<String> {
    let approved = lessons
        .iter()
        .filter(|lesson| lesson.status == LessonStatus::Approved);
    let mut names: Vec<_> = approved
        .filter_map(|lesson| lesson.approved_by.as_deref())
        .collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then(|| names.join(", "))
}

fn lessons_of(writes: Vec<Write>) -> Vec<Lesson> {
    let lessons = writes.into_iter().filter_map(|write| match write {
        Write::Lesson(lesson) => Some(*lesson),
        Write::Version(_) | Write::Active(_) | Write::Remove(_) => None,
    });
    lessons.collect()
}
