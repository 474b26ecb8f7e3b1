//! How lessons get into prompts: by decisions of users, or without where none is required.

use review_learning::Id;
use review_learning::lesson::{Decision, Lesson, LessonStatus};

use super::{Evolution, LearnError, LearnNotice, Notices, PromptLog, Updated};

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

/// Puts lessons into prompts where no approval is required.
#[derive(Debug)]
pub struct AutomaticUpdates<'a> {
    /// The prompts and lessons.
    pub evolution: &'a Evolution<'a>,
    /// Where that is journaled.
    pub log: &'a PromptLog<'a>,
}

impl AutomaticUpdates<'_> {
    /// Puts the lessons that are proposed for an agent into its prompt, where no
    /// approval is required, and returns those. Lessons that cannot go in stay
    /// proposed, which is reported.
    pub async fn update(&self, agent: &str, notices: &mut Notices<'_>) -> Vec<Id> {
        let config = &self.evolution.config().prompt_evolution;
        if config.approval_gate.required || !config.versioning.enabled {
            return Vec::new();
        }
        self.updated(agent, notices).await.unwrap_or_else(|why| {
            let agent = agent.to_owned();
            notices(LearnNotice::StayProposed { agent, why });
            Vec::new()
        })
    }

    async fn updated(&self, agent: &str, notices: &mut Notices<'_>) -> Result<Vec<Id>, LearnError> {
        let updated = self.evolution.update(agent, notices)?;
        self.log.updated(self.evolution, &updated, notices).await?;
        if let Some(version) = &updated.version {
            notices(LearnNotice::Updated {
                agent: agent.to_owned(),
                version: version.version,
            });
        }
        let lessons = updated.lessons.into_iter();
        let applied = lessons.filter(|lesson| lesson.status == LessonStatus::Applied);
        Ok(applied.map(|lesson| lesson.id).collect())
    }
}
