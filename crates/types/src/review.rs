//! A checked review.

use serde::{Deserialize, Serialize};

use crate::{FeedbackItem, Scores, Severity, Verdict};

/// What a reviewer said, after its answer was read and checked.
///
/// A review that asks for a revision always says of what: it has at least one
/// item of feedback. The text it was read from lies beside it, never inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Wire")]
pub struct Review {
    verdict: Verdict,
    score: Scores,
    feedback: Vec<FeedbackItem>,
}

#[derive(Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Review")
)]
struct Wire {
    verdict: Verdict,
    score: Scores,
    #[serde(default)]
    feedback: Vec<FeedbackItem>,
}

/// A revision was asked for without saying of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at least one feedback item required when verdict is needs_revision")]
pub struct NoFeedback;

impl Review {
    /// Builds a review.
    ///
    /// # Errors
    /// [`NoFeedback`] when the verdict is `needs_revision` and the list is empty.
    pub fn new(
        verdict: Verdict,
        score: Scores,
        feedback: Vec<FeedbackItem>,
    ) -> Result<Self, NoFeedback> {
        if verdict == Verdict::NeedsRevision && feedback.is_empty() {
            return Err(NoFeedback);
        }
        Ok(Self {
            verdict,
            score,
            feedback,
        })
    }

    /// The review as a revision that asks for `items` first, and then for what
    /// it asked for besides; the review itself if there are none.
    #[must_use]
    pub fn revised(self, items: Vec<FeedbackItem>) -> Self {
        if items.is_empty() {
            return self;
        }
        let score = self.score.clone();
        let mut feedback = items;
        let known = feedback.len();
        for item in self.weighed() {
            let mut twins = feedback[..known].iter_mut();
            match (twins.find(|known| known.says_the_same(&item)), item.id()) {
                (None, _) => feedback.push(item),
                (Some(twin), Some(id)) => *twin = twin.clone().with_id(id.clone()),
                (Some(_), None) => {}
            }
        }
        Self {
            verdict: Verdict::NeedsRevision,
            score,
            feedback,
        }
    }

    /// The items, each as grave as its reviewer says or means by the verdict.
    fn weighed(self) -> impl Iterator<Item = FeedbackItem> {
        let usual = Severity::of(self.verdict);
        let of_pass = self.verdict == Verdict::Pass;
        self.feedback
            .into_iter()
            .map(move |item| match item.severity() {
                None if of_pass => item.with_severity(usual),
                Some(_) | None => item,
            })
    }

    /// The review as a revision; the review itself where it has no item that
    /// could ask for one.
    #[must_use]
    pub fn as_revision(self) -> Self {
        if self.feedback.is_empty() {
            return self;
        }
        Self {
            score: self.score.clone(),
            verdict: Verdict::NeedsRevision,
            feedback: self.weighed().collect(),
        }
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The scores by criterion, extra criteria included.
    #[must_use]
    pub fn score(&self) -> &Scores {
        &self.score
    }

    /// The items of feedback in the reviewer's order.
    #[must_use]
    pub fn feedback(&self) -> &[FeedbackItem] {
        &self.feedback
    }
}

impl TryFrom<Wire> for Review {
    type Error = NoFeedback;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        Self::new(wire.verdict, wire.score, wire.feedback)
    }
}
