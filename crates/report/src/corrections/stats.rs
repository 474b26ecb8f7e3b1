//! Corrections, counted.

use review_learning::corrections::Stats;
use serde::Serialize;

use crate::json::value;
use crate::text::fields;

/// Corrections, counted. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct CorrectionStats {
    /// The numbers.
    pub stats: Stats,
}

/// Returns the numbers as users read them.
#[must_use]
pub fn stats(report: &CorrectionStats) -> String {
    fields(&value(&report.stats), "")
}
