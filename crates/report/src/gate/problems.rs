//! What the gate found, one problem a place, and the formats that show it there.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use review_types::{ChangeCode, ExitCode, Finding, Severity, plural};
use serde_json::json;

use super::change::ChangeLevel;
use super::report::{Claim, ClaimStatus, GateReport, SpecGate, unclaimed};
use crate::json::Version;
use crate::path::shown;
use crate::problem::{Level, Problem, ProblemRule, Problems, Suppression};
use crate::text::printable;
use crate::{explain, findings};

/// The name of the fingerprint of what is not a finding of a review.
const FINGERPRINT: &str = "ralphGate/v1";

const TITLE: &str = "ralph gate";

/// How many annotations of a level GitHub shows of a step.
const SHOWN: usize = 10;

/// The log of one run, with what is allowed as suppressed. Paths are written as seen from
/// `folder`.
#[must_use]
pub fn sarif(report: &GateReport, folder: &Path) -> String {
    log(report, folder).sarif()
}

/// The same as a report of code quality for GitLab, without what is allowed.
#[must_use]
pub fn gitlab(report: &GateReport, folder: &Path) -> String {
    log(report, folder).gitlab()
}

/// A workflow command of GitHub Actions for each of the worst problems that are not allowed.
/// A last line counts the rest, and what waits for another task.
#[must_use]
pub fn github(report: &GateReport, folder: &Path) -> String {
    let mut problems = problems(report, folder);
    problems.retain(|problem| problem.suppression.is_none());
    let mut text = String::new();
    let mut rest = Vec::new();
    for (level, one, many) in [
        (Level::Error, "error", "errors"),
        (Level::Warning, "warning", "warnings"),
    ] {
        let of_level = || problems.iter().filter(|problem| problem.level == level);
        text.extend(of_level().take(SHOWN).map(Problem::annotation));
        if let more @ 1.. = of_level().count().saturating_sub(SHOWN) {
            rest.push(plural(more, one, many));
        }
    }
    let waits = report.open_claims().filter(|(_, claim)| waits(claim));
    if let waiting @ 1.. = waits.count() {
        rest.push(plural(
            waiting,
            "claim that waits for another task",
            "claims that wait for other tasks",
        ));
    }
    if !rest.is_empty() {
        text.push_str(&format!("not annotated: {}\n", rest.join(", ")));
    }
    text
}

/// The kind of a problem. Its `Display` is the id of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GateRule {
    /// A difference from the base.
    Change(ChangeCode),
    /// A claim that does not hold.
    Claim(ClaimStatus),
    /// A finding of a review.
    Review,
    /// A fault in the files of a unit.
    Unit,
}

impl fmt::Display for GateRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Change(code) => write!(f, "{code}"),
            Self::Claim(status) => write!(f, "claim_{status}"),
            Self::Review => f.write_str("review"),
            Self::Unit => f.write_str("unit_fault"),
        }
    }
}

fn log(report: &GateReport, folder: &Path) -> Problems<GateRule> {
    let problems = problems(report, folder);
    let exit = report.exit_code();
    // Of several problems of a rule the worst decides, which is the last one here.
    let rules = problems.iter().rev();
    let rules: BTreeMap<_, _> = rules.map(|problem| (problem.rule, problem.level)).collect();
    let rules = rules.into_iter();
    Problems {
        rules: rules
            .map(|(rule, level)| (rule, described(rule, level)))
            .collect(),
        problems,
        properties: json!({ "v": Version, "outcome": report.outcome }),
        exit: Some((exit.get(), exit != ExitCode::NoVerdict)),
    }
}

fn described(rule: GateRule, level: Level) -> ProblemRule {
    let explained = |group, code| explain::text_of(group, code).unwrap_or_default();
    let (summary, text) = match rule {
        GateRule::Change(code) => explained("Differences from a base", code.as_str()),
        GateRule::Claim(status) => explained("Gate claims", status.as_str()),
        GateRule::Review => return findings::rule(),
        GateRule::Unit => {
            let summary = "The files of a unit have a fault, so no task of it counts.";
            (summary, String::new())
        }
    };
    ProblemRule {
        name: rule.to_string().replace('_', "-"),
        summary: summary.to_owned(),
        help: format!("{summary}\n\n{text}").trim_end().to_owned(),
        level,
        tags: Vec::new(),
    }
}

