//! What a run showed of the prompts that it used.

use std::error::Error;
use std::num::NonZeroU32;
use std::path::Path;

use review::events::{AgentRole, Envelope};
use review_agents::Backend;
use review_engine::RunSettings;
use review_learning::config::{LearningConfig, PromptEvolutionConfig};
use review_learning::measure::{AutomaticRollback, Evidence, Observed, Performance};
use review_learning::prompt::ActiveVersion;
use review_store::{PerformanceFiles, PromptFiles, Root};

use crate::error::CommandError;
use crate::target::open_root;

/// A version that errs more often than the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Degraded {
    /// The agent.
    pub(super) agent: AgentRole,
    /// The version.
    pub(super) version: NonZeroU32,
    /// The version before it, which is to be in use again.
    pub(super) before: NonZeroU32,
}

/// Notes what a run that has ended showed of the versions that it used, and
/// returns those that are to be taken back.
///
/// # Errors
/// When a file cannot be read or written.
pub(super) fn observe(
    root: &Path,
    config: &LearningConfig,
    events: &[Envelope],
    settings: &RunSettings,
) -> Result<Vec<Degraded>, CommandError> {
    let root = open_root(root)?;
    let mut observed = Evidence::of(events).observations();
    observed.retain(|observed| has_prompt(observed.role, settings));
    let notebook = Notebook::new(&root, &config.prompt_evolution)?;
    let mut degraded = Vec::new();
    for observed in observed {
        degraded.extend(notebook.note(observed)?);
    }
    Ok(degraded)
}

/// Whether an agent of a run was given a prompt: the embedded rules are not.
fn has_prompt(role: AgentRole, settings: &RunSettings) -> bool {
    match role {
        AgentRole::Reviewer => !settings.reviewer.is_builtin(),
        AgentRole::Applier => settings.applier != Backend::Builtin,
    }
}

/// Where observations are noted.
struct Notebook<'a> {
    performances: PerformanceFiles<'a>,
    prompts: PromptFiles<'a>,
    config: &'a PromptEvolutionConfig,
}

impl<'a> Notebook<'a> {
    fn new(root: &'a Root, config: &'a PromptEvolutionConfig) -> Result<Self, CommandError> {
        Ok(Self {
            performances: input(PerformanceFiles::new(root, &config.storage_path))?,
            prompts: input(PromptFiles::new(root, config))?,
            config,
        })
    }

    /// Notes what was observed, and says whether the version is to be taken
    /// back.
    fn note(&self, observed: Observed) -> Result<Option<Degraded>, CommandError> {
        let Observed {
            role,
            version,
            observation,
        } = observed;
        let agent = role.as_str();
        let active = input(self.prompts.active(agent))?;
        let active = active.filter(|active| active.version == version);
        let before = active.as_ref().and_then(version_before);
        let baseline = before.map(|before| self.performances.read(agent, before.get()));
        let baseline = input(baseline.transpose())?;
        let known = self.performances.update(agent, version.get(), |known| {
            if let (Some(active), Some(baseline)) = (&active, &baseline) {
                known.activate(active.since, baseline);
            }
            known.record(observation);
        });
        let is_degraded = self.is_degraded(&input(known)?);
        Ok(before.filter(|_| is_degraded).map(|before| Degraded {
            agent: role,
            version,
            before,
        }))
    }

    fn is_degraded(&self, known: &Performance) -> bool {
        let is_on = self.config.rollback.enabled && self.config.versioning.enabled;
        is_on && AutomaticRollback::of(known) == AutomaticRollback::Degraded
    }
}

/// The version before the active one; `None` after a rollback, which goes back
/// to a version that was watched before.
fn version_before(active: &ActiveVersion) -> Option<NonZeroU32> {
    active
        .previous
        .filter(|previous| *previous < active.version)
}

fn input<T, E: Error + 'static>(result: Result<T, E>) -> Result<T, CommandError> {
    result.map_err(|error| CommandError::input(&error))
}
