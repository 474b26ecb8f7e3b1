//! What is known of the versions of prompts from the runs that used them.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::num::NonZeroU32;

use review_config::Overrides;
use review_learning::config::PromptEvolutionConfig;
use review_learning::lesson::{Lesson, LessonStatus};
use review_learning::measure::{Performance, Stats};
use review_learning::protocol::{RollbackStep, Step, UpdateStep};
use review_store::{LessonFiles, PerformanceFiles, PromptFiles, Root, StateDir};

use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::learning_config;
use crate::target::open_root;

/// The agents whose first version is part of the program.
const OWN_ROLES: [&str; 2] = ["reviewer", "applier"];

/// The versions of the prompts of a root.
pub(super) struct Measured {
    root: Root,
    config: PromptEvolutionConfig,
    state: StateDir,
}

impl Measured {
    /// Those of the root of the current folder.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub(super) fn open(context: &mut Context) -> Result<Self, CommandError> {
        let path = context.current_root();
        let settings = context.settings(&path, Overrides::default())?;
        let learning = learning_config(&path, &settings)?.unwrap_or_default();
        Ok(Self {
            root: open_root(&path)?,
            config: learning.prompt_evolution,
            state: context.state_for_reading(&settings),
        })
    }

    /// What runs showed of a version; nothing for one that no run used.
    ///
    /// # Errors
    /// When there is no such version, or its file cannot be read.
    pub(super) fn performance(
        &self,
        agent: &str,
        version: NonZeroU32,
    ) -> Result<Performance, CommandError> {
        let known = self.performances()?.find(agent, version.get());
        if let Some(known) = read(known)? {
            return Ok(known);
        }
        if version == NonZeroU32::MIN && OWN_ROLES.contains(&agent) {
            return Ok(Performance::new(agent, version.get()));
        }
        let message = format!("no run used version {version} of {agent}");
        let error = CommandError::new(ErrorKind::Usage, message);
        Err(error.hint("`ralph learn stats` lists the agents and their versions"))
    }

    /// How all agents do, how many versions and applied lessons they have, and how
    /// often versions were taken back.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(super) fn stats(&self) -> Result<Stats, CommandError> {
        let mut known = read(self.performances()?.all())?;
        let lessons = read(read(LessonFiles::new(&self.root))?.all())?.lessons;
        let prompts = read(PromptFiles::new(&self.root, &self.config))?;
        let mut stats = Stats {
            lessons_applied_count: lessons.iter().filter(|lesson| is_applied(lesson)).count(),
            ..Stats::default()
        };
        for agent in agents(&known, &lessons) {
            let mut versions = read(prompts.versions(&agent))?;
            let active = read(prompts.active(&agent))?.map(|active| active.version);
            let first = OWN_ROLES
                .contains(&agent.as_str())
                .then_some(NonZeroU32::MIN);
            versions.extend(first);
            stats.prompt_versions_count += versions.len();
            let active = active.or(first).map(NonZeroU32::get);
            stats.add(&agent, active, &known.remove(&agent).unwrap_or_default());
        }
        let rollback = Step::Rollback(RollbackStep::LogRollback);
        let update = Step::Update(UpdateStep::StoreVersion);
        let taken = self.state.learning_journal().count([rollback, update]);
        let [rollbacks, updates] = read(taken)?;
        Ok(stats.with_rollbacks(rollbacks, updates))
    }

    fn performances(&self) -> Result<PerformanceFiles<'_>, CommandError> {
        read(PerformanceFiles::new(&self.root, &self.config.storage_path))
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

fn read<T, E: Error + 'static>(result: Result<T, E>) -> Result<T, CommandError> {
    result.map_err(|error| CommandError::input(&error))
}
