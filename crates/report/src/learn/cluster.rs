//! Feedback in groups.

use review_types::plural;
use serde::Serialize;
use serde_json::Value as Json;

use crate::json::Version;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::printable;

/// Pieces of feedback in groups.
#[derive(Debug, Serialize)]
pub struct ClusterReport<'a> {
    /// The version of the format.
    pub v: Version,
    /// The clusters.
    pub clusters: Vec<FeedbackCluster<'a>>,
    /// The pieces of feedback.
    pub entries: Vec<ClusterMember<'a>>,
}

/// A group of feedback.
#[derive(Debug, Serialize)]
pub struct FeedbackCluster<'a> {
    /// Its number.
    pub cluster: usize,
    /// The number of its pieces.
    pub size: u64,
    /// The content of the first of its pieces.
    pub example: &'a str,
}

/// A piece of feedback with its cluster.
#[derive(Debug, Serialize)]
pub struct ClusterMember<'a> {
    /// The version of the format, where this is an object of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v: Option<Version>,
    /// The id of the piece.
    pub id: &'a Json,
    /// The number of its cluster; -1 for none.
    pub cluster: i64,
    /// The number of the issue that it is about; -1 without a cluster.
    pub issue: i64,
}

/// Returns the groups as users read them.
#[must_use]
pub fn clusters(report: &ClusterReport<'_>) -> String {
    let mut text = String::new();
    for one in &report.clusters {
        let (cluster, size, example) = (one.cluster, one.size, printable(one.example));
        text += &format!("{STRONG}{cluster:>4}{RESET}  {size:>6}  {example}\n");
    }
    let entries = plural(report.entries.len(), "entry", "entries");
    let clusters = plural(report.clusters.len(), "cluster", "clusters");
    let alone = report.entries.iter().filter(|entry| entry.cluster < 0);
    let alone = alone.count();
    text += &format!("{FAINT}{entries}: {clusters}, {alone} in none{RESET}\n");
    text
}
