//! Entries as they are shown.

use review_learning::feedback::{FeedbackEntry, FeedbackType, Severity};

use crate::json::value;
use crate::style::{ERROR, FAINT, RESET, STRONG, WARNING};
use crate::text::{fields, printable};

/// The characters of an id that a line shows.
const SHORT: usize = 8;

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
pub(crate) fn entry_line(entry: &FeedbackEntry) -> String {
    let id = entry.id.as_str();
    format!(
        "{STRONG}{}{RESET}  {FAINT}{}{RESET}  {}  {}  {}  {}\n",
        short(id),
        entry.timestamp,
        styled(entry.effective_severity()),
        printable(entry.agent.as_str()),
        entry.feedback_type,
        said(entry),
    )
}

/// Returns an entry with all that it holds.
#[must_use]
pub fn entry(entry: &FeedbackEntry) -> String {
    let severity = styled(entry.effective_severity());
    let head = format!("{STRONG}{}{RESET}  {severity}\n", entry.id);
    head + &fields(&value(entry), "  ")
}

fn styled(severity: Severity) -> String {
    let style = match severity {
        Severity::Critical | Severity::High => ERROR,
        Severity::Medium => WARNING,
        Severity::Low => FAINT,
    };
    format!("{style}{:<8}{RESET}", severity.as_str())
}
