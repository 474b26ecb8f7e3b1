//! The runs that there are.

use review_types::{Outcome, RunId, Timestamp};
use serde::Serialize;

use super::summary::outcome_word;
use crate::json::Version;
use crate::path::below;
use crate::style::{FAINT, RESET, STRONG};

/// The list of runs. This is the object that `--format json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct RunList {
    /// The version of the format.
    pub v: Version,
    /// The runs, the newest first.
    pub runs: Vec<ListedRun>,
}

/// A run in the list.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ListedRun {
    /// Its id.
    pub run: RunId,
    /// The root that it works in, seen from the root of the current folder, which is
    /// `.` itself.
    pub root: String,
    /// When it was started; `null` where its journal cannot be read.
    pub at: Option<Timestamp>,
    /// The spec or path under review, relative to the root.
    pub spec: String,
    /// Whether a gate made it; such a run is never `latest`.
    pub by_gate: bool,
    /// Its outcome; `null` while a process is at work on it.
    pub outcome: Option<Outcome>,
    /// Why it is blocked, in words; empty when it is not.
    pub block_reason: String,
    /// Which process is at work on it, since when, and on what; left out where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
}

/// Returns the runs, one line each.
#[must_use]
pub fn list(list: &RunList) -> String {
    if list.runs.is_empty() {
        return "no runs yet\n".to_owned();
    }
    list.runs.iter().map(line).collect()
}

fn line(run: &ListedRun) -> String {
    let at = run.at.map_or_else(String::new, |at| at.to_string());
    let mut line = format!(
        "{STRONG}{}{RESET}  {at}  {:<11}  {}",
        run.run.short(),
        outcome_word(run.outcome),
        below(&run.root, &run.spec),
    );
    if run.by_gate {
        line.push_str(&format!("  {FAINT}by the gate{RESET}"));
    }
    let why = run.progress.as_deref().unwrap_or(&run.block_reason);
    if !why.is_empty() {
        line.push_str(&format!("  {FAINT}{why}{RESET}"));
    }
    line + "\n"
}
