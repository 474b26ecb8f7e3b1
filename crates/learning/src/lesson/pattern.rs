//! Patterns: groups of feedback frequent enough to learn from.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use review_text::{Fingerprint, Lexicon};
use review_types::Timestamp;

use super::keywords::WordCounts;
use crate::cluster::{ClusterRegistry, Forms, clusters, medoid, text_of};
use crate::confidence::Sightings;
use crate::config::{Analysis, ConfidenceMethod};
use crate::feedback::FeedbackEntry;
use crate::patterns::is_enough;

/// The minimum number of entries of a pattern, whatever their share.
const MIN_COUNT: usize = 3;
/// The number of entries of a pattern that are cited as exemplars.
const EXEMPLARS: usize = 3;

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
    /// Its keywords, at most five.
    pub keywords: Vec<String>,
    /// Its entries: the most representative one, then the others in the order of their
    /// similarity to it.
    pub by_likeness: Vec<&'e FeedbackEntry>,
    /// Those of its entries that are about its most frequent issue, in the same order: a
    /// lesson speaks of one issue.
    pub main_issue: Vec<&'e FeedbackEntry>,
    /// The mean similarity of these to the first of them, from 0 to 1; 1 if they bear one
    /// name.
    pub likeness: f64,
}

/// The result of pattern detection for an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection<'e> {
    /// The number of clusters.
    pub clusters: usize,
    /// The patterns, the largest first.
    pub patterns: Vec<FeedbackPattern<'e>>,
}

/// Finds the patterns in feedback.
#[derive(Clone, Copy, Debug)]
pub struct Detector<'a> {
    /// The settings of the analysis.
    pub analysis: &'a Analysis,
    /// The lexicon of synonyms.
    pub lexicon: &'a Lexicon,
    /// The formula for the confidence.
    pub method: ConfidenceMethod,
    /// The time of the analysis.
    pub at: Timestamp,
}

impl Detector<'_> {
    /// Detects the patterns in the entries of an agent. Corrections that bear the name
    /// of one pattern, and are enough for a lesson, are one however few entries there
    /// are. Nothing else is found with fewer than `min_samples` entries, and nothing at
    /// all with clustering switched off.
    pub fn detect<'e>(
        &self,
        entries: &'e [FeedbackEntry],
        registry: &mut ClusterRegistry,
    ) -> Detection<'e> {
        let mut detection = Detection {
            clusters: 0,
            patterns: Vec::new(),
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
            true => groups(entries, clustering.min_cluster_size, self.lexicon),
            false => Vec::new(),
        };
        let groups = gathered(entries, &named, groups);
        if groups.is_empty() && !self.analysis.suffices(entries.len()) {
            return detection;
        }
        let ids: Vec<Vec<&str>> = groups
            .iter()
            .map(|group| {
                let ids = group.members.iter();
                ids.map(|member| member.entry.id.as_str()).collect()
            })
            .collect();
        let ids = registry.update(&ids);
        detection.clusters = groups.len();
        if !pattern_detection.enabled {
            return detection;
        }
        let texts: Vec<String> = entries.iter().map(|entry| text_of(entry).whole()).collect();
        let words = WordCounts::of(texts.iter().map(String::as_str));
        let count = groups.len();
        for (cluster, group) in ids.into_iter().zip(groups) {
            let size = group.members.len();
            let frequency = size as f64 / entries.len() as f64;
            let is_frequent = frequency > pattern_detection.frequency_threshold;
            if group.name.is_some() || (is_frequent && size >= MIN_COUNT) {
                let pattern = pattern(cluster, group, frequency, self.lexicon, |of_group| {
                    of_group.keywords(&words, count)
                });
                detection.patterns.push(pattern);
            }
        }
        detection
    }

    /// The names of the patterns of which there are enough corrections.
    fn named<'e>(&self, entries: &'e [FeedbackEntry]) -> BTreeSet<&'e str> {
        let mut evidence: BTreeMap<&str, Sightings> = BTreeMap::new();
        for entry in entries {
            if let Some(name) = &entry.context.pattern {
                let of_name = evidence.entry(name);
                let of_name = of_name.or_insert_with(|| Sightings::new(self.at));
                of_name.add(entry.sighting());
            }
        }
        let enough = evidence.into_iter();
        enough
            .filter(|(_, evidence)| is_enough(evidence, self.method))
            .map(|(name, _)| name)
            .collect()
    }
}

