//! The versions of prompts, and those that runs give.

use std::num::NonZeroU32;
use std::path::Path;

use review_agents::{RolePrompt, RolePrompts};
use review_config::Config;
use review_events::AgentRole;
use review_learning::AgentName;
use review_learning::measure::{self, Observation};
use review_learning::prompt::{Performance, PromptState, PromptVersion};
use review_store::{Reader, RootPath};
use review_types::{Timestamp, error_chain};

use super::client::not_utf8;
use crate::error::EngineError;
use crate::learn::{Learner, learning_config};

impl Learner<'_> {
    /// The version of an agent's prompt that is in use.
    ///
    /// # Errors
    /// When the agent has no prompt, or a file cannot be read.
    pub fn current(&self, agent: &AgentName) -> Result<PromptVersion, EngineError> {
        let active = self.prompts()?.active(agent)?;
        let version = active.map_or(NonZeroU32::MIN, |active| active.version);
        self.version(agent, version)
    }

    /// A version of an agent's prompt. The first one is that of the program, or
    /// of the agent's own file, as long as it has none among the versions.
    ///
    /// # Errors
    /// When it does not exist, or cannot be read.
    pub fn version(
        &self,
        agent: &AgentName,
        version: NonZeroU32,
    ) -> Result<PromptVersion, EngineError> {
        let kept = self.prompts()?.version(agent, version);
        match kept? {
            Some(kept) => Ok(kept),
            None if version == NonZeroU32::MIN => self.first(agent),
            None => {
                let agent = agent.clone();
                Err(EngineError::NoVersion { agent, version })
            }
        }
    }

    fn first(&self, agent: &AgentName) -> Result<PromptVersion, EngineError> {
        let content = match role(agent) {
            Some(role) => RolePrompt::embedded(role).text().to_owned(),
            None if self.client(agent).is_some() => String::new(),
            None => self.own_prompt(agent)?,
        };
        Ok(PromptVersion {
            agent: agent.clone(),
            version: NonZeroU32::MIN,
            parent: None,
            content,
            created_at: self.now,
            applied_lessons: Vec::new(),
            changes: Vec::new(),
            approved_by: None,
            performance: None,
        })
    }

    /// The prompt of an agent other than our roles, from its own file.
    fn own_prompt(&self, agent: &AgentName) -> Result<String, EngineError> {
        let named = self
            .config
            .agents
            .get(agent.as_str())
            .map(|agent| agent.prompt.to_string());
        let usual = format!(".claude/agents/{agent}.md");
        let path = named.as_deref().unwrap_or(&usual);
        let found =
            RootPath::new(path).and_then(|path| Reader::new(&self.root).read(path.as_str()));
        match found {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| not_utf8(path)),
            Err(error) => Err(EngineError::Absent {
                message: format!(
                    "the prompt of {agent} is not known: {}",
                    error_chain(&error)
                ),
                hint: format!(
                    "name its file by the key learning.agents.{agent}.prompt, or write {usual}"
                ),
            }),
        }
    }

    /// The runs that used a version.
    ///
    /// # Errors
    /// When the file of its performance cannot be read.
    pub(in crate::learn) fn runs_of(
        &self,
        agent: &AgentName,
        version: NonZeroU32,
    ) -> Result<Vec<Observation>, EngineError> {
        let seen = self.performance(agent, version)?;
        Ok(seen.map_or_else(Vec::new, |seen| seen.observations().to_vec()))
    }

    /// How a version does, next to the one that it was made from; `None` where no run
    /// used it.
    ///
    /// # Errors
    /// When a file of their performance cannot be read.
    pub fn measured(&self, version: &PromptVersion) -> Result<Option<Performance>, EngineError> {
        let agent = &version.agent;
        let averages = |of: Option<measure::Performance>| of.map(|of| of.averages());
        let after = averages(self.performance(agent, version.version)?);
        let Some(after) = after.filter(|after| after.runs > 0) else {
            return Ok(None);
        };
        let before = version.parent.map(|parent| self.performance(agent, parent));
        let before = averages(before.transpose()?.flatten()).unwrap_or_default();
        Ok(Some(Performance {
            quality_before: before.quality,
            quality_after: after.quality,
            error_rate_before: before.error_rate,
            error_rate_after: after.error_rate,
        }))
    }

    pub(in crate::learn) fn performance(
        &self,
        agent: &AgentName,
        version: NonZeroU32,
    ) -> Result<Option<measure::Performance>, EngineError> {
        Ok(self.performances()?.find(agent, version.get())?)
    }

    /// The prompt of an agent as it is kept.
    ///
    /// # Errors
    /// When the agent has no prompt, or a file cannot be read.
    pub fn standing(&self, agent: &AgentName) -> Result<PromptState, EngineError> {
        let prompts = self.prompts()?;
        let versions = prompts.versions(agent);
        Ok(PromptState {
            current: self.current(agent)?,
            active: prompts.active(agent)?,
            kept: versions?,
            lessons: self.lessons(Some(agent))?,
        })
    }
}

/// Our role of this name, if it is one.
pub fn role(agent: &AgentName) -> Option<AgentRole> {
    agent.as_str().parse().ok()
}

/// The instructions that runs in a root give: the versions in use, or those of
/// the program where versions are switched off.
///
/// # Errors
/// When the configuration, or a file of a version, cannot be used.
pub fn active_prompts(root: &Path, config: &Config) -> Result<RolePrompts, EngineError> {
    let learning = learning_config(root, config)?.unwrap_or_default();
    let mut prompts = RolePrompts::default();
    if !learning.prompt_evolution.versioning.enabled {
        return Ok(prompts);
    }
    let learner = Learner::new(root, &learning, Timestamp::UNIX_EPOCH)?;
    for &role in AgentRole::ALL {
        let current = learner.current(&AgentName::from(role))?;
        prompts.set(RolePrompt::new(role, current.version, current.content));
    }
    Ok(prompts)
}
