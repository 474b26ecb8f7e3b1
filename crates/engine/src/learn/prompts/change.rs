//! How lessons change prompts, and how that is rolled back.

use std::num::NonZeroU32;

use review_learning::lesson::{Lesson, LessonStatus};
use review_learning::prompt::{PromptState, PromptVersion, Update, Write};
use review_store::{PromptFiles, PromptLock};

use super::Evolution;
use crate::learn::{LearnError, Notices};

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

/// A prompt of which another version is in use again.
#[derive(Debug)]
pub struct RolledBack {
    /// The version that was in use.
    pub from: PromptVersion,
    /// The version that is in use now.
    pub to: PromptVersion,
    /// The lessons whose state changed, as they are now.
    pub lessons: Vec<Lesson>,
}

impl Evolution<'_> {
    /// Puts what is approved into the prompt of an agent, and takes out what was
    /// rejected. Where no approval is required, what is proposed goes in as
    /// well, unless it was deferred or rolled back before.
    ///
    /// # Errors
    /// When the agent has no prompt, or a file cannot be read or written.
    pub fn update(&self, agent: &str, notices: &mut Notices<'_>) -> Result<Updated, LearnError> {
        let evolution = &self.config.prompt_evolution;
        // Who has no prompt gets no folder either.
        self.current(agent)?;
        let prompts = self.prompts()?;
        let lock = prompts.lock(agent).map_err(LearnError::write)?;
        let mut standing = self.standing(agent, notices)?;
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
    pub(in crate::learn) fn planned(&self, standing: &PromptState) -> Result<Update, LearnError> {
        let max = self.config.prompt_evolution.rollback.max_versions;
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        let by = approvers(&standing.lessons);
        let update = standing.update(by, self.now, max);
        update.map_err(|source| LearnError::Uneditable {
            agent: standing.current.agent.clone(),
            source,
        })
    }

    /// Makes another version of an agent's prompt the one in use: `to`, or the
    /// one that the present one was made from.
    ///
    /// # Errors
    /// When there is none, it holds a lesson that was rejected, or a file cannot
    /// be read or written.
    pub fn roll_back(
        &self,
        agent: &str,
        to: Option<NonZeroU32>,
        notices: &mut Notices<'_>,
    ) -> Result<RolledBack, LearnError> {
        let current = self.current(agent)?;
        let first = || LearnError::FirstVersion {
            agent: agent.to_owned(),
            version: current.version,
        };
        let target = to.or(current.parent).ok_or_else(first)?;
        let target = self.version(agent, target)?;
        let prompts = self.prompts()?;
        let lock = prompts.lock(agent).map_err(LearnError::write)?;
        let standing = self.standing(agent, notices)?;
        let is_other = target.version != standing.current.version;
        if is_other && let Some(rejected) = standing.rejected_in(&target) {
            return Err(LearnError::RejectedLesson {
                agent: agent.to_owned(),
                version: target.version,
                lesson: rejected.id.clone(),
            });
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
    ) -> Result<(), LearnError> {
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
            written.map_err(LearnError::write)?;
        }
        Ok(())
    }
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
