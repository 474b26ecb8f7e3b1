//! Each rule with its annotated fixture.
//!
//! A fixture has cases, each started by `=== name`, with optional lines `paths:` (other
//! existing files), `others:` (other units, each with its dependencies in brackets),
//! `programs:` and `no programs:` (programs on the `PATH`, and missing ones),
//! `packages:` (of Cargo), `scripts:`, `just:` and `make:` (folders, each with the
//! declarations of its file in brackets, `...` for further unknown ones) and `required:`
//! (required sections of specs), and files, each started by `>>> path`. `«B3»` at the end of a line expects a finding of
//! that rule on this line; `«B3 W text»` also expects the severity and a part of its
//! message or suggestion. A case without such a marker expects no findings.

use std::collections::BTreeSet;

use review_lint::{Finding, Rule, Safety, Settings, Severity, lint};

use crate::support::{Case, cases};

pub(crate) fn fixture(rule: Rule) -> Vec<Case> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let path = format!("{folder}/{}.md", rule.name());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    cases(&text)
}

pub(crate) fn letter(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "E",
        Severity::Warning => "W",
        Severity::Info => "I",
    }
}

fn describe(finding: &Finding) -> String {
    format!(
        "{}:{} {} {} {} -> {}",
        finding.path,
        finding.position.line,
        finding.rule,
        letter(finding.severity),
        finding.message,
        finding.suggestion
    )
}

/// The safety of the fixes of a rule in its fixture.
fn fixes(rule: Rule) -> BTreeSet<Safety> {
    let cases = fixture(rule).into_iter();
    let reports = cases.map(|case| lint(&case.workspace(), &only(rule, &case)));
    let findings = reports.flat_map(|report| report.findings().to_vec());
    let fixes = findings.filter_map(|finding| finding.fix);
    fixes.map(|fix| fix.safety).collect()
}

#[test]
fn every_rule_declares_the_safety_of_its_fixes() {
    let differs = |&rule: &Rule| {
        let (said, seen) = (rule.fixes(), Vec::from_iter(fixes(rule)));
        (said != seen).then(|| format!("{}: fixes: {seen:?}, not {said:?}", rule.name()))
    };
    let different: Vec<_> = Rule::ALL.iter().filter_map(differs).collect();
    assert_eq!(different, [""; 0]);
}

pub(crate) fn only(rule: Rule, case: &Case) -> Settings {
    Settings {
        select: Some([rule].into()),
        required_sections: case.required.clone(),
        ..Settings::default()
    }
}

/// The differences between the markers of a case and its findings.
fn differences(rule: Rule, case: &Case) -> Vec<String> {
    let report = lint(&case.workspace(), &only(rule, case));
    let mut left: Vec<_> = report.findings().iter().map(describe).collect();
    let mut different = Vec::new();
    for mark in &case.marks {
        let severity = mark.severity.as_deref().unwrap_or(letter(rule.severity()));
        let head = format!("{}:{} {} {severity} ", mark.path, mark.line, mark.code);
        let is_it = |found: &String| found.starts_with(&head) && found.contains(&mark.text);
        match left.iter().position(is_it) {
            Some(at) => {
                left.remove(at);
            }
            None => different.push(format!("missing: {head}{}", mark.text)),
        }
    }
    different.extend(left.into_iter().map(|found| format!("unexpected: {found}")));
    different
        .into_iter()
        .map(|what| format!("{rule}, {}: {what}", case.name))
        .collect()
}

#[test]
fn every_rule_reports_exactly_what_its_fixture_marks() {
    let rules = Rule::ALL.iter();
    let different: Vec<_> = rules
        .flat_map(|&rule| fixture(rule).into_iter().map(move |case| (rule, case)))
        .flat_map(|(rule, case)| differences(rule, &case))
        .collect();
    assert_eq!(different, [""; 0], "{}", different.join("\n"));
}

#[test]
fn every_fixture_has_three_cases_with_findings_and_three_without() {
    for &rule in Rule::ALL {
        let cases = fixture(rule);
        let silent = cases.iter().filter(|case| case.marks.is_empty()).count();
        let loud = cases.len() - silent;
        assert!(
            silent >= 3 && loud >= 3,
            "{rule}: {loud} with findings, {silent} without"
        );
    }
}

#[test]
fn an_ignored_rule_reports_nothing() {
    for &rule in Rule::ALL {
        let settings = Settings {
            ignore: [rule].into(),
            ..Settings::default()
        };
        for case in fixture(rule) {
            let report = lint(&case.workspace(), &settings);
            assert!(
                report.findings().iter().all(|finding| finding.rule != rule),
                "{rule}"
            );
            assert!(
                report.checked().iter().all(|checked| checked.rule != rule),
                "{rule}"
            );
        }
    }
}
