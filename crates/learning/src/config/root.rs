//! The configuration as a whole.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value as Json;

use super::{FeedbackCollectionConfig, LearningPipelineConfig, PromptEvolutionConfig, StoragePath};
use crate::object::{Code, LearningObject, Reading, UnknownKeys, reading};

/// Settings for feedback, and for the prompts that learn from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct LearningConfig {
    /// The version of the format.
    pub version: ConfigVersion,
    /// How feedback is collected from executions of agents.
    pub feedback_collection: FeedbackCollectionConfig,
    /// How lessons are extracted from feedback.
    pub learning_pipeline: LearningPipelineConfig,
    /// How prompts of agents are updated.
    #[schemars(default)]
    pub prompt_evolution: PromptEvolutionConfig,
    /// Agents other than the built-in roles, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default)]
    pub agents: BTreeMap<String, AgentConfig>,
}

/// Settings of an agent that is not a built-in role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AgentConfig {
    /// The file of its prompt, relative to the root.
    pub prompt: StoragePath,
}

/// Three numbers separated by points, such as 1.0.0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(extend("pattern" = r"^\d+\.\d+\.\d+$", "default" = "1.0.0"))]
pub struct ConfigVersion(String);

/// A string that is not a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected three numbers separated by points, such as 1.0.0, found \"{0}\"")]
pub struct ConfigVersionError(String);

impl Default for ConfigVersion {
    fn default() -> Self {
        Self("1.0.0".to_owned())
    }
}

impl FromStr for ConfigVersion {
    type Err = ConfigVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_number =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if text.split('.').count() == 3 && text.split('.').all(is_number) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ConfigVersionError(text.to_owned()))
        }
    }
}

impl fmt::Display for ConfigVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The place of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigForm {
    /// A file of its own, which has all required fields.
    File,
    /// A table of a larger file, where absent settings have defaults.
    Table,
}

impl LearningConfig {
    /// Reads a configuration in this form.
    #[must_use]
    pub fn read_as(form: ConfigForm, value: &Json) -> Reading<Self> {
        let unknown = match form {
            ConfigForm::File => UnknownKeys::Warn,
            ConfigForm::Table => UnknownKeys::Refuse,
        };
        reading(value, unknown, |fields| {
            if form == ConfigForm::File {
                for key in ["version", "feedback_collection", "learning_pipeline"] {
                    fields.require(key);
                }
            }
            let version = fields.parsed("version", Code::VersionForm);
            let collection = fields.object("feedback_collection", FeedbackCollectionConfig::of);
            let pipeline = fields.object("learning_pipeline", LearningPipelineConfig::of);
            let evolution = fields.object("prompt_evolution", PromptEvolutionConfig::of);
            let agents = fields.named_objects("agents", |fields| {
                fields.require("prompt");
                let prompt = fields.parsed("prompt", Code::PathOutside)?;
                Some(AgentConfig { prompt })
            });
            let agents = agents.into_iter().flatten();
            let agents = agents.filter_map(|(name, agent)| Some((name, agent?)));
            Some(Self {
                version: version.unwrap_or_default(),
                feedback_collection: collection.unwrap_or_default(),
                learning_pipeline: pipeline.unwrap_or_default(),
                prompt_evolution: evolution.unwrap_or_default(),
                agents: agents.collect(),
            })
        })
    }
}

impl LearningObject for LearningConfig {
    fn read(value: &Json) -> Reading<Self> {
        Self::read_as(ConfigForm::File, value)
    }
}
