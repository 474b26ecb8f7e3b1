//! Enumerations of lessons.

use review_types::closed_list;

closed_list!(
    /// The status of a lesson.
    #[derive(Default)]
    LessonStatus {
        /// It awaits approval.
        #[default]
        Proposed => "proposed",
        /// It is approved but not yet in a prompt.
        Approved => "approved",
        /// It is rejected, for good.
        Rejected => "rejected",
        /// It is in a prompt.
        Applied => "applied",
    }
);

closed_list!(
    /// The impact, the lowest first.
    Impact {
        /// Rare, or a minor issue.
        Low => "low",
        /// In between.
        Medium => "medium",
        /// Frequent and severe.
        High => "high",
    }
);

impl LessonStatus {
    /// Whether it is in a prompt or may still be added to one.
    pub const fn counts(self) -> bool {
        match self {
            Self::Proposed | Self::Approved | Self::Applied => true,
            Self::Rejected => false,
        }
    }

    /// Whether it was approved.
    pub const fn is_approved(self) -> bool {
        match self {
            Self::Approved | Self::Applied => true,
            Self::Proposed | Self::Rejected => false,
        }
    }
}
