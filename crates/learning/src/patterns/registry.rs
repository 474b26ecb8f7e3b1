//! Occurrences grouped by pattern.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use review_types::Timestamp;
use serde::Serialize;

use super::promotion::STALE_DAYS;
use super::trend::days_between;
use super::{Factors, Occurrence, Origin, PromotionState, Trend, Windows};
use crate::corrections::CommonPattern;
use crate::corrections::PatternName;

/// The maximum number of distinct patterns.
const MAX_PATTERNS: usize = 10_000;
/// The number of latest occurrences of a pattern that are kept.
const MAX_KEPT: usize = 50;
/// The maximum number of agents and services counted per pattern.
const MAX_NAMES: usize = 100;
/// The maximum number of lines that are compared to detect duplicates.
const MAX_LINES: usize = 1_000_000;

/// Occurrences grouped by pattern, as of a point in time.
#[derive(Clone, Debug)]
pub struct Registry {
    now: Timestamp,
    groups: BTreeMap<PatternName, Group>,
    lines: HashSet<u64>,
    left_off: u64,
}

#[derive(Clone, Debug, Default)]
struct Group {
    count: u64,
    severity: f64,
    weight: f64,
    seen: Option<(Timestamp, Timestamp)>,
    windows: Windows,
    origins: BTreeMap<Origin, u64>,
    agents: BTreeSet<String>,
    services: BTreeMap<String, u64>,
    latest: Vec<Occurrence>,
}

/// A pattern and the statistics of its occurrences.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pattern {
    /// Its name.
    #[serde(rename = "pattern")]
    pub name: PatternName,
    /// A description in one sentence.
    pub description: String,
    /// The number of occurrences.
    pub count: u64,
    /// The time of the first occurrence.
    pub first_seen: Timestamp,
    /// The time of the last occurrence.
    pub last_seen: Timestamp,
    /// The factors of the confidence.
    pub factors: Factors,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The number of occurrences by period.
    pub windows: Windows,
    /// The trend.
    pub trend: Trend,
    /// The number of occurrences by source.
    #[serde(skip)]
    pub source_breakdown: BTreeMap<Origin, u64>,
    /// The mean weight of the sources, from 0 to 1.
    #[serde(skip)]
    pub source_quality_score: f64,
    /// The agents concerned.
    pub affected_agents: BTreeSet<String>,
    /// The number of occurrences by service.
    #[serde(skip)]
    pub services: BTreeMap<String, u64>,
    /// The fix, from the latest occurrence that has one.
    #[serde(skip)]
    pub fix_template: Option<String>,
    /// The promotion state.
    pub promotion: PromotionState,
    /// Whether it was not seen for half a year.
    pub stale: bool,
    /// Its latest occurrences, oldest first.
    #[serde(skip)]
    pub occurrences: Vec<Occurrence>,
}

impl Registry {
    /// An empty registry as of `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            groups: BTreeMap::new(),
            lines: HashSet::new(),
            left_off: 0,
        }
    }

    /// Counts the occurrence in `line` of a file; returns false if the same line was
    /// already counted.
    pub fn add(&mut self, line: &[u8], occurrence: Occurrence) -> bool {
        if !self.is_first(line) {
            return false;
        }
        let is_known = self.groups.contains_key(&occurrence.pattern);
        if !is_known && self.groups.len() >= MAX_PATTERNS {
            self.left_off += 1;
            return true;
        }
        let group = self.groups.entry(occurrence.pattern.clone()).or_default();
        group.add(occurrence, self.now);
        true
    }

    /// The number of occurrences dropped because there were too many patterns.
    #[must_use]
    pub const fn left_off(&self) -> u64 {
        self.left_off
    }

    /// The patterns, sorted by confidence; `is_promoted` returns whether one was
    /// already promoted.
    pub fn patterns(&self, is_promoted: impl Fn(&PatternName) -> bool) -> Vec<Pattern> {
        let mut patterns: Vec<_> = self
            .groups
            .iter()
            .filter_map(|(name, group)| group.pattern(name, is_promoted(name), self.now))
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
        let hash = hasher.finish();
        let is_first = !self.lines.contains(&hash);
        if is_first && self.lines.len() < MAX_LINES {
            self.lines.insert(hash);
        }
        is_first
    }
}

