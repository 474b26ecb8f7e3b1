//! Feedback for the applier.

use async_trait::async_trait;
use review_types::criteria::BelowMinimum;
use review_types::{AgentError, FeedbackItem, Hash, ModelId};
use serde::{Deserialize, Serialize};

use crate::agent::{Applier, ApplyReport, ApplyRequest, TaskInvoker};
use crate::prompt;
use crate::review_loop::{ScoreDrop, describe_below};

/// The agent kind that runs every task of the loop.
pub(crate) const SUBAGENT_TYPE: &str = "general-purpose";

/// Applies feedback to specs with a [`TaskInvoker`].
#[derive(Debug)]
pub struct FeedbackApplier<I> {
    invoker: I,
}

/// The task that should have applied the feedback failed.
#[derive(Debug, thiserror::Error)]
#[error("failed to apply feedback via task tool: {source}")]
pub struct ApplyFeedbackError {
    /// How it failed.
    #[from]
    pub source: AgentError,
}

impl<I: TaskInvoker> FeedbackApplier<I> {
    /// Returns an applier over `invoker`.
    #[must_use]
    pub fn new(invoker: I) -> Self {
        Self { invoker }
    }

    /// Applies `items` to the specs at `path` and returns the output of the
    /// task. An empty list makes no call and returns an empty string.
    ///
    /// # Errors
    /// [`ApplyFeedbackError`] when the task failed.
    pub async fn apply_feedback(
        &self,
        path: &str,
        items: &[FeedbackItem],
    ) -> Result<Vec<u8>, ApplyFeedbackError> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let prompt = prompt::apply_feedback(path, items);
        Ok(self.invoker.invoke_task(&prompt, SUBAGENT_TYPE).await?)
    }
}

#[async_trait]
impl<I: TaskInvoker> Applier for FeedbackApplier<I> {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let applied = self
            .apply_feedback(&request.path, request.items.as_slice())
            .await;
        let text = applied.map_err(|error| AgentError {
            message: error.to_string(),
            ..error.source
        })?;
        Ok(ApplyReport {
            text,
            by: ModelId::of_backend(SUBAGENT_TYPE),
            ..ApplyReport::done()
        })
    }
}

/// The requests to an applier in addition to the items of a review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtraItems {
    /// Criteria whose score is too low.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<BelowMinimum>,
    /// Criteria whose score fell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<ScoreDrop>,
    /// Whether the check of the project fails that passed in the previous round.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub regressed: bool,
    /// Whether the applier was already asked and changed nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// Whether items below the fail level are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocking_only: bool,
    /// Hash of the comments of users, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<Hash>,
}

impl ExtraItems {
    /// Returns these extras without the reminder, which needs no decision.
    pub(crate) fn without_reminder(&self) -> Self {
        Self {
            unchanged: false,
            ..self.clone()
        }
    }

    /// Returns all items for the applier.
    pub(crate) fn with(&self, items: &[FeedbackItem], guidance: &[String]) -> Vec<FeedbackItem> {
        let unchanged = self.unchanged.then(nothing_changed).flatten();
        let items = with_minimums(items, &self.below);
        let dropped = self.dropped.iter().filter_map(dropped_score);
        // The items of the review come first, so that each keeps its number.
        let guidance = guidance.iter().filter_map(|text| guided(text));
        let regressed = self.regressed.then(regression).flatten();
        let items = items.into_iter().chain(dropped).chain(regressed);
        items.chain(guidance).chain(unchanged).collect()
    }
}

/// Returns the item for guidance by a user.
fn guided(text: &str) -> Option<FeedbackItem> {
    let instruction = "Follow this in everything that you change.";
    FeedbackItem::new("guidance by a user", text, instruction).ok()
}

/// Returns the item that reminds an applier of an unchanged artifact.
fn nothing_changed() -> Option<FeedbackItem> {
    FeedbackItem::new(
        "all items above",
        "You were asked for them before, and every file is unchanged.",
        "Change the files so that each item is met, or say for each item why it cannot be.",
    )
    .ok()
}

/// Returns the item for a check that the last change broke.
fn regression() -> Option<FeedbackItem> {
    FeedbackItem::new(
        "review.check",
        "The command passed before the last change and fails now.",
        "Find what the last change broke, and restore it.",
    )
    .ok()
}

fn dropped_score(drop: &ScoreDrop) -> Option<FeedbackItem> {
    let ScoreDrop {
        criterion,
        before,
        now,
    } = drop;
    let issue = format!("{criterion} fell from {before} to {now} with the last change");
    let back = "Find what the last change removed that counted for it, and restore that.";
    FeedbackItem::new(criterion.as_str(), issue, back).ok()
}

/// Returns the items of a review with one more for each criterion below its minimum.
#[must_use]
pub fn with_minimums(items: &[FeedbackItem], below: &[BelowMinimum]) -> Vec<FeedbackItem> {
    let minimums = below.iter().filter_map(|below| {
        let criterion = &below.criterion;
        let raise = format!(
            "Raise {criterion} to at least {}: fix what costs it points.",
            below.min_score
        );
        FeedbackItem::new(criterion.as_str(), describe_below(below), raise).ok()
    });
    items.iter().cloned().chain(minimums).collect()
}
