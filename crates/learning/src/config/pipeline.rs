//! Settings for the analysis of feedback and the extraction of lessons.

use review_types::Usd;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Algorithm;

/// How lessons are extracted from feedback.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct LearningPipelineConfig {
    /// How entries become patterns.
    pub analysis: Analysis,
    /// How patterns become lessons.
    pub lesson_extraction: LessonExtraction,
}

/// How entries become patterns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Analysis {
    /// The minimum number of entries of an agent for an analysis.
    #[schemars(range(min = 1))]
    pub min_samples: u32,
    /// How entries are grouped.
    pub clustering: Clustering,
    /// Which groups count as patterns.
    pub pattern_detection: PatternDetection,
}

/// How entries are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Clustering {
    /// Whether entries are grouped.
    pub enabled: bool,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The minimum number of entries of a group.
    #[schemars(range(min = 2))]
    pub min_cluster_size: u32,
}

/// Which groups count as patterns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct PatternDetection {
    /// Whether patterns are detected.
    pub enabled: bool,
    /// The share of an agent's entries, from 0 to 1, that a pattern must exceed.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub frequency_threshold: f64,
}

/// How patterns become lessons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct LessonExtraction {
    /// Whether a model writes them, if one is configured.
    pub llm_driven: bool,
    /// The prompt for the model, in place of the built-in one: the text itself, or a
    /// file below the root, which is a name without blanks that ends in `.md` or
    /// `.txt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub template: Option<String>,
    /// The maximum number of model calls in one analysis, failed ones included.
    #[schemars(range(min = 1))]
    pub max_calls: u32,
    /// The maximum number of tokens that these calls read and write together; unlimited
    /// if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1))]
    pub max_tokens: Option<u32>,
    /// The maximum cost of these calls together, in US dollars; unlimited if absent.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "dollars",
        deserialize_with = "amount"
    )]
    #[schemars(with = "f64", extend("exclusiveMinimum" = 0))]
    pub max_cost: Option<Usd>,
}

impl Default for Analysis {
    fn default() -> Self {
        Self {
            min_samples: 5,
            clustering: Clustering::default(),
            pattern_detection: PatternDetection::default(),
        }
    }
}

impl Default for Clustering {
    fn default() -> Self {
        Self {
            enabled: true,
            algorithm: Algorithm::default(),
            min_cluster_size: 3,
        }
    }
}

impl Default for PatternDetection {
    fn default() -> Self {
        Self {
            enabled: true,
            frequency_threshold: 0.1,
        }
    }
}

impl Default for LessonExtraction {
    fn default() -> Self {
        Self {
            llm_driven: true,
            template: None,
            max_calls: 30,
            max_tokens: None,
            max_cost: None,
        }
    }
}

impl LessonExtraction {
    /// The file below the root that holds the template, if it is in a file.
    pub fn template_file(&self) -> Option<&str> {
        let template = self.template.as_deref()?;
        let is_file = [".md", ".txt"].iter().any(|end| template.ends_with(end));
        (is_file && !template.contains(char::is_whitespace)).then_some(template)
    }
}

/// Serializes an amount the way it is written in the configuration.
fn dollars<S: Serializer>(amount: &Option<Usd>, serializer: S) -> Result<S::Ok, S::Error> {
    let dollars = amount.map(|amount| amount.to_string().parse::<f64>());
    dollars.and_then(Result::ok).serialize(serializer)
}

/// Deserializes an amount that is more than nothing.
fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Usd>, D::Error> {
    let amount = Usd::deserialize(deserializer)?;
    if amount.micro() == 0 {
        return Err(D::Error::custom("must be at least 0.000001"));
    }
    Ok(Some(amount))
}
