//! The findings of a run.

mod problems;

use review_types::{
    Finding, FindingChange, FindingEvidence, FindingId, FindingPlace, FindingStatus, RunId, plural,
};
use serde::Serialize;

use crate::json::value;
use crate::style::{FAINT, GOOD, RESET, STRONG, WARNING};
use crate::text::{fields, one_line, printable};

pub use problems::{gitlab, sarif};
pub(crate) use problems::{problem, rule};

/// The findings of a run. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct FindingList {
    /// The run.
    pub run: RunId,
    /// Its findings.
    pub findings: Vec<Finding>,
    /// The decisions of users on them that no round has taken in yet.
    pub pending: Vec<PendingDecision>,
    /// Whether the run follows its findings.
    #[serde(skip)]
    pub are_followed: bool,
}

/// The decision of a user on a finding that no round has taken in yet.
#[derive(Debug, Serialize)]
pub struct PendingDecision {
    /// The finding.
    pub finding: FindingId,
    /// The status that the next round gives it.
    pub status: FindingStatus,
    /// The user who decided.
    pub by: String,
    /// The reason.
    pub why: String,
}

/// Returns the findings, one line each.
#[must_use]
pub fn findings(list: &FindingList) -> String {
    let run = list.run.short();
    let findings = list.findings.iter();
    match list.findings.len() {
        0 if !list.are_followed => format!(
            "run {run} does not follow findings, since review.patience is 0; \
             `ralph report {run}` shows the feedback of its rounds\n"
        ),
        0 => format!("run {run} has no findings\n"),
        _ => findings
            .map(|finding| {
                let mut pending = list.pending.iter();
                line(
                    finding,
                    pending.find(|decision| decision.finding == finding.id),
                )
            })
            .collect(),
    }
}

/// Returns what a user decided on a finding.
#[must_use]
pub fn decided(finding: &Finding, counts: bool) -> String {
    let done = if counts { "upheld" } else { "waived" };
    format!("{done} {}: {}\n", finding.id, one_line(&finding.issue))
}

fn styled(status: FindingStatus, width: usize) -> String {
    let style = match status {
        FindingStatus::Fixed | FindingStatus::Waived => GOOD,
        FindingStatus::Reworded => FAINT,
        FindingStatus::Open
        | FindingStatus::Partial
        | FindingStatus::Rejected
        | FindingStatus::Disputed => WARNING,
    };
    format!("{style}{:<width$}{RESET}", status.as_str())
}

/// The mark of a finding that is out of scope.
fn scope(finding: &Finding) -> &'static str {
    if finding.out_of_scope {
        ", out of scope"
    } else {
        ""
    }
}

/// The finding of an earlier round that a finding resembles.
fn similar(finding: &Finding) -> String {
    let similar_to = finding.similar_to.as_ref();
    similar_to.map_or_else(String::new, |id| format!(", similar to {id}"))
}

/// What shows that a finding is about the artifact, unless nothing was quoted.
fn evidence(finding: &Finding) -> String {
    match finding.evidence {
        FindingEvidence::Unquoted => String::new(),
        FindingEvidence::Misquoted => ", quote not found".to_owned(),
        FindingEvidence::Proved | FindingEvidence::Quoted => format!(", {}", finding.evidence),
    }
}

/// A finding in one line, with the status that a decision is about to give it.
fn line(finding: &Finding, pending: Option<&PendingDecision>) -> String {
    let status = pending.map_or(finding.status, |decision| decision.status);
    let by = pending.map_or_else(String::new, |decision| {
        format!(", from the next round on, by {}", one_line(&decision.by))
    });
    let issue = printable(finding.issue.lines().next().unwrap_or_default()).into_owned();
    let raised = plural(finding.raised.len(), "time", "times");
    format!(
        "{STRONG}{}{RESET}  {:<10}  {}  {}: {issue}  {FAINT}raised {raised}{}{}{}{by}{RESET}\n",
        finding.id,
        finding.severity.as_str(),
        styled(status, 8),
        printable(&finding.section).trim(),
        evidence(finding),
        similar(finding),
        scope(finding),
    )
}

/// Returns the file and the first line of a place, as the start of a line; empty where
/// they are unknown.
pub(crate) fn text_place(place: &FindingPlace) -> String {
    let place = place.lines.zip(place.path.as_deref());
    place.map_or_else(String::new, |(lines, path)| {
        format!("{path}:{}: ", lines.first)
    })
}

/// What a round changed about a finding, in one line.
pub(crate) fn changed(change: &FindingChange) -> String {
    let by = change.by.as_deref().map(|by| format!(" by {by}"));
    let why = change.why.as_deref().map(|why| format!(": {why}"));
    let inferred = if change.inferred { ", inferred" } else { "" };
    let (by, why) = (by.unwrap_or_default(), why.unwrap_or_default());
    format!(
        "round {}: {}{by}{inferred}{why}",
        change.round, change.status
    )
}

/// Returns a finding as users read it: its fields, and the decision that counts from the
/// next round on.
#[must_use]
pub fn finding(finding: &Finding, pending: Option<&PendingDecision>) -> String {
    let (id, severity) = (&finding.id, finding.severity);
    let status = styled(finding.status, 0);
    let head = format!("{STRONG}{id}{RESET}  {severity}  {status}\n");
    let mut shown = value(finding);
    shown["from_the_next_round_on"] = pending.map(value).into();
    head + &fields(&shown, "  ")
}
