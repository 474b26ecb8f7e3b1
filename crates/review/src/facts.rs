//! What is known of an artifact without judging it, and what that does to a
//! review.

use async_trait::async_trait;
use review_types::{AgentError, FeedbackItem, Review, Verdict};

/// Something about the artifact that is so, whatever a reviewer thinks of it,
/// such as a link that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Where it is, what is wrong, and what to do about it.
    pub item: FeedbackItem,
    /// Whether the artifact cannot pass as long as it is so.
    pub blocks: bool,
}

/// Finds out what is so, before each review.
#[async_trait]
pub trait FactFinder: Send + Sync {
    /// The facts about the artifact as it is now.
    ///
    /// # Errors
    /// [`AgentError`] when they could not be found out; the call of the
    /// reviewer fails with it.
    async fn facts(&self) -> Result<Vec<Fact>, AgentError>;
}

/// A review in the light of facts.
pub(crate) struct Checked {
    /// The review: with every fact that blocks it is a revision, and the first
    /// items of its feedback are these facts.
    pub(crate) review: Review,
    /// How many facts forbid the pass that the reviewer gave.
    pub(crate) overruled: usize,
}

impl Checked {
    /// Holds what the reviewer says against the facts that block.
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
