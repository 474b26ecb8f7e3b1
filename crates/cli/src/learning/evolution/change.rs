//! How lessons change prompts, and how that is taken back.

use std::num::NonZeroU32;

use review_learning::lesson::{Lesson, LessonStatus};
use review_learning::prompt::{PromptState, PromptVersion, Update, Write};
use review_store::{PromptFiles, PromptLock};

use super::Evolution;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::unwritable;

/// Who is named where the gate asks nobody.
const NOBODY: &str = "nobody: approval is not required";

/// A prompt after an update.
#[derive(Debug)]
pub(crate) struct Updated {
    /// The version that was in use before.
    pub(crate) before: PromptVersion,
    /// The version that was made; `None` when there was nothing to change.
    pub(crate) version: Option<PromptVersion>,
    /// The lessons whose state changed, as they are now.
    pub(crate) lessons: Vec<Lesson>,
    /// Whether lessons were applied that nobody approved.
    pub(crate) unasked: bool,
}

/// A prompt of which another version is in use again.
#[derive(Debug)]
pub(crate) struct RolledBack {
    /// The version that was in use.
    pub(crate) from: PromptVersion,
    /// The version that is in use now.
    pub(crate) to: PromptVersion,
    /// The lessons whose state changed, as they are now.
    pub(crate) lessons: Vec<Lesson>,
}

impl Evolution<'_> {
    /// Puts what is approved into the prompt of an agent, and takes out what was
    /// rejected. Where the gate asks nobody, what is proposed goes in as well,
    /// but for what was put off or taken back before.
    ///
    /// # Errors
    /// When the agent has no prompt, or a file cannot be read or written.
    pub(crate) fn update(
        &self,
        context: &mut Context,
        agent: &str,
    ) -> Result<Updated, CommandError> {
        let evolution = &self.config.prompt_evolution;
        // Who has no prompt gets no folder either.
        self.current(agent)?;
        let prompts = self.prompts()?;
        let lock = prompts.lock(agent).map_err(unwritable)?;
        let mut standing = self.standing(context, agent)?;
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
    pub(crate) fn planned(&self, standing: &PromptState) -> Result<Update, CommandError> {
        let max = self.config.prompt_evolution.rollback.max_versions;
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        let by = approvers(&standing.lessons);
        standing.update(by, self.now, max).map_err(|error| {
            let agent = &standing.current.agent;
            let message = format!("the prompt of {agent} cannot be edited: {error}");
            CommandError::new(ErrorKind::Input, message)
        })
    }

    /// Makes another version of an agent's prompt the one in use: `to`, or the
    /// one that the present one was made from.
    ///
    /// # Errors
    /// When there is none, it holds a lesson that was rejected, or a file cannot
    /// be read or written.
    pub(crate) fn roll_back(
        &self,
        context: &mut Context,
        agent: &str,
        to: Option<NonZeroU32>,
    ) -> Result<RolledBack, CommandError> {
        let current = self.current(agent)?;
        let target = to.or(current.parent).ok_or_else(|| {
            let message = format!(
                "version {} of the prompt of {agent} has none before it",
                current.version
            );
            CommandError::new(ErrorKind::Refused, message)
        })?;
        let target = self.version(agent, target)?;
        let prompts = self.prompts()?;
        let lock = prompts.lock(agent).map_err(unwritable)?;
        let standing = self.standing(context, agent)?;
        let is_other = target.version != standing.current.version;
        if is_other && let Some(rejected) = standing.rejected_in(&target) {
            let message = format!(
                "version {} of the prompt of {agent} holds lesson {}, which is rejected",
                target.version, rejected.id
            );
            let hint = format!("`ralph learn history {agent}` lists the versions");
            return Err(CommandError::new(ErrorKind::Refused, message).hint(hint));
        }
        let writes = match is_other {
            true => standing.rollback(&target, self.now),
            false => standing.unfinished(),
        };
        self.carry_out(&prompts, &lock, agent, &writes)?;
        Ok(RolledBack {
            from: standing.current,
            to: target,
            lessons: lessons_of(writes),
        })
    }

    fn carry_out(
        &self,
        prompts: &PromptFiles<'_>,
        lock: &PromptLock,
        agent: &str,
        writes: &[Write],
    ) -> Result<(), CommandError> {
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
            written.map_err(unwritable)?;
        }
        Ok(())
    }
}

/// Whether a lesson goes into a prompt where nobody is asked.
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
