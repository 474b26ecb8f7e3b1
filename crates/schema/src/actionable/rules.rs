//! The rules of the published schema that are not in its keywords.

use crate::actionable::{AssessmentVerdict, LocationType, Phase};
use review_text::wording::{Wording, is_concrete};
use review_types::Severity as ItemSeverity;

use super::check::{Check, FoundFields};
use super::path::Path;
use super::{Code, Mode};
use crate::parse::{Node, is_invisible};

/// Checks that the number is at most the maximum, and that the phase matches.
pub(super) fn iteration(check: &mut Check, found: &FoundFields<'_>, path: &Path<'_>) {
    let is_count = |number: &f64| *number >= 1.0 && number.fract() == 0.0;
    let number = |name| found.get(name)?.number().filter(is_count);
    let (Some(number), Some(max)) = (number("number"), number("max")) else {
        return;
    };
    let at = found.object.span.start;
    if number > max {
        let message = format!("iteration {number} is beyond the maximum of {max}");
        return check.error(Code::IterationBeyondMax, at, &path.key("number"), message);
    }
    let expected = if number >= max {
        "final"
    } else if number <= 1.0 {
        "initial"
    } else {
        "refinement"
    };
    let is_only_one = number <= 1.0 && max <= 1.0;
    if let Some(phase) = found.text("phase")
        && phase != expected
        && !(is_only_one && phase == "initial")
        && phase.parse::<Phase>().is_ok()
    {
        let message =
            format!("iteration {number} of {max}: expected phase {expected}, found \"{phase}\"");
        check.warning(Code::PhaseUnexpected, at, &path.key("phase"), message);
    }
}

/// Checks that an item has a score in strict mode. Its severity counts for the verdict.
pub(super) fn item(check: &mut Check, found: &FoundFields<'_>, path: &Path<'_>) {
    let severity = found.text("severity").and_then(|word| word.parse().ok());
    check.severities.add(severity);
    if check.mode == Mode::Strict && found.get("score").is_none() {
        let (at, path) = (found.object.span.start, path.key("score"));
        check.warning(Code::ScoreMissing, at, &path, "the item has no score");
    }
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
    let word = found.text("verdict");
    let number = |name| found.get(name).and_then(Node::number);
    let (Some(verdict), Some(score)) = (
        word.and_then(|word| word.parse::<AssessmentVerdict>().ok()),
        number("score"),
    ) else {
        return;
    };
    let judged = Judgement::of(verdict, score, number("confidence"), check.severities);
    let (at, path) = (found.object.span.start, path.key("verdict"));
    match judged {
        Judgement::Fits => {}
        Judgement::Inconsistent => {
            let message = match check.severities.critical {
                true => "the verdict is accept, but an item is critical",
                false => "the verdict is accept, but the score is below 0.5",
            };
            check.error(Code::VerdictInconsistent, at, &path, message);
        }
        Judgement::Harsh => {
            let message = format!("\"{verdict}\" with only minor items and a score above 0.8");
            check.warning(Code::VerdictHarsh, at, &path, message);
        }
        Judgement::Unsure => {
            let message = "accepts with a confidence below 0.5: treated as escalate";
            check.warning(Code::VerdictUnsure, at, &path, message);
        }
    }
}

/// How a verdict matches its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    Fits,
    /// It accepts something unacceptable.
    Inconsistent,
    /// It is harsher than the items.
    Harsh,
    /// It accepts with low confidence: a human must decide.
    Unsure,
}

impl Judgement {
    /// Returns the judgement of a verdict with a score and a confidence from 0 to 1 and
    /// the highest and lowest severities.
    pub(crate) fn of(
        verdict: AssessmentVerdict,
        score: f64,
        confidence: Option<f64>,
        severities: Severities,
    ) -> Self {
        match verdict {
            AssessmentVerdict::Accept if severities.critical || score < 0.5 => Self::Inconsistent,
            AssessmentVerdict::Accept if confidence.is_some_and(|sure| sure < 0.5) => Self::Unsure,
            AssessmentVerdict::Refine | AssessmentVerdict::Reject
                if !severities.grave && score > 0.8 =>
            {
                Self::Harsh
            }
            AssessmentVerdict::Accept
            | AssessmentVerdict::Refine
            | AssessmentVerdict::Reject
            | AssessmentVerdict::Escalate => Self::Fits,
        }
    }
}

/// The severities of the items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Severities {
    /// One is critical.
    critical: bool,
    /// One is major or worse, or unknown.
    grave: bool,
}

impl Severities {
    /// Adds the severity of an item.
    pub(crate) fn add(&mut self, severity: Option<ItemSeverity>) {
        self.critical |= severity == Some(ItemSeverity::Critical);
        self.grave |= severity.is_none_or(|severity| severity < ItemSeverity::Minor);
    }
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
