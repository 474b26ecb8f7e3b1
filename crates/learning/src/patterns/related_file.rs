//! The files next to the corrections: review findings, session learnings and incidents.
//!
//! They are read leniently: other programs write them in more than one shape, and
//! incidents have no published shape.

use review_types::Timestamp;
use serde_json::Value as Json;

use super::{Occurrence, Origin};
use crate::AgentName;
use crate::corrections::{CommonPattern, OffsetTimestamp, PatternName, Severity};
use crate::objection::named_pattern;

/// A file next to the corrections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelatedFile {
    /// Findings of reviewers.
    ReviewFindings,
    /// Notes of agents on their own sessions.
    SessionLearnings,
    /// Incidents in production.
    Incidents,
}

/// Why an entry cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EntryError(&'static str);

const NOT_AN_OBJECT: EntryError = EntryError("expected a JSON object");
const NO_DATE: EntryError = EntryError("missing a date or a timestamp");
const NO_TEXT: EntryError = EntryError("missing a description");
const NO_PATTERN: EntryError = EntryError("names no pattern, and none matches its description");

impl RelatedFile {
    /// All related files.
    pub const ALL: [Self; 3] = [
        Self::ReviewFindings,
        Self::SessionLearnings,
        Self::Incidents,
    ];

    /// The name of the file.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::ReviewFindings => "review-findings.jsonl",
            Self::SessionLearnings => "session-learnings.jsonl",
            Self::Incidents => "incidents.jsonl",
        }
    }

    /// Reads a line of the file.
    ///
    /// # Errors
    /// [`EntryError`] if a part is missing.
    pub fn read(self, line: &[u8]) -> Result<Occurrence, EntryError> {
        let entry: Json = serde_json::from_slice(line).map_err(|_| NOT_AN_OBJECT)?;
        if !entry.is_object() {
            return Err(NOT_AN_OBJECT);
        }
        let texts = [
            "finding",
            "description",
            "insight",
            "summary",
            "title",
            "name",
        ];
        let summary = first(&entry, &texts).ok_or(NO_TEXT)?;
        let severity = first(&entry, &["severity"]).and_then(severity);
        let severity = severity.unwrap_or(Severity::Medium);
        let named = match self {
            Self::ReviewFindings | Self::Incidents => &["pattern", "pattern_inferred"][..],
            Self::SessionLearnings => &["pattern", "name"],
        };
        let pattern = first(&entry, named).and_then(PatternName::converted);
        let pattern =
            pattern.or_else(|| named_pattern(summary).copied().map(CommonPattern::to_name));
        Ok(Occurrence {
            at: moment(&entry).ok_or(NO_DATE)?,
            pattern: pattern.ok_or(NO_PATTERN)?,
            origin: self.origin(severity),
            severity,
            agent: owned(&entry, &["agent"]).map(AgentName::from),
            session: owned(&entry, &["session", "session_id"]),
            service: owned(&entry, &["service"]),
            file: owned(&entry, &["file", "source_file"]),
            summary: summary.to_owned(),
            fix: owned(&entry, &["suggested_fix", "fix", "code_example"]),
        })
    }

    const fn origin(self, severity: Severity) -> Origin {
        match (self, severity) {
            (Self::ReviewFindings, Severity::High) => Origin::ReviewBlocking,
            (Self::ReviewFindings, Severity::Medium) => Origin::ReviewWarning,
            (Self::ReviewFindings, Severity::Low) => Origin::ReviewNit,
            (Self::SessionLearnings, _) => Origin::SessionLearning,
            (Self::Incidents, _) => Origin::Incident,
        }
    }
}

fn severity(word: &str) -> Option<Severity> {
    Severity::of_review(word).or_else(|| word.parse().ok())
}

/// Returns the first of the fields that is a string and not blank.
fn first<'j>(entry: &'j Json, names: &[&str]) -> Option<&'j str> {
    let texts = names.iter().filter_map(|name| entry.get(name)?.as_str());
    texts.into_iter().find(|text| !text.trim().is_empty())
}

fn owned(entry: &Json, names: &[&str]) -> Option<String> {
    first(entry, names).map(str::to_owned)
}

