//! The versions of prompts, and those that runs give.

use std::num::NonZeroU32;
use std::path::Path;

use review::events::AgentRole;
use review_agents::{RolePrompt, RolePrompts};
use review_config::Config;
use review_learning::prompt::{PromptState, PromptVersion};
use review_store::{Reader, RootPath};
use review_types::Timestamp;

use super::Evolution;
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::learning_config;
use crate::learning::unreadable;

impl Evolution<'_> {
    /// The version of an agent's prompt that is in use.
    ///
    /// # Errors
    /// When the agent has no prompt, or a file cannot be read.
    pub(crate) fn current(&self, agent: &str) -> Result<PromptVersion, CommandError> {
        let active = self.prompts()?.active(agent).map_err(unreadable)?;
        let version = active.map_or(NonZeroU32::MIN, |active| active.version);
        self.version(agent, version)
    }

    /// A version of an agent's prompt. The first one is that of the program, or
    /// of the agent's own file, as long as it has none among the versions.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub(crate) fn version(
        &self,
        agent: &str,
        version: NonZeroU32,
    ) -> Result<PromptVersion, CommandError> {
        let kept = self.prompts()?.version(agent, version);
        match kept.map_err(unreadable)? {
            Some(kept) => Ok(kept),
            None if version == NonZeroU32::MIN => self.first(agent),
            None => {
                let message = format!("there is no version {version} of the prompt of {agent}");
                let hint = format!("`ralph learn history {agent}` lists the versions");
                Err(CommandError::new(ErrorKind::Usage, message).hint(hint))
            }
        }
    }

    fn first(&self, agent: &str) -> Result<PromptVersion, CommandError> {
        let content = match role(agent) {
            Some(role) => RolePrompt::embedded(role).text().to_owned(),
            None => self.own_prompt(agent)?,
        };
        Ok(PromptVersion {
            agent: agent.to_owned(),
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

    /// The prompt of an agent that is none of our roles, from its own file.
    fn own_prompt(&self, agent: &str) -> Result<String, CommandError> {
        let key = format!("learning.agents.{agent}.prompt");
        let named = self
            .config
            .agents
            .get(agent)
            .map(|agent| agent.prompt.to_string());
        let usual = format!(".claude/agents/{agent}.md");
        let path = named.as_deref().unwrap_or(&usual);
        let found =
            RootPath::new(path).and_then(|path| Reader::new(&self.root).read(path.as_str()));
        match found {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| {
                CommandError::new(ErrorKind::Input, format!("{path} is no text in UTF-8"))
            }),
            Err(error) => {
                let message = format!("the prompt of {agent} is not known: {error}");
                let hint = format!("name its file by the key {key}, or write {usual}");
                Err(CommandError::new(ErrorKind::Config, message).hint(hint))
            }
        }
    }

    /// The prompt of an agent as it is kept.
    ///
    /// # Errors
    /// When the agent has no prompt, or a file cannot be read.
    pub(crate) fn standing(
        &self,
        context: &mut Context,
        agent: &str,
    ) -> Result<PromptState, CommandError> {
        let versions = self.prompts()?.versions(agent);
        Ok(PromptState {
            current: self.current(agent)?,
            kept: versions.map_err(unreadable)?,
            lessons: self.lessons(context, Some(agent))?,
        })
    }
}

/// Our role of this name, if it is one.
pub(crate) fn role(agent: &str) -> Option<AgentRole> {
    let roles = [AgentRole::Reviewer, AgentRole::Applier];
    roles.into_iter().find(|role| role.as_str() == agent)
}

/// The instructions that runs in a root give: the versions in use, or those of
/// the program where versions are switched off.
///
/// # Errors
/// When the configuration, or a file of a version, cannot be used.
pub(crate) fn active_prompts(root: &Path, settings: &Config) -> Result<RolePrompts, CommandError> {
    let config = learning_config(root, settings)?.unwrap_or_default();
    let mut prompts = RolePrompts::default();
    if !config.prompt_evolution.versioning.enabled {
        return Ok(prompts);
    }
    let evolution = Evolution::new(root, &config, Timestamp::UNIX_EPOCH)?;
    for role in [AgentRole::Reviewer, AgentRole::Applier] {
        let current = evolution.current(role.as_str())?;
        prompts.set(RolePrompt::new(role, current.version, current.content));
    }
    Ok(prompts)
}
