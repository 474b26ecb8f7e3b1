//! From which severity on findings are a failure.

use review_lint::Severity;
use review_types::closed_list;

use crate::value::Plain;

closed_list! {
    /// The lowest severity that makes `lint` fail.
    #[derive(Default)]
    FailLevel {
        /// Errors.
        #[default]
        Error => "error",
        /// Warnings and errors.
        Warning => "warning",
        /// Any finding.
        Info => "info",
        /// Nothing.
        Never => "never",
    }
}

impl FailLevel {
    /// Whether a finding of this severity is a failure.
    #[must_use]
    pub const fn fails(self, severity: Severity) -> bool {
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
