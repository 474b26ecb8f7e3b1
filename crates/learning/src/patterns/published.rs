//! Pattern files for other programs, in their published shape: `patterns.json`,
//! `trends.json` and `promotion-log.jsonl`.

use std::collections::BTreeMap;

use review_types::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::occurrence::date_of;
use super::{Pattern, PatternStatus, Trend, Windows};
use crate::AgentName;
use crate::corrections::PatternName;

/// The number of top patterns.
const TOP: usize = 10;

/// The file `patterns.json`.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PatternsFile {
    /// The patterns by name.
    #[schemars(with = "BTreeMap<String, Pattern>")]
    pub patterns: Map<String, Json>,
    /// Metadata of the file.
    pub meta: PatternsMeta,
}

/// Metadata of `patterns.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PatternsMeta {
    /// The time at which it was written.
    pub last_updated: Timestamp,
    /// The number of patterns.
    pub total_patterns: usize,
    /// The number of occurrences.
    pub total_occurrences: u64,
}

/// The file `trends.json`.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TrendsFile {
    /// The time at which it was written.
    pub last_updated: Timestamp,
    /// The number of occurrences by period.
    pub windows: Windows,
    /// The number of patterns by trend.
    pub summary: BTreeMap<String, u64>,
    /// Patterns that are new, reopened or more frequent.
    pub alerts: Vec<TrendEntry>,
    /// The ten patterns with the highest confidence.
    pub top_patterns: Vec<TrendEntry>,
    /// The number of occurrences by service.
    pub service_breakdown: BTreeMap<String, u64>,
    /// Patterns that are less frequent or resolved.
    pub improvements: Vec<TrendEntry>,
}

/// A pattern in `trends.json`.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TrendEntry {
    /// The name.
    pub pattern: String,
    /// The trend.
    pub trend: Trend,
    /// The number of occurrences.
    pub count: u64,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
}

/// A line of `promotion-log.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PromotionEntry {
    /// The time of the promotion.
    pub date: String,
    /// The pattern.
    pub pattern: String,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The number of occurrences.
    pub occurrences: u64,
    /// The agents for which a lesson follows.
    pub promoted_to: Vec<AgentName>,
    /// Whether a user reviews it first (`draft`, as in all entries by ralph), or it is
    /// accepted as it is (`direct`).
    pub entry_type: String,
    /// What promoted it: count and confidence (`threshold`, as in all entries by ralph), a
    /// user (`manual`), or a command of another program (`evolve_command`).
    pub trigger: String,
    /// The section of a runbook; always `null` in entries by ralph.
    pub runbook_section: Option<String>,
}

impl PatternsFile {
    /// Builds the file from patterns and its previous content: unknown fields and
    /// patterns that were not seen this time are kept.
    pub fn new(patterns: &[Pattern], before: &Json, now: Timestamp) -> Self {
        let mut all = match before.get("patterns") {
            Some(Json::Object(patterns)) => patterns.clone(),
            Some(_) | None => Map::new(),
        };
        for pattern in patterns {
            let Ok(Json::Object(mut entry)) = serde_json::to_value(pattern) else {
                continue;
            };
            entry.insert("occurrences".to_owned(), json!(pattern.occurrences));
            let kept = all.entry(pattern.name.as_str()).or_insert(Json::Null);
            match kept {
                Json::Object(members) => members.extend(entry),
                other => *other = Json::Object(entry),
            }
        }
        Self {
            meta: PatternsMeta {
                last_updated: now,
                total_patterns: all.len(),
                total_occurrences: patterns.iter().map(|pattern| pattern.count).sum(),
            },
            patterns: all,
        }
    }
}

impl TrendsFile {
    /// Builds the file from patterns, sorted by confidence.
    pub fn new(patterns: &[Pattern], now: Timestamp) -> Self {
        let mut file = Self {
            last_updated: now,
            windows: Windows::default(),
            summary: BTreeMap::new(),
            alerts: Vec::new(),
            top_patterns: patterns.iter().take(TOP).map(TrendEntry::of).collect(),
            service_breakdown: BTreeMap::new(),
            improvements: Vec::new(),
        };
        for pattern in patterns {
            file.windows.current += pattern.windows.current;
            file.windows.previous += pattern.windows.previous;
            file.windows.older += pattern.windows.older;
            let trend = pattern.trend.as_str().to_owned();
            *file.summary.entry(trend).or_default() += 1;
            for (service, count) in &pattern.services {
                *file.service_breakdown.entry(service.clone()).or_default() += count;
            }
            match pattern.trend {
                Trend::Increasing | Trend::Reopened => file.alerts.push(TrendEntry::of(pattern)),
                Trend::Decreasing | Trend::Resolved => {
                    file.improvements.push(TrendEntry::of(pattern));
                }
                Trend::New | Trend::Stable => {}
            }
        }
        file
    }
}

impl TrendEntry {
    fn of(pattern: &Pattern) -> Self {
        Self {
            pattern: pattern.name.as_str().to_owned(),
            trend: pattern.trend,
            count: pattern.count,
            confidence: pattern.confidence,
        }
    }
}

