//! Settings for the collection and retention of feedback.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{SeverityThreshold, StoragePath};
use crate::feedback::{FeedbackType, Severity};

/// How feedback is collected from executions of agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct FeedbackCollectionConfig {
    /// The folder of the entries, relative to the root.
    pub storage_path: StoragePath,
    /// The sources of feedback; if the list is absent, all of them.
    pub sources: Vec<FeedbackSource>,
    /// How long entries are kept.
    pub retention: Retention,
}

/// One source of feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FeedbackSource {
    /// The type of its entries.
    #[serde(rename = "type")]
    pub feedback_type: FeedbackType,
    /// Whether runs collect it automatically.
    #[serde(default = "yes")]
    pub auto_collect: bool,
    /// The minimum severity of its feedback.
    #[serde(default)]
    pub severity_threshold: SeverityThreshold,
}

const fn yes() -> bool {
    true
}

/// How long entries are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Retention {
    /// The maximum number of entries of an agent; the oldest are removed first.
    #[schemars(range(min = 1))]
    pub max_entries_per_agent: u32,
    /// The age in days after which an entry is removed.
    #[schemars(range(min = 1))]
    pub max_age_days: u32,
}

impl Default for FeedbackCollectionConfig {
    fn default() -> Self {
        Self {
            storage_path: StoragePath::below(".aiwg/.feedback/"),
            sources: FeedbackType::ALL
                .iter()
                .map(|it| FeedbackSource::of(*it))
                .collect(),
            retention: Retention::default(),
        }
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            max_entries_per_agent: 1000,
            max_age_days: 90,
        }
    }
}

impl FeedbackSource {
    /// The source for a type, with its defaults.
    pub(crate) const fn of(feedback_type: FeedbackType) -> Self {
        Self {
            feedback_type,
            auto_collect: true,
            severity_threshold: SeverityThreshold::All,
        }
    }
}

impl FeedbackCollectionConfig {
    /// Whether feedback of this type and severity is kept.
    pub fn accepts(&self, feedback_type: FeedbackType, severity: Severity) -> bool {
        self.source(feedback_type)
            .is_some_and(|source| source.severity_threshold.accepts(severity))
    }

    /// Whether a run keeps feedback of this type and severity automatically.
    pub fn auto_collects(&self, feedback_type: FeedbackType, severity: Severity) -> bool {
        self.accepts(feedback_type, severity)
            && self
                .source(feedback_type)
                .is_some_and(|source| source.auto_collect)
    }

    fn source(&self, feedback_type: FeedbackType) -> Option<&FeedbackSource> {
        let mut sources = self.sources.iter();
        sources.find(|source| source.feedback_type == feedback_type)
    }

    /// Returns the indices of sources whose type an earlier source has.
    pub(super) fn repeated_sources(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        let sources = self.sources.iter().enumerate();
        let repeated = sources.filter(|(_, source)| !seen.insert(source.feedback_type));
        repeated.map(|(at, _)| at).collect()
    }
}
