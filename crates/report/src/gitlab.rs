//! Reports of code quality, as GitLab reads them.

use percent_encoding::percent_decode_str;
use review_document::file_hash;
use review_types::Severity;
use serde_json::{Value as Json, json};

use crate::json::line;
use crate::sarif::{Finding, Level, Log, SuppressionStatus};

/// The results of a log that are not suppressed.
pub(crate) fn report(log: &Log) -> String {
    let results = log.runs.iter().flat_map(|run| &run.results);
    let entries: Vec<_> = results.filter_map(entry).collect();
    line(&entries)
}

fn entry(result: &Finding) -> Option<Json> {
    let mut suppressions = result.suppressions.iter().flatten();
    if suppressions.any(|by| by.status == SuppressionStatus::Accepted) {
        return None;
    }
    let place = &result.locations.first()?.physical_location;
    let path = percent_decode_str(&place.artifact_location.uri).decode_utf8_lossy();
    let line = place.region.as_ref().and_then(|region| region.start_line);
    let identity = json!([result.rule_id, path, result.partial_fingerprints]);
    let is_critical = result.properties.get("severity") == Some(&json!(Severity::Critical));
    Some(json!({
        "description": result.message.text,
        "check_name": result.rule_id,
        "fingerprint": file_hash(identity.to_string().as_bytes()),
        "severity": match result.level {
            Level::Error if is_critical => "critical",
            Level::Error => "major",
            Level::Warning => "minor",
            Level::Note => "info",
        },
        "location": { "path": path, "lines": { "begin": line.unwrap_or(1) } },
    }))
}
