//! From which severity on findings are a failure.

use clap::ValueEnum;
use review_lint::Severity;
use serde::{Deserialize, Serialize};

use super::value::Plain;

/// The lowest severity that makes `lint` fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum FailLevel {
    /// Errors.
    #[default]
    Error,
    /// Warnings and errors.
    Warning,
    /// Any finding.
    Info,
    /// Nothing.
    Never,
}

impl FailLevel {
    /// Whether a finding of this severity is a failure.
    pub(crate) const fn fails(self, severity: Severity) -> bool {
        match severity {
            Severity::Error => !matches!(self, Self::Never),
            Severity::Warning => matches!(self, Self::Warning | Self::Info),
            Severity::Info => matches!(self, Self::Info),
        }
    }
}

impl Plain for FailLevel {
    const EXPECTED: &'static str = "error, warning, info or never";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_fails_on_its_severity_and_on_graver_ones() {
        let severities = [Severity::Info, Severity::Warning, Severity::Error];
        for (level, expected) in [
            (FailLevel::Error, [false, false, true]),
            (FailLevel::Warning, [false, true, true]),
            (FailLevel::Info, [true, true, true]),
            (FailLevel::Never, [false, false, false]),
        ] {
            assert_eq!(severities.map(|severity| level.fails(severity)), expected);
        }
    }
}