/// Each difference, fault, finding and claim that does not hold, and a warning where claims
/// cover a part of the tasks of a spec. The worst are first; what only waits for another
/// task is left out.
fn problems(report: &GateReport, folder: &Path) -> Vec<Problem<GateRule>> {
    let mut problems = Vec::new();
    let at = |rule, path: &Path, of: String, message: String| Problem {
        rule,
        title: TITLE.to_owned(),
        level: Level::Error,
        severity: Some(Severity::Critical),
        path: shown(folder, path),
        lines: (1, 1),
        column: None,
        message: printable(&message).into_owned(),
        fingerprint: (FINGERPRINT, of),
        suppression: None,
        properties: json!({}),
    };
    let as_warning = |problem| Problem {
        level: Level::Warning,
        severity: Some(Severity::Minor),
        ..problem
    };
    for compared in &report.compared {
        problems.extend(compared.changes.iter().map(|change| {
            let rule = GateRule::Change(change.code);
            let path = compared.folder.join(&change.path);
            let problem = Problem {
                lines: (change.line, change.line),
                suppression: change.allowed.then(|| Suppression {
                    is_accepted: true,
                    why: Some("allowed by its name".to_owned()),
                }),
                ..at(rule, &path, change.name().to_string(), change.sentence())
            };
            match change.level {
                ChangeLevel::Error => problem,
                ChangeLevel::Warning => as_warning(problem),
            }
        }));
    }
    for spec in &report.specs {
        let path = spec.folder.join(&spec.spec);
        let faults = spec.faults.iter();
        problems
            .extend(faults.map(|fault| at(GateRule::Unit, &path, fault.clone(), fault.clone())));
        let warning = unclaimed(std::slice::from_ref(spec));
        problems.extend(warning.map(|warning| {
            let rule = GateRule::Claim(ClaimStatus::Unclaimed);
            as_warning(at(rule, &path, "tasks".to_owned(), warning))
        }));
    }
    for (spec, claim) in report.open_claims().filter(|(_, claim)| !waits(claim)) {
        let path = claim.path.as_ref().unwrap_or(&spec.spec);
        if !claim.findings.is_empty() {
            let findings = claim.findings.iter();
            problems.extend(findings.map(|finding| raised(finding, spec, path, folder)));
            continue;
        }
        let mut message = format!("{}: {}", claim.name, claim.reason);
        if !claim.output.is_empty() {
            message.push('\n');
            message.push_str(claim.output.trim_end());
        }
        let of = claim
            .id
            .map_or_else(|| "review".to_owned(), |id| format!("task {id}"));
        let rule = GateRule::Claim(claim.status);
        problems.push(at(rule, &spec.folder.join(path), of, message));
    }
    // The first of one severity stays the first.
    problems.sort_by_key(|problem| problem.severity);
    problems
}

/// What a review found, at its place; in the file of the claim where it has none.
fn raised(finding: &Finding, spec: &SpecGate, of_claim: &str, folder: &Path) -> Problem<GateRule> {
    let path = finding.place.path.as_deref().unwrap_or(of_claim);
    let level = match finding.below_fail_level {
        true => Level::Warning,
        false => Level::Error,
    };
    let seen = shown(folder, &spec.folder.join(path));
    let problem = findings::problem(finding, GateRule::Review, level, seen);
    let (first, last) = problem.lines;
    let line = line_named(&finding.issue, path);
    let is_inside = |line: &usize| finding.place.lines.is_none() || (first..=last).contains(line);
    Problem {
        title: TITLE.to_owned(),
        lines: line
            .filter(is_inside)
            .map_or((first, last), |line| (line, line)),
        message: printable(&problem.message).into_owned(),
        ..problem
    }
}

/// The line of a file that a string names as `PATH:LINE`.
fn line_named(text: &str, path: &str) -> Option<usize> {
    let (_, after) = text.split_once(&format!("{path}:"))?;
    let end = after.find(|char: char| !char.is_ascii_digit());
    after[..end.unwrap_or(after.len())].parse().ok()
}

/// Whether a claim only waits for a task that does not pass.
fn waits(claim: &Claim) -> bool {
    claim.status == ClaimStatus::Skipped
}

#[cfg(test)]
mod tests {
    use review_types::{FindingEvidence, FindingId, FindingPlace, FindingStatus, Lines};

    use super::super::change::{BaseComparison, Change};
    use super::super::report::tests;
    use super::*;

    fn claim(name: &str, status: ClaimStatus) -> Claim {
        Claim {
            path: Some(format!("{name}.md")),
            ..tests::claim(name, status, "it does not pass")
        }
    }

