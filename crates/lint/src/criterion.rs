//! The four criteria and the three severities.

use review_types::closed_list;

closed_list! {
    /// The aspect of a document that a rule checks.
    Criterion {
        /// Nothing required is missing.
        Completeness => "completeness",
        /// The documents do not contradict each other.
        Consistency => "consistency",
        /// Commands prove what they should.
        Testability => "testability",
        /// The order of the tasks is correct.
        Architecture => "architecture",
    }
}

closed_list! {
    /// The severity of a finding.
    Severity {
        /// Informational.
        Info => "info",
        /// Should be fixed.
        Warning => "warning",
        /// Blocks a pass.
        Error => "error",
    }
}

impl Severity {
    /// The load that the first finding of this severity adds to a criterion.
    #[must_use]
    pub const fn weight(self) -> f64 {
        match self {
            Self::Info => 1.0,
            Self::Warning => 4.0,
            Self::Error => 12.0,
        }
    }
}
