//! What a run showed of the prompts that it used.

use std::num::NonZeroU32;

use review_agents::Backend;
use review_events::{AgentRole, Envelope};
use review_learning::AgentName;
use review_learning::measure::{Evidence, Observed, Performance, RegressionCheck};
use review_learning::prompt::ActiveVersion;

use super::{Degraded, Learner};
use crate::error::EngineError;
use crate::settings::RunSettings;

impl Learner<'_> {
    /// Notes what a run that has ended showed of the versions that it used, and
    /// returns those that are to be rolled back.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(super) fn observe(
        &self,
        events: &[Envelope],
        settings: &RunSettings,
    ) -> Result<Vec<Degraded>, EngineError> {
        let mut observed = Evidence::of(events).observations();
        observed.retain(|observed| has_prompt(observed.role, settings));
        let mut degraded = Vec::new();
        for observed in observed {
            degraded.extend(self.note(observed)?);
        }
        Ok(degraded)
    }

    /// Notes what was observed, and returns whether the version is to be rolled
    /// back.
    fn note(&self, observed: Observed) -> Result<Option<Degraded>, EngineError> {
        let Observed {
            role,
            version,
            observation,
        } = observed;
        let agent = &AgentName::from(role);
        let active = self.prompts()?.active(agent)?;
        let active = active.filter(|active| active.version == version);
        let performances = self.performances()?;
        performances.update(agent, version.get(), |known| {
            if let Some(active) = &active {
                known.activate(active.since);
            }
            known.record(observation);
        })?;
        let evolution = &self.config.prompt_evolution;
        let rolls_back = evolution.rollback.enabled && evolution.versioning.enabled;
        let Some(active) = active.filter(|_| rolls_back) else {
            return Ok(None);
        };
        let watch = self.watch(agent, &active, &performances.of(agent)?)?;
        let worse = watch.filter(|watch| watch.is_worse);
        Ok(worse.and_then(|watch| Degraded::new(role, version, watch, &active.ancestors())))
    }

    /// The watch over the version of an agent that is in use; `None` for one that was made
    /// from none that can be used again.
    ///
    /// # Errors
    /// When the versions cannot be listed.
    pub(super) fn watch(
        &self,
        agent: &AgentName,
        active: &ActiveVersion,
        all: &[Performance],
    ) -> Result<Option<RegressionCheck>, EngineError> {
        let kept = self.prompts()?.versions(agent)?;
        let is_kept = |version: &NonZeroU32| *version == NonZeroU32::MIN || kept.contains(version);
        let ancestors = active.ancestors().into_iter().filter(is_kept);
        let ancestors: Vec<u32> = ancestors.map(NonZeroU32::get).collect();
        let is_approved = self.config.prompt_evolution.approval_gate.required;
        Ok(RegressionCheck::of(
            active.version.get(),
            &ancestors,
            all,
            is_approved,
        ))
    }
}

/// Whether an agent of a run was given a prompt: the embedded rules are not.
fn has_prompt(role: AgentRole, settings: &RunSettings) -> bool {
    match role {
        AgentRole::Reviewer => !settings.config.reviewer.is_builtin(),
        AgentRole::Applier => settings.config.applier != Backend::Builtin,
        AgentRole::Implementer => settings.implementer().is_some(),
    }
}