/// The time of an entry; a date is midnight in UTC.
fn moment(entry: &Json) -> Option<Timestamp> {
    let text = first(entry, &["timestamp", "date"])?;
    let read = OffsetTimestamp::new(text).or_else(|| OffsetTimestamp::naive(text));
    let read = read.or_else(|| OffsetTimestamp::naive(&format!("{text}T00:00:00")));
    read.map(|moment| moment.at())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(file: RelatedFile, entry: &Json) -> Result<Occurrence, EntryError> {
        file.read(entry.to_string().as_bytes())
    }

    #[test]
    fn review_findings_have_two_shapes() {
        let published = json!({
            "date": "2026-03-02", "category": "correctness", "file": "a.go",
            "finding": "The error is dropped", "severity": "blocking", "service": "files",
            "pattern": "missing-error-handling", "suggested_fix": "Return it",
        });
        let occurrence = read(RelatedFile::ReviewFindings, &published).unwrap();
        let expected = Occurrence {
            pattern: PatternName::new("missing-error-handling").unwrap(),
            at: "2026-03-02T00:00:00Z".parse().unwrap(),
            origin: Origin::ReviewBlocking,
            severity: Severity::High,
            agent: None,
            session: None,
            service: Some("files".to_owned()),
            file: Some("a.go".to_owned()),
            summary: "The error is dropped".to_owned(),
            fix: Some("Return it".to_owned()),
        };
        assert_eq!(occurrence, expected);
        let other = json!({
            "timestamp": "2026-03-02T10:00:00", "description": "Inputs are not validated",
            "severity": "low",
        });
        let occurrence = read(RelatedFile::ReviewFindings, &other).unwrap();
        assert_eq!(occurrence.pattern.as_str(), "missing-validation");
        assert_eq!(occurrence.origin, Origin::ReviewNit);
        assert_eq!(occurrence.at.to_string(), "2026-03-02T10:00:00Z");
    }

    #[test]
    fn the_severity_of_a_finding_decides_its_weight() {
        for (word, origin) in [
            (json!("blocking"), Origin::ReviewBlocking),
            (json!("high"), Origin::ReviewBlocking),
            (json!("warning"), Origin::ReviewWarning),
            (json!("nit"), Origin::ReviewNit),
            (json!("?"), Origin::ReviewWarning),
            (json!(null), Origin::ReviewWarning),
        ] {
            let entry = json!({
                "date": "2026-03-02", "finding": "f", "pattern": "p", "severity": word,
            });
            assert_eq!(
                read(RelatedFile::ReviewFindings, &entry).unwrap().origin,
                origin
            );
        }
    }

    #[test]
    fn a_learning_is_named_by_its_name_and_an_incident_by_its_words() {
        let learning = json!({
            "date": "2026-03-02", "agent": "api-dev", "type": "anti-pattern",
            "name": "Retry Without Backoff", "description": "Retries hammer the service",
        });
        let occurrence = read(RelatedFile::SessionLearnings, &learning).unwrap();
        assert_eq!(occurrence.pattern.as_str(), "retry-without-backoff");
        assert_eq!(occurrence.summary, "Retries hammer the service");
        assert_eq!(occurrence.origin, Origin::SessionLearning);
        assert_eq!(occurrence.agent, Some(AgentName::from("api-dev")));
        let incident = json!({
            "timestamp": "2026-03-02T10:00:00Z", "title": "Unvalidated upload", "summary": "Input was not validated",
        });
        let occurrence = read(RelatedFile::Incidents, &incident).unwrap();
        assert_eq!(occurrence.pattern.as_str(), "missing-validation");
        assert_eq!(occurrence.origin, Origin::Incident);
    }

    #[test]
    fn an_entry_needs_a_time_and_a_description() {
        for (entry, error) in [
            (json!([]), NOT_AN_OBJECT),
            (json!({"date": "2026-03-02", "pattern": "p"}), NO_TEXT),
            (json!({"finding": "f", "pattern": "p"}), NO_DATE),
            (
                json!({"date": "then", "finding": "f", "pattern": "p"}),
                NO_DATE,
            ),
            (json!({"date": "2026-03-02", "finding": "f"}), NO_PATTERN),
        ] {
            assert_eq!(
                read(RelatedFile::ReviewFindings, &entry),
                Err(error),
                "{entry}"
            );
        }
        assert_eq!(RelatedFile::Incidents.read(b"{"), Err(NOT_AN_OBJECT));
    }
}
