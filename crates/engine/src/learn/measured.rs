//! What runs showed of the versions of prompts.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use review_learning::AgentName;
use review_learning::lesson::{Lesson, LessonStatus};
use review_learning::measure::{Performance, Stats};
use review_learning::protocol::Step;
use review_store::StateDir;

use super::{Learner, role};
use crate::error::EngineError;

impl Learner<'_> {
    /// What runs showed of a version; nothing for the first one of a role that no run used.
    ///
    /// # Errors
    /// When no run used another one, or its file cannot be read.
    pub fn performance_of(
        &self,
        agent: &AgentName,
        version: NonZeroU32,
    ) -> Result<Performance, EngineError> {
        if let Some(known) = self.performance(agent, version)? {
            return Ok(known);
        }
        if version == NonZeroU32::MIN && role(agent).is_some() {
            return Ok(Performance::new(agent, version.get()));
        }
        let message = format!("no run used version {version} of {agent}");
        let hint = "`ralph learn stats` lists the agents and their versions";
        Err(EngineError::hinted(message, hint))
    }

    /// How all agents do, how many versions and applied lessons they have, and how
    /// often versions were rolled back, by the journal of learning in the state folder.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn stats(&self, state: &StateDir) -> Result<Stats, EngineError> {
        let mut known = self.performances()?.all()?;
        let lessons = self.lesson_files()?.all()?.lessons;
        let prompts = self.prompts()?;
        let mut stats = Stats {
            lessons_applied_count: lessons.iter().filter(|lesson| is_applied(lesson)).count(),
            ..Stats::default()
        };
        for agent in agents(&known, &lessons) {
            let mut versions = prompts.versions(&agent)?;
            let active = prompts.active(&agent)?;
            let used = known.remove(&agent).unwrap_or_default();
            let watch = active
                .as_ref()
                .map(|active| self.watch(&agent, active, &used));
            let active = active.as_ref().map(|active| active.version);
            let first = role(&agent).map(|_| NonZeroU32::MIN);
            versions.extend(first);
            stats.prompt_versions_count += versions.len();
            let active = active.or(first).map(NonZeroU32::get);
            stats.add(&agent, active, watch.transpose()?.flatten(), &used);
        }
        let rollback = Step::LogRollback;
        let update = Step::StoreVersion;
        let [rollbacks, updates] = state.learning_journal().count([rollback, update])?;
        Ok(stats.with_rollbacks(rollbacks, updates))
    }
}

/// The agents of which something is known.
fn agents(
    known: &BTreeMap<AgentName, Vec<Performance>>,
    lessons: &[Lesson],
) -> BTreeSet<AgentName> {
    let of_lessons = lessons.iter().map(|lesson| lesson.agent.clone());
    known.keys().cloned().chain(of_lessons).collect()
}

fn is_applied(lesson: &Lesson) -> bool {
    lesson.status == LessonStatus::Applied
}
