//! What a run did, as JSON.

use review_events::Envelope;

use super::report::RunReport;
use crate::json::line;

/// The report as one object.
#[must_use]
pub fn json(report: &RunReport) -> String {
    line(report)
}

/// One event as one object.
#[must_use]
pub fn jsonl_event(event: &Envelope) -> String {
    line(event)
}
