//! The rules of the published schema that are not in its keywords.

use crate::actionable::{ActionableFeedback, AssessmentVerdict, Items, LocationType};
use review_text::wording::{Wording, is_concrete};
use review_types::Severity;

use super::Code;
use super::check::{Check, FoundFields};
use super::path::Path;
use crate::parse::{Node, is_invisible};

/// Checks that the number is at most the maximum.
pub(super) fn iteration(check: &mut Check, found: &FoundFields<'_>, path: &Path<'_>) {
    let is_count = |number: &f64| *number >= 1.0 && number.fract() == 0.0;
    let number = |name| found.get(name)?.number().filter(is_count);
    let (Some(number), Some(max)) = (number("number"), number("max")) else {
        return;
    };
    let at = found.object.span.start;
    if number > max {
        let message = format!("iteration {number} is beyond the maximum of {max}");
        check.error(Code::IterationBeyondMax, at, &path.key("number"), message);
    }
}

/// Notes whether an item is critical, which counts for the verdict.
pub(super) fn item(check: &mut Check, found: &FoundFields<'_>, _: &Path<'_>) {
    check.has_critical |= found.text("severity") == Some(Severity::Critical.as_str());
}

/// Checks that an action that is not advice starts with an imperative or names something.
pub(super) fn suggestion(check: &mut Check, found: &FoundFields<'_>, path: &Path<'_>) {
    if let Some(node) = found.get("action")
        && let Some(action) = node.text()
        && !is_concrete(action)
        && Wording::Advisory.find(action).is_none()
    {
        let message = "starts with no imperative and names no code, path or number";
        let path = path.key("action");
        check.warning(Code::ActionNotConcrete, node.span.start, &path, message);
    }
}

/// Checks that the reference matches its type.
pub(super) fn location(check: &mut Check, found: &FoundFields<'_>, path: &Path<'_>) {
    let Some(node) = found.get("reference") else {
        return;
    };
    let (Some(reference), Some(kind)) = (node.text(), found.text("type")) else {
        return;
    };
    let (at, path) = (node.span.start, path.key("reference"));
    let kind = kind.parse::<LocationType>();
    if reference.chars().all(is_invisible) {
        check.error(Code::LocationEmpty, at, &path, "the reference is blank");
    } else if kind == Ok(LocationType::Line) && is_range(reference) {
        let message = format!("\"{reference}\" is a range, not a line");
        check.warning(Code::LocationLineIsRange, at, &path, message);
    } else if kind == Ok(LocationType::Line) && line(reference).is_none() {
        let message = "the reference of a line must be its number, counted from 1";
        check.error(Code::LocationReference, at, &path, message);
    } else if kind == Ok(LocationType::Range) && !is_range(reference) {
        let message = "the reference of a range must be two line numbers with a hyphen, \
                       the first not above the last";
        check.error(Code::LocationReference, at, &path, message);
    }
}

/// Checks that the verdict matches the items, which come before it, the score and the
/// confidence.
pub(super) fn assessment(check: &mut Check, found: &FoundFields<'_>, path: &Path<'_>) {
    let number = |name| found.get(name).and_then(Node::number);
    let Some(score) = number("score") else {
        return;
    };
    let (at, path) = (found.object.span.start, path.key("verdict"));
    if found.text("verdict") != Some(AssessmentVerdict::Accept.as_str()) {
        return;
    }
    if check.has_critical {
        let message = "the verdict is accept, but an item is critical";
        check.error(Code::VerdictInconsistent, at, &path, message);
    } else if score < 0.5 {
        let message = "the verdict is accept, but the score is below 0.5";
        check.error(Code::VerdictInconsistent, at, &path, message);
    } else if number("confidence").is_some_and(|sure| sure < 0.5) {
        let message = "accepts with a confidence below 0.5: treated as escalate";
        check.warning(Code::VerdictUnsure, at, &path, message);
    }
}

/// Returns the document with corrected locations.
pub(super) fn normalised(mut feedback: ActionableFeedback) -> ActionableFeedback {
    let mut items = feedback.feedback_items.as_slice().to_vec();
    for item in &mut items {
        let location = &mut item.location;
        if location.kind == LocationType::Line && is_range(&location.reference) {
            location.kind = LocationType::Range;
        }
    }
    if let Ok(items) = Items::new(items) {
        feedback.feedback_items = items;
    }
    feedback
}

/// Returns the number of a line, counted from 1.
fn line(text: &str) -> Option<u64> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let line = text.parse().ok().filter(|_| is_digits)?;
    (line > 0).then_some(line)
}

fn is_range(text: &str) -> bool {
    let lines = text.split_once('-');
    let lines = lines.and_then(|(first, last)| Some((line(first)?, line(last)?)));
    lines.is_some_and(|(first, last)| first <= last)
}
