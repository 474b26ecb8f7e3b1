//! Converts an actionable-feedback document to a review.

use review_types::{
    BlankField, CriterionName, FeedbackItem, ItemDetails, Review, Scores, Severity, Verdict,
};

use super::score::score_of;
use super::{Answer, Judge, Rejection};
use crate::actionable::{
    self, ActionableFeedback, Aspect, AssessmentVerdict, Code, Diagnostic, Item, Mode,
};
use crate::parse::Node;
use crate::spelling::{Mention, is_placeholder};
use crate::{Dialect, Field, SchemaError};

/// The aspects that are also criteria.
const CRITERIA: [Aspect; 3] = [
    Aspect::Completeness,
    Aspect::Consistency,
    Aspect::Testability,
];

impl Judge<'_> {
    /// Reads the object of an answer as a document.
    pub(super) fn document(&self, node: &Node<'_>) -> Result<Answer, Rejection> {
        let found = actionable::check(node, Mode::Import);
        if let Some(first) = found.iter().find(|one| is_fatal(one)) {
            return Err(Rejection::of(schema_error(first), is_template(node)));
        }
        let document = actionable::document(node)
            .map_err(|error| SchemaError::json(error.to_string()).at(node.span.start))?;
        let items = document.feedback_items.as_slice();
        let is_critical = |item: &Item| item.severity == Severity::Critical;
        let mut found = found.iter();
        // An accept verdict with a critical item is left to the caller.
        if let Some(one) = found.find(|one| one.code == Code::VerdictInconsistent)
            && !items.iter().any(is_critical)
        {
            return Err(schema_error(one).into());
        }
        Ok(Answer {
            review: self.review_of_document(&document, node)?,
            response: None,
            document: Some(Box::new(document)),
            end_mark: self.end_mark(node),
        })
    }

    fn review_of_document(
        &self,
        document: &ActionableFeedback,
        node: &Node<'_>,
    ) -> Result<Review, SchemaError> {
        let at = node.span.start;
        let items = document.feedback_items.as_slice();
        let scores = scores(items);
        let feedback: Result<Vec<_>, _> = items
            .iter()
            .map(|item| feedback(item, &document.target.path))
            .collect();
        let error = |message| SchemaError::of(Field::at(Dialect::Actionable.items()), message);
        let verdict = if document.is_escalated() {
            Verdict::NeedsRevision
        } else {
            verdict(document.overall_assessment.verdict)
        };
        let feedback = feedback.map_err(|blank: BlankField| error(blank.to_string()).at(at))?;
        Review::new(verdict, scores, feedback).map_err(|empty| error(empty.to_string()).at(at))
    }
}

/// Returns whether a document with this fault is malformed. The wording of its items
/// and the form of their locations do not change its meaning; whether its
/// verdict matches its items is checked when they are parsed.
fn is_fatal(diagnostic: &Diagnostic) -> bool {
    let is_form = matches!(
        diagnostic.code,
        Code::IssueVague
            | Code::ActionAdvisory
            | Code::LocationReference
            | Code::DerivedNotPointers
            | Code::VerdictInconsistent
    );
    diagnostic.is_error() && !is_form
}

const fn verdict(verdict: AssessmentVerdict) -> Verdict {
    match verdict {
        AssessmentVerdict::Accept => Verdict::Pass,
        AssessmentVerdict::Refine | AssessmentVerdict::Reject | AssessmentVerdict::Escalate => {
            Verdict::NeedsRevision
        }
    }
}

/// Returns the minimum score of each aspect that is a criterion, from 0 to 100.
fn scores(items: &[Item]) -> Scores {
    let of = |aspect: Aspect| {
        let scores = items
            .iter()
            .filter(|item| item.aspect == aspect)
            .filter_map(|item| item.score);
        let least = scores
            .filter_map(|score| score_of((score.get() * 100.0).round()))
            .min()?;
        Some((CriterionName::new(aspect.as_str()).ok()?, least))
    };
    CRITERIA.into_iter().filter_map(of).collect()
}

fn feedback(item: &Item, path: &str) -> Result<FeedbackItem, BlankField> {
    let reference = &item.location.reference;
    let section = if reference.starts_with(|c: char| c.is_ascii_digit()) {
        format!("{path}:{reference}")
    } else {
        reference.clone()
    };
    let said = FeedbackItem::new(
        section,
        item.issue.as_str(),
        item.suggestion.action.as_str(),
    );
    let details = ItemDetails {
        aspect: Some(item.aspect),
        rationale: Some(item.suggestion.rationale.as_str().to_owned()),
        example: item.suggestion.example.clone(),
        priority: item
            .suggestion
            .priority
            .and_then(|rank| u8::try_from(rank.get()).ok()),
        evidence: item.evidence.clone(),
    };
    Ok(said?.with_severity(item.severity).with_details(details))
}

/// Returns the verdict that a malformed document mentions.
pub(super) fn mentioned(node: &Node<'_>) -> Mention {
    match verdict_word(node) {
        Some("refine" | "reject" | "escalate") => Mention::NeedsRevision,
        _ => Mention::Unclear,
    }
}

fn verdict_word<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    node.get("overall_assessment")?.get("verdict")?.text()
}

/// Returns whether the verdict is a choice or a placeholder, as in a template.
fn is_template(node: &Node<'_>) -> bool {
    verdict_word(node).is_some_and(|word| word.contains('|') || is_placeholder(word))
}

/// Converts a diagnostic to the error of a review.
fn schema_error(diagnostic: &Diagnostic) -> SchemaError {
    let mut field = Field::at("");
    for step in diagnostic.pointer.split('/').skip(1) {
        field = match step.parse() {
            Ok(index) => field.index(index),
            Err(_) => field.key(step),
        };
    }
    if field.as_str().is_empty() {
        field = Field::json();
    }
    let message = format!("{} ({})", diagnostic.message, diagnostic.code);
    SchemaError::of(field, message)
        .at(diagnostic.at)
        .hint(diagnostic.advice())
}
