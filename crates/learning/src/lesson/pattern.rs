//! Patterns: groups of feedback frequent enough to learn from.

use std::collections::BTreeMap;

use review_text::{Fingerprint, Lexicon};

use super::keywords::WordCounts;
use crate::cluster::{ClusterRegistry, Forms, clusters, medoid, text_of};
use crate::config::Analysis;
use crate::feedback::FeedbackEntry;

/// The minimum number of entries of a pattern, whatever their share.
const MIN_COUNT: usize = 3;
/// The number of entries of a pattern that are cited as exemplars.
const EXEMPLARS: usize = 3;

/// A group of feedback that is frequent enough to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedbackPattern<'e> {
    /// The id of its cluster, which is stable while feedback is added.
    pub cluster: u32,
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
    /// The mean similarity of these to the first of them, from 0 to 1.
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

/// Detects the patterns in the entries of an agent. Nothing is found with fewer than
/// `min_samples` entries or with clustering switched off.
pub fn detect<'e>(
    entries: &'e [FeedbackEntry],
    analysis: &Analysis,
    lexicon: &Lexicon,
    registry: &mut ClusterRegistry,
) -> Detection<'e> {
    let mut detection = Detection {
        clusters: 0,
        patterns: Vec::new(),
    };
    if !analysis.suffices(entries.len()) || !analysis.clustering.enabled {
        return detection;
    }
    let groups = groups(entries, analysis.clustering.min_cluster_size, lexicon);
    let ids: Vec<Vec<&str>> = groups
        .iter()
        .map(|group| {
            let ids = group.iter().map(|member| member.entry.id.as_str());
            ids.collect()
        })
        .collect();
    let ids = registry.update(&ids);
    detection.clusters = groups.len();
    if !analysis.pattern_detection.enabled {
        return detection;
    }
    let texts: Vec<String> = entries.iter().map(|entry| text_of(entry).whole()).collect();
    let words = WordCounts::of(texts.iter().map(String::as_str));
    let count = groups.len();
    for (cluster, group) in ids.into_iter().zip(groups) {
        let frequency = group.len() as f64 / entries.len() as f64;
        let is_frequent = frequency > analysis.pattern_detection.frequency_threshold;
        if is_frequent && group.len() >= MIN_COUNT {
            let pattern = pattern(cluster, group, frequency, lexicon, |of_group| {
                of_group.keywords(&words, count)
            });
            detection.patterns.push(pattern);
        }
    }
    detection
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
    members: Vec<Member<'e>>,
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
        frequency,
        keywords: keywords(&WordCounts::of(texts.iter().map(String::as_str))),
        by_likeness: entries(&by_likeness),
        main_issue: entries(&main_issue),
        likeness: f64::from(likeness).clamp(0.0, 1.0),
        entries: members.iter().map(|member| member.entry).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::timeouts;
    use super::*;
    use crate::config::{Clustering, PatternDetection};

    fn numbers(entries: &[&FeedbackEntry]) -> Vec<usize> {
        let all = timeouts();
        let at = |entry: &&FeedbackEntry| all.iter().position(|other| other.id == entry.id);
        entries.iter().filter_map(at).collect()
    }

    fn found(analysis: &Analysis, count: usize) -> (usize, Vec<Vec<usize>>) {
        let entries = timeouts();
        let mut registry = ClusterRegistry::default();
        let entries = &entries[..count];
        let detection = detect(entries, analysis, Lexicon::embedded(), &mut registry);
        let patterns = detection.patterns.iter();
        let patterns = patterns.map(|pattern| numbers(&pattern.entries)).collect();
        (detection.clusters, patterns)
    }

    #[test]
    fn a_frequent_group_is_a_pattern() {
        let entries = timeouts();
        let mut registry = ClusterRegistry::default();
        let analysis = Analysis::default();
        let detection = detect(&entries, &analysis, Lexicon::embedded(), &mut registry);
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
    fn entries_get_the_keywords_of_their_pattern_as_tags_once() {
        let mut entries = timeouts();
        entries[0].tags = vec!["limits".to_owned()];
        entries[1].tags = vec!["timeout".to_owned()];
        let mut registry = ClusterRegistry::default();
        let analysis = Analysis::default();
        let detection = detect(&entries, &analysis, Lexicon::embedded(), &mut registry);
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
