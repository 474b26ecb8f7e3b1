//! Decisions of users on lessons.

use review_learning::lesson::{Decision, Lesson, LessonStatus};

use super::{Evolution, LearnError, Notices, PromptLog, Updated};

/// A lesson after a decision.
#[derive(Debug)]
pub struct Decided {
    /// The lesson as it is now.
    pub lesson: Lesson,
    /// The prompt, where the decision concerns it.
    pub updated: Option<Updated>,
}

/// Carries out what a user decided on a lesson, and updates its prompt where the
/// decision concerns it.
///
/// # Errors
/// When it cannot be decided so, or not by this user, or a file cannot be used.
pub async fn decide(
    evolution: &Evolution<'_>,
    log: &PromptLog<'_>,
    lesson: &Lesson,
    decision: Decision,
    by: &str,
    notices: &mut Notices<'_>,
) -> Result<Decided, LearnError> {
    let config = &evolution.config().prompt_evolution;
    evolution.admits(by)?;
    lesson.decided(decision, by)?;
    let was_applied = lesson.status == LessonStatus::Applied;
    let concerns_prompt = decision == Decision::Approve || was_applied;
    if concerns_prompt {
        // A lesson that cannot be applied stays proposed.
        evolution.current(&lesson.agent)?;
    }
    let decided = evolution.decided(lesson, decision, by)?;
    if !concerns_prompt || !config.versioning.enabled {
        return Ok(Decided {
            lesson: decided,
            updated: None,
        });
    }
    let updated = evolution.update(&lesson.agent, notices)?;
    log.updated(evolution, &updated, notices).await?;
    // Another process may have applied it.
    let lessons = evolution.lessons(Some(&lesson.agent), notices)?;
    let now = lessons.into_iter().find(|now| now.id == decided.id);
    Ok(Decided {
        lesson: now.unwrap_or(decided),
        updated: Some(updated),
    })
}
