//! Parses the status of a task.

use review_text::near;
use review_types::TaskStatus;

/// A parsed status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParsedStatus {
    /// It is the exact name of a status.
    Exact(TaskStatus),
    /// It is another word or spelling for a status.
    Loose(TaskStatus),
    /// It is invalid; the nearest name, if one is near.
    Unknown(Option<TaskStatus>),
}

/// Parses the status of a task file.
pub(crate) fn read(text: &str) -> ParsedStatus {
    let named = |name: &str| name.parse::<TaskStatus>().ok();
    if let Some(status) = named(text) {
        return ParsedStatus::Exact(status);
    }
    let folded = near::fold(text.trim()).replace([' ', '-'], "_");
    let synonym = || match folded.as_str() {
        "todo" | "open" | "ready" | "not_started" => Some(TaskStatus::Pending),
        "inprogress" | "started" | "running" | "doing" | "wip" => Some(TaskStatus::InProgress),
        "pr_open" | "in_review" | "merging" => Some(TaskStatus::InProgress),
        "done" | "completed" | "finished" | "passed" => Some(TaskStatus::Complete),
        "fail" | "error" => Some(TaskStatus::Failed),
        _ => None,
    };
    match named(&folded).or_else(synonym) {
        Some(status) => ParsedStatus::Loose(status),
        None => ParsedStatus::Unknown(
            near::nearest(&folded, TaskStatus::WORDS.iter().copied(), 1)
                .first()
                .and_then(|name| named(name)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_parsed_in_many_spellings() {
        use ParsedStatus::{Exact, Loose, Unknown};
        for (text, reading) in [
            ("pending", Exact(TaskStatus::Pending)),
            ("in_progress", Exact(TaskStatus::InProgress)),
            ("complete", Exact(TaskStatus::Complete)),
            ("failed", Exact(TaskStatus::Failed)),
            ("blocked", Exact(TaskStatus::Blocked)),
            ("Complete", Loose(TaskStatus::Complete)),
            ("done", Loose(TaskStatus::Complete)),
            ("completed", Loose(TaskStatus::Complete)),
            ("in-progress", Loose(TaskStatus::InProgress)),
            ("In Progress", Loose(TaskStatus::InProgress)),
            ("in_review", Loose(TaskStatus::InProgress)),
            (" TODO ", Loose(TaskStatus::Pending)),
            ("fail", Loose(TaskStatus::Failed)),
            ("compleet", Unknown(Some(TaskStatus::Complete))),
            ("banana", Unknown(None)),
        ] {
            assert_eq!(read(text), reading, "{text}");
        }
    }

    #[test]
    fn every_name_is_parsed_as_itself() {
        for &status in TaskStatus::ALL {
            assert_eq!(read(&status.to_string()), ParsedStatus::Exact(status));
        }
    }
}
