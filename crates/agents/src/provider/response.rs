//! A review as feedback of the protocol.

use review::criteria::Criteria;
use review::machine::with_minimums;
use review::schema::afp::{
    AppliedFeedbackAck, Confidence, ConfidenceLevel, FeedbackSummary, PositivePoint, ReviewOutcome,
    Success,
};
use review::types::{FeedbackItem, NoFeedback, Review, Verdict, plural};

use super::ids;

/// A review, and by what it was made.
#[derive(Debug)]
pub struct Reviewed<'c> {
    /// The review.
    pub review: Review,
    /// What was scored.
    pub criteria: &'c Criteria,
    /// Whether there was more feedback than is returned.
    pub truncated: bool,
    /// Whether the embedded rules alone reviewed it.
    pub by_rules: bool,
    /// Whether the reviewer ended before it had read all that it was asked.
    pub is_unread: bool,
    /// Why the content is not a valid text of its type, if it is not.
    pub fault: Option<SyntaxFault>,
}

/// A content that is not a valid text of its type.
#[derive(Clone, Debug)]
pub struct SyntaxFault {
    /// The media type.
    pub media_type: String,
    /// What is wrong, and where.
    pub message: String,
}

impl SyntaxFault {
    fn item(&self) -> Option<FeedbackItem> {
        let Self {
            media_type,
            message,
        } = self;
        FeedbackItem::new(
            "syntax",
            format!("The content is not valid {media_type}: {message}"),
            "Fix the place that the message names.",
        )
        .ok()
    }
}

/// A content that no rule of the reviewer applies to.
#[derive(Debug)]
pub struct Unchecked {
    /// Whether it is a valid text of its type, where that was checked.
    pub syntax: Option<Result<(), SyntaxFault>>,
}

impl Unchecked {
    /// The feedback: the fault of its syntax, if it has one, and low confidence.
    pub(super) fn into_success(
        self,
        ack: Option<AppliedFeedbackAck>,
        given: &[FeedbackItem],
    ) -> Result<Success, NoFeedback> {
        let Self { syntax } = self;
        let fault = syntax
            .as_ref()
            .and_then(|syntax| syntax.as_ref().err()?.item());
        let (level, justification, general_summary) = match syntax {
            Some(Err(_)) => (
                ConfidenceLevel::High,
                "The content was parsed.",
                "The content cannot be read by a program of its type; nothing else was checked.",
            ),
            Some(Ok(())) => (
                ConfidenceLevel::Low,
                "Only the syntax was checked: no rule of this reviewer applies to this type.",
                "The syntax is valid; the content was not reviewed.",
            ),
            None => (
                ConfidenceLevel::Low,
                "Nothing was checked: no rule of this reviewer applies to this type.",
                "The content was not reviewed.",
            ),
        };
        let feedback = FeedbackSummary {
            confidence: Confidence {
                level,
                justification: justification.to_owned(),
            },
            positive_points: Vec::new(),
            areas_for_improvement: ids::numbered(fault.as_slice(), given),
            general_summary: general_summary.to_owned(),
        };
        Success::new(feedback, ack, None)
    }
}

impl Reviewed<'_> {
    /// The feedback, with the verdict beside it when the request asked for one.
    pub(super) fn into_success(
        self,
        ack: Option<AppliedFeedbackAck>,
        ids: Option<(String, Option<String>)>,
        given: &[FeedbackItem],
    ) -> Result<Success, NoFeedback> {
        let review = self.with_minimums();
        let feedback = FeedbackSummary {
            confidence: self.confidence(&review),
            positive_points: self.positive_points(&review),
            areas_for_improvement: ids::numbered(review.feedback(), given),
            general_summary: self.summary(&review),
        };
        let outcome = ids.map(|(review_id, end_id)| ReviewOutcome {
            review_id: Some(review_id),
            // It says that the whole text arrived, so only a reviewer may say so.
            end_id: end_id.filter(|_| !self.is_unread),
            verdict: review.verdict(),
            score: review.score().clone(),
        });
        Success::new(feedback, ack, outcome)
    }

    /// The review; a pass of a content with broken syntax asks for a correct one, and one in
    /// which a criterion is too low asks for what it lacks.
    fn with_minimums(&self) -> Review {
        let fault = self.fault.as_ref().and_then(SyntaxFault::item);
        let review = self.review.clone().revised(fault.into_iter().collect());
        if review.verdict() == Verdict::NeedsRevision || review.score().is_empty() {
            return review;
        }
        let below = self.criteria.below_minimum(review.score());
        review.revised(with_minimums(&[], &below))
    }

    fn confidence(&self, review: &Review) -> Confidence {
        let (level, justification) = if self.is_unread {
            let text = "The reviewer did not read all that it was asked, so nothing shows that it \
                        looked at the content.";
            (ConfidenceLevel::Low, text.to_owned())
        } else if self.by_rules {
            let text = "Rules checked the form of the document; its content was not judged.";
            (ConfidenceLevel::Medium, text.to_owned())
        } else if review.score().is_empty() {
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

    fn positive_points(&self, review: &Review) -> Vec<PositivePoint> {
        let good = self.criteria.iter().filter_map(|criterion| {
            let score = review.score().get(criterion.name.as_str())?;
            (score >= criterion.min_score).then(|| PositivePoint {
                aspect: criterion.name.to_string(),
                justification: format!("It scores {score}; {} is enough.", criterion.min_score),
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