impl PromotionEntry {
    /// The log entry for a pattern that is enough for a lesson; `None` for others.
    pub fn of(pattern: &Pattern, now: Timestamp) -> Option<Self> {
        if pattern.status == PatternStatus::Observed || pattern.learners.is_empty() {
            return None;
        }
        Some(Self {
            date: date_of(now),
            pattern: pattern.name.as_str().to_owned(),
            confidence: pattern.confidence,
            occurrences: pattern.count,
            promoted_to: pattern.learners.iter().cloned().collect(),
            entry_type: "draft".to_owned(),
            trigger: "threshold".to_owned(),
            runbook_section: None,
        })
    }

    /// The pattern of a log entry.
    pub fn pattern_of(line: &[u8]) -> Option<PatternName> {
        let entry: Json = serde_json::from_slice(line).ok()?;
        PatternName::converted(entry.get("pattern")?.as_str()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrections::Severity;
    use crate::patterns::{Occurrence, Origin, Registry};

    const NOW: &str = "2026-06-30T00:00:00Z";

    fn patterns(count: usize) -> Vec<Pattern> {
        let mut registry = Registry::new(NOW.parse().unwrap());
        for (at, day) in ["2026-06-27", "2026-06-28", "2026-06-29"]
            .into_iter()
            .take(count)
            .enumerate()
        {
            let occurrence = Occurrence {
                pattern: PatternName::new("own-pattern").unwrap(),
                at: format!("{day}T12:00:00Z").parse().unwrap(),
                origin: Origin::Explicit,
                severity: Severity::High,
                agent: Some(AgentName::from("api-dev")),
                session: None,
                service: Some("files".to_owned()),
                file: None,
                summary: "s".to_owned(),
                fix: Some("do it".to_owned()),
            };
            registry.add(&[u8::try_from(at).unwrap()], occurrence);
        }
        registry.patterns(|_| None)
    }

    #[test]
    fn patterns_are_updated_and_entries_of_others_are_kept() {
        let before = json!({"patterns": {
            "own-pattern": {"count": 99, "owner": "me", "occurrences": [1, 2]},
            "gone-pattern": {"count": 4},
        }});
        let now = NOW.parse().unwrap();
        let file = PatternsFile::new(&patterns(3), &before, now);
        let json = serde_json::to_value(&file).unwrap();
        let own = &json["patterns"]["own-pattern"];
        assert_eq!((&own["count"], &own["owner"]), (&json!(3), &json!("me")));
        assert_eq!(own["occurrences"].as_array().unwrap().len(), 3);
        assert_eq!(own["occurrences"][0]["date"], "2026-06-27");
        assert_eq!(own["first_seen"], "2026-06-27");
        assert_eq!(own["last_seen"], "2026-06-29");
        assert_eq!(own["confidence"], 0.688);
        assert_eq!(own["source_breakdown"], json!({"explicit": 3}));
        assert_eq!(own["promoted_to_runbook"], false);
        assert_eq!(json["patterns"]["gone-pattern"], json!({"count": 4}));
        assert_eq!(
            json["meta"],
            json!({"last_updated": NOW, "total_patterns": 2, "total_occurrences": 3})
        );
        let again = PatternsFile::new(&patterns(3), &json, now);
        assert_eq!(again, file);
    }

    #[test]
    fn trends_list_new_reopened_and_resolved_patterns() {
        let mut all = patterns(3);
        for (name, trend) in [
            ("b", Trend::Reopened),
            ("c", Trend::Resolved),
            ("d", Trend::Stable),
        ] {
            let mut pattern = all[0].clone();
            pattern.name = PatternName::new(name).unwrap();
            pattern.trend = trend;
            all.push(pattern);
        }
        let file = TrendsFile::new(&all, NOW.parse().unwrap());
        let names = |entries: &[TrendEntry]| -> Vec<String> {
            entries.iter().map(|entry| entry.pattern.clone()).collect()
        };
        assert_eq!(names(&file.alerts), ["b"]);
        assert_eq!(names(&file.improvements), ["c"]);
        assert_eq!(names(&file.top_patterns), ["own-pattern", "b", "c", "d"]);
        assert_eq!(file.windows.current, 12);
        assert_eq!(file.service_breakdown["files"], 12);
        assert_eq!(file.summary["new"], 1);
    }

    #[test]
    fn a_pattern_that_is_enough_for_a_lesson_gets_a_log_entry() {
        let now = NOW.parse().unwrap();
        let entry = PromotionEntry::of(&patterns(3)[0], now).unwrap();
        let line = serde_json::to_value(&entry).unwrap();
        let expected = json!({
            "date": "2026-06-30", "pattern": "own-pattern", "confidence": 0.688,
            "occurrences": 3, "promoted_to": ["api-dev"], "entry_type": "draft",
            "trigger": "threshold", "runbook_section": null,
        });
        assert_eq!(line, expected);
        assert_eq!(PromotionEntry::of(&patterns(2)[0], now), None);
        let name = PromotionEntry::pattern_of(line.to_string().as_bytes()).unwrap();
        assert_eq!(name.as_str(), "own-pattern");
        assert_eq!(PromotionEntry::pattern_of(b"{}"), None);
    }
}
