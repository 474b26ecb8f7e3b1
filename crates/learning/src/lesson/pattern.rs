//! Patterns: groups of feedback frequent enough to learn from.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use review_text::Fingerprint;
use review_types::Timestamp;
use serde::Serialize;

use crate::cluster::{ClusterRegistry, Forms, clusters, text_of};
use crate::confidence::Recurrence;
use crate::config::Analysis;
use crate::feedback::FeedbackEntry;

/// The minimum number of entries of a pattern, whatever their share.
pub(super) const MIN_COUNT: usize = 3;
/// The number of entries of a pattern that stand for it.
pub(super) const EXEMPLARS: usize = 3;

/// A group of feedback that is frequent enough to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedbackPattern<'e> {
    /// The id of its cluster, which is stable while feedback is added.
    pub cluster: u32,
    /// The name that its corrections bear, if they are a pattern by that.
    pub name: Option<String>,
    /// Its entries, in order.
    pub entries: Vec<&'e FeedbackEntry>,
    /// Their share of the agent's entries, from 0 to 1.
    pub frequency: f64,
    /// Its entries: the most representative one, then the others in the order of their
    /// similarity to it.
    pub by_likeness: Vec<&'e FeedbackEntry>,
}

/// The result of pattern detection for an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection<'e> {
    /// The number of clusters.
    pub clusters: usize,
    /// The patterns, the largest first.
    pub patterns: Vec<FeedbackPattern<'e>>,
    /// The entries that are in no pattern.
    pub left_aside: LeftAside,
}

/// The numbers of entries that are in no pattern, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftAside {
    /// They say nothing of the cause: scores below their minimum and bare exit statuses.
    pub unspecific: usize,
    /// They are in groups of fewer entries than `min_cluster_size`.
    pub single: usize,
    /// Their groups are no larger a share than `frequency_threshold`.
    pub rare: usize,
    /// They are about versions that were rolled back.
    pub rolled_back: usize,
}

/// Finds the patterns in feedback.
#[derive(Clone, Copy, Debug)]
pub struct Detector<'a> {
    /// The settings of the analysis.
    pub analysis: &'a Analysis,
    /// The time of the analysis.
    pub at: Timestamp,
}

impl Detector<'_> {
    /// Detects the patterns in the entries of an agent. Corrections that bear the name
    /// of one pattern, and are enough for a lesson, are one however few entries there
    /// are. Nothing else is found with fewer than `min_samples` entries, and nothing at
    /// all with clustering switched off. A group is measured against the entries that are
    /// in a group.
    pub(crate) fn detect<'e>(
        &self,
        entries: &[&'e FeedbackEntry],
        registry: &mut ClusterRegistry,
    ) -> Detection<'e> {
        let mut detection = Detection {
            clusters: 0,
            patterns: Vec::new(),
            left_aside: LeftAside::default(),
        };
        let Analysis {
            clustering,
            pattern_detection,
            ..
        } = self.analysis;
        if !clustering.enabled {
            return detection;
        }
        let named = self.named(entries);
        let groups = match self.analysis.suffices(entries.len()) {
            true => groups(entries, clustering.min_cluster_size),
            false => Vec::new(),
        };
        let groups = gathered(entries, &named, groups);
        if groups.is_empty() && !self.analysis.suffices(entries.len()) {
            return detection;
        }
        let ids: Vec<Vec<&str>> = groups.iter().map(Group::ids).collect();
        let ids = registry.update(&ids);
        detection.clusters = groups.len();
        if !pattern_detection.enabled {
            return detection;
        }
        let in_groups = groups.iter().map(|group| group.entries.len());
        let in_groups: usize = in_groups.sum();
        let unspecific = entries.iter().filter(|entry| !entry.is_specific()).count();
        detection.left_aside.unspecific = unspecific;
        detection.left_aside.single = entries.len().saturating_sub(in_groups + unspecific);
        for (cluster, group) in ids.into_iter().zip(groups) {
            let size = group.entries.len();
            let share = size as f64 / in_groups as f64;
            let is_frequent = share > pattern_detection.frequency_threshold;
            if group.name.is_some() || (is_frequent && size >= MIN_COUNT) {
                let frequency = size as f64 / entries.len() as f64;
                let pattern = group.pattern(cluster, frequency);
                detection.patterns.push(pattern);
            } else {
                detection.left_aside.rare += size;
            }
        }
        detection
    }

    /// The names of the patterns of which there are enough corrections.
    fn named<'e>(&self, entries: &[&'e FeedbackEntry]) -> BTreeSet<&'e str> {
        let mut seen: BTreeMap<&str, Recurrence> = BTreeMap::new();
        for entry in entries {
            if let Some(name) = &entry.context.pattern {
                let of_name = seen.entry(name);
                let of_name = of_name.or_insert_with(|| Recurrence::new(self.at));
                of_name.add(entry.instance());
            }
        }
        let enough = seen.into_iter().filter(|(_, seen)| seen.is_enough());
        enough.map(|(name, _)| name).collect()
    }
}

