//! The findings of a run, as SARIF 2.1.0.

use std::path::Path;

use review_types::{Finding, FindingStatus, Severity};
use serde_json::json;

use super::{FindingList, PendingDecision};
use crate::json::{Version, line};
use crate::path::shown;
use crate::run::RunReport;
use crate::sarif::{
    self, Configuration, Driver, FINDING_ID, Help, Level, Location, Log, Message, Region,
    ReportingDescriptor, Run, Suppression, SuppressionStatus, Tool, properties,
};

/// The rule of each result.
const RULE: &str = "review";

const HELP: &str = "A reviewer raised this about a document. `ralph findings show ID` says what \
     became of it; the id is in `partialFingerprints`.";

/// The findings of a run that are neither fixed nor raised again in other words. Paths of files below `root` are written as
/// seen from `folder`.
#[must_use]
pub fn sarif(list: &FindingList, report: &RunReport, root: &Path, folder: &Path) -> String {
    line(&log(list, report, root, folder))
}

/// The same as a report of code quality for GitLab, without what is waived.
#[must_use]
pub fn gitlab(list: &FindingList, report: &RunReport, root: &Path, folder: &Path) -> String {
    crate::gitlab::report(&log(list, report, root, folder))
}

fn log(list: &FindingList, report: &RunReport, root: &Path, folder: &Path) -> Log {
    let result = |finding: &Finding| {
        let mut pending = list.pending.iter();
        let pending = pending.find(|decision| decision.finding == finding.id);
        let path = finding.place.path.as_deref().unwrap_or(&report.spec);
        result(finding, pending, &shown(folder, &root.join(path)))
    };
    let findings = list.findings.iter();
    let is_gone = |finding: &&Finding| {
        matches!(
            finding.status,
            FindingStatus::Fixed | FindingStatus::Reworded
        )
    };
    Log::new(Run {
        tool: Tool {
            driver: Driver::new(vec![rule()]),
        },
        results: findings
            .filter(|finding| !is_gone(finding))
            .map(result)
            .collect(),
        properties: properties(json!({
            "v": Version,
            "run": list.run,
            "outcome": report.outcome,
            "verdict": report.verdict,
        })),
        ..Run::default()
    })
}

fn rule() -> ReportingDescriptor {
    ReportingDescriptor {
        id: RULE.to_owned(),
        name: "review-finding".to_owned(),
        short_description: Message::new("An issue that a reviewer raised."),
        help: Help {
            text: HELP.to_owned(),
            markdown: HELP.to_owned(),
        },
        default_configuration: Configuration {
            level: Severity::Major.into(),
        },
        ..ReportingDescriptor::default()
    }
}

fn result(finding: &Finding, pending: Option<&PendingDecision>, path: &str) -> sarif::Finding {
    let status = pending.map_or(finding.status, |decision| decision.status);
    let asks_for_nothing = finding.below_fail_level || finding.out_of_scope;
    let lines = finding.place.lines;
    let line = |line: u32| usize::try_from(line).ok();
    sarif::Finding {
        rule_id: Some(RULE.to_owned()),
        rule_index: Some(0),
        level: match asks_for_nothing {
            true => Level::Note,
            false => finding.severity.into(),
        },
        message: Message::new(format!("{}\n{}", finding.issue, finding.suggestion)),
        locations: vec![Location::new(
            path,
            // Code scanning refuses results without a line.
            Region {
                start_line: lines.map_or(Some(1), |lines| line(lines.first)),
                end_line: lines.and_then(|lines| line(lines.last)),
                ..Region::default()
            },
        )],
        partial_fingerprints: properties(json!({ FINDING_ID: finding.id })),
        suppressions: Some(suppression(finding, status, pending).into_iter().collect()),
        properties: properties(json!({
            "severity": finding.severity,
            "status": status,
            "evidence": finding.evidence,
            "section": finding.section,
            "quote": finding.quote,
            "below_fail_level": finding.below_fail_level.then_some(true),
            "out_of_scope": finding.out_of_scope.then_some(true),
        })),
        ..sarif::Finding::default()
    }
}

/// Who does not want a finding to count, and whether that is decided: it is by a user, not
/// by the applier.
fn suppression(
    finding: &Finding,
    status: FindingStatus,
    pending: Option<&PendingDecision>,
) -> Option<Suppression> {
    let (decided, said) = match status {
        FindingStatus::Waived => (SuppressionStatus::Accepted, FindingStatus::Waived),
        FindingStatus::Rejected | FindingStatus::Disputed => {
            (SuppressionStatus::UnderReview, FindingStatus::Rejected)
        }
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
        kind: "external",
        status: decided,
        justification: why.map(|why| match by {
            Some(by) => format!("{by}: {why}"),
            None => why.to_owned(),
        }),
    })
}
