//! The parts of a pattern that the author of a lesson is shown.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::written::unbroken;
use super::{FeedbackPattern, WrittenLesson};
use crate::feedback::FeedbackEntry;

/// The maximum number of entries that are shown.
const MAX_SHOWN: usize = 25;
/// More entries than this are shown in groups.
const MAX_GROUP: usize = 9;
/// The maximum number of characters of a string that are shown.
const MAX_TEXT: usize = 600;

impl<'e> FeedbackPattern<'e> {
    /// Returns the entries to show: all of them, or a sample that covers every degree
    /// of similarity. Too many for one prompt are split into about as many groups as a
    /// group has entries.
    #[must_use]
    pub fn samples(&self) -> Vec<Vec<&'e FeedbackEntry>> {
        let count = self.by_likeness.len().min(MAX_SHOWN);
        let spread = (0..count).map(|at| self.by_likeness[at * self.by_likeness.len() / count]);
        let groups = if count > MAX_GROUP { count.isqrt() } else { 1 };
        let mut samples = vec![Vec::new(); groups];
        for (at, entry) in spread.enumerate() {
            samples[at % groups].push(entry);
        }
        samples
    }

    /// Returns entries of the pattern as JSON, with every string redacted by `redact`.
    #[must_use]
    pub fn shown(&self, entries: &[&FeedbackEntry], redact: &dyn Fn(&str) -> String) -> Json {
        let entries: Vec<Json> = entries
            .iter()
            .map(|entry| entry_json(entry, redact))
            .collect();
        json!({
            "keywords": self.keywords,
            "severities": self.severities(),
            "entries": entries,
        })
    }

    /// Returns the lessons written for parts of the pattern as JSON.
    #[must_use]
    pub fn shown_lessons(&self, lessons: &[&WrittenLesson]) -> Json {
        json!({
            "keywords": self.keywords,
            "severities": self.severities(),
            "lessons": lessons,
        })
    }

    /// The number of entries by severity.
    fn severities(&self) -> BTreeMap<&'static str, usize> {
        let mut severities = BTreeMap::new();
        for entry in &self.entries {
            let word = entry.effective_severity().as_str();
            *severities.entry(word).or_default() += 1;
        }
        severities
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
            keywords: vec!["upload".to_owned()],
            by_likeness: entries.iter().collect(),
        }
    }

    /// The numbers of the entries in each group.
    fn groups(count: u32) -> Vec<Vec<usize>> {
        let all = entries(count);
        let place = |entry: &&FeedbackEntry| all.iter().position(|one| one.id == entry.id).unwrap();
        let groups = pattern(&all).samples();
        groups
            .iter()
            .map(|group| group.iter().map(place).collect())
            .collect()
    }

    #[test]
    fn many_entries_are_shown_in_groups_and_further_ones_are_left_out() {
        assert_eq!(groups(9), [(0..9).collect::<Vec<_>>()]);
        let expected = [vec![0, 3, 6, 9], vec![1, 4, 7], vec![2, 5, 8]];
        assert_eq!(groups(10), expected);
        let hundred = groups(100);
        assert_eq!(hundred.len(), 5);
        assert_eq!(hundred[0], [0, 20, 40, 60, 80]);
        assert_eq!(hundred[4], [16, 36, 56, 76, 96]);
        assert_eq!(groups(0), [Vec::<usize>::new()]);
    }

    #[test]
    fn lessons_of_groups_are_shown_with_their_citations() {
        let all = entries(3);
        let object = json!({
            "lesson_text": "Uploads hang without a timeout.",
            "constraint_update": "Set a timeout on each upload.",
            "cites": ["1"],
        });
        let members = object.as_object().unwrap();
        let lesson = WrittenLesson::read(members, &["1"].into(), &[]).unwrap();
        let expected = json!({
            "keywords": ["upload"],
            "severities": {"medium": 3},
            "lessons": [object],
        });
        assert_eq!(pattern(&all).shown_lessons(&[&lesson]), expected);
    }

    #[test]
    fn an_entry_is_shown_on_single_lines_without_secrets() {
        let mut all = entries(2);
        all[0].severity = Some(Severity::High);
        all[0].details.error_message = Some(format!("key s3cret\n{}", "x".repeat(700)));
        let pattern = pattern(&all);
        let redact = |text: &str| text.replace("s3cret", "***");
        let shown = pattern.shown(&pattern.entries[..1], &redact);
        let issue = format!("key *** {}", "x".repeat(592));
        let expected = json!({
            "keywords": ["upload"],
            "severities": {"high": 1, "medium": 1},
            "entries": [{
                "id": all[0].id, "type": "test_failure", "severity": "high",
                "issue": issue, "correction": "c",
            }],
        });
        assert_eq!(shown, expected);
    }
}