impl FeedbackPattern<'_> {
    /// Returns its entries without any of its keywords as a tag, with the keywords
    /// added.
    #[must_use]
    pub fn tagged(&self) -> Vec<FeedbackEntry> {
        let is_bare = |entry: &&&FeedbackEntry| {
            let mut tags = entry.tags.iter();
            !self.keywords.is_empty() && !tags.any(|tag| self.keywords.contains(tag))
        };
        let tagged = |entry: &&FeedbackEntry| FeedbackEntry {
            tags: [&entry.tags[..], &self.keywords].concat(),
            ..(*entry).clone()
        };
        self.entries.iter().filter(is_bare).map(tagged).collect()
    }

    /// The pattern with what another one of the same lesson holds.
    #[must_use]
    pub(super) fn with(mut self, other: Self) -> Self {
        let main = [&self, &other].map(|one| one.main_issue.len() as f64);
        let likeness = main[0] * self.likeness + main[1] * other.likeness;
        self.likeness = likeness / (main[0] + main[1]).max(1.0);
        self.frequency += other.frequency;
        self.name = self.name.or(other.name);
        self.entries.extend(other.entries);
        self.entries.sort_by_key(|entry| entry.timestamp);
        self.by_likeness.extend(other.by_likeness);
        self.main_issue.extend(other.main_issue);
        self
    }

    /// The ids of the exemplars.
    #[must_use]
    pub fn exemplars(&self) -> Vec<String> {
        let exemplars = self.main_issue.iter().take(EXEMPLARS);
        exemplars.map(|entry| entry.id.to_string()).collect()
    }
}

impl Analysis {
    /// Whether this number of entries is enough for an analysis.
    #[must_use]
    pub const fn suffices(&self, entries: usize) -> bool {
        entries >= self.min_samples as usize
    }
}

/// An entry of a cluster.
struct Member<'e> {
    entry: &'e FeedbackEntry,
    /// The issue that it is about.
    issue: u32,
}

/// A cluster, or the entries of a pattern with a name.
struct Group<'e> {
    name: Option<&'e str>,
    members: Vec<Member<'e>>,
}

/// The clusters, and a group for each of the names: it holds the entries that bear the
/// name, and the clusters of which they are the majority.
fn gathered<'e>(
    entries: &'e [FeedbackEntry],
    named: &BTreeSet<&'e str>,
    clusters: Vec<Vec<Member<'e>>>,
) -> Vec<Group<'e>> {
    let name_of = |entry: &'e FeedbackEntry| {
        let name = entry.context.pattern.as_deref();
        name.filter(|name| named.contains(name))
    };
    // What bears a name is about one issue.
    let member = |entry| Member { entry, issue: 0 };
    let mut of_name: BTreeMap<&str, Vec<Member<'e>>> = BTreeMap::new();
    for entry in entries {
        if let Some(name) = name_of(entry) {
            of_name.entry(name).or_default().push(member(entry));
        }
    }
    let mut groups = Vec::new();
    for mut cluster in clusters {
        let bears = |name: &&&str| {
            let bearing = cluster
                .iter()
                .filter(|one| name_of(one.entry) == Some(**name));
            bearing.count() * 2 > cluster.len()
        };
        let majority = named.iter().find(bears).copied();
        cluster.retain(|one| name_of(one.entry).is_none());
        match majority {
            Some(name) => {
                let others = cluster.into_iter().map(|one| member(one.entry));
                of_name.entry(name).or_default().extend(others);
            }
            None if cluster.is_empty() => {}
            None => groups.push(Group {
                name: None,
                members: cluster,
            }),
        }
    }
    let of_name = of_name.into_iter().map(|(name, mut members)| {
        members.sort_by_key(|one| one.entry.timestamp);
        Group {
            name: Some(name),
            members,
        }
    });
    groups.extend(of_name);
    groups.sort_by_key(|group| Reverse(group.members.len()));
    groups
}

