//! Lessons go into prompts without an approval where none is required.

use review_learning::Id;
use review_learning::lesson::LessonStatus;

use super::{Evolution, LearnError, LearnNotice, Notices, PromptLog};

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
