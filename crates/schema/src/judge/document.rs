//! Converts an actionable-feedback document to a review.

use review_types::{
    BlankField, CriterionName, FeedbackItem, ItemDetails, Review, Score, Scores, Severity, Verdict,
};

use super::{Judge, Rejection, no_object};
use crate::actionable::{
    self, ActionableFeedback, Aspect, AssessmentVerdict, Code, Diagnostic, Item, Mode, Priority,
};
use crate::form::{Mention, is_placeholder};
use crate::parse::{Answer, Node};
use crate::{AfpKey, Field, ItemKey, SchemaError};

/// The aspects that are also criteria.
const CRITERIA: [Aspect; 3] = [
    Aspect::Completeness,
    Aspect::Consistency,
    Aspect::Testability,
];

impl Judge<'_> {
    /// Parses the object of an answer as a document, and returns the verdict that it
    /// mentions, even if it is invalid.
    pub(super) fn document(
        &self,
        answer: &Answer<'_>,
    ) -> (
        Mention,
        Result<(Review, Box<ActionableFeedback>), Rejection>,
    ) {
        let Some(node) = self.object(answer) else {
            return (Mention::Unclear, Err(no_object(answer).into()));
        };
        let read = self.read_document(&node);
        let mention = match &read {
            Ok((review, _)) => review.verdict().into(),
            Err(Rejection::Template(_)) => Mention::None,
            Err(Rejection::Invalid(_)) => said(&node).max(self.mention(answer)),
        };
        (mention, read)
    }

    fn read_document(
        &self,
        node: &Node<'_>,
    ) -> Result<(Review, Box<ActionableFeedback>), Rejection> {
        let found = actionable::check(node, Mode::Import);
        if let Some(first) = found.iter().find(|one| is_fatal(one)) {
            let error = schema_error(first);
            return Err(if is_template(node) {
                Rejection::Template(error)
            } else {
                Rejection::Invalid(error)
            });
        }
        let document = actionable::document_as_given(node).map_err(|error| {
            Rejection::Invalid(SchemaError::json(error.to_string()).at(node.span.start))
        })?;
        let items = document.feedback_items.as_slice();
        let is_critical = |item: &Item| item.severity == Severity::Critical;
        let mut found = found.iter();
        // An accept verdict with a critical item is left to the caller.
        if let Some(one) = found.find(|one| one.code == Code::VerdictInconsistent)
            && !items.iter().any(is_critical)
        {
            return Err(Rejection::Invalid(schema_error(one)));
        }
        let review = self.review_of_document(&document, node)?;
        Ok((review, Box::new(document)))
    }

    fn review_of_document(
        &self,
        document: &ActionableFeedback,
        node: &Node<'_>,
    ) -> Result<Review, SchemaError> {
        let at = node.span.start;
        let items = document.feedback_items.as_slice();
        let scores = scores(items);
        if self.options.requires_scores()
            && let Some(name) = self
                .options
                .criteria
                .iter()
                .find(|name| scores.get(name.as_str()).is_none())
        {
            let field = Field::Criterion(name.clone());
            return Err(SchemaError::new(field, "required criterion missing").at(at));
        }
        let feedback: Result<Vec<_>, _> = items
            .iter()
            .map(|item| feedback(item, &document.target.path))
            .collect();
        let blank = |error: BlankField| SchemaError::new(Field::Feedback, error.to_string()).at(at);
        let verdict = if document.is_escalated() {
            Verdict::NeedsRevision
        } else {
            verdict(document.overall_assessment.verdict)
        };
        Review::new(verdict, scores, feedback.map_err(blank)?)
            .map_err(|error| SchemaError::new(Field::Feedback, error.to_string()).at(at))
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
        let least = scores.map(|score| percent(score.get())).min()?;
        Some((CriterionName::new(aspect.as_str()).ok()?, least))
    };
    CRITERIA.into_iter().filter_map(of).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a number from 0 to 1, times 100"
)]
fn percent(fraction: f64) -> Score {
    Score::new((fraction * 100.0).round() as i64).unwrap_or(Score::MAX)
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
        priority: item.suggestion.priority.map(Priority::get),
        evidence: item.evidence.clone(),
    };
    Ok(said?.with_severity(item.severity).with_details(details))
}

/// Returns the verdict that a malformed document mentions.
fn said(node: &Node<'_>) -> Mention {
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
    let mut steps = diagnostic.pointer.split('/').skip(1);
    let field = match (steps.next(), steps.next()) {
        (Some("overall_assessment"), Some("score")) => Field::Score,
        (Some("overall_assessment"), None | Some("verdict")) => Field::Verdict,
        (Some("feedback_items"), Some(index)) => {
            let key = match (steps.next(), steps.next()) {
                (Some("issue"), _) => Some(ItemKey::Issue),
                (Some("suggestion"), None | Some("action")) => Some(ItemKey::Suggestion),
                (Some("severity"), _) => Some(ItemKey::Severity),
                (Some("location"), _) => Some(ItemKey::Section),
                _ => None,
            };
            let item = index.parse().ok().zip(key);
            item.map_or(Field::Feedback, |(index, key)| Field::Item { index, key })
        }
        (Some("feedback_items"), None) => Field::Feedback,
        (Some("iteration"), _) => Field::Afp(AfpKey::Iteration),
        _ => Field::Json,
    };
    let message = format!(
        "{} ({} at {})",
        diagnostic.message, diagnostic.code, diagnostic.pointer
    );
    SchemaError::new(field, message)
        .at(diagnostic.at)
        .hint(diagnostic.advice())
}
