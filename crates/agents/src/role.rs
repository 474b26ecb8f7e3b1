//! What an agent is asked to be.

/// What an agent is asked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Reviewer,
    Applier,
}

impl Role {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::Applier => "applier",
        }
    }
}
