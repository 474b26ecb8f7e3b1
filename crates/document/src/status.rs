//! How the status of a task is read.

use review_types::TaskStatus;

use crate::near;

/// How a text was read as a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It is the name of a status.
    Exact(TaskStatus),
    /// It is another word or spelling for one.
    Loose(TaskStatus),
    /// It is none; the nearest name, if one is near.
    Unknown(Option<TaskStatus>),
}

/// Reads the status that a task file claims.
pub(crate) fn read(text: &str) -> Reading {
    let named = |name: &str| {
        TaskStatus::ALL
            .into_iter()
            .find(|status| status.as_str() == name)
    };
    if let Some(status) = named(text) {
        return Reading::Exact(status);
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
        Some(status) => Reading::Loose(status),
        None => Reading::Unknown(
            near::nearest(&folded, TaskStatus::ALL.map(TaskStatus::as_str), 1)
                .first()
                .and_then(|name| named(name)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_in_many_spellings() {
        use Reading::{Exact, Loose, Unknown};
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
    fn every_name_reads_back() {
        for status in TaskStatus::ALL {
            assert_eq!(read(&status.to_string()), Reading::Exact(status));
        }
    }
}
