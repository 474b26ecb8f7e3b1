//! Feedback in each format.

use review_schema::actionable::{
    Aspect, AssessmentVerdict, Count, DocumentId, Draft, DraftItem, Fraction, Iteration, Location,
    LocationType, Target, compose, target_type,
};
use review_schema::afp::{
    Confidence, ConfidenceLevel, FeedbackResponse, FeedbackSummary, ProtocolVersion, ResponseBody,
    ReviewOutcome, Success,
};
use review_types::{
    CriterionName, FeedbackId, FeedbackItem, FeedbackItems, Iteration as AfpIteration, Review,
    Score, Scores, Severity, Timestamp, Verdict,
};
use serde_json::{Value as Json, json};

use super::exchange::{Exchange, Field, Point};
use super::invalid::Invalid;
use crate::json::value;
use crate::sarif::{
    self, ArtifactLocation, Driver, Level, Message, PhysicalLocation, Region, Run, Tool, properties,
};

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

/// An output and the fields that it carries.
type Carrying = (Json, &'static [Field]);

pub(super) fn actionable(exchange: Exchange, new: NewDocument) -> Result<Written, Invalid> {
    let carried = [
        Field::Id,
        Field::Timestamp,
        Field::Iteration,
        Field::Target,
        Field::Verdict,
        Field::Score,
        Field::Confidence,
        Field::Summary,
        Field::Location,
        Field::Aspect,
        Field::Severity,
        Field::ItemScore,
        Field::Action,
        Field::Rationale,
        Field::Example,
        Field::Priority,
        Field::Evidence,
        Field::Rule,
    ];
    let mut remarks = exchange.losses(&carried);
    let mut filled = Vec::new();
    let mut derive = |pointer: &str, is_missing: bool| {
        if is_missing {
            filled.push(pointer.to_owned());
        }
    };
    let path = exchange.target.clone().or_else(|| {
        let paths = exchange
            .points
            .iter()
            .filter_map(|point| point.path.clone());
        paths.into_iter().next()
    });
    derive("/id", exchange.id.is_none());
    derive("/timestamp", exchange.timestamp.is_none());
    derive("/iteration", exchange.iteration.is_none());
    derive("/target/path", path.is_none());
    let path = path.unwrap_or_else(|| "unknown".to_owned());
    let is_critical = |point: &Point| point.severity == Some(Severity::Critical);
    let contradicts = exchange.verdict == Some(AssessmentVerdict::Accept)
        && exchange.points.iter().any(is_critical);
    let verdict = match exchange.verdict {
        Some(_) if contradicts => Some(AssessmentVerdict::Refine),
        verdict => verdict,
    };
    if contradicts {
        remarks.push("changed: verdict from accept to refine: an item is critical".to_owned());
    }
    let (number, max) = exchange.iteration.unwrap_or((Count::ONE, None));
    let score = exchange.score.or_else(|| mean(&exchange.criteria));
    let draft = Draft {
        id: exchange.id.unwrap_or(new.id),
        timestamp: exchange.timestamp.unwrap_or(new.timestamp),
        iteration: Iteration::new(number, max.unwrap_or(number)),
        target: Target {
            kind: target_type(&path),
            version: None,
            context: None,
            path: path.clone(),
        },
        verdict,
        score,
        confidence: exchange.confidence,
        summary: exchange.summary,
        items: exchange
            .points
            .into_iter()
            .map(|point| draft_item(point, &path))
            .collect(),
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

fn draft_item(point: Point, target: &str) -> DraftItem {
    let elsewhere = point.path.as_deref().is_some_and(|path| path != target);
    let location = match (&point.section, point.lines) {
        (None, Some(lines)) if !elsewhere => Some(Location {
            kind: if lines.first == lines.last {
                LocationType::Line
            } else {
                LocationType::Range
            },
            reference: lines.to_string(),
            context_before: None,
            context_after: None,
        }),
        _ => point.location.clone(),
    };
    let place = point.place();
    let evidence = point.evidence.or_else(|| {
        point.rule.map(|rule| review_schema::actionable::Evidence {
            reference: Some(rule),
            ..Default::default()
        })
    });
    DraftItem {
        action: point
            .action
            .unwrap_or_else(|| format!("Fix this at {place}: {}", point.issue)),
        place,
        location,
        issue: point.issue,
        rationale: point.rationale,
        example: point.example,
        aspect: point.aspect,
        severity: point.severity,
        score: point.score,
        priority: point.priority,
        evidence,
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

/// The verdict where there are only two.
fn verdict(exchange: &Exchange) -> Verdict {
    match exchange.verdict {
        Some(AssessmentVerdict::Accept) => Verdict::Pass,
        Some(
            AssessmentVerdict::Refine | AssessmentVerdict::Reject | AssessmentVerdict::Escalate,
        ) => Verdict::NeedsRevision,
        None if exchange.points.is_empty() => Verdict::Pass,
        None => Verdict::NeedsRevision,
    }
}

/// The scores by criterion: those that there are, else the least scores of the
/// aspects that are criteria.
fn criteria(exchange: &Exchange) -> Scores {
    if !exchange.criteria.is_empty() {
        return exchange.criteria.clone();
    }
    let aspects = [
        Aspect::Completeness,
        Aspect::Consistency,
        Aspect::Testability,
    ];
    let of = |aspect: Aspect| {
        let points = exchange
            .points
            .iter()
            .filter(|point| point.aspect == Some(aspect));
        let least = points
            .filter_map(|point| point.score)
            .map(|score| percent(score.get()))
            .min()?;
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

fn items(exchange: &Exchange) -> Result<Vec<FeedbackItem>, Invalid> {
    let item = |point: &Point| {
        let place = Some(point.place()).filter(|place| !place.trim().is_empty());
        let action = point.action.clone().unwrap_or_else(|| point.issue.clone());
        let section = place.unwrap_or_else(|| "whole".to_owned());
        let item = FeedbackItem::new(section, &*point.issue, action)
            .map_err(|error| Invalid::new(error.to_string()))?;
        Ok(match point.severity {
            Some(severity) => item.with_severity(severity),
            None => item,
        })
    };
    exchange.points.iter().map(item).collect()
}

pub(super) fn review(exchange: &Exchange) -> Result<Carrying, Invalid> {
    let review = Review::new(verdict(exchange), criteria(exchange), items(exchange)?)
        .map_err(|error| Invalid::new(error.to_string()))?;
    let carried = &[
        Field::Verdict,
        Field::Criteria,
        Field::Location,
        Field::Severity,
        Field::Action,
    ];
    Ok((value(&review), carried))
}

pub(super) fn afp(exchange: &Exchange) -> Result<Carrying, Invalid> {
    let invalid = |error: &dyn std::error::Error| Invalid::new(error.to_string());
    let numbered = items(exchange)?.into_iter().zip(1..);
    let areas = numbered
        .map(|(item, number)| {
            let id = FeedbackId::new(format!("area-{number:02}"));
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
        general_summary: exchange.summary.clone().unwrap_or_default(),
    };
    let outcome = ReviewOutcome {
        end_id: None,
        review_id: None,
        verdict: verdict(exchange),
        score: criteria(exchange),
    };
    let success = Success::new(feedback, None, Some(outcome)).map_err(|error| invalid(&error))?;
    let number = exchange.iteration.map_or(1, |(number, _)| number.get());
    let response = FeedbackResponse {
        protocol_version: ProtocolVersion,
        iteration: AfpIteration::new(number).unwrap_or(AfpIteration::FIRST),
        body: ResponseBody::Success(success),
    };
    let carried = &[
        Field::Iteration,
        Field::Verdict,
        Field::Criteria,
        Field::Confidence,
        Field::Summary,
        Field::Location,
        Field::Severity,
        Field::Action,
    ];
    Ok((value(&response), carried))
}

/// An object without the fields that are null.
fn object(fields: Json) -> Json {
    match fields {
        Json::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .collect(),
        other => other,
    }
}

fn sarif_finding(point: &Point, target: Option<&String>) -> sarif::Finding {
    let line = |line: u64| usize::try_from(line.max(1)).ok();
    let region = point.lines.map(|lines| Region {
        start_line: line(lines.first),
        end_line: line(lines.last),
        ..Region::default()
    });
    let location = |path: &String| sarif::Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation::of(path),
            region: region.clone(),
        },
    };
    let section = point.lines.is_none().then(|| point.place());
    let aspect = point.aspect.map(Aspect::as_str);
    sarif::Finding {
        rule_id: point.rule.as_deref().or(aspect).map(str::to_owned),
        level: point.severity.map_or(Level::Warning, Level::from),
        message: Message::new(&*point.issue),
        locations: point
            .path
            .as_ref()
            .or(target)
            .map(location)
            .into_iter()
            .collect(),
        properties: properties(json!({
            "severity": point.severity.map(Severity::as_str),
            "aspect": aspect,
            "section": section.filter(|section| !section.is_empty()),
            "action": point.action,
            "rationale": point.rationale,
        })),
        ..sarif::Finding::default()
    }
}

pub(super) fn sarif(exchange: &Exchange) -> Carrying {
    let target = exchange.target.as_ref();
    let findings = exchange.points.iter();
    let log = sarif::Log::new(Run {
        tool: Tool {
            driver: Driver {
                name: "ralph".to_owned(),
                ..Driver::default()
            },
        },
        results: findings.map(|point| sarif_finding(point, target)).collect(),
        ..Run::default()
    });
    let carried = &[
        Field::Target,
        Field::Location,
        Field::Aspect,
        Field::Severity,
        Field::Action,
        Field::Rationale,
        Field::Rule,
    ];
    (value(&log), carried)
}

pub(super) fn rdjson(exchange: &Exchange) -> Carrying {
    let diagnostic = |point: &Point| {
        let range = point.lines.map(
            |lines| json!({ "start": { "line": lines.first }, "end": { "line": lines.last } }),
        );
        let path = point.path.as_ref().or(exchange.target.as_ref());
        let severity = point.severity.map(|severity| match severity {
            Severity::Critical | Severity::Major => "ERROR",
            Severity::Minor => "WARNING",
            Severity::Suggestion => "INFO",
        });
        let rule = point.rule.as_deref().or(point.aspect.map(Aspect::as_str));
        let message = match &point.action {
            Some(action) => format!("{}\n{action}", point.issue),
            None => point.issue.clone(),
        };
        object(json!({
            "message": message,
            "location": object(json!({ "path": path.map_or("", String::as_str), "range": range })),
            "severity": severity,
            "code": rule.map(|rule| json!({ "value": rule })),
        }))
    };
    let diagnostics: Vec<_> = exchange.points.iter().map(diagnostic).collect();
    let output = json!({ "source": { "name": "ralph" }, "diagnostics": diagnostics });
    let carried = &[
        Field::Target,
        Field::Severity,
        Field::Action,
        Field::Aspect,
        Field::Rule,
    ];
    (output, carried)
}

pub(super) fn codex(exchange: &Exchange) -> Carrying {
    let finding = |point: &Point| {
        let path = point.path.as_ref().or(exchange.target.as_ref());
        let priority = point.severity.map(|severity| match severity {
            Severity::Critical => 0,
            Severity::Major => 1,
            Severity::Minor => 2,
            Severity::Suggestion => 3,
        });
        let lines = point
            .lines
            .map_or((1, 1), |lines| (lines.first, lines.last));
        object(json!({
            "title": point.action.as_ref().unwrap_or(&point.issue),
            "body": point.issue,
            "confidence_score": exchange.confidence.map_or(1.0, Fraction::get),
            "priority": priority,
            "code_location": {
                "absolute_file_path": path.map_or("", String::as_str),
                "line_range": { "start": lines.0, "end": lines.1 },
            },
        }))
    };
    let findings: Vec<_> = exchange.points.iter().map(finding).collect();
    let correct = match verdict(exchange) {
        Verdict::Pass => "patch is correct",
        Verdict::NeedsRevision => "patch is incorrect",
    };
    let output = json!({
        "findings": findings,
        "overall_correctness": correct,
        "overall_explanation": exchange.summary.as_deref().unwrap_or(""),
        "overall_confidence_score": exchange.confidence.map_or(1.0, Fraction::get),
    });
    let carried = &[
        Field::Target,
        Field::Verdict,
        Field::Confidence,
        Field::Summary,
        Field::Severity,
        Field::Action,
    ];
    (output, carried)
}
