//! What a run showed of the prompts that it used.

use std::num::NonZeroU32;
use std::path::Path;

use review_agents::Backend;
use review_events::{AgentRole, Envelope};
use review_learning::config::{LearningConfig, PromptEvolutionConfig};
use review_learning::measure::{AutomaticRollback, Evidence, Observed, Performance};
use review_learning::prompt::ActiveVersion;
use review_store::{PerformanceFiles, PromptFiles, Root};

use super::{Degraded, LearnError, open_root};
use crate::settings::RunSettings;

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
) -> Result<Vec<Degraded>, LearnError> {
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
        AgentRole::Implementer => settings.implement.is_some(),
    }
}

/// Where observations are noted.
struct Notebook<'a> {
    performances: PerformanceFiles<'a>,
    prompts: PromptFiles<'a>,
    config: &'a PromptEvolutionConfig,
}

impl<'a> Notebook<'a> {
    fn new(root: &'a Root, config: &'a PromptEvolutionConfig) -> Result<Self, LearnError> {
        Ok(Self {
            performances: PerformanceFiles::new(root, &config.storage_path)
                .map_err(LearnError::read)?,
            prompts: PromptFiles::new(root, config).map_err(LearnError::read)?,
            config,
        })
    }

    /// Notes what was observed, and returns whether the version is to be rolled
    /// back.
    fn note(&self, observed: Observed) -> Result<Option<Degraded>, LearnError> {
        let Observed {
            role,
            version,
            observation,
        } = observed;
        let agent = role.as_str();
        let active = self.prompts.active(agent).map_err(LearnError::read)?;
        let active = active.filter(|active| active.version == version);
        let before = active.as_ref().and_then(version_before);
        let baseline = before.map(|before| self.performances.read(agent, before.get()));
        let baseline = baseline.transpose().map_err(LearnError::read)?;
        let errors_before = baseline
            .as_ref()
            .map(Performance::errors)
            .unwrap_or_default();
        let known = self.performances.update(agent, version.get(), |known| {
            if let (Some(active), Some(baseline)) = (&active, &baseline) {
                known.activate(active.since, baseline);
            }
            known.record(observation);
        });
        let known = known.map_err(LearnError::read)?;
        let is_degraded = self.is_degraded(&known);
        Ok(before.filter(|_| is_degraded).map(|before| Degraded {
            agent: role,
            version,
            before,
            errors: known.watched_errors(),
            errors_before,
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
