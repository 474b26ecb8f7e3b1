//! The status of a pattern.

use review_types::closed_list;

use crate::lesson::LessonStatus;

/// The days without occurrences after which a pattern is stale.
pub(super) const STALE_DAYS: i64 = 180;

closed_list!(
    /// The status of a pattern: that of its lesson, where it has one.
    PatternStatus {
        /// No agent has enough of it for a lesson.
        Observed => "observed",
        /// The next analysis proposes a lesson, or asks for its words.
        Ready => "ready",
        /// Its lesson awaits approval.
        Proposed => "proposed",
        /// Its lesson is approved but not yet in a prompt.
        Approved => "approved",
        /// Its lesson is rejected, for good.
        Rejected => "rejected",
        /// Its lesson is in a prompt.
        Applied => "applied",
    }
);

impl From<LessonStatus> for PatternStatus {
    fn from(status: LessonStatus) -> Self {
        match status {
            LessonStatus::Proposed => Self::Proposed,
            LessonStatus::Approved => Self::Approved,
            LessonStatus::Rejected => Self::Rejected,
            LessonStatus::Applied => Self::Applied,
        }
    }
}
