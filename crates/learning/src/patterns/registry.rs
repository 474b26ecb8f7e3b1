//! Occurrences grouped by pattern.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use review_types::Timestamp;
use serde::Serialize;

use super::occurrence::date_of;
use super::status::STALE_DAYS;
use super::trend::days_between;
use super::{Occurrence, Origin, PatternStatus, Trend, Windows};
use crate::AgentName;
use crate::confidence::Recurrence;
use crate::corrections::CommonPattern;
use crate::corrections::PatternName;
use crate::lesson::LessonStatus;

/// The number of latest occurrences of a pattern that are kept.
const MAX_KEPT: usize = 50;

/// Occurrences grouped by pattern, as of a point in time.
#[derive(Clone, Debug)]
pub struct Registry {
    now: Timestamp,
    groups: BTreeMap<PatternName, Group>,
    lines: HashSet<u64>,
}

#[derive(Clone, Debug)]
struct Group {
    evidence: Recurrence,
    seen: Option<(Timestamp, Timestamp)>,
    windows: Windows,
    origins: BTreeMap<Origin, u64>,
    agents: BTreeSet<AgentName>,
    /// The corrections of each agent.
    learners: BTreeMap<AgentName, Recurrence>,
    services: BTreeMap<String, u64>,
    latest: Vec<Occurrence>,
}

/// A pattern and the statistics of its occurrences; its JSON form is that in
/// `patterns.json`.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Pattern {
    /// Its name.
    #[serde(rename = "pattern")]
    #[schemars(with = "String")]
    pub name: PatternName,
    /// A description in one sentence.
    pub description: String,
    /// The number of occurrences.
    pub count: u64,
    /// The date of the first occurrence.
    pub first_seen: String,
    /// The date of the last occurrence.
    pub last_seen: String,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The factors of the confidence.
    pub confidence_factors: BTreeMap<String, f64>,
    /// The number of occurrences by period.
    pub windows: Windows,
    /// The trend.
    pub trend: Trend,
    /// The number of occurrences by source.
    pub source_breakdown: BTreeMap<Origin, u64>,
    /// The mean weight of the sources, from 0 to 1.
    pub source_quality_score: f64,
    /// The agents concerned.
    pub affected_agents: BTreeSet<AgentName>,
    /// The number of occurrences by service.
    #[serde(skip)]
    pub services: BTreeMap<String, u64>,
    /// The fix, from the latest occurrence that has one.
    pub fix_template: Option<String>,
    /// Whether it is in a runbook; no runbook is written.
    pub promoted_to_runbook: bool,
    /// The status.
    pub status: PatternStatus,
    /// The agents whose corrections are enough for a lesson.
    #[serde(skip)]
    pub learners: BTreeSet<AgentName>,
    /// Whether it was not seen for half a year.
    pub stale: bool,
    /// Its latest occurrences, oldest first; in `patterns.json` alone.
    #[serde(skip_serializing)]
    pub occurrences: Vec<Occurrence>,
}

impl Registry {
    /// An empty registry as of `now`.
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            groups: BTreeMap::new(),
            lines: HashSet::new(),
        }
    }

    /// Counts the occurrence in `line` of a file; returns false if the same line was
    /// already counted.
    pub fn add(&mut self, line: &[u8], occurrence: Occurrence) -> bool {
        if !self.is_first(line) {
            return false;
        }
        let now = self.now;
        let group = self.groups.entry(occurrence.pattern.clone());
        let group = group.or_insert_with(|| Group::new(now));
        group.add(occurrence, now);
        true
    }

    /// The patterns, sorted by confidence; `lesson` returns the status of the lesson of
    /// one, if it has any.
    pub fn patterns(&self, lesson: impl Fn(&PatternName) -> Option<LessonStatus>) -> Vec<Pattern> {
        let mut patterns: Vec<_> = self
            .groups
            .iter()
            .filter_map(|(name, group)| group.pattern(name, lesson(name), self.now))
            .collect();
        patterns.sort_by(|a, b| {
            let by_confidence = b.confidence.total_cmp(&a.confidence);
            by_confidence.then_with(|| a.name.cmp(&b.name))
        });
        patterns
    }

    /// Whether a line was not counted yet.
    fn is_first(&mut self, line: &[u8]) -> bool {
        let mut hasher = DefaultHasher::new();
        line.trim_ascii().hash(&mut hasher);
        self.lines.insert(hasher.finish())
    }
}

