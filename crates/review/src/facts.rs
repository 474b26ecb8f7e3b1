//! Facts about an artifact that need no judgement.

use async_trait::async_trait;
use review_types::{AgentError, FeedbackItem};

/// A fact about the artifact that does not depend on a reviewer, such as a broken
/// link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Where it is, what is wrong, and how to fix it.
    pub item: FeedbackItem,
    /// Whether the artifact cannot pass while this is the case.
    pub blocks: bool,
}

/// Finds the facts about the artifact before each review.
#[async_trait]
pub trait FactFinder: Send + Sync {
    /// Returns the facts about the current artifact.
    ///
    /// # Errors
    /// [`AgentError`] when the facts cannot be determined; the call of the reviewer
    /// fails with it.
    async fn facts(&self) -> Result<Vec<Fact>, AgentError>;
}