impl FeedbackPattern<'_> {
    /// The entries that stand for it.
    pub(crate) fn exemplars(&self) -> impl Iterator<Item = &FeedbackEntry> {
        self.by_likeness.iter().take(EXEMPLARS).copied()
    }
}

impl Analysis {
    /// Whether this number of entries is enough for an analysis.
    pub const fn suffices(&self, entries: usize) -> bool {
        entries >= self.min_samples as usize
    }
}

/// A cluster, or the entries of a pattern with a name.
struct Group<'e> {
    name: Option<&'e str>,
    entries: Vec<&'e FeedbackEntry>,
}

/// The clusters, and a group for each of the names: it holds the entries that bear the
/// name, and the clusters of which they are the majority.
fn gathered<'e>(
    entries: &[&'e FeedbackEntry],
    named: &BTreeSet<&'e str>,
    clusters: Vec<Vec<&'e FeedbackEntry>>,
) -> Vec<Group<'e>> {
    let name_of = |entry: &'e FeedbackEntry| {
        let name = entry.context.pattern.as_deref();
        name.filter(|name| named.contains(name))
    };
    let mut of_name: BTreeMap<&str, Vec<&'e FeedbackEntry>> = BTreeMap::new();
    for entry in entries {
        if let Some(name) = name_of(entry) {
            of_name.entry(name).or_default().push(entry);
        }
    }
    let mut groups = Vec::new();
    for mut cluster in clusters {
        let bears = |name: &&&str| {
            let bearing = cluster.iter().filter(|one| name_of(one) == Some(**name));
            bearing.count() * 2 > cluster.len()
        };
        let majority = named.iter().find(bears).copied();
        cluster.retain(|one| name_of(one).is_none());
        match majority {
            Some(name) => of_name.entry(name).or_default().extend(cluster),
            None if cluster.is_empty() => {}
            None => groups.push(Group {
                name: None,
                entries: cluster,
            }),
        }
    }
    for (name, mut entries) in of_name {
        entries.sort_by_key(|entry| entry.timestamp);
        groups.push(Group {
            name: Some(name),
            entries,
        });
    }
    groups.sort_by_key(|group| Reverse(group.entries.len()));
    groups
}

/// The entries of each cluster, the largest first.
fn groups<'e>(entries: &[&'e FeedbackEntry], min_cluster_size: u32) -> Vec<Vec<&'e FeedbackEntry>> {
    let mut forms = Forms::new();
    let of: Vec<_> = entries
        .iter()
        .map(|entry| {
            let text = entry.is_specific().then(|| text_of(entry))?;
            forms.add(&text)
        })
        .collect();
    let clusters = clusters(&forms, min_cluster_size as usize);
    let mut groups: Vec<_> = clusters.sizes().iter().map(|_| Vec::new()).collect();
    for (entry, form) in entries.iter().zip(of) {
        if let Some(cluster) = form.and_then(|form| clusters.of(form)) {
            groups[cluster as usize].push(*entry);
        }
    }
    groups
}

