//! Each format as feedback.

use review_schema::actionable::{AssessmentVerdict, Count, Fraction};
use review_schema::afp::{ConfidenceLevel, PartBody, ResponseBody, read_message, read_response};
use review_schema::{Options, parse_and_validate_with};
use review_types::{FeedbackItem, Severity, Verdict, plural};
use serde::de::DeserializeOwned;

use super::exchange::{Exchange, Lines, Point};
use super::invalid::Invalid;
use super::wire::{Codex, CodexFinding, RdDiagnostic, Rdjson, Sarif, SarifLevel, SarifResult};
use crate::sarif::path_of_uri;

pub(super) fn review(text: &str) -> Result<Exchange, Invalid> {
    let options = Options {
        criteria: Vec::new(),
        require_scores: Some(false),
        ..Options::default()
    };
    let parsed = parse_and_validate_with(text, &options);
    let review = parsed
        .map_err(|error| Invalid::new(error.to_string()))?
        .review;
    Ok(Exchange {
        verdict: Some(verdict_of(review.verdict())),
        criteria: review.score().clone(),
        points: review.feedback().iter().map(point_of).collect(),
        ..Exchange::default()
    })
}

fn verdict_of(verdict: Verdict) -> AssessmentVerdict {
    match verdict {
        Verdict::Pass => AssessmentVerdict::Accept,
        Verdict::NeedsRevision => AssessmentVerdict::Refine,
    }
}

fn point_of(item: &FeedbackItem) -> Point {
    Point {
        section: Some(item.section().to_owned()),
        issue: item.issue().to_owned(),
        action: Some(item.suggestion().to_owned()),
        severity: item.severity(),
        ..Point::default()
    }
}

/// The response in the lines of the protocol's stream, if the content is one.
fn streamed(text: &str) -> Option<String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let messages = lines.map(|line| read_message(line.as_bytes()).ok());
    let messages: Vec<_> = messages.collect::<Option<_>>()?;
    let texts = messages
        .iter()
        .filter_map(|message| match &message.part().body {
            PartBody::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
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
    let areas = feedback.areas_for_improvement.len();
    if areas > 0 {
        unread.push(format!("id of {}", plural(areas, "area", "areas")));
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
    let number = Count::new(response.iteration.get());
    Ok(Exchange {
        iteration: number.map(|number| (number, None)),
        verdict: Some(verdict_of(review.verdict())),
        criteria: review.score().clone(),
        confidence: Fraction::new(confidence).ok(),
        summary,
        points: review.feedback().iter().map(point_of).collect(),
        unread,
        ..Exchange::default()
    })
}

fn read<T: DeserializeOwned>(text: &str, format: &str) -> Result<T, Invalid> {
    serde_json::from_str(text).map_err(|error| Invalid::new(format!("no {format}: {error}")))
}

pub(super) fn sarif(text: &str) -> Result<Exchange, Invalid> {
    let log: Sarif = read(text, "SARIF log")?;
    let results = log.runs.into_iter().flat_map(|run| run.results);
    Ok(Exchange {
        points: results.map(sarif_point).collect(),
        unread: vec!["what the log says about its tool".to_owned()],
        ..Exchange::default()
    })
}

fn sarif_point(result: SarifResult) -> Point {
    let place = result.locations.into_iter().next();
    let place = place.and_then(|location| location.physical_location);
    let (path, region) = place.map_or((None, None), |place| {
        let uri = place.artifact_location.and_then(|artifact| artifact.uri);
        let path = uri.map(|uri| path_of_uri(&uri));
        (path, place.region)
    });
    let properties = result.properties;
    let severity = match properties.severity.as_deref() {
        Some(word) => word.parse().ok(),
        None => Some(match result.level {
            Some(SarifLevel::Error) => Severity::Critical,
            Some(SarifLevel::Note | SarifLevel::None) => Severity::Suggestion,
            Some(SarifLevel::Warning) | None => Severity::Minor,
        }),
    };
    let fix = result.fixes.into_iter().next();
    Point {
        path,
        lines: region.and_then(|region| Lines::new(region.start_line, region.end_line)),
        section: properties.section,
        aspect: properties.aspect.and_then(|word| word.parse().ok()),
        severity,
        issue: result.message.text.unwrap_or_default(),
        action: properties
            .action
            .or_else(|| fix.and_then(|fix| fix.description)?.text),
        rationale: properties.rationale,
        rule: result.rule_id,
        ..Point::default()
    }
}

pub(super) fn rdjson(text: &str) -> Result<Exchange, Invalid> {
    let result: Rdjson = read(text, "rdjson")?;
    Ok(Exchange {
        points: result.diagnostics.into_iter().map(rdjson_point).collect(),
        ..Exchange::default()
    })
}

fn rdjson_point(diagnostic: RdDiagnostic) -> Point {
    let range = diagnostic.location.range;
    let lines = range.and_then(|range| {
        let last = range.end.and_then(|end| end.line);
        Lines::new(range.start.line, last)
    });
    let severity = diagnostic.severity.and_then(|word| match word.as_str() {
        "ERROR" => Some(Severity::Critical),
        "WARNING" => Some(Severity::Minor),
        "INFO" => Some(Severity::Suggestion),
        _ => None,
    });
    let suggestion = diagnostic.suggestions.into_iter().next();
    Point {
        path: Some(diagnostic.location.path),
        lines,
        severity,
        issue: diagnostic.message,
        example: suggestion.map(|suggestion| suggestion.text),
        rule: diagnostic.code.map(|code| code.value),
        ..Point::default()
    }
}

pub(super) fn codex(text: &str) -> Result<Exchange, Invalid> {
    let review: Codex = read(text, "findings of Codex")?;
    let verdict = review.overall_correctness.map(|word| {
        if word.contains("incorrect") {
            AssessmentVerdict::Refine
        } else {
            AssessmentVerdict::Accept
        }
    });
    let scored = review
        .findings
        .iter()
        .any(|one| one.confidence_score.is_some());
    let unread = scored.then(|| "confidence_score of findings".to_owned());
    Ok(Exchange {
        verdict,
        confidence: fraction(review.overall_confidence_score),
        summary: review.overall_explanation,
        points: review.findings.into_iter().map(codex_point).collect(),
        unread: unread.into_iter().collect(),
        ..Exchange::default()
    })
}

fn fraction(number: Option<f64>) -> Option<Fraction> {
    number.and_then(|number| Fraction::new(number).ok())
}

fn codex_point(finding: CodexFinding) -> Point {
    let severity = finding.priority.map(|priority| match priority {
        0 => Severity::Critical,
        1 => Severity::Major,
        2 => Severity::Minor,
        _ => Severity::Suggestion,
    });
    let (path, range) = finding.code_location.map_or((None, None), |location| {
        (Some(location.absolute_file_path), location.line_range)
    });
    Point {
        path,
        lines: range.and_then(|range| Lines::new(Some(range.start), range.end)),
        severity,
        issue: finding.body,
        action: Some(finding.title),
        ..Point::default()
    }
}
