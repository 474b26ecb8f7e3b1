//! Feedback without the form of any format.

use review_schema::actionable::{
    ActionableFeedback, Aspect, AssessmentVerdict, Count, DocumentId, Evidence, Fraction, Item,
    Location, LocationType, Priority,
};
use review_types::{Scores, Severity, Timestamp, plural};

/// The feedback that any of the formats can hold.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    pub(super) id: Option<DocumentId>,
    pub(super) timestamp: Option<Timestamp>,
    /// Number and greatest number.
    pub(super) iteration: Option<(Count, Option<Count>)>,
    pub(super) target: Option<String>,
    pub(super) verdict: Option<AssessmentVerdict>,
    pub(super) score: Option<Fraction>,
    pub(super) criteria: Scores,
    pub(super) confidence: Option<Fraction>,
    pub(super) summary: Option<String>,
    pub(super) points: Vec<Point>,
    /// The parts of the source that were not read at all.
    pub(super) unread: Vec<String>,
}

/// One thing to change.
#[derive(Debug, Default)]
pub(super) struct Point {
    pub(super) path: Option<String>,
    pub(super) lines: Option<Lines>,
    /// Where, as a section, function or whatever else.
    pub(super) location: Option<Location>,
    pub(super) section: Option<String>,
    pub(super) aspect: Option<Aspect>,
    pub(super) severity: Option<Severity>,
    pub(super) score: Option<Fraction>,
    pub(super) issue: String,
    pub(super) action: Option<String>,
    pub(super) rationale: Option<String>,
    pub(super) example: Option<String>,
    pub(super) priority: Option<Priority>,
    pub(super) evidence: Option<Evidence>,
    /// The code of the rule that found it.
    pub(super) rule: Option<String>,
}

/// The first and the last line, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// Whether a point has a field.
type Given = fn(&Point) -> bool;

/// A part of feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Id,
    Timestamp,
    Iteration,
    Target,
    Verdict,
    Score,
    Criteria,
    Confidence,
    Summary,
    Location,
    Aspect,
    Severity,
    ItemScore,
    Action,
    Rationale,
    Example,
    Priority,
    Evidence,
    Rule,
}

impl Field {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Timestamp => "timestamp",
            Self::Iteration => "iteration",
            Self::Target => "target",
            Self::Verdict => "verdict",
            Self::Score => "overall score",
            Self::Criteria => "scores of criteria",
            Self::Confidence => "confidence",
            Self::Summary => "summary",
            Self::Location => "location",
            Self::Aspect => "aspect",
            Self::Severity => "severity",
            Self::ItemScore => "item score",
            Self::Action => "action",
            Self::Rationale => "rationale",
            Self::Example => "example",
            Self::Priority => "priority",
            Self::Evidence => "evidence",
            Self::Rule => "rule",
        }
    }
}

impl Exchange {
    pub(super) fn of_document(feedback: ActionableFeedback) -> Self {
        let path = feedback.target.path;
        let items = feedback.feedback_items.as_slice();
        let points = items.iter().map(|item| Point {
            path: Some(path.clone()),
            lines: Lines::of(&item.location),
            location: Some(item.location.clone()),
            section: None,
            aspect: Some(item.aspect),
            severity: Some(item.severity),
            score: item.score,
            issue: item.issue.as_str().to_owned(),
            action: Some(item.suggestion.action.as_str().to_owned()),
            rationale: Some(item.suggestion.rationale.as_str().to_owned()),
            example: item.suggestion.example.clone(),
            priority: item.suggestion.priority,
            evidence: item.evidence.clone(),
            rule: None,
        });
        let points = points.collect();
        let assessment = feedback.overall_assessment;
        let has_context = |item: &&Item| {
            item.location.context_before.is_some() || item.location.context_after.is_some()
        };
        let contexts = feedback
            .feedback_items
            .as_slice()
            .iter()
            .filter(has_context)
            .count();
        let unread = [
            (
                feedback.quality_tracking.is_some(),
                "quality_tracking".to_owned(),
            ),
            (
                feedback.target.version.is_some(),
                "target.version".to_owned(),
            ),
            (
                feedback.target.context.is_some(),
                "target.context".to_owned(),
            ),
            (
                contexts > 0,
                format!("context of {}", plural(contexts, "item", "items")),
            ),
        ];
        let unread = unread.into_iter().filter(|(is_there, _)| *is_there);
        Self {
            id: Some(feedback.id),
            timestamp: Some(feedback.timestamp),
            iteration: Some((feedback.iteration.number, Some(feedback.iteration.max))),
            target: Some(path),
            verdict: Some(assessment.verdict),
            score: Some(assessment.score),
            criteria: Scores::default(),
            confidence: assessment.confidence,
            summary: Some(assessment.summary.as_str().to_owned()),
            points,
            unread: unread.map(|(_, what)| what).collect(),
        }
    }