impl Group {
    fn new(now: Timestamp) -> Self {
        Self {
            evidence: Recurrence::new(now),
            seen: None,
            windows: Windows::default(),
            origins: BTreeMap::new(),
            agents: BTreeSet::new(),
            learners: BTreeMap::new(),
            services: BTreeMap::new(),
            latest: Vec::new(),
        }
    }

    fn add(&mut self, occurrence: Occurrence, now: Timestamp) {
        let at = occurrence.at;
        self.evidence.add(occurrence.instance());
        self.windows.add(at, now);
        self.seen = Some(match self.seen {
            Some((first, last)) => (first.min(at), last.max(at)),
            None => (at, at),
        });
        *self.origins.entry(occurrence.origin).or_default() += 1;
        self.agents.extend(occurrence.agent.clone());
        if let Some(agent) = occurrence.learner() {
            let learner = self.learners.entry(agent.clone());
            let evidence = learner.or_insert_with(|| Recurrence::new(now));
            evidence.add(occurrence.instance());
        }
        if let Some(service) = &occurrence.service {
            *self.services.entry(service.clone()).or_default() += 1;
        }
        self.keep(occurrence);
    }

    /// Keeps the latest occurrences, sorted by time.
    fn keep(&mut self, occurrence: Occurrence) {
        let place = self.latest.partition_point(|kept| kept.at <= occurrence.at);
        self.latest.insert(place, occurrence);
        if self.latest.len() > MAX_KEPT {
            self.latest.remove(0);
        }
    }

    fn pattern(
        &self,
        name: &PatternName,
        lesson: Option<LessonStatus>,
        now: Timestamp,
    ) -> Option<Pattern> {
        let (first_seen, last_seen) = self.seen?;
        let learners: BTreeSet<AgentName> = self
            .learners
            .iter()
            .filter(|(_, evidence)| evidence.is_enough())
            .map(|(agent, _)| agent.clone())
            .collect();
        let without_lesson = match learners.is_empty() {
            true => PatternStatus::Observed,
            false => PatternStatus::Ready,
        };
        let latest = self.latest.last();
        let (confidence, confidence_factors) = self.evidence.confidence();
        let fixes = self.latest.iter().rev().filter_map(|seen| seen.fix.clone());
        Some(Pattern {
            description: described(name.common(), latest),
            name: name.clone(),
            count: self.evidence.count(),
            first_seen: date_of(first_seen),
            last_seen: date_of(last_seen),
            confidence: rounded(confidence),
            confidence_factors,
            windows: self.windows,
            trend: self.windows.trend(),
            source_breakdown: self.origins.clone(),
            source_quality_score: rounded(self.evidence.source_quality()),
            affected_agents: self.agents.clone(),
            services: self.services.clone(),
            fix_template: fixes.into_iter().next(),
            promoted_to_runbook: false,
            status: lesson.map_or(without_lesson, PatternStatus::from),
            learners,
            stale: days_between(last_seen, now) >= STALE_DAYS,
            occurrences: self.latest.clone(),
        })
    }
}

/// Rounds to three digits.
fn rounded(share: f64) -> f64 {
    (share * 1_000.0).round() / 1_000.0
}

