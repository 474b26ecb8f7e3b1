//! Ids of clusters that stay stable while the store grows.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::Format;

/// The clusters of an agent and their ids, as of the last clustering.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterRegistry {
    /// The version of the format.
    v: Format,
    /// The id of the next new cluster; an id is never reused.
    next: u32,
    /// The ids of the entries of each cluster.
    clusters: BTreeMap<u32, Vec<String>>,
}

impl ClusterRegistry {
    /// Stores the clusters that were found, each as the ids of its entries, and returns
    /// the id of each. A cluster passes its id to the one with most of its entries; a
    /// cluster that inherits several ids keeps the oldest, and one that inherits none
    /// gets a new id.
    pub fn update(&mut self, found: &[Vec<&str>]) -> Vec<u32> {
        let successors = self.successors(found);
        let ids: Vec<u32> = successors
            .into_iter()
            .map(|oldest| {
                oldest.unwrap_or_else(|| {
                    self.next += 1;
                    self.next - 1
                })
            })
            .collect();
        let members = found.iter().map(|members| {
            let members = members.iter().map(|member| (*member).to_owned());
            members.collect()
        });
        self.clusters = ids.iter().copied().zip(members).collect();
        ids
    }

    /// The cluster of an entry.
    pub fn of(&self, entry: &str) -> Option<u32> {
        let mut clusters = self.clusters.iter();
        let found = clusters.find(|(_, members)| members.iter().any(|member| member == entry));
        found.map(|(id, _)| *id)
    }

    /// Whether a cluster is new, or has at least twice the power of two of entries that it
    /// had before.
    pub fn has_doubled(&self, before: &Self, cluster: u32) -> bool {
        let size = |of: &Self| of.clusters.get(&cluster).map_or(0, Vec::len);
        let magnitude = |size: usize| size.checked_ilog2();
        magnitude(size(self)) > magnitude(size(before))
    }

    /// Returns, for each found cluster, the oldest id that it inherits.
    fn successors(&self, found: &[Vec<&str>]) -> Vec<Option<u32>> {
        let mut cluster_of: HashMap<&str, usize> = HashMap::new();
        for (at, members) in found.iter().enumerate() {
            cluster_of.extend(members.iter().map(|member| (*member, at)));
        }
        let mut oldest: Vec<Option<u32>> = vec![None; found.len()];
        for (id, members) in &self.clusters {
            let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
            for member in members {
                if let Some(at) = cluster_of.get(member.as_str()) {
                    *shared.entry(*at).or_default() += 1;
                }
            }
            let most = shared
                .into_iter()
                .max_by_key(|(at, count)| (*count, std::cmp::Reverse(*at)));
            if let Some((at, _)) = most {
                oldest[at].get_or_insert(*id);
            }
        }
        oldest
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn registry() -> ClusterRegistry {
        let mut registry = ClusterRegistry::default();
        let found = [vec!["a", "b", "c", "d", "e"], vec!["f", "g", "h"]];
        assert_eq!(registry.update(&found), [0, 1]);
        registry
    }

    #[test]
    fn the_larger_part_of_a_cluster_keeps_its_id() {
        let mut registry = registry();
        let found = [vec!["a", "b"], vec!["f", "g", "h"], vec!["c", "d", "e"]];
        assert_eq!(registry.update(&found), [2, 1, 0]);
        assert_eq!(registry.of("a"), Some(2));
        assert_eq!(registry.of("e"), Some(0));
        let even = [vec!["c"], vec!["d"]];
        assert_eq!(registry.update(&even), [0, 3]);
    }

    #[test]
    fn merged_clusters_keep_the_older_id() {
        let mut registry = registry();
        let found = [vec!["h", "g", "f", "x", "a", "b", "c", "d"], vec!["y", "e"]];
        assert_eq!(registry.update(&found), [0, 2]);
        assert_eq!(registry.of("g"), Some(0));
    }

    #[test]
    fn a_cluster_has_doubled_where_its_size_passes_a_power_of_two() {
        let of = |size: usize| {
            let members: Vec<String> = (0..size).map(|at| at.to_string()).collect();
            let mut registry = ClusterRegistry::default();
            registry.update(&[members.iter().map(String::as_str).collect()]);
            registry
        };
        for (before, now, expected) in [
            (0, 3, true),
            (3, 3, false),
            (3, 4, true),
            (4, 7, false),
            (5, 16, true),
            (9, 8, false),
        ] {
            let before = match before {
                0 => ClusterRegistry::default(),
                size => of(size),
            };
            assert_eq!(of(now).has_doubled(&before, 0), expected, "{now}");
        }
    }

    #[test]
    fn an_id_is_never_reused() {
        let mut registry = registry();
        assert_eq!(registry.update(&[vec!["f"]]), [1]);
        assert_eq!(registry.of("a"), None);
        assert_eq!(registry.update(&[vec!["a", "b", "c"], vec!["f"]]), [2, 1]);
    }

    #[test]
    fn a_registry_round_trips() {
        let json = serde_json::to_string(&registry()).unwrap();
        assert_eq!(
            json,
            r#"{"v":1,"next":2,"clusters":{"0":["a","b","c","d","e"],"1":["f","g","h"]}}"#
        );
        assert_eq!(
            serde_json::from_str::<ClusterRegistry>(&json).unwrap(),
            registry()
        );
        let other = json.replace("\"v\":1", "\"v\":2");
        let error = serde_json::from_str::<ClusterRegistry>(&other).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("unsupported format version: expected 1, found 2")
        );
    }

    proptest! {
        #[test]
        fn ids_stay_while_clusters_grow(
            steps in proptest::collection::vec(
                proptest::collection::vec(0_usize..6, 0..20), 1..6),
        ) {
            let mut registry = ClusterRegistry::default();
            let mut clusters: BTreeMap<usize, Vec<String>> = BTreeMap::new();
            let mut known: BTreeMap<usize, u32> = BTreeMap::new();
            let mut entries = 0;
            for step in steps {
                for cluster in step {
                    entries += 1;
                    clusters.entry(cluster).or_default().push(format!("e{entries}"));
                }
                let found: Vec<Vec<&str>> = clusters
                    .values()
                    .map(|members| members.iter().map(String::as_str).collect())
                    .collect();
                let ids = registry.update(&found);
                for (cluster, id) in clusters.keys().zip(ids) {
                    prop_assert_eq!(*known.entry(*cluster).or_insert(id), id);
                }
            }
        }
    }
}
