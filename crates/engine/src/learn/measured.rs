//! What runs showed of the versions of prompts.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::Path;

use review_learning::config::PromptEvolutionConfig;
use review_learning::lesson::{Lesson, LessonStatus};
use review_learning::measure::{Performance, Stats};
use review_learning::protocol::{RollbackStep, Step, UpdateStep};
use review_store::{LessonFiles, PerformanceFiles, PromptFiles, Root, StateDir};

use super::observe::watch;
use super::{LearnError, open_root, role};

/// The versions of the prompts of a root.
#[derive(Debug)]
pub struct Measured {
    root: Root,
    config: PromptEvolutionConfig,
    state: StateDir,
}

impl Measured {
    /// Those of the folder `root`; the state folder has the journal of learning.
    ///
    /// # Errors
    /// When the root is not a folder.
    pub fn new(
        root: &Path,
        config: PromptEvolutionConfig,
        state: StateDir,
    ) -> Result<Self, LearnError> {
        Ok(Self {
            root: open_root(root)?,
            config,
            state,
        })
    }

    /// What runs showed of a version; nothing for one that no run used.
    ///
    /// # Errors
    /// When the version does not exist, or its file cannot be read.
    pub fn performance(&self, agent: &str, version: NonZeroU32) -> Result<Performance, LearnError> {
        let known = self.performances()?.find(agent, version.get());
        if let Some(known) = known? {
            return Ok(known);
        }
        if version == NonZeroU32::MIN && role(agent).is_some() {
            return Ok(Performance::new(agent, version.get()));
        }
        let message = format!("no run used version {version} of {agent}");
        let hint = "`ralph learn stats` lists the agents and their versions";
        Err(LearnError::failed(message).hint(hint))
    }

    /// How all agents do, how many versions and applied lessons they have, and how
    /// often versions were rolled back.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn stats(&self) -> Result<Stats, LearnError> {
        let mut known = self.performances()?.all()?;
        let lessons = LessonFiles::new(&self.root)?;
        let lessons = lessons.all()?.lessons;
        let prompts = PromptFiles::new(&self.root, &self.config)?;
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
                .map(|active| watch(&prompts, &self.config, &agent, active, &used));
            let active = active.as_ref().map(|active| active.version);
            let first = role(&agent).map(|_| NonZeroU32::MIN);
            versions.extend(first);
            stats.prompt_versions_count += versions.len();
            let active = active.or(first).map(NonZeroU32::get);
            stats.add(&agent, active, watch.transpose()?.flatten(), &used);
        }
        let rollback = Step::Rollback(RollbackStep::LogRollback);
        let update = Step::Update(UpdateStep::StoreVersion);
        let taken = self.state.learning_journal().count([rollback, update]);
        let [rollbacks, updates] = taken?;
        Ok(stats.with_rollbacks(rollbacks, updates))
    }

    fn performances(&self) -> Result<PerformanceFiles<'_>, LearnError> {
        Ok(PerformanceFiles::new(
            &self.root,
            &self.config.storage_path,
        )?)
    }
}

/// The agents of which something is known.
fn agents(known: &BTreeMap<String, Vec<Performance>>, lessons: &[Lesson]) -> BTreeSet<String> {
    let of_lessons = lessons.iter().map(|lesson| lesson.agent.clone());
    known.keys().cloned().chain(of_lessons).collect()
}

fn is_applied(lesson: &Lesson) -> bool {
    lesson.status == LessonStatus::Applied
}
