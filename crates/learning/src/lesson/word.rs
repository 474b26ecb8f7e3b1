//! The closed lists of words.

use review_types::closed_list;

closed_list!(
    /// Where a lesson stands.
    #[derive(Default)]
    LessonStatus {
        /// It waits for somebody to approve it.
        #[default]
        Proposed => "proposed",
        /// It was approved and is in no prompt yet.
        Approved => "approved",
        /// It was turned down, for good.
        Rejected => "rejected",
        /// It is in a prompt.
        Applied => "applied",
    }
);

closed_list!(
    /// How much it matters, the least first.
    Impact {
        /// Seldom, or a small matter.
        Low => "low",
        /// In between.
        Medium => "medium",
        /// Often and grave.
        High => "high",
    }
);

impl LessonStatus {
    /// Whether it is in a prompt, or may yet be.
    #[must_use]
    pub const fn counts(self) -> bool {
        match self {
            Self::Proposed | Self::Approved | Self::Applied => true,
            Self::Rejected => false,
        }
    }

    /// Whether somebody approved it.
    #[must_use]
    pub const fn is_approved(self) -> bool {
        match self {
            Self::Approved | Self::Applied => true,
            Self::Proposed | Self::Rejected => false,
        }
    }
}