    fn report(review: Claim, tasks: Vec<Claim>) -> GateReport {
        let mut report = GateReport::new(&[]);
        let spec = SpecGate {
            review,
            tasks,
            ..tests::spec(ClaimStatus::Failed, ClaimStatus::Failed)
        };
        report.push(spec, String::new());
        report
    }

    fn finding(severity: Severity, issue: &str, place: FindingPlace) -> Finding {
        Finding {
            id: FindingId::new("f-000000000001").unwrap(),
            similar_to: None,
            status: FindingStatus::Open,
            out_of_scope: false,
            below_fail_level: severity > Severity::Major,
            evidence: FindingEvidence::default(),
            quote: None,
            changed_at_place: None,
            section: String::new(),
            place,
            issue: issue.to_owned(),
            suggestion: "Fix it".to_owned(),
            severity,
            raised: vec![1],
            repeats: 0,
            feedback: Vec::new(),
            history: Vec::new(),
        }
    }

    /// The annotations without what all of them have.
    fn shown(report: &GateReport) -> Vec<String> {
        let text = github(report, Path::new("/project"));
        let lines = text
            .lines()
            .map(|line| line.replace(",col=1,title=ralph gate", ""));
        lines.collect()
    }

    #[test]
    fn each_finding_of_a_review_is_annotated_at_its_place() {
        let at = |path: &str, lines: Option<(u32, u32)>| FindingPlace {
            path: Some(path.to_owned()),
            lines: lines.map(|(first, last)| Lines { first, last }),
            ..FindingPlace::default()
        };
        let mut review = claim("review", ClaimStatus::Failed);
        review.findings = vec![
            finding(Severity::Minor, "Vague", at("specs/A.md", Some((5, 7)))),
            finding(
                Severity::Major,
                "Open, see tasks/a/01.md:6 [S2]",
                at("tasks/a/01.md", Some((4, 9))),
            ),
            finding(
                Severity::Major,
                "As in tasks/a/01.md:60",
                at("tasks/a/01.md", Some((4, 9))),
            ),
            finding(Severity::Critical, "No file", FindingPlace::default()),
        ];
        assert_eq!(
            shown(&report(review, Vec::new())),
            [
                "::error file=review.md,line=1,endLine=1::No file%0AFix it",
                "::error file=tasks/a/01.md,line=6,endLine=6::Open, see tasks/a/01.md:6 [S2]%0AFix it",
                "::error file=tasks/a/01.md,line=4,endLine=9::As in tasks/a/01.md:60%0AFix it",
                "::warning file=specs/A.md,line=5,endLine=7::Vague%0AFix it",
            ]
        );
    }

    #[test]
    fn ten_of_each_level_are_annotated_the_worst_first_and_the_rest_is_counted() {
        let mut review = claim("review", ClaimStatus::Failed);
        let raised = |severity, count| {
            let findings = (0..count).map(move |_| finding(severity, "x", FindingPlace::default()));
            findings.collect::<Vec<_>>()
        };
        review.findings = [
            raised(Severity::Suggestion, 4),
            raised(Severity::Minor, 9),
            raised(Severity::Major, 11),
        ]
        .concat();
        let waits = claim("task 3", ClaimStatus::Skipped);
        let failed = claim("task 2", ClaimStatus::Failed);
        let mut report = report(review, vec![failed, waits]);
        report.compare(BaseComparison {
            folder: "/project".into(),
            root: ".".to_owned(),
            base: "main".to_owned(),
            commit: "c".to_owned(),
            changes: vec![Change {
                code: ChangeCode::TaskRemoved,
                level: ChangeLevel::Error,
                subject: "a/1".to_owned(),
                path: "a".to_owned(),
                line: 3,
                before: None,
                after: None,
                message: "it is gone".to_owned(),
                allowed: false,
            }],
        });
        let shown = shown(&report);
        let (errors, warnings): (Vec<_>, Vec<_>) = shown[..20]
            .iter()
            .map(|line| line.as_str())
            .partition(|line| line.starts_with("::error"));
        assert_eq!(errors.len(), 10);
        assert_eq!(
            errors[..3],
            [
                "::error file=a,line=3,endLine=3::task_removed:a/1: it is gone",
                "::error file=task 2.md,line=1,endLine=1::task 2: it does not pass",
                "::error file=review.md,line=1,endLine=1::x%0AFix it",
            ]
        );
        assert_eq!(
            warnings,
            ["::warning file=review.md,line=1,endLine=1::x%0AFix it"; 10]
        );
        assert_eq!(
            shown[20..],
            ["not annotated: 3 errors, 3 warnings, 1 claim that waits for another task"]
        );
    }
}
