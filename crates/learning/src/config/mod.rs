//! The configuration of learning: what is collected, when it is analysed, and
//! who decides on prompts.
//!
//! It is read from `.aiwg/agent-learning.yaml` or from the table `[learning]`;
//! what is absent has the defaults of the agent learning schema.

mod collection;
mod evolution;
mod path;
mod pipeline;
mod root;
mod word;

pub use collection::{FeedbackCollectionConfig, FeedbackSource, Retention};
pub use evolution::{
    ApprovalGate, EVERYBODY, PromptEvolutionConfig, Rollback, VersionFormat, VersionFormatError,
    Versioning,
};
pub use path::StoragePath;
pub use pipeline::{
    Analysis, Clustering, LearningPipelineConfig, LessonExtraction, PatternDetection,
};
pub use root::{AgentConfig, ConfigForm, ConfigVersion, LearningConfig};
pub use word::{Algorithm, ConfidenceMethod, SeverityThreshold};

#[cfg(test)]
mod tests;
