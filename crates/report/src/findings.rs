//! The findings of a run.

use std::fmt::Write as _;

use review_types::{Finding, FindingStatus, RunId, plural};
use serde::Serialize;

use crate::json::Version;
use crate::style::{FAINT, GOOD, RESET, STRONG, WARNING};
use crate::text::printable;

/// The findings of a run. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct FindingList {
    /// The version of the format.
    pub v: Version,
    /// The run.
    pub run: RunId,
    /// Its findings.
    pub findings: Vec<Finding>,
}

/// Returns the findings, one line each.
#[must_use]
pub fn findings(list: &FindingList) -> String {
    match list.findings.as_slice() {
        [] => format!("run {} has no findings\n", list.run),
        findings => findings.iter().map(line).collect(),
    }
}

fn styled(status: FindingStatus) -> String {
    let style = match status {
        FindingStatus::Fixed | FindingStatus::Waived => GOOD,
        FindingStatus::Open
        | FindingStatus::Partial
        | FindingStatus::Rejected
        | FindingStatus::Disputed => WARNING,
    };
    format!("{style}{status:<8}{RESET}")
}

/// The mark of a finding that is out of scope.
fn scope(finding: &Finding) -> &'static str {
    if finding.out_of_scope {
        ", out of scope"
    } else {
        ""
    }
}

/// A finding in one line.
fn line(finding: &Finding) -> String {
    let issue = printable(finding.issue.lines().next().unwrap_or_default()).into_owned();
    let raised = plural(finding.raised.len(), "time", "times");
    format!(
        "{STRONG}{}{RESET}  {:<10}  {}  {}: {issue}  {FAINT}raised {raised}{}{RESET}\n",
        finding.id,
        finding.severity.as_str(),
        styled(finding.status),
        printable(&finding.section).trim(),
        scope(finding),
    )
}

/// Returns a finding with all that is known of it.
#[must_use]
pub fn finding(finding: &Finding) -> String {
    let rounds: Vec<_> = finding.raised.iter().map(u32::to_string).collect();
    let mut text = format!(
        "{STRONG}{}{RESET}  {}  {}  {}\n  {}\n  {}\n  {FAINT}raised in rounds {}{}{RESET}\n",
        finding.id,
        finding.severity,
        styled(finding.status),
        printable(&finding.section).trim(),
        printable(&finding.issue).trim(),
        printable(&finding.suggestion).trim(),
        rounds.join(", "),
        scope(finding),
    );
    for change in &finding.history {
        let by = change.by.as_deref().map(|by| format!(" by {by}"));
        let why = change.why.as_deref().map(|why| format!(": {why}"));
        let inferred = if change.inferred { ", inferred" } else { "" };
        let why = why.unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  round {}: {}{}{inferred}{}",
            change.round,
            change.status,
            printable(&by.unwrap_or_default()),
            printable(&why)
        );
    }
    text
}
