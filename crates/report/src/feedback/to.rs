//! Feedback in each format.

use std::num::NonZeroU32;

use review_schema::actionable::{
    AssessmentVerdict, Count, DocumentId, Draft, DraftItem, Fraction, Iteration, Target, compose,
    target_type,
};
use review_schema::afp::{
    Confidence, ConfidenceLevel, FeedbackResponse, FeedbackSummary, ProtocolVersion, ResponseBody,
    ReviewOutcome, Success,
};
use review_types::{
    FeedbackId, FeedbackItem, FeedbackItems, Review, Scores, Severity, Timestamp, Verdict,
};
use serde_json::Value as Json;

use super::from::{Exchange, plain_items};
use super::invalid::Invalid;
use crate::json::value;

/// The id and the time that a document gets which has none.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// Its id.
    pub id: DocumentId,
    /// When it is made.
    pub timestamp: Timestamp,
}

/// An output, with what it has no place for and what was filled in.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) output: Json,
    pub(super) remarks: Vec<String>,
}

/// The path of the target of a document that is made from another format.
const UNKNOWN_PATH: &str = "unknown";

pub(super) fn actionable(exchange: Exchange, new: NewDocument) -> Result<Written, Invalid> {
    let mut remarks = lost(
        &exchange,
        &[
            ids(&exchange.items),
            ("scores of criteria", !exchange.criteria.is_empty()),
        ],
    );
    let mut filled = vec!["/id".to_owned(), "/timestamp".to_owned()];
    let iteration: &[&str] = match exchange.iteration {
        Some(_) => &["/iteration/max", "/iteration/phase"],
        None => &["/iteration"],
    };
    filled.extend(iteration.iter().map(|one| (*one).to_owned()));
    filled.extend(["/target/path", "/target/type"].map(str::to_owned));
    if exchange.confidence.is_some() {
        filled.push("/overall_assessment/confidence".to_owned());
    }
    let is_critical = |item: &FeedbackItem| item.severity() == Some(Severity::Critical);
    let contradicts =
        exchange.verdict == AssessmentVerdict::Accept && exchange.items.iter().any(is_critical);
    if contradicts {
        remarks.push("changed: verdict from accept to refine: an item is critical".to_owned());
    }
    let number = exchange.iteration.unwrap_or(Count::ONE);
    let draft = Draft {
        id: new.id,
        timestamp: new.timestamp,
        iteration: Iteration::new(number, number),
        target: Target {
            kind: target_type(UNKNOWN_PATH),
            version: None,
            context: None,
            path: UNKNOWN_PATH.to_owned(),
        },
        verdict: Some(if contradicts {
            AssessmentVerdict::Refine
        } else {
            exchange.verdict
        }),
        score: mean(&exchange.criteria),
        confidence: exchange.confidence,
        summary: exchange.summary,
        items: exchange.items.iter().map(draft_item).collect(),
    };
    let Some(mut document) = compose(draft) else {
        return Err(Invalid::new(
            "nothing to convert: no areas for improvement, and a document needs at least one item",
        ));
    };
    filled.append(&mut document.derived);
    remarks.extend(filled.iter().map(|pointer| format!("derived: {pointer}")));
    document.derived = filled;
    Ok(Written {
        output: value(&document),
        remarks,
    })
}

fn draft_item(item: &FeedbackItem) -> DraftItem {
    DraftItem {
        place: item.section().to_owned(),
        issue: item.issue().to_owned(),
        action: item.suggestion().to_owned(),
        severity: item.severity(),
        ..DraftItem::default()
    }
}

/// The mean of scores from 0 to 100, as a number from 0 to 1.
fn mean(scores: &Scores) -> Option<Fraction> {
    let count = u32::try_from(scores.len())
        .ok()
        .filter(|count| *count > 0)?;
    let sum: u32 = scores.iter().map(|(_, score)| u32::from(score.get())).sum();
    Fraction::new(f64::from(sum) / f64::from(count) / 100.0).ok()
}

pub(super) fn review(exchange: Exchange) -> Result<Written, Invalid> {
    let mut remarks = lost(
        &exchange,
        &[
            ids(&exchange.items),
            ("iteration", exchange.iteration.is_some()),
            ("confidence", exchange.confidence.is_some()),
            ("summary", exchange.summary.is_some()),
        ],
    );
    let verdict = verdict(exchange.verdict, &mut remarks);
    let review = Review::new(verdict, exchange.criteria, plain_items(&exchange.items)?)
        .map_err(|error| Invalid::new(error.to_string()))?;
    Ok(Written {
        output: value(&review),
        remarks,
    })
}

pub(super) fn afp(exchange: Exchange) -> Result<Written, Invalid> {
    let mut remarks = lost(&exchange, &[]);
    let verdict = verdict(exchange.verdict, &mut remarks);
    let invalid = |error: &dyn std::error::Error| Invalid::new(error.to_string());
    let areas = exchange
        .items
        .into_iter()
        .zip(1..)
        .map(|(item, number)| {
            let own = item.id().cloned().map(Ok);
            let id = own.unwrap_or_else(|| FeedbackId::new(format!("area-{number:02}")));
            id.map(|id| item.with_id(id))
                .map_err(|error| invalid(&error))
        })
        .collect::<Result<_, _>>()?;
    let level = match exchange.confidence.map(Fraction::get) {
        Some(sure) if sure < 0.5 => ConfidenceLevel::Low,
        Some(sure) if sure >= 0.8 => ConfidenceLevel::High,
        Some(_) | None => ConfidenceLevel::Medium,
    };
    let feedback = FeedbackSummary {
        confidence: Confidence {
            level,
            justification: String::new(),
        },
        positive_points: Vec::new(),
        areas_for_improvement: FeedbackItems::numbered(areas),
        general_summary: exchange.summary.unwrap_or_default(),
    };
    let outcome = ReviewOutcome {
        end_id: None,
        review_id: None,
        verdict,
        score: exchange.criteria,
    };
    let success = Success::new(feedback, None, Some(outcome)).map_err(|error| invalid(&error))?;
    let number = exchange.iteration.map_or(1, Count::get);
    let response = FeedbackResponse {
        protocol_version: ProtocolVersion::V1_2,
        iteration: NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN),
        body: ResponseBody::Success(success),
    };
    Ok(Written {
        output: value(&response),
        remarks,
    })
}

/// What an output has no place for, of all formats and of this one.
fn lost(exchange: &Exchange, parts: &[(&str, bool)]) -> Vec<String> {
    let parts = parts.iter().filter(|(_, is_there)| *is_there);
    let names = exchange.unread.iter().map(String::as_str);
    let names = names.chain(parts.map(|(part, _)| *part));
    names.map(|part| format!("lost: {part}")).collect()
}

/// The ids of items, and whether any has one.
fn ids(items: &[FeedbackItem]) -> (&'static str, bool) {
    ("id of items", items.iter().any(|item| item.id().is_some()))
}

/// The verdict where there are only two.
fn verdict(verdict: AssessmentVerdict, remarks: &mut Vec<String>) -> Verdict {
    match verdict {
        AssessmentVerdict::Accept => Verdict::Pass,
        AssessmentVerdict::Refine => Verdict::NeedsRevision,
        AssessmentVerdict::Reject | AssessmentVerdict::Escalate => {
            remarks.push(format!("changed: verdict from {verdict} to needs_revision"));
            Verdict::NeedsRevision
        }
    }
}
