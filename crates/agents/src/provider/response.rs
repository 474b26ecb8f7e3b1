//! A review as feedback of the protocol.

use review::criteria::Criteria;
use review::machine::with_minimums;
use review::schema::afp::{
    AppliedFeedbackAck, Confidence, ConfidenceLevel, FeedbackSummary, PositivePoint, ReviewOutcome,
    Success,
};
use review::types::{FeedbackItems, NoFeedback, Review, Verdict, plural};

/// A review, and by what it was made.
#[derive(Debug)]
pub struct Reviewed<'c> {
    /// The review.
    pub review: Review,
    /// What was scored.
    pub criteria: &'c Criteria,
    /// Whether there was more feedback than is returned.
    pub truncated: bool,
}

impl Reviewed<'_> {
    /// The feedback, with the verdict beside it when the request asked for one.
    pub(super) fn into_success(
        self,
        ack: Option<AppliedFeedbackAck>,
        review_id: Option<String>,
    ) -> Result<Success, NoFeedback> {
        let review = self.with_minimums();
        let feedback = FeedbackSummary {
            confidence: confidence(&review),
            positive_points: self.positive_points(&review),
            areas_for_improvement: FeedbackItems::numbered(review.feedback().to_vec()),
            general_summary: self.summary(&review),
        };
        let outcome = review_id.map(|review_id| ReviewOutcome {
            review_id: Some(review_id),
            verdict: review.verdict(),
            score: review.score().clone(),
        });
        Success::new(feedback, ack, outcome)
    }

    /// The review; a pass in which a criterion is too low asks for what it lacks.
    fn with_minimums(&self) -> Review {
        let review = self.review.clone();
        if review.verdict() == Verdict::NeedsRevision || review.score().is_empty() {
            return review;
        }
        let below = self.criteria.below_minimum(review.score());
        review.revised(with_minimums(&[], &below))
    }

    fn positive_points(&self, review: &Review) -> Vec<PositivePoint> {
        let good = self.criteria.iter().filter_map(|criterion| {
            let score = review.score().get(criterion.name().as_str())?;
            (score >= criterion.min_score()).then(|| PositivePoint {
                aspect: criterion.name().to_string(),
                justification: format!("It scores {score}; {} is enough.", criterion.min_score()),
            })
        });
        good.collect()
    }

    fn summary(&self, review: &Review) -> String {
        let more = if self.truncated {
            " There was more feedback than is listed here."
        } else {
            ""
        };
        let what = match (review.verdict(), review.feedback().len()) {
            (Verdict::Pass, 0) => "The artifact passes; nothing is left to improve.".to_owned(),
            (Verdict::Pass, count) => format!(
                "The artifact passes; {} would make it better.",
                plural(count, "change", "changes")
            ),
            (Verdict::NeedsRevision, count) => format!(
                "The artifact needs a revision: {}.",
                plural(count, "area for improvement", "areas for improvement")
            ),
        };
        what + more
    }
}

fn confidence(review: &Review) -> Confidence {
    let (level, justification) = if review.score().is_empty() {
        let text = "The review gave no scores.".to_owned();
        (ConfidenceLevel::Medium, text)
    } else {
        let criteria = plural(review.score().len(), "criterion", "criteria");
        (
            ConfidenceLevel::High,
            format!("The review scored {criteria}."),
        )
    };
    Confidence {
        level,
        justification,
    }
}