    /// The fields that are there and that a format which carries `carried` leaves
    /// out, in words.
    pub(super) fn losses(&self, carried: &[Field]) -> Vec<String> {
        let of_document = [
            (Field::Id, self.id.is_some()),
            (Field::Timestamp, self.timestamp.is_some()),
            (Field::Iteration, self.iteration.is_some()),
            (Field::Target, self.target.is_some()),
            (Field::Verdict, self.verdict.is_some()),
            (Field::Score, self.score.is_some()),
            (Field::Criteria, !self.criteria.is_empty()),
            (Field::Confidence, self.confidence.is_some()),
            (Field::Summary, self.summary.is_some()),
        ];
        let of_points: [(Field, Given); 10] = [
            (Field::Location, |point| {
                point.lines.is_none() && (point.location.is_some() || point.section.is_some())
            }),
            (Field::Aspect, |point| point.aspect.is_some()),
            (Field::Severity, |point| point.severity.is_some()),
            (Field::ItemScore, |point| point.score.is_some()),
            (Field::Action, |point| point.action.is_some()),
            (Field::Rationale, |point| point.rationale.is_some()),
            (Field::Example, |point| point.example.is_some()),
            (Field::Priority, |point| point.priority.is_some()),
            (Field::Evidence, |point| point.evidence.is_some()),
            (Field::Rule, |point| point.rule.is_some()),
        ];
        let lost = |field: Field| !carried.contains(&field);
        let mut remarks: Vec<_> = self
            .unread
            .iter()
            .map(|what| format!("lost: {what}"))
            .collect();
        for (field, is_there) in of_document {
            if is_there && lost(field) {
                remarks.push(format!("lost: {}", field.as_str()));
            }
        }
        for (field, is_there) in of_points {
            let count = self.points.iter().filter(|point| is_there(point)).count();
            if count > 0 && lost(field) {
                let items = plural(count, "item", "items");
                remarks.push(format!("lost: {} of {items}", field.as_str()));
            }
        }
        remarks
    }
}

impl Point {
    /// The place in one string.
    pub(super) fn place(&self) -> String {
        if let Some(section) = &self.section {
            return section.clone();
        }
        match (&self.path, self.lines, &self.location) {
            (Some(path), Some(lines), _) => format!("{path}:{lines}"),
            (_, _, Some(location)) => location.reference.clone(),
            (Some(path), None, None) => path.clone(),
            (None, Some(lines), None) => lines.to_string(),
            (None, None, None) => String::new(),
        }
    }
}

impl Lines {
    fn of(location: &Location) -> Option<Self> {
        let reference = &location.reference;
        match location.kind {
            LocationType::Line => {
                let first = reference.parse().ok()?;
                Some(Self { first, last: first })
            }
            LocationType::Range => {
                let (first, last) = reference.split_once('-')?;
                let (first, last) = (first.parse().ok()?, last.parse().ok()?);
                Some(Self { first, last })
            }
            LocationType::Function
            | LocationType::Section
            | LocationType::Element
            | LocationType::Path => None,
        }
    }

    /// Lines that begin at `first`; they end there if nothing else is known.
    pub(super) fn new(first: Option<u64>, last: Option<u64>) -> Option<Self> {
        let first = first.filter(|first| *first > 0)?;
        let last = last.unwrap_or(first).max(first);
        Some(Self { first, last })
    }
}

impl std::fmt::Display for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.first == self.last {
            return self.first.fmt(f);
        }
        write!(f, "{}-{}", self.first, self.last)
    }
}
