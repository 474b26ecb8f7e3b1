//! The response of a provider: feedback with or without a verdict, or an error.
//!
//! A response can only be built valid: a revision always names something to improve, and a
//! severity, for which the protocol has no field, is written into the extension `review`.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize, Serializer};

use review_types::{
    AckDifference, AppliedFeedback, Decision, FeedbackId, FeedbackItem, FeedbackItems, NoFeedback,
    Review, Scores, Severity, Verdict, closed_list,
};

use super::ProtocolError;

closed_list!(
    /// The supported version of the protocol.
    ProtocolVersion {
        /// Exactly 1.2.
        V1_2 => "1.2",
    }
);

closed_list!(
    /// A provider's confidence in its feedback.
    ConfidenceLevel {
        /// It may be wrong: without an explicit verdict it is not a pass.
        Low => "low",
        /// It is probably right.
        Medium => "medium",
        /// It is certain.
        High => "high",
    }
);

/// A provider's confidence, with its justification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Confidence {
    /// The level.
    pub level: ConfidenceLevel,
    /// The justification.
    pub justification: String,
}

/// A part that needs no change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PositivePoint {
    /// Its subject.
    pub aspect: String,
    /// Why it is good.
    pub justification: String,
}

/// The feedback on an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FeedbackSummary {
    /// The provider's confidence.
    pub confidence: Confidence,
    /// The positive points.
    pub positive_points: Vec<PositivePoint>,
    /// The areas for improvement.
    #[serde(serialize_with = "write_areas")]
    #[schemars(with = "Vec<Area<'static>>")]
    pub areas_for_improvement: FeedbackItems,
    /// A short summary.
    pub general_summary: String,
}

/// The serialized form of an item of feedback.
#[derive(Serialize, schemars::JsonSchema)]
struct Area<'i> {
    id: &'i FeedbackId,
    #[schemars(extend("pattern" = r"\S"))]
    aspect: &'i str,
    #[schemars(extend("pattern" = r"\S"))]
    description: &'i str,
    #[schemars(extend("pattern" = r"\S"))]
    recommendation: &'i str,
}

fn write_areas<S: Serializer>(items: &FeedbackItems, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.iter().map(|(id, item)| Area {
        id,
        aspect: item.section(),
        description: item.issue(),
        recommendation: item.suggestion(),
    }))
}

/// The extension of a response: the verdict in addition to the feedback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewOutcome {
    /// The id from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_id: Option<String>,
    /// The mark at the end of the request, as the provider read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_id: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// The scores by criterion; empty if the provider gave none.
    #[serde(default, skip_serializing_if = "Scores::is_empty")]
    pub score: Scores,
}

/// The serialized extension of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
struct Extension {
    #[serde(flatten)]
    outcome: ReviewOutcome,
    /// Further data on each area for improvement, by its id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default)]
    evidence: BTreeMap<FeedbackId, AreaEvidence>,
}

/// The data on an area for improvement without a field in the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
struct AreaEvidence {
    /// The severity.
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<Severity>,
    /// The words of the artifact that show the issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
}

impl Extension {
    fn new(outcome: ReviewOutcome, items: &FeedbackItems) -> Self {
        let evidence = |(id, item): (&FeedbackId, &FeedbackItem)| {
            let evidence = AreaEvidence {
                severity: item.severity(),
                quote: item.quote().map(str::to_owned),
            };
            let is_given = evidence.severity.is_some() || evidence.quote.is_some();
            is_given.then(|| (id.clone(), evidence))
        };
        Self {
            outcome,
            evidence: items.iter().filter_map(evidence).collect(),
        }
    }
}

/// A response with feedback.
///
/// A revision always comes with at least one area for
/// improvement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(transform = without_error)]
pub struct Success {
    feedback: FeedbackSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    applied_feedback_ack: Option<AppliedFeedbackAck>,
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<Extension>,
}

/// Adds to the schema that a response with an error is not a success.
fn without_error(schema: &mut schemars::Schema) {
    let error = serde_json::json!({
        "type": "null",
        "description": "A response with an error object is an error, whatever its status.",
    });
    if let Some(fields) = schema.get_mut("properties") {
        fields["error"] = error;
    }
}

impl Success {
    /// Builds a response.
    ///
    /// # Errors
    /// [`NoFeedback`] when the verdict is `needs_revision` without an area for
    /// improvement.
    pub fn new(
        feedback: FeedbackSummary,
        applied_feedback_ack: Option<AppliedFeedbackAck>,
        review: Option<ReviewOutcome>,
    ) -> Result<Self, NoFeedback> {
        let verdict = review.as_ref().map(|review| review.verdict);
        let has_areas = !feedback.areas_for_improvement.is_empty();
        if verdict == Some(Verdict::NeedsRevision) && !has_areas {
            return Err(NoFeedback);
        }
        let review = review.map(|review| Extension::new(review, &feedback.areas_for_improvement));
        Ok(Self {
            feedback,
            applied_feedback_ack,
            review,
        })
    }