/// The entries of each cluster, the largest first.
fn groups<'e>(
    entries: &'e [FeedbackEntry],
    min_cluster_size: u32,
    lexicon: &Lexicon,
) -> Vec<Vec<Member<'e>>> {
    let mut forms = Forms::new(lexicon);
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
        let found = form.and_then(|form| clusters.of(form).zip(clusters.issue(form)));
        if let Some((cluster, issue)) = found {
            groups[cluster as usize].push(Member { entry, issue });
        }
    }
    groups
}

/// The most frequent issue; the first in case of a tie.
fn main_issue(members: &[Member<'_>]) -> Option<u32> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for member in members {
        *counts.entry(member.issue).or_default() += 1;
    }
    let most = counts.values().max().copied()?;
    let mut issues = members.iter().map(|member| member.issue);
    issues.find(|issue| counts[issue] == most)
}

fn pattern<'e>(
    cluster: u32,
    Group { name, members }: Group<'e>,
    frequency: f64,
    lexicon: &Lexicon,
    keywords: impl FnOnce(&WordCounts) -> Vec<String>,
) -> FeedbackPattern<'e> {
    let texts: Vec<String> = members
        .iter()
        .map(|member| text_of(member.entry).whole())
        .collect();
    let vectors: Vec<_> = texts
        .iter()
        .map(|text| Fingerprint::of(text, lexicon))
        .collect();
    let main = main_issue(&members);
    let is_main = |at: &usize| Some(members[*at].issue) == main;
    let of_main: Vec<usize> = (0..members.len()).filter(is_main).collect();
    let main_vectors: Vec<_> = of_main.iter().map(|at| vectors[*at].clone()).collect();
    let (first, likeness) = medoid(&main_vectors).unwrap_or_default();
    let first = of_main.get(first).copied().unwrap_or_default();
    let mut by_likeness: Vec<(f32, usize)> = vectors
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != first)
        .map(|(at, vector)| (vector.similarity(&vectors[first]), at))
        .collect();
    by_likeness.sort_by(|a, b| b.0.total_cmp(&a.0));
    let others = by_likeness.into_iter().map(|(_, at)| at);
    let by_likeness: Vec<usize> = std::iter::once(first).chain(others).collect();
    let entries = |of: &[usize]| of.iter().map(|at| members[*at].entry).collect();
    let main_issue: Vec<usize> = by_likeness.iter().copied().filter(is_main).collect();
    FeedbackPattern {
        cluster,
        name: name.map(str::to_owned),
        frequency,
        keywords: keywords(&WordCounts::of(texts.iter().map(String::as_str))),
        by_likeness: entries(&by_likeness),
        main_issue: entries(&main_issue),
        likeness: match name {
            Some(_) => 1.0,
            None => f64::from(likeness).clamp(0.0, 1.0),
        },
        entries: members.iter().map(|member| member.entry).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::timeouts;
    use super::*;
    use crate::config::{Clustering, PatternDetection};
    use crate::feedback::{FeedbackType, Severity};

    fn detector(analysis: &Analysis) -> Detector<'_> {
        Detector {
            analysis,
            lexicon: Lexicon::embedded(),
            method: ConfidenceMethod::Cohesion,
            at: Timestamp::UNIX_EPOCH,
        }
    }

    fn numbers(entries: &[&FeedbackEntry]) -> Vec<usize> {
        let all = timeouts();
        let at = |entry: &&FeedbackEntry| all.iter().position(|other| other.id == entry.id);
        entries.iter().filter_map(at).collect()
    }

    fn found(analysis: &Analysis, count: usize) -> (usize, Vec<Vec<usize>>) {
        let entries = timeouts();
        let mut registry = ClusterRegistry::default();
        let entries = &entries[..count];
        let detection = detector(analysis).detect(entries, &mut registry);
        let patterns = detection.patterns.iter();
        let patterns = patterns.map(|pattern| numbers(&pattern.entries)).collect();
        (detection.clusters, patterns)
    }

    #[test]
    fn a_frequent_group_is_a_pattern() {
        let entries = timeouts();
        let mut registry = ClusterRegistry::default();
        let analysis = Analysis::default();
        let detection = detector(&analysis).detect(&entries, &mut registry);
        let [pattern] = &detection.patterns[..] else {
            panic!("one pattern: {detection:?}")
        };
        assert_eq!((detection.clusters, pattern.cluster), (1, 0));
        assert_eq!(numbers(&pattern.entries), [0, 1, 3, 5, 7]);
        assert!((pattern.frequency - 5.0 / 9.0).abs() < 1e-9);
        assert_eq!(pattern.keywords[..2], ["upload", "timeout"]);
        assert_eq!(numbers(&pattern.by_likeness), [0, 7, 3, 1, 5]);
        assert!(
            (0.4..0.95).contains(&pattern.likeness),
            "{}",
            pattern.likeness
        );
        assert_eq!(registry.of(entries[7].id.as_str()), Some(0));
        assert_eq!(registry.of(entries[2].id.as_str()), None);
    }

    #[test]
    fn corrections_with_one_name_are_a_pattern_however_few_entries_there_are() {
        let mut entries = timeouts();
        for (at, severity) in [
            (2, Severity::High),
            (4, Severity::High),
            (6, Severity::High),
        ] {
            let entry = &mut entries[at];
            entry.feedback_type = FeedbackType::HumanCorrection;
            entry.severity = Some(severity);
            entry.context.pattern = Some("wrong-animal".to_owned());
        }
        let analysis = Analysis {
            min_samples: 20,
            ..Analysis::default()
        };
        let mut registry = ClusterRegistry::default();
        let found = detector(&analysis).detect(&entries, &mut registry);
        let [pattern] = &found.patterns[..] else {
            panic!("one pattern: {found:?}")
        };
        assert_eq!(numbers(&pattern.entries), [2, 4, 6]);
        assert_eq!(pattern.name.as_deref(), Some("wrong-animal"));
        assert!((pattern.likeness - 1.0).abs() < 1e-9);
        assert_eq!(registry.of(entries[4].id.as_str()), Some(0));
        // With enough entries the clusters are found as well.
        let found = detector(&Analysis::default()).detect(&entries, &mut registry);
        let names: Vec<_> = found.patterns.iter().map(|one| &one.name).collect();
        assert_eq!(names, [&None, &Some("wrong-animal".to_owned())]);
        entries[6].severity = Some(Severity::Low);
        let found = detector(&analysis).detect(&entries, &mut registry);
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
        let found = detector(&Analysis::default()).detect(&entries, &mut registry);
        let [pattern] = &found.patterns[..] else {
            panic!("one pattern: {found:?}")
        };
        assert_eq!(numbers(&pattern.entries), [0, 1, 3, 5, 7]);
        assert_eq!(pattern.main_issue.len(), 5);
    }

    #[test]
    fn entries_get_the_keywords_of_their_pattern_as_tags_once() {
        let mut entries = timeouts();
        entries[0].tags = vec!["limits".to_owned()];
        entries[1].tags = vec!["timeout".to_owned()];
        let mut registry = ClusterRegistry::default();
        let analysis = Analysis::default();
        let detection = detector(&analysis).detect(&entries, &mut registry);
        let pattern = &detection.patterns[0];
        let tagged = pattern.tagged();
        let found: Vec<_> = tagged.iter().collect();
        assert_eq!(numbers(&found), [0, 3, 5, 7]);
        let limits = ["limits".to_owned()];
        assert_eq!(tagged[0].tags, [&limits[..], &pattern.keywords].concat());
        assert_eq!(tagged[1].tags, pattern.keywords);
        let wordless = FeedbackPattern {
            keywords: Vec::new(),
            ..pattern.clone()
        };
        assert_eq!(wordless.tagged(), []);
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
        assert_eq!(found(&with(5.0 / 9.0), 9), (1, vec![]));
        assert_eq!(found(&with(0.55), 9), (1, vec![vec![0, 1, 3, 5, 7]]));
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