impl<'e> Group<'e> {
    fn ids(&self) -> Vec<&'e str> {
        self.entries.iter().map(|entry| entry.id.as_str()).collect()
    }

    fn pattern(self, cluster: u32, frequency: f64) -> FeedbackPattern<'e> {
        let texts = self.entries.iter().map(|entry| text_of(entry).whole());
        let vectors: Vec<_> = texts.map(|text| Fingerprint::of(&text)).collect();
        let first = medoid(&vectors);
        let mut others: Vec<(f32, usize)> = vectors
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != first)
            .map(|(at, vector)| (vector.similarity(&vectors[first]), at))
            .collect();
        others.sort_by(|a, b| b.0.total_cmp(&a.0));
        let others = others.into_iter().map(|(_, at)| at);
        let by_likeness = std::iter::once(first).chain(others);
        FeedbackPattern {
            cluster,
            name: self.name.map(str::to_owned),
            frequency,
            by_likeness: by_likeness.map(|at| self.entries[at]).collect(),
            entries: self.entries,
        }
    }
}

/// Returns the index of the string that is most similar to all others; the earliest in case
/// of a tie.
fn medoid(texts: &[Fingerprint]) -> usize {
    let mut sum: BTreeMap<_, f32> = BTreeMap::new();
    for (term, weight) in texts.iter().flat_map(Fingerprint::terms) {
        *sum.entry(term).or_default() += weight;
    }
    let mut most = (0, f32::MIN);
    for (at, text) in texts.iter().enumerate() {
        let terms = text.terms().iter();
        let likeness: f32 = terms.map(|(term, weight)| weight * sum[term]).sum();
        // Sums of the same numbers in another order differ slightly.
        if likeness > most.1 + 1e-4 {
            most = (at, likeness);
        }
    }
    most.0
}

#[cfg(test)]
mod tests {
    use super::super::tests::timeouts;
    use super::*;
    use crate::config::{Clustering, PatternDetection};
    use crate::feedback::{FeedbackType, Severity};