    /// Returns the feedback.
    #[must_use]
    pub fn feedback(&self) -> &FeedbackSummary {
        &self.feedback
    }

    /// Returns the provider's acknowledgement of the decisions in the request.
    #[must_use]
    pub fn applied_feedback_ack(&self) -> Option<&AppliedFeedbackAck> {
        self.applied_feedback_ack.as_ref()
    }

    /// Returns the explicit verdict, if the provider gives verdicts.
    #[must_use]
    pub fn outcome(&self) -> Option<&ReviewOutcome> {
        self.review.as_ref().map(|review| &review.outcome)
    }

    /// Returns the verdict: the explicit one, or else a pass without areas for
    /// improvement unless the confidence is low.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if let Some(outcome) = self.outcome() {
            return outcome.verdict;
        }
        let is_sure = self.feedback.confidence.level != ConfidenceLevel::Low;
        if is_sure && self.feedback.areas_for_improvement.is_empty() {
            Verdict::Pass
        } else {
            Verdict::NeedsRevision
        }
    }

    /// Returns the response as a review.
    ///
    /// # Errors
    /// [`NoFeedback`] when the confidence is low and no area for improvement is named.
    pub fn review(&self) -> Result<Review, NoFeedback> {
        let items = self.feedback.areas_for_improvement.as_slice().to_vec();
        let scores = self.outcome().map(|outcome| outcome.score.clone());
        Review::new(self.verdict(), scores.unwrap_or_default(), items)
    }
}

/// Feedback, or an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ResponseBody {
    /// The artifact was reviewed.
    Success(Success),
    /// The artifact was not reviewed.
    Error {
        /// The error.
        error: ProtocolError,
    },
}

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FeedbackResponse {
    /// The version of the protocol.
    pub protocol_version: ProtocolVersion,
    /// The iteration of the request.
    pub iteration: NonZeroU32,
    /// Its body.
    #[serde(flatten)]
    pub body: ResponseBody,
}

closed_list!(
    /// The provider's handling of a decision.
    ProcessingStatus {
        /// It was recorded.
        Acknowledged => "acknowledged",
        /// It refers to feedback that was never given in this session.
        UnknownId => "unknown_id",
    }
);

/// The acknowledgement of one decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Acknowledgement {
    /// The id of the feedback.
    pub id: FeedbackId,
    /// The handling of its decision.
    pub processing_status: ProcessingStatus,
}

/// The acknowledgements of one response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AppliedFeedbackAck {
    /// One for each decision, in the order of the request.
    pub items: Vec<Acknowledgement>,
}

