//! What the gate found, as JSON.

use super::report::GateReport;
use crate::json::line;

/// The report as one object.
#[must_use]
pub fn json(report: &GateReport) -> String {
    line(report)
}
