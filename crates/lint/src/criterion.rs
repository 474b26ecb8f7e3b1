//! The four criteria and the three severities.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The aspect of a document that a rule checks.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// Nothing required is missing.
    Completeness,
    /// The documents do not contradict each other.
    Consistency,
    /// Commands prove what they should.
    Testability,
    /// The order of the tasks is correct.
    Architecture,
}

impl Criterion {
    /// All criteria, in the order in which reviews list them.
    pub const ALL: [Self; 4] = [
        Self::Completeness,
        Self::Consistency,
        Self::Testability,
        Self::Architecture,
    ];

    /// The name in reviews and in the configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completeness => "completeness",
            Self::Consistency => "consistency",
            Self::Testability => "testability",
            Self::Architecture => "architecture",
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The severity of a finding.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Informational.
    Info,
    /// Should be fixed.
    Warning,
    /// Blocks a pass.
    Error,
}

impl Severity {
    /// All severities, the lowest first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

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

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
