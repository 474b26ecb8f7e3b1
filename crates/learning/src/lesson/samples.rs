//! The parts of a pattern that the author of a lesson is shown.

use serde_json::{Map, Value as Json, json};

use super::FeedbackPattern;
use super::written::unbroken;
use crate::feedback::FeedbackEntry;

/// The maximum number of entries that are shown.
const MAX_SHOWN: usize = 25;
/// The maximum number of characters of a string that are shown.
const MAX_TEXT: usize = 600;

impl FeedbackPattern<'_> {
    /// Returns the entries to show as JSON, with every string redacted by `redact`: all of
    /// them, or a sample that covers every degree of similarity.
    pub fn shown(&self, redact: &dyn Fn(&str) -> String) -> Json {
        let all = self.by_likeness.len();
        let count = all.min(MAX_SHOWN);
        let spread = (0..count).map(|at| self.by_likeness[at * all / count]);
        let entries: Vec<Json> = spread.map(|entry| entry_json(entry, redact)).collect();
        json!({"entries": entries})
    }
}

fn entry_json(entry: &FeedbackEntry, redact: &dyn Fn(&str) -> String) -> Json {
    let details = &entry.details;
    let mut entry_json = Map::from_iter([
        ("id".to_owned(), json!(entry.id)),
        ("type".to_owned(), json!(entry.feedback_type)),
        ("severity".to_owned(), json!(entry.effective_severity())),
    ]);
    for (name, text) in [
        ("issue", &details.error_message),
        ("expected", &details.expected),
        ("actual", &details.actual),
        ("correction", &details.correction),
    ] {
        if let Some(text) = text {
            let text: String = unbroken(&redact(text)).chars().take(MAX_TEXT).collect();
            entry_json.insert(name.to_owned(), text.into());
        }
    }
    Json::Object(entry_json)
}

#[cfg(test)]
mod tests {
    use super::super::tests::entry;
    use super::*;
    use crate::feedback::{FeedbackType, Severity};

    fn entries(count: u32) -> Vec<FeedbackEntry> {
        let entries = 0..count;
        entries
            .map(|number| entry(number, FeedbackType::TestFailure, "s", "i", "c"))
            .collect()
    }

    fn pattern(entries: &[FeedbackEntry]) -> FeedbackPattern<'_> {
        FeedbackPattern {
            cluster: 0,
            name: None,
            entries: entries.iter().collect(),
            frequency: 1.0,
            by_likeness: entries.iter().collect(),
        }
    }

    #[test]
    fn of_many_entries_25_are_shown() {
        for (count, expected) in [
            (9, (0..9).collect()),
            (100, (0..25).map(|at| 4 * at).collect::<Vec<_>>()),
            (0, Vec::new()),
        ] {
            let all = entries(count);
            let shown = pattern(&all).shown(&|text| text.to_owned());
            let shown = shown["entries"].as_array().unwrap().iter();
            let place = |entry: &Json| all.iter().position(|one| entry["id"] == one.id.as_str());
            let places: Vec<_> = shown.filter_map(place).collect();
            assert_eq!(places, expected);
        }
    }

    #[test]
    fn an_entry_is_shown_on_single_lines_without_secrets() {
        let mut all = entries(2);
        all[0].severity = Some(Severity::High);
        all[0].details.error_message = Some(format!("key s3cret\n{}", "x".repeat(700)));
        let pattern = pattern(&all);
        let redact = |text: &str| text.replace("s3cret", "***");
        let mut shown = pattern.shown(&redact);
        shown["entries"].as_array_mut().unwrap().truncate(1);
        let issue = format!("key *** {}", "x".repeat(592));
        let expected = json!({
            "entries": [{
                "id": all[0].id, "type": "test_failure", "severity": "high",
                "issue": issue, "correction": "c",
            }],
        });
        assert_eq!(shown, expected);
    }
}
