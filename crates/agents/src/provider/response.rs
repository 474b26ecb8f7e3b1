//! A review as feedback of the protocol.

use review::criteria::Criteria;
use review::types::afp::{
    AppliedFeedbackAck, Area, Areas, Confidence, ConfidenceLevel, FeedbackId, FeedbackSummary,
    PositivePoint, ReviewOutcome, Success,
};
use review::types::{Review, ReviewFeedback, Verdict, plural};
use review::with_minimums;

/// The longest slug of an id.
const MAX_SLUG: usize = 40;

/// A review, and by what it was made.
#[derive(Debug)]
pub struct Reviewed<'c> {
    /// The review.
    pub review: Review,
    /// What was scored.
    pub criteria: &'c Criteria,
    /// Whether there was more feedback than is told.
    pub truncated: bool,
}

/// Why a review cannot be told as feedback.
#[derive(Debug, thiserror::Error)]
pub(super) enum Untold {
    #[error(transparent)]
    Id(#[from] review::types::IdError),
    #[error(transparent)]
    Repeated(#[from] review::types::afp::RepeatedId),
    #[error(transparent)]
    Empty(#[from] review::types::NoFeedback),
}

impl Reviewed<'_> {
    /// The feedback, with the verdict beside it when the request asked for one.
    pub(super) fn into_success(
        self,
        ack: Option<AppliedFeedbackAck>,
        review_id: Option<String>,
    ) -> Result<Success, Untold> {
        let review = self.with_minimums();
        let areas = review.feedback().iter().enumerate();
        let areas = areas.map(|(index, item)| Ok::<_, Untold>(Area::of(id(index, item)?, item)));
        let feedback = FeedbackSummary {
            confidence: confidence(&review),
            positive_points: self.positive_points(&review),
            areas_for_improvement: Areas::new(areas.collect::<Result<_, _>>()?)?,
            general_summary: self.summary(&review),
        };
        let outcome = review_id.map(|review_id| ReviewOutcome {
            review_id: Some(review_id),
            verdict: review.verdict(),
            score: review.score().clone(),
        });
        Ok(Success::new(feedback, ack, outcome)?)
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

/// The id of an item of a list: what it is about, and its number.
fn id(index: usize, item: &ReviewFeedback) -> Result<FeedbackId, review::types::IdError> {
    FeedbackId::new(format!("{}-{:02}", slug(item.section()), index + 1))
}

/// The letters and digits of a text in lower case, with dashes between.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.len() >= MAX_SLUG {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "area" } else { slug }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_made_of_letters_digits_and_dashes() {
        for (text, expected) in [
            ("Scope Definition", "scope-definition"),
            ("§ 4.2: Größe", "4-2-gr-e"),
            ("  ", "area"),
            ("日本", "area"),
            ("specs/A.md:3", "specs-a-md-3"),
        ] {
            assert_eq!(slug(text), expected);
        }
        assert_eq!(slug(&"a".repeat(100)).len(), MAX_SLUG);
        assert_eq!(slug(&"ab ".repeat(100)), format!("{}a", "ab-".repeat(13)));
    }

    #[test]
    fn ids_are_numbered_from_01() {
        let item = ReviewFeedback::new("Goals", "a", "b").unwrap();
        let ids = [0, 9, 122].map(|index| id(index, &item).unwrap().to_string());
        assert_eq!(ids, ["goals-01", "goals-10", "goals-123"]);
    }
}
