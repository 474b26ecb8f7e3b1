//! What `lint` found, for programs that show it at its place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use review_lint::{Rule, Severity};
use serde_json::json;

use super::report::{LintFinding, LintReport};
use crate::json::Version;
use crate::path::shown;
use crate::problem::{FINDING_ID, Level, Problem, ProblemRule, Problems};

/// The log of one run. Paths are written as seen from `folder`.
#[must_use]
pub fn sarif(report: &LintReport<'_>, folder: &Path) -> String {
    problems(report, folder).sarif()
}

/// The same as a report of code quality for GitLab.
#[must_use]
pub fn gitlab(report: &LintReport<'_>, folder: &Path) -> String {
    problems(report, folder).gitlab()
}

/// One workflow command of GitHub Actions a finding.
#[must_use]
pub fn github(report: &LintReport<'_>, folder: &Path) -> String {
    let findings = report.findings.iter();
    findings
        .map(|found| problem(found, folder).annotation())
        .collect()
}

fn problems(report: &LintReport<'_>, folder: &Path) -> Problems<Rule> {
    let mut rules: BTreeSet<Rule> = report.checked.iter().copied().collect();
    rules.extend(report.findings.iter().map(|found| found.finding.rule));
    let rules: BTreeMap<Rule, ProblemRule> = rules
        .into_iter()
        .map(|rule| (rule, described(rule)))
        .collect();
    let problems = report.findings.iter();
    Problems {
        rules,
        problems: problems.map(|found| problem(found, folder)).collect(),
        properties: json!({ "v": Version, "verdict": report.verdict, "scores": report.scores }),
        exit: None,
    }
}

fn described(rule: Rule) -> ProblemRule {
    ProblemRule {
        name: rule.name().to_owned(),
        summary: rule.summary().to_owned(),
        help: rule.docs(),
        level: level(rule.severity()),
        tags: vec![rule.criterion().as_str()],
    }
}

const fn level(severity: Severity) -> Level {
    match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Info => Level::Note,
    }
}

fn problem(found: &LintFinding<'_>, folder: &Path) -> Problem<Rule> {
    let finding = found.finding;
    Problem {
        rule: finding.rule,
        title: format!("{} {}", finding.rule.code(), finding.rule.name()),
        level: level(finding.severity),
        severity: None,
        path: shown(folder, &found.documents.file(&finding.path)),
        lines: (finding.position.line, finding.end_line),
        column: Some(finding.position.column),
        message: format!("{}\n{}", finding.message, finding.suggestion),
        fingerprint: (FINDING_ID, finding.id.to_string()),
        suppression: None,
        properties: json!({}),
    }
}
