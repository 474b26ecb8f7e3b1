//! Entries as they are shown.

use review_learning::feedback::{FeedbackEntry, FeedbackType, Severity};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::Value as Json;

use crate::json::Version;
use crate::style::{ERROR, FAINT, RESET, STRONG, WARNING};
use crate::text::printable;

/// The characters of an id that a line shows.
const SHORT: usize = 8;

/// An entry or a lesson as an object of its own, with the version of the format.
#[derive(Debug)]
pub struct Versioned<'e, T>(pub &'e T);

impl<T: Serialize> Serialize for Versioned<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = serde_json::to_value(self.0).map_err(serde::ser::Error::custom)?;
        let mut out = serializer.serialize_map(None)?;
        out.serialize_entry("v", &Version)?;
        if let Json::Object(fields) = value {
            for (name, field) in &fields {
                out.serialize_entry(name, field)?;
            }
        }
        out.end()
    }
}

/// Returns the start of an id, which is enough to name an entry or a lesson.
#[must_use]
pub fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

/// What an entry is about, in one line: the issue; of a user's correction also what the
/// user wants instead, since the issue may be no more than what the agent did.
pub(super) fn said(entry: &FeedbackEntry) -> String {
    let details = &entry.details;
    let first_line = |text: &Option<String>| {
        let line = text.as_deref().and_then(|text| text.lines().next());
        line.map(|line| printable(line).into_owned())
    };
    let (issue, correction) = (
        first_line(&details.error_message),
        first_line(&details.correction),
    );
    match (issue, correction) {
        (Some(issue), Some(correction))
            if entry.feedback_type == FeedbackType::HumanCorrection
                && !issue.contains(&correction) =>
        {
            format!("{issue} -> {correction}")
        }
        (issue, correction) => issue.or(correction).unwrap_or_default(),
    }
}

/// Returns an entry in one line.
#[must_use]
pub fn entry_line(entry: &FeedbackEntry) -> String {
    let id = entry.id.as_str();
    format!(
        "{STRONG}{}{RESET}  {FAINT}{}{RESET}  {}  {}  {}  {}\n",
        short(id),
        entry.timestamp,
        styled(entry.effective_severity()),
        printable(&entry.agent),
        entry.feedback_type,
        said(entry),
    )
}

/// Returns an entry with all that it holds.
#[must_use]
pub fn entry(entry: &FeedbackEntry) -> String {
    let mut text = format!(
        "{STRONG}{}{RESET}  {}\n  agent: {}\n  type: {}\n  timestamp: {}\n",
        entry.id,
        styled(entry.effective_severity()),
        printable(&entry.agent),
        entry.feedback_type,
        entry.timestamp,
    );
    let context = &entry.context;
    let details = &entry.details;
    let iteration = context.iteration.map(|iteration| iteration.to_string());
    for (name, value) in [
        ("task", &context.task),
        ("artifact_path", &context.artifact_path),
        ("iteration", &iteration),
        ("session", &context.session),
        ("error_message", &details.error_message),
        ("expected", &details.expected),
        ("actual", &details.actual),
        ("correction", &details.correction),
    ] {
        if let Some(value) = value {
            let value = printable(value).replace('\n', "\n    ");
            text.push_str(&format!("  {FAINT}{name}{RESET}: {value}\n"));
        }
    }
    for (criterion, score) in &details.quality_scores {
        text.push_str(&format!(
            "  {FAINT}{}{RESET}: {score}\n",
            printable(criterion)
        ));
    }
    if !entry.tags.is_empty() {
        let tags = entry.tags.join(", ");
        text.push_str(&format!("  {FAINT}tags{RESET}: {}\n", printable(&tags)));
    }
    text
}

fn styled(severity: Severity) -> String {
    let style = match severity {
        Severity::Critical | Severity::High => ERROR,
        Severity::Medium => WARNING,
        Severity::Low => FAINT,
    };
    format!("{style}{:<8}{RESET}", severity.as_str())
}
