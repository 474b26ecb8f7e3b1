//! The configuration as a whole.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use review_types::name_type;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{FeedbackCollectionConfig, LearningPipelineConfig, PromptEvolutionConfig, StoragePath};
use crate::object::{Code, Faults, Reading, Shape, UnknownKeys, reading};

static SHAPE: LazyLock<Shape> = LazyLock::new(Shape::of::<LearningConfig>);

/// Settings for feedback, and for the prompts that learn from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LearningConfig {
    /// The version of the format.
    pub version: ConfigVersion,
    /// How feedback is collected from executions of agents.
    pub feedback_collection: FeedbackCollectionConfig,
    /// How lessons are extracted from feedback.
    pub learning_pipeline: LearningPipelineConfig,
    /// How prompts of agents are updated.
    #[serde(default)]
    pub prompt_evolution: PromptEvolutionConfig,
    /// Agents other than the built-in roles, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, AgentConfig>,
}

/// Settings of an agent that is not a built-in role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AgentConfig {
    /// The file of its prompt, relative to the root.
    pub prompt: StoragePath,
}

name_type!(
    /// Three numbers separated by points, such as 1.0.0.
    #[schemars(extend("pattern" = r"^\d+\.\d+\.\d+$", "default" = "1.0.0"))]
    ConfigVersion,
    "a version",
    "three numbers separated by points, such as 1.0.0",
    |text| {
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        text.split('.').count() == 3 && text.split('.').all(is_number)
    }
);

impl Default for ConfigVersion {
    fn default() -> Self {
        Self("1.0.0".to_owned())
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
    pub fn read_as(form: ConfigForm, value: &Json) -> Reading<Self> {
        let mut whole = value.clone();
        let unknown = match (form, whole.as_object_mut()) {
            (ConfigForm::File, _) => UnknownKeys::Warn,
            (ConfigForm::Table, None) => UnknownKeys::Refuse,
            (ConfigForm::Table, Some(members)) => {
                members
                    .entry("version")
                    .or_insert_with(|| json!(ConfigVersion::default()));
                for key in ["feedback_collection", "learning_pipeline"] {
                    members.entry(key).or_insert_with(|| json!({}));
                }
                UnknownKeys::Refuse
            }
        };
        reading(whole, &SHAPE, unknown, Faults::default(), Self::rules)
    }

    fn rules(&self, faults: &mut Faults) {
        for at in self.feedback_collection.repeated_sources() {
            let pointer = format!("/feedback_collection/sources/{at}/type");
            let message = "is already used by an earlier source";
            faults.error(pointer, Code::SourceTwice, message);
        }
        if let Some(template) = &self.learning_pipeline.lesson_extraction.template {
            faults.blank("/learning_pipeline/lesson_extraction/template", template);
        }
        let gate = &self.prompt_evolution.approval_gate;
        if gate.required && gate.approvers.is_empty() {
            let pointer = "/prompt_evolution/approval_gate/approvers";
            faults.error(pointer, Code::ApproversNone, "is empty");
        }
    }
}
