//! Settings for the collection and retention of feedback.

use serde::Serialize;

use super::{SeverityThreshold, StoragePath};
use crate::feedback::{FeedbackType, Severity};
use crate::object::{Code, Fields, Set as _};

/// How feedback is collected from executions of agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(default)]
pub struct FeedbackCollectionConfig {
    /// The folder of the entries, relative to the root.
    pub storage_path: StoragePath,
    /// The sources of feedback; if the list is absent, all of them.
    pub sources: Vec<FeedbackSource>,
    /// How long entries are kept.
    pub retention: Retention,
}

/// One source of feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FeedbackSource {
    /// The type of its entries.
    #[serde(rename = "type")]
    pub feedback_type: FeedbackType,
    /// Whether runs collect it automatically.
    #[schemars(default = "yes")]
    pub auto_collect: bool,
    /// The minimum severity of its feedback.
    #[schemars(default)]
    pub severity_threshold: SeverityThreshold,
}

const fn yes() -> bool {
    true
}

/// How long entries are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(default)]
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
    #[must_use]
    pub const fn of(feedback_type: FeedbackType) -> Self {
        Self {
            feedback_type,
            auto_collect: true,
            severity_threshold: SeverityThreshold::All,
        }
    }
}

impl FeedbackCollectionConfig {
    /// Whether feedback of this type and severity is kept.
    #[must_use]
    pub fn accepts(&self, feedback_type: FeedbackType, severity: Severity) -> bool {
        self.source(feedback_type)
            .is_some_and(|source| source.severity_threshold.accepts(severity))
    }

    /// Whether a run keeps feedback of this type and severity automatically.
    #[must_use]
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

    pub(super) fn of(fields: &mut Fields<'_, '_>) -> Self {
        let mut config = Self::default();
        let storage_path = fields.parsed("storage_path", Code::PathOutside);
        storage_path.set(&mut config.storage_path);
        if let Some(sources) = fields.objects("sources", FeedbackSource::read) {
            config.sources = sources.into_iter().flatten().collect();
            for at in repeated(&config.sources) {
                let key = format!("sources/{at}/type");
                fields.wrong(
                    &key,
                    Code::SourceTwice,
                    "is already used by an earlier source",
                );
            }
        }
        fields.object("retention", |fields| {
            let retention = &mut config.retention;
            let most = fields.whole("max_entries_per_agent", 1..=u32::MAX);
            most.set(&mut retention.max_entries_per_agent);
            let age = fields.whole("max_age_days", 1..=u32::MAX);
            age.set(&mut retention.max_age_days);
        });
        config
    }
}

/// Returns the indices of sources whose type an earlier source has.
fn repeated(sources: &[FeedbackSource]) -> Vec<usize> {
    let mut seen = Vec::new();
    let mut repeated = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        if seen.contains(&source.feedback_type) {
            repeated.push(at);
        } else {
            seen.push(source.feedback_type);
        }
    }
    repeated
}

impl FeedbackSource {
    fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        fields.require("type");
        let feedback_type = fields.word("type");
        let auto_collect = fields.flag("auto_collect").unwrap_or(true);
        let severity_threshold = fields.word("severity_threshold").unwrap_or_default();
        Some(Self {
            feedback_type: feedback_type?,
            auto_collect,
            severity_threshold,
        })
    }
}
