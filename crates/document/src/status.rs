//! The states of a task.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::near;

/// The state that a task file claims.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing is done yet; also the state of a task that names none.
    #[default]
    Pending,
    /// Somebody works on it.
    InProgress,
    /// Its command passed.
    Complete,
    /// Its command failed.
    Failed,
    /// It waits for something outside the unit.
    Blocked,
}

/// How a text was read as a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It is the name of a status.
    Exact(Status),
    /// It is another word or spelling for one.
    Loose(Status),
    /// It is none; the nearest name, if one is near.
    Unknown(Option<Status>),
}

impl Status {
    /// All states.
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::InProgress,
        Self::Complete,
        Self::Failed,
        Self::Blocked,
    ];

    /// The name, as task files have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }

    pub(crate) fn read(text: &str) -> Reading {
        let named = |name: &str| Self::ALL.into_iter().find(|status| status.as_str() == name);
        if let Some(status) = named(text) {
            return Reading::Exact(status);
        }
        let folded = near::fold(text.trim()).replace([' ', '-'], "_");
        let synonym = || match folded.as_str() {
            "todo" | "open" | "ready" | "not_started" => Some(Self::Pending),
            "inprogress" | "started" | "running" | "doing" | "wip" => Some(Self::InProgress),
            "pr_open" | "in_review" | "merging" => Some(Self::InProgress),
            "done" | "completed" | "finished" | "passed" => Some(Self::Complete),
            "fail" | "error" => Some(Self::Failed),
            _ => None,
        };
        match named(&folded).or_else(synonym) {
            Some(status) => Reading::Loose(status),
            None => Reading::Unknown(
                near::nearest(&folded, Self::ALL.map(Self::as_str), 1)
                    .first()
                    .and_then(|name| named(name)),
            ),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_in_many_spellings() {
        use Reading::{Exact, Loose, Unknown};
        for (text, reading) in [
            ("pending", Exact(Status::Pending)),
            ("in_progress", Exact(Status::InProgress)),
            ("complete", Exact(Status::Complete)),
            ("failed", Exact(Status::Failed)),
            ("blocked", Exact(Status::Blocked)),
            ("Complete", Loose(Status::Complete)),
            ("done", Loose(Status::Complete)),
            ("completed", Loose(Status::Complete)),
            ("in-progress", Loose(Status::InProgress)),
            ("In Progress", Loose(Status::InProgress)),
            ("in_review", Loose(Status::InProgress)),
            (" TODO ", Loose(Status::Pending)),
            ("fail", Loose(Status::Failed)),
            ("compleet", Unknown(Some(Status::Complete))),
            ("banana", Unknown(None)),
        ] {
            assert_eq!(Status::read(text), reading, "{text}");
        }
    }

    #[test]
    fn every_name_reads_back() {
        for status in Status::ALL {
            assert_eq!(Status::read(&status.to_string()), Reading::Exact(status));
        }
    }
}
