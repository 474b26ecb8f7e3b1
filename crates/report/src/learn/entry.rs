//! Entries as they are shown.

use review_learning::feedback::{FeedbackEntry, Severity};
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

/// Returns an entry in one line.
#[must_use]
pub fn entry_line(entry: &FeedbackEntry) -> String {
    let details = &entry.details;
    let said = details
        .error_message
        .as_deref()
        .or(details.correction.as_deref());
    let said = said
        .and_then(|text| text.lines().next())
        .unwrap_or_default();
    let id = entry.id.as_str();
    format!(
        "{STRONG}{}{RESET}  {FAINT}{}{RESET}  {}  {}  {}  {}\n",
        short(id),
        entry.timestamp,
        styled(entry.effective_severity()),
        printable(&entry.agent),
        entry.feedback_type,
        printable(said),
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