/// The description of a pattern: that of the common pattern, otherwise that of the
/// latest occurrence.
fn described(common: Option<&CommonPattern>, latest: Option<&Occurrence>) -> String {
    match (common, latest) {
        (Some(common), _) => format!("The agent {}", common.description),
        (None, Some(latest)) => latest.summary.clone(),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrections::Severity;

    const NOW: &str = "2026-06-30T00:00:00Z";

    fn occurrence(pattern: &'static str, at: &str, origin: Origin) -> Occurrence {
        Occurrence {
            pattern: PatternName::new(pattern).unwrap(),
            at: at.parse().unwrap(),
            origin,
            severity: Severity::High,
            agent: Some(AgentName::from("api-dev")),
            session: None,
            service: Some("files".to_owned()),
            file: None,
            summary: format!("seen at {at}"),
            fix: None,
        }
    }

    fn registry(occurrences: &[Occurrence]) -> Registry {
        let mut registry = Registry::new(NOW.parse().unwrap());
        for (at, occurrence) in occurrences.iter().enumerate() {
            assert!(registry.add(format!("{at}").as_bytes(), occurrence.clone()));
        }
        registry
    }

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 5e-4
    }

    #[test]
    fn a_pattern_summarizes_its_occurrences() {
        let mut third = occurrence("own-pattern", "2026-06-30T00:00:00Z", Origin::ReviewNit);
        third.severity = Severity::Low;
        third.service = Some("users".to_owned());
        third.fix = Some("do it".to_owned());
        let found = registry(&[
            occurrence("own-pattern", "2026-06-20T00:00:00Z", Origin::Explicit),
            third,
            occurrence("own-pattern", "2026-05-20T00:00:00Z", Origin::Implicit),
        ])
        .patterns(|_| None);
        let pattern = &found[0];
        assert_eq!((found.len(), pattern.count), (1, 3));
        assert_eq!(pattern.first_seen, "2026-05-20");
        assert_eq!(pattern.last_seen, "2026-06-30");
        assert!(near(pattern.confidence_factors["severity"], 2.3 / 3.0));
        assert!(near(pattern.source_quality_score, 0.7));
        let expected = 0.105 + 0.25 * 2.3 / 3.0 + 0.15 + 0.2 / 3.0 + 0.105;
        assert!(near(pattern.confidence, expected), "{pattern:?}");
        assert_eq!(pattern.trend, Trend::Increasing);
        assert_eq!(pattern.status, PatternStatus::Observed);
        assert_eq!(pattern.description, "seen at 2026-06-30T00:00:00Z");
        assert_eq!(pattern.fix_template.as_deref(), Some("do it"));
        assert_eq!(pattern.affected_agents.len(), 1);
        assert!(pattern.learners.is_empty());
        assert_eq!(pattern.services["users"], 1);
        assert_eq!(pattern.source_breakdown[&Origin::ReviewNit], 1);
        assert!(!pattern.stale);
        let order: Vec<_> = pattern.occurrences.iter().map(|seen| seen.at).collect();
        assert!(order.is_sorted());
    }

    #[test]
    fn a_pattern_is_ready_when_the_corrections_of_one_agent_are_enough() {
        let of = |agent: &str, origin| Occurrence {
            agent: Some(AgentName::from(agent)),
            ..occurrence("own-pattern", NOW, origin)
        };
        let explicit = |agent| of(agent, Origin::Explicit);
        let [a, b] = ["a", "b"].map(explicit);
        let learning = of("a", Origin::SessionLearning);
        for (seen, status) in [
            (
                vec![a.clone(), a.clone(), b.clone()],
                PatternStatus::Observed,
            ),
            (
                vec![a.clone(), a.clone(), learning],
                PatternStatus::Observed,
            ),
            (vec![a.clone(), a.clone(), b, a], PatternStatus::Ready),
        ] {
            let pattern = registry(&seen).patterns(|_| None).remove(0);
            assert_eq!(pattern.status, status, "{pattern:?}");
        }
    }

    #[test]
    fn the_same_line_is_counted_once() {
        let mut registry = registry(&[]);
        let seen = occurrence("own-pattern", NOW, Origin::Explicit);
        assert!(registry.add(b"line", seen.clone()));
        assert!(!registry.add(b" line\r", seen.clone()));
        assert!(registry.add(b"other", seen));
        assert_eq!(registry.patterns(|_| None)[0].count, 2);
    }

    #[test]
    fn patterns_are_sorted_by_confidence_and_then_by_name() {
        let patterns = registry(&[
            occurrence("zeta-pattern", NOW, Origin::Explicit),
            occurrence("scope-creep", "2025-12-01T00:00:00Z", Origin::Explicit),
            occurrence("alpha-pattern", NOW, Origin::Explicit),
        ])
        .patterns(|name| (name.as_str() == "scope-creep").then_some(LessonStatus::Applied));
        let names: Vec<_> = patterns
            .iter()
            .map(|pattern| pattern.name.as_str())
            .collect();
        assert_eq!(names, ["alpha-pattern", "zeta-pattern", "scope-creep"]);
        let last = &patterns[2];
        assert!(last.stale);
        assert_eq!(last.status, PatternStatus::Applied);
        assert_eq!(last.description, "The agent does more than was requested");
        assert!(near(last.confidence_factors["recency"], 0.0));
    }

    #[test]
    fn only_the_latest_occurrences_are_kept() {
        let many: Vec<_> = (0..MAX_KEPT + 5)
            .map(|at| {
                let at = format!("2026-05-01T00:{at:02}:00Z");
                occurrence("own-pattern", &at, Origin::Explicit)
            })
            .collect();
        let pattern = registry(&many).patterns(|_| None).remove(0);
        assert_eq!(pattern.count, 55);
        assert_eq!(pattern.occurrences, many[5..]);
    }
}