impl AppliedFeedbackAck {
    /// Compares the acknowledgements with the decisions.
    #[must_use]
    pub fn compare(&self, applied: &AppliedFeedback) -> AckDifference {
        let acknowledged = &self.items;
        let by_id: BTreeMap<_, _> = acknowledged.iter().map(|ack| (&ack.id, ack)).collect();
        let reported: BTreeSet<_> = applied.items().iter().map(Decision::id).collect();
        let mut difference = AckDifference::default();
        for id in &reported {
            let status = by_id.get(*id).map(|ack| ack.processing_status);
            match status {
                Some(ProcessingStatus::Acknowledged) => {}
                Some(ProcessingStatus::UnknownId) => difference.unknown += 1,
                None => difference.missing += 1,
            }
        }
        let foreign = by_id.keys().filter(|id| !reported.contains(**id)).count();
        difference.foreign = u32::try_from(foreign).unwrap_or(u32::MAX);
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use review_types::{CriterionName, Score};

    fn item(id: &str) -> FeedbackItem {
        let item = FeedbackItem::new("a", "b", "c").unwrap();
        item.with_id(FeedbackId::new(id).unwrap())
    }

    fn feedback(level: ConfidenceLevel, areas: &[&str]) -> FeedbackSummary {
        FeedbackSummary {
            confidence: Confidence {
                level,
                justification: String::new(),
            },
            positive_points: Vec::new(),
            areas_for_improvement: FeedbackItems::numbered(
                areas.iter().map(|id| item(id)).collect(),
            ),
            general_summary: String::new(),
        }
    }

    fn outcome(verdict: Verdict) -> ReviewOutcome {
        let name = CriterionName::new("completeness").unwrap();
        ReviewOutcome {
            review_id: None,
            end_id: None,
            verdict,
            score: [(name, Score::MAX)].into_iter().collect(),
        }
    }

    #[test]
    fn without_a_verdict_nothing_to_improve_is_a_pass_unless_the_confidence_is_low() {
        for (level, areas, verdict) in [
            (ConfidenceLevel::High, &[][..], Verdict::Pass),
            (ConfidenceLevel::Medium, &[], Verdict::Pass),
            (ConfidenceLevel::Low, &[], Verdict::NeedsRevision),
            (ConfidenceLevel::High, &["x"], Verdict::NeedsRevision),
        ] {
            let success = Success::new(feedback(level, areas), None, None).unwrap();
            assert_eq!(success.verdict(), verdict, "{level:?} {areas:?}");
        }
    }

    #[test]
    fn an_explicit_verdict_takes_precedence() {
        let low = feedback(ConfidenceLevel::Low, &["x"]);
        let success = Success::new(low, None, Some(outcome(Verdict::Pass))).unwrap();
        let review = success.review().unwrap();
        assert_eq!(review.verdict(), Verdict::Pass);
        assert_eq!(review.score().get("completeness"), Some(Score::MAX));
        assert_eq!(review.feedback(), [item("x")]);
    }

    #[test]
    fn severities_are_serialized_in_the_extension_by_the_id_of_their_area() {
        let grave = item("x").with_severity(Severity::Critical);
        let feedback = FeedbackSummary {
            areas_for_improvement: FeedbackItems::numbered(vec![grave, item("y")]),
            ..feedback(ConfidenceLevel::High, &[])
        };
        let success = Success::new(feedback.clone(), None, Some(outcome(Verdict::Pass))).unwrap();
        let json = serde_json::to_value(&success).unwrap();
        assert_eq!(
            json["review"],
            serde_json::json!({
                "verdict": "pass",
                "score": { "completeness": 100 },
                "evidence": { "x": { "severity": "critical" } },
            })
        );
        assert_eq!(
            json["feedback"]["areas_for_improvement"][1],
            serde_json::json!({
                "id": "y", "aspect": "a", "description": "b", "recommendation": "c",
            })
        );
        let items = success.review().unwrap();
        let severities = items.feedback().iter().map(FeedbackItem::severity);
        assert_eq!(
            severities.collect::<Vec<_>>(),
            [Some(Severity::Critical), None]
        );
        let without = Success::new(feedback, None, None).unwrap();
        assert_eq!(serde_json::to_value(&without).unwrap().get("review"), None);
    }

    #[test]
    fn a_revision_needs_an_area_for_improvement() {
        let none = feedback(ConfidenceLevel::High, &[]);
        let revision = Some(outcome(Verdict::NeedsRevision));
        assert_eq!(Success::new(none, None, revision), Err(NoFeedback));
        let unsure = feedback(ConfidenceLevel::Low, &[]);
        let unsure = Success::new(unsure, None, None).unwrap();
        assert_eq!(unsure.review(), Err(NoFeedback));
    }

    #[test]
    fn levels_are_parsed_and_others_are_refused() {
        for level in ConfidenceLevel::ALL {
            assert_eq!(level.as_str().parse(), Ok(*level));
        }
        assert_eq!(
            "certain"
                .parse::<ConfidenceLevel>()
                .unwrap_err()
                .to_string(),
            "must be one of [low medium high], got: certain"
        );
    }

    #[test]
    fn an_acknowledgement_is_compared_with_the_decisions() {
        let decisions = ["a", "b", "c"].map(|name| {
            let id = FeedbackId::new(name).unwrap();
            Decision::accepted(id)
        });
        let applied = AppliedFeedback::new(decisions.to_vec()).unwrap();
        let ack = |items: &[(&str, ProcessingStatus)]| AppliedFeedbackAck {
            items: items
                .iter()
                .map(|(name, processing_status)| Acknowledgement {
                    id: FeedbackId::new(*name).unwrap(),
                    processing_status: *processing_status,
                })
                .collect(),
        };
        let (known, unknown) = (ProcessingStatus::Acknowledged, ProcessingStatus::UnknownId);
        let difference = |missing, unknown, foreign| AckDifference {
            missing,
            unknown,
            foreign,
        };
        let all = ack(&[("a", known), ("b", known), ("c", known)]);
        let compared = all.compare(&applied);
        assert_eq!(compared, difference(0, 0, 0));
        assert!(compared.is_none());
        let some = ack(&[("x", known), ("b", unknown), ("y", unknown), ("c", known)]);
        let compared = some.compare(&applied);
        assert_eq!(compared, difference(1, 1, 2));
        assert!(!compared.is_none());
        assert_eq!(
            AppliedFeedbackAck::default().compare(&applied),
            difference(3, 0, 0)
        );
        assert!(
            AppliedFeedbackAck::default()
                .compare(&AppliedFeedback::default())
                .is_none()
        );
    }

    #[test]
    fn words_are_read_back() {
        for status in ProcessingStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(*status));
        }
    }
}