    fn detect<'e>(
        analysis: &Analysis,
        entries: &'e [FeedbackEntry],
        registry: &mut ClusterRegistry,
    ) -> Detection<'e> {
        let detector = Detector {
            analysis,
            at: Timestamp::UNIX_EPOCH,
        };
        detector.detect(&entries.iter().collect::<Vec<_>>(), registry)
    }

    fn numbers(entries: &[&FeedbackEntry]) -> Vec<usize> {
        let all = timeouts();
        let at = |entry: &&FeedbackEntry| all.iter().position(|other| other.id == entry.id);
        entries.iter().filter_map(at).collect()
    }

    fn found(analysis: &Analysis, count: usize) -> (usize, Vec<Vec<usize>>) {
        let entries = timeouts();
        let mut registry = ClusterRegistry::default();
        let detection = detect(analysis, &entries[..count], &mut registry);
        let patterns = detection.patterns.iter();
        let patterns = patterns.map(|pattern| numbers(&pattern.entries)).collect();
        (detection.clusters, patterns)
    }

    #[test]
    fn a_frequent_group_is_a_pattern_and_the_rest_is_left_aside() {
        let mut entries = timeouts();
        entries[2].feedback_type = FeedbackType::QualityScore;
        entries[2].details.correction = None;
        let mut registry = ClusterRegistry::default();
        let detection = detect(&Analysis::default(), &entries, &mut registry);
        let [pattern] = &detection.patterns[..] else {
            panic!("one pattern: {detection:?}")
        };
        assert_eq!((detection.clusters, pattern.cluster), (1, 0));
        assert_eq!(numbers(&pattern.entries), [0, 1, 3, 5, 7]);
        assert!((pattern.frequency - 5.0 / 9.0).abs() < 1e-9);
        assert_eq!(numbers(&pattern.by_likeness), [0, 7, 3, 1, 5]);
        let left_aside = LeftAside {
            unspecific: 1,
            single: 3,
            ..LeftAside::default()
        };
        assert_eq!(detection.left_aside, left_aside);
        assert_eq!(registry.of(entries[7].id.as_str()), Some(0));
        assert_eq!(registry.of(entries[2].id.as_str()), None);
    }

    #[test]
    fn corrections_with_one_name_are_a_pattern_however_few_entries_there_are() {
        let mut entries = timeouts();
        for at in [2, 4, 6] {
            let entry = &mut entries[at];
            entry.feedback_type = FeedbackType::HumanCorrection;
            entry.severity = Some(Severity::High);
            entry.context.pattern = Some("wrong-animal".to_owned());
        }
        let analysis = Analysis {
            min_samples: 20,
            ..Analysis::default()
        };
        let mut registry = ClusterRegistry::default();
        let found = detect(&analysis, &entries, &mut registry);
        let [pattern] = &found.patterns[..] else {
            panic!("one pattern: {found:?}")
        };
        assert_eq!(numbers(&pattern.entries), [2, 4, 6]);
        assert_eq!(pattern.name.as_deref(), Some("wrong-animal"));
        assert_eq!(registry.of(entries[4].id.as_str()), Some(0));
        // With enough entries the clusters are found as well.
        let found = detect(&Analysis::default(), &entries, &mut registry);
        let names: Vec<_> = found.patterns.iter().map(|one| &one.name).collect();
        assert_eq!(names, [&None, &Some("wrong-animal".to_owned())]);
        entries[6].severity = Some(Severity::Low);
        let found = detect(&analysis, &entries, &mut registry);
        assert_eq!((found.clusters, found.patterns), (0, vec![]));
    }

    #[test]
    fn a_cluster_of_which_most_entries_bear_a_name_is_part_of_that_pattern() {
        let mut entries = timeouts();
        for at in [0, 1, 3] {
            let entry = &mut entries[at];
            entry.feedback_type = FeedbackType::HumanCorrection;
            entry.severity = Some(Severity::High);
            entry.context.pattern = Some("no-timeout".to_owned());
        }
        let mut registry = ClusterRegistry::default();
        let found = detect(&Analysis::default(), &entries, &mut registry);
        let [pattern] = &found.patterns[..] else {
            panic!("one pattern: {found:?}")
        };
        assert_eq!(numbers(&pattern.entries), [0, 1, 3, 5, 7]);
    }

    #[test]
    fn a_share_equal_to_the_threshold_is_not_enough() {
        let with = |frequency_threshold| Analysis {
            pattern_detection: PatternDetection {
                frequency_threshold,
                ..PatternDetection::default()
            },
            ..Analysis::default()
        };
        assert_eq!(found(&with(1.0), 9), (1, vec![]));
        assert_eq!(found(&with(0.99), 9), (1, vec![vec![0, 1, 3, 5, 7]]));
    }

    #[test]
    fn a_pattern_has_at_least_three_entries() {
        let pairs = Analysis {
            min_samples: 1,
            clustering: Clustering {
                min_cluster_size: 2,
                ..Clustering::default()
            },
            ..Analysis::default()
        };
        assert_eq!(found(&pairs, 3), (1, vec![]));
        assert_eq!(found(&pairs, 4), (1, vec![vec![0, 1, 3]]));
    }

    #[test]
    fn nothing_is_found_when_switched_off_or_with_too_few_entries() {
        let mut analysis = Analysis::default();
        assert_eq!(found(&analysis, 4), (0, vec![]));
        assert_eq!(found(&analysis, 5), (1, vec![vec![0, 1, 3]]));
        analysis.pattern_detection.enabled = false;
        assert_eq!(found(&analysis, 9), (1, vec![]));
        analysis.clustering.enabled = false;
        assert_eq!(found(&analysis, 9), (0, vec![]));
    }
}
