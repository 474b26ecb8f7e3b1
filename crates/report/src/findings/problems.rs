//! The findings of a run, for programs that show them at their places.

use std::path::Path;

use review_types::{Finding, FindingStatus};
use serde_json::json;

use super::{FindingList, PendingDecision};
use crate::json::Version;
use crate::path::shown;
use crate::problem::{FINDING_ID, Level, Problem, ProblemRule, Problems, Suppression};
use crate::run::RunReport;

/// The rule of each problem.
const RULE: &str = "review";

const HELP: &str = "A reviewer raised this about a document. `ralph findings show ID` shows its \
     outcome; the id is in `partialFingerprints`.";

/// The findings of a run that are neither fixed nor raised again in other words, as SARIF.
/// Paths of files below `root` are written as seen from `folder`.
#[must_use]
pub fn sarif(list: &FindingList, report: &RunReport, root: &Path, folder: &Path) -> String {
    problems(list, report, root, folder).sarif()
}

/// The same as a report of code quality for GitLab, without what is waived.
#[must_use]
pub fn gitlab(list: &FindingList, report: &RunReport, root: &Path, folder: &Path) -> String {
    problems(list, report, root, folder).gitlab()
}

fn problems(
    list: &FindingList,
    report: &RunReport,
    root: &Path,
    folder: &Path,
) -> Problems<&'static str> {
    let problem = |finding: &Finding| {
        let mut pending = list.pending.iter();
        let pending = pending.find(|decision| decision.finding == finding.id);
        let path = finding.place.path.as_deref().unwrap_or(&report.spec);
        of_list(finding, pending, shown(folder, &root.join(path)))
    };
    let is_gone = |finding: &&Finding| {
        matches!(
            finding.status,
            FindingStatus::Fixed | FindingStatus::Reworded
        )
    };
    let findings = list.findings.iter().filter(|finding| !is_gone(finding));
    Problems {
        rules: [(RULE, rule())].into(),
        problems: findings.map(problem).collect(),
        properties: json!({
            "v": Version,
            "run": list.run,
            "outcome": report.outcome,
            "verdict": report.verdict,
        }),
        exit: None,
    }
}

/// The rule of what a reviewer raised.
pub(crate) fn rule() -> ProblemRule {
    ProblemRule {
        name: "review-finding".to_owned(),
        summary: "An issue that a reviewer raised.".to_owned(),
        help: HELP.to_owned(),
        level: Level::Error,
        tags: Vec::new(),
    }
}

/// A finding at its place. Code scanning refuses results without a line.
pub(crate) fn problem<R>(finding: &Finding, rule: R, level: Level, path: String) -> Problem<R> {
    let number = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
    let lines = finding.place.lines;
    Problem {
        rule,
        title: String::new(),
        level,
        severity: Some(finding.severity),
        path,
        lines: lines.map_or((1, 1), |lines| (number(lines.first), number(lines.last))),
        column: None,
        message: format!("{}\n{}", finding.issue, finding.suggestion),
        fingerprint: (FINDING_ID, finding.id.to_string()),
        suppression: None,
        properties: json!({}),
    }
}

fn of_list(
    finding: &Finding,
    pending: Option<&PendingDecision>,
    path: String,
) -> Problem<&'static str> {
    let status = pending.map_or(finding.status, |decision| decision.status);
    let level = match finding.below_fail_level || finding.out_of_scope {
        true => Level::Note,
        false => finding.severity.into(),
    };
    Problem {
        suppression: suppression(finding, status, pending),
        properties: json!({
            "status": status,
            "evidence": finding.evidence,
            "section": finding.section,
            "quote": finding.quote,
            "below_fail_level": finding.below_fail_level.then_some(true),
            "out_of_scope": finding.out_of_scope.then_some(true),
        }),
        ..problem(finding, RULE, level, path)
    }
}

/// Who does not want a finding to count, and whether that is decided: it is by a user, not
/// by the applier.
fn suppression(
    finding: &Finding,
    status: FindingStatus,
    pending: Option<&PendingDecision>,
) -> Option<Suppression> {
    let said = match status {
        FindingStatus::Waived => FindingStatus::Waived,
        FindingStatus::Rejected | FindingStatus::Disputed => FindingStatus::Rejected,
        FindingStatus::Open
        | FindingStatus::Partial
        | FindingStatus::Fixed
        | FindingStatus::Reworded => return None,
    };
    let mut changes = finding.history.iter().rev();
    let change = changes.find(|change| change.status == said);
    let change = change.map(|change| (change.by.as_deref(), change.why.as_deref()));
    let pending = pending.map(|decision| (Some(&*decision.by), Some(&*decision.why)));
    let (by, why) = pending.or(change).unwrap_or_default();
    Some(Suppression {
        is_accepted: status == FindingStatus::Waived,
        why: why.map(|why| match by {
            Some(by) => format!("{by}: {why}"),
            None => why.to_owned(),
        }),
    })
}
