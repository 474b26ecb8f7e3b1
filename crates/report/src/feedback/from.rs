//! Each format as feedback.

use review_schema::actionable::{
    ActionableFeedback, Aspect, AssessmentVerdict, Count, Fraction, Item, LocationType,
};
use review_schema::afp::{ConfidenceLevel, ResponseBody, read_response};
use review_schema::{Options, parse_and_validate_with};
use review_types::{CriterionName, FeedbackItem, Score, Scores, Severity, Verdict};
use serde_json::Value as Json;

use super::invalid::Invalid;

/// Feedback of any of the formats.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) iteration: Option<Count>,
    pub(super) verdict: AssessmentVerdict,
    pub(super) criteria: Scores,
    pub(super) confidence: Option<Fraction>,
    pub(super) summary: Option<String>,
    pub(super) items: Vec<FeedbackItem>,
    /// The parts of the source that only its own format has a place for.
    pub(super) unread: Vec<String>,
}

pub(super) fn document(feedback: &ActionableFeedback) -> Result<Exchange, Invalid> {
    let path = &feedback.target.path;
    let items = feedback.feedback_items.as_slice();
    let item = |item: &Item| {
        let reference = &item.location.reference;
        let place = match item.location.kind {
            LocationType::Line | LocationType::Range => format!("{path}:{reference}"),
            LocationType::Function
            | LocationType::Section
            | LocationType::Element
            | LocationType::Path => reference.clone(),
        };
        let action = item.suggestion.action.as_str();
        plain(&place, item.issue.as_str(), action, Some(item.severity))
    };
    let assessment = &feedback.overall_assessment;
    Ok(Exchange {
        iteration: Some(feedback.iteration.number),
        verdict: assessment.verdict,
        criteria: least_scores(items),
        confidence: assessment.confidence,
        summary: Some(assessment.summary.as_str().to_owned()),
        items: items.iter().map(item).collect::<Result<_, _>>()?,
        unread: unread(feedback),
    })
}

/// The parts of a document that only documents have.
fn unread(feedback: &ActionableFeedback) -> Vec<String> {
    let items = feedback.feedback_items.as_slice();
    let has = |part: fn(&Item) -> bool| items.iter().any(part);
    let parts = [
        ("id", true),
        ("timestamp", true),
        ("target", true),
        ("overall score", true),
        ("quality_tracking", feedback.quality_tracking.is_some()),
        (
            "context of items",
            has(|item| {
                item.location.context_before.is_some() || item.location.context_after.is_some()
            }),
        ),
        ("aspect of items", true),
        ("score of items", has(|item| item.score.is_some())),
        ("rationale of items", true),
        (
            "example of items",
            has(|item| item.suggestion.example.is_some()),
        ),
        (
            "priority of items",
            has(|item| item.suggestion.priority.is_some()),
        ),
        ("evidence of items", has(|item| item.evidence.is_some())),
    ];
    let parts = parts.into_iter().filter(|(_, is_there)| *is_there);
    parts.map(|(part, _)| part.to_owned()).collect()
}

/// The least scores of the aspects that are criteria.
fn least_scores(items: &[Item]) -> Scores {
    let aspects = [
        Aspect::Completeness,
        Aspect::Consistency,
        Aspect::Testability,
    ];
    let of = |aspect: Aspect| {
        let of_aspect = items.iter().filter(|item| item.aspect == aspect);
        let scores = of_aspect.filter_map(|item| item.score);
        let least = scores.map(|score| percent(score.get())).min()?;
        Some((CriterionName::new(aspect.as_str()).ok()?, least))
    };
    aspects.into_iter().filter_map(of).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a number from 0 to 1, times 100"
)]
fn percent(fraction: f64) -> Score {
    Score::new((fraction * 100.0).round() as i64).unwrap_or(Score::MAX)
}

pub(super) fn review(text: &str) -> Result<Exchange, Invalid> {
    let options = Options {
        criteria: Vec::new(),
        ..Options::default()
    };
    let parsed = parse_and_validate_with(text, &options);
    let review = parsed
        .map_err(|error| Invalid::new(error.to_string()))?
        .review;
    Ok(Exchange {
        iteration: None,
        verdict: verdict_of(review.verdict()),
        criteria: review.score().clone(),
        confidence: None,
        summary: None,
        items: plain_items(review.feedback())?,
        unread: Vec::new(),
    })
}

/// The items without their ids and what else only their own format has.
pub(super) fn plain_items(items: &[FeedbackItem]) -> Result<Vec<FeedbackItem>, Invalid> {
    let plain = |item: &FeedbackItem| {
        plain(
            item.section(),
            item.issue(),
            item.suggestion(),
            item.severity(),
        )
    };
    items.iter().map(plain).collect()
}

fn plain(
    section: &str,
    issue: &str,
    suggestion: &str,
    severity: Option<Severity>,
) -> Result<FeedbackItem, Invalid> {
    let item = FeedbackItem::new(section, issue, suggestion)
        .map_err(|error| Invalid::new(error.to_string()))?;
    Ok(match severity {
        Some(severity) => item.with_severity(severity),
        None => item,
    })
}

fn verdict_of(verdict: Verdict) -> AssessmentVerdict {
    match verdict {
        Verdict::Pass => AssessmentVerdict::Accept,
        Verdict::NeedsRevision => AssessmentVerdict::Refine,
    }
}

/// The response in the lines of the protocol's stream, if the content is one.
pub(super) fn streamed(text: &str) -> Option<String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let messages = lines.map(|line| serde_json::from_str(line).ok());
    let messages: Vec<Json> = messages.collect::<Option<_>>()?;
    let texts = messages
        .iter()
        .filter(|message| message["type"] == "text")
        .filter_map(|message| message["part"]["text"].as_str());
    let text: String = texts.collect();
    (!text.is_empty()).then_some(text)
}

pub(super) fn afp(text: &str) -> Result<Exchange, Invalid> {
    let text = streamed(text).unwrap_or_else(|| text.to_owned());
    let response =
        read_response(text.as_bytes()).map_err(|error| Invalid::new(error.to_string()))?;
    let success = match response.body {
        ResponseBody::Success(success) => success,
        ResponseBody::Error { error } => {
            return Err(Invalid::new(format!(
                "the response is an error: {}",
                error.message
            )));
        }
    };
    let review = success
        .review()
        .map_err(|error| Invalid::new(error.to_string()))?;
    let feedback = success.feedback();
    let mut unread = Vec::new();
    if !feedback.positive_points.is_empty() {
        unread.push("positive_points".to_owned());
    }
    if !feedback.confidence.justification.trim().is_empty() {
        unread.push("confidence.justification".to_owned());
    }
    if success.applied_feedback_ack().is_some() {
        unread.push("applied_feedback_ack".to_owned());
    }
    let confidence = match feedback.confidence.level {
        ConfidenceLevel::Low => 0.3,
        ConfidenceLevel::Medium => 0.6,
        ConfidenceLevel::High => 0.9,
    };
    let summary = Some(feedback.general_summary.clone()).filter(|text| !text.trim().is_empty());
    Ok(Exchange {
        iteration: Count::new(response.iteration.get()),
        verdict: verdict_of(review.verdict()),
        criteria: review.score().clone(),
        confidence: Fraction::new(confidence).ok(),
        summary,
        items: review.feedback().to_vec(),
        unread,
    })
}
