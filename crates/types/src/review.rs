//! A validated review.

use serde::{Deserialize, Serialize};

use crate::{Deduction, FeedbackItem, Scores, Severity, Verdict};

/// The result of a reviewer, after its answer was parsed and validated.
///
/// A review with the verdict `needs_revision` has at least one
/// item of feedback. The original answer is not included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Wire")]
pub struct Review {
    verdict: Verdict,
    score: Scores,
    feedback: Vec<FeedbackItem>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    deductions: Vec<Deduction>,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Review")]
struct Wire {
    verdict: Verdict,
    score: Scores,
    #[serde(default)]
    feedback: Vec<FeedbackItem>,
    // Set in code alone: no reviewer answers with it.
    #[serde(default)]
    #[schemars(skip)]
    deductions: Vec<Deduction>,
}

/// A revision without feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at least one feedback item required when verdict is needs_revision")]
pub struct NoFeedback;

impl Review {
    /// Builds a review.
    ///
    /// # Errors
    /// [`NoFeedback`] when the verdict is `needs_revision` without feedback.
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
            deductions: Vec::new(),
        })
    }

    /// Sets what cost points of its scores.
    #[must_use]
    pub fn with_deductions(self, deductions: Vec<Deduction>) -> Self {
        Self { deductions, ..self }
    }

    /// Returns the review as a revision that starts with `items`, followed by its own
    /// items; the review itself if `items` is empty.
    #[must_use]
    pub fn revised(self, items: Vec<FeedbackItem>) -> Self {
        if items.is_empty() {
            return self;
        }
        let (score, deductions) = (self.score.clone(), self.deductions.clone());
        let mut feedback = items;
        let known = feedback.len();
        for item in self.weighed() {
            let mut twins = feedback[..known].iter_mut();
            match (twins.find(|known| known.says_the_same(&item)), item.id()) {
                (Some(_), None) => {}
                (Some(twin), Some(id)) if twin.id().is_none() => {
                    *twin = twin.clone().with_id(id.clone());
                }
                // Each id that a reviewer gave is decided on.
                (Some(_), Some(_)) | (None, _) => feedback.push(item),
            }
        }
        Self {
            verdict: Verdict::NeedsRevision,
            score,
            feedback,
            deductions,
        }
    }

    /// Returns the review with `items` after its own.
    #[must_use]
    pub fn with_items(mut self, items: Vec<FeedbackItem>) -> Self {
        self.feedback.extend(items);
        self
    }

    /// Returns the items, each with the severity that its reviewer gave or the verdict implies.
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

    /// Returns the review as a revision; the review itself if no item could
    /// request one.
    #[must_use]
    pub fn as_revision(self) -> Self {
        if self.feedback.is_empty() {
            return self;
        }
        Self {
            score: self.score.clone(),
            deductions: self.deductions.clone(),
            verdict: Verdict::NeedsRevision,
            feedback: self.weighed().collect(),
        }
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the scores by criterion, including extra criteria.
    pub fn score(&self) -> &Scores {
        &self.score
    }

    /// Returns what cost points of its scores; empty for a reviewer that does not say.
    pub fn deductions(&self) -> &[Deduction] {
        &self.deductions
    }

    /// Returns the items of feedback in the reviewer's order.
    pub fn feedback(&self) -> &[FeedbackItem] {
        &self.feedback
    }
}

impl TryFrom<Wire> for Review {
    type Error = NoFeedback;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let review = Self::new(wire.verdict, wire.score, wire.feedback)?;
        Ok(review.with_deductions(wire.deductions))
    }
}