impl Group {
    fn add(&mut self, occurrence: Occurrence, now: Timestamp) {
        let at = occurrence.at;
        self.count += 1;
        self.severity += occurrence.severity.score();
        self.weight += occurrence.origin.weight();
        self.windows.add(at, now);
        self.seen = Some(match self.seen {
            Some((first, last)) => (first.min(at), last.max(at)),
            None => (at, at),
        });
        *self.origins.entry(occurrence.origin).or_default() += 1;
        if let Some(agent) = &occurrence.agent
            && self.agents.len() < MAX_NAMES
        {
            self.agents.insert(agent.clone());
        }
        if let Some(service) = &occurrence.service {
            let is_known = self.services.contains_key(service);
            if is_known || self.services.len() < MAX_NAMES {
                *self.services.entry(service.clone()).or_default() += 1;
            }
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

    #[expect(
        clippy::cast_precision_loss,
        reason = "a mean over more occurrences than a mantissa can represent is precise enough"
    )]
    fn pattern(&self, name: &PatternName, is_promoted: bool, now: Timestamp) -> Option<Pattern> {
        let (first_seen, last_seen) = self.seen?;
        let count = self.count as f64;
        let quality = self.weight / count;
        let days = days_between(last_seen, now);
        let silence = now.since(last_seen).as_secs_f64() / 86_400.0;
        let services = self.services.len();
        let factors = Factors::new(
            self.count,
            self.severity / count,
            silence,
            services,
            quality,
        );
        let confidence = factors.confidence();
        let latest = self.latest.last();
        let fixes = self.latest.iter().rev().filter_map(|seen| seen.fix.clone());
        Some(Pattern {
            description: described(name.common(), latest),
            name: name.clone(),
            count: self.count,
            first_seen,
            last_seen,
            factors,
            confidence,
            windows: self.windows,
            trend: self.windows.trend(),
            source_breakdown: self.origins.clone(),
            source_quality_score: quality,
            affected_agents: self.agents.clone(),
            services: self.services.clone(),
            fix_template: fixes.into_iter().next(),
            promotion: PromotionState::new(
                self.count,
                confidence,
                days,
                self.agents.len(),
                is_promoted,
            ),
            stale: days >= STALE_DAYS,
            occurrences: self.latest.clone(),
        })
    }
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
            pattern_confidence: None,
            at: at.parse().unwrap(),
            origin,
            severity: Severity::High,
            agent: Some("api-dev".to_owned()),
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
        (found - expected).abs() < 1e-9
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
        .patterns(|_| false);
        let pattern = &found[0];
        assert_eq!((found.len(), pattern.count), (1, 3));
        assert_eq!(pattern.first_seen.to_string(), "2026-05-20T00:00:00Z");
        assert_eq!(pattern.last_seen.to_string(), NOW);
        assert!(near(pattern.factors.severity, 2.3 / 3.0));
        assert!(near(pattern.source_quality_score, 0.7));
        let expected = 0.105 + 0.25 * 2.3 / 3.0 + 0.15 + 0.2 / 3.0 + 0.105;
        assert!(near(pattern.confidence, expected), "{pattern:?}");
        assert_eq!(pattern.trend, Trend::Increasing);
        assert_eq!(pattern.promotion, PromotionState::Draft);
        assert_eq!(pattern.description, "seen at 2026-06-30T00:00:00Z");
        assert_eq!(pattern.fix_template.as_deref(), Some("do it"));
        assert_eq!(pattern.affected_agents.len(), 1);
        assert_eq!(pattern.services["users"], 1);
        assert_eq!(pattern.source_breakdown[&Origin::ReviewNit], 1);
        assert!(!pattern.stale);
        let order: Vec<_> = pattern.occurrences.iter().map(|seen| seen.at).collect();
        assert!(order.is_sorted());
    }

    #[test]
    fn the_same_line_is_counted_once() {
        let mut registry = registry(&[]);
        let seen = occurrence("own-pattern", NOW, Origin::Explicit);
        assert!(registry.add(b"line", seen.clone()));
        assert!(!registry.add(b" line\r", seen.clone()));
        assert!(registry.add(b"other", seen));
        assert_eq!(registry.patterns(|_| false)[0].count, 2);
    }

    #[test]
    fn patterns_are_sorted_by_confidence_and_then_by_name() {
        let patterns = registry(&[
            occurrence("zeta-pattern", NOW, Origin::Explicit),
            occurrence("scope-creep", "2025-12-01T00:00:00Z", Origin::Explicit),
            occurrence("alpha-pattern", NOW, Origin::Explicit),
        ])
        .patterns(|name| name.as_str() == "scope-creep");
        let names: Vec<_> = patterns
            .iter()
            .map(|pattern| pattern.name.as_str())
            .collect();
        assert_eq!(names, ["alpha-pattern", "zeta-pattern", "scope-creep"]);
        let last = &patterns[2];
        assert!(last.stale);
        assert_eq!(last.promotion, PromotionState::Promoted);
        assert_eq!(last.description, "The agent does more than was requested");
        assert!(near(last.factors.recency, 0.0));
    }

    #[test]
    fn only_the_latest_occurrences_are_kept() {
        let many: Vec<_> = (0..MAX_KEPT + 5)
            .map(|at| {
                let at = format!("2026-05-01T00:{at:02}:00Z");
                occurrence("own-pattern", &at, Origin::Explicit)
            })
            .collect();
        let pattern = registry(&many).patterns(|_| false).remove(0);
        assert_eq!(pattern.count, 55);
        assert_eq!(pattern.occurrences, many[5..]);
    }
}
