//! Reports of code quality, as GitLab reads them.

use percent_encoding::percent_decode_str;
use review_document::file_hash;
use review_types::Severity;
use serde::Serialize;
use serde_json::json;

use crate::json::line;
use crate::sarif::{Finding, Level, Log, SuppressionStatus};

#[derive(Debug, Serialize)]
struct Entry<'a> {
    description: &'a str,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Place,
}

#[derive(Debug, Serialize)]
struct Place {
    path: String,
    lines: Lines,
}

#[derive(Debug, Serialize)]
struct Lines {
    begin: usize,
}

/// The results of a log that are not suppressed.
pub(crate) fn report(log: &Log) -> String {
    let results = log.runs.iter().flat_map(|run| &run.results);
    let entries: Vec<_> = results.filter_map(entry).collect();
    line(&entries)
}

fn entry(result: &Finding) -> Option<Entry<'_>> {
    let mut suppressions = result.suppressions.iter().flatten();
    if suppressions.any(|by| by.status == SuppressionStatus::Accepted) {
        return None;
    }
    let place = &result.locations.first()?.physical_location;
    let uri = percent_decode_str(&place.artifact_location.uri).decode_utf8_lossy();
    let check_name = result.rule_id.as_deref().unwrap_or_default();
    let identity = json!([check_name, uri, result.partial_fingerprints]);
    let is_critical = result.properties.get("severity") == Some(&json!(Severity::Critical));
    Some(Entry {
        description: &result.message.text,
        check_name,
        fingerprint: file_hash(identity.to_string().as_bytes()).to_string(),
        severity: match result.level {
            Level::Error if is_critical => "critical",
            Level::Error => "major",
            Level::Warning => "minor",
            Level::Note => "info",
        },
        location: Place {
            path: uri.into_owned(),
            lines: Lines {
                begin: place
                    .region
                    .as_ref()
                    .and_then(|region| region.start_line)
                    .unwrap_or(1),
            },
        },
    })
}
