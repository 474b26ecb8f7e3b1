//! Facts about an artifact that need no judgement, and their effect on a
//! review.

use async_trait::async_trait;
use review_types::{AgentError, FeedbackItem, Review, Verdict};

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

/// A review after its check against the facts.
pub(crate) struct FactCheckedReview {
    /// The review. If a fact blocks, it is a revision whose first items are the
    /// blocking facts.
    pub(crate) review: Review,
    /// The number of facts that overrule the reviewer's pass.
    pub(crate) overruled: usize,
}

impl FactCheckedReview {
    /// Checks a review against the facts that block.
    pub(crate) fn new(said: Review, facts: &[Fact]) -> Self {
        let blocking = facts.iter().filter(|fact| fact.blocks);
        let items: Vec<_> = blocking.map(|fact| fact.item.clone()).collect();
        let overruled = match said.verdict() {
            Verdict::Pass => items.len(),
            Verdict::NeedsRevision => 0,
        };
        Self {
            review: said.revised(items),
            overruled,
        }
    }
}
