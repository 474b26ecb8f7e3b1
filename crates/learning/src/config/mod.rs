//! The configuration of learning: the collection and analysis of feedback, and the
//! approval of prompts.
//!
//! It is read from `.aiwg/agent-learning.yaml` or from the table `[learning]`; absent
//! settings have the defaults of the agent learning schema.

mod collection;
mod evolution;
mod path;
mod pipeline;
mod root;
mod word;

pub use collection::{FeedbackCollectionConfig, FeedbackSource, Retention};
pub use evolution::{
    ANY_APPROVER, ApprovalGate, PromptEvolutionConfig, Rollback, VersionFormat, VersionFormatError,
    Versioning,
};
pub use path::StoragePath;
pub use pipeline::{
    Analysis, Clustering, LearningPipelineConfig, LessonExtraction, PatternDetection,
};
pub use root::{AgentConfig, ConfigForm, ConfigVersion, LearningConfig};
pub use word::{Algorithm, SeverityThreshold};

#[cfg(test)]
mod tests;
