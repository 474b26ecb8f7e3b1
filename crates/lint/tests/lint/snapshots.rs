//! The exact output of each rule for its fixture.
//!
//! The findings of each fixture are stored next to it. `UPDATE_SNAPSHOTS=1 cargo test
//! -p review-lint --test lint snapshots` rewrites these files; review the differences.

use review_lint::{Finding, Rule, Safety, lint};

use crate::fixtures::{fixture, letter, only};
use crate::support::Case;

fn path(rule: Rule) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    format!("{folder}/{}.snap", rule.name())
}

fn rendered(rule: Rule) -> String {
    let mut text = String::new();
    for case in fixture(rule) {
        let report = lint(&case.workspace(), &only(rule, &case));
        let findings = report.findings().iter();
        let found: Vec<_> = findings.map(|finding| render(&case, finding)).collect();
        if !found.is_empty() {
            text += &format!("=== {}\n{}", case.name, found.concat());
        }
    }
    text
}

fn render(case: &Case, finding: &Finding) -> String {
    let Finding { position, rule, .. } = finding;
    let place = format!("{}:{}:{}", finding.path, position.line, position.column);
    let heading = finding.heading.to_string();
    let letter = letter(finding.severity);
    let (message, suggestion) = (&finding.message, &finding.suggestion);
    format!("{place} {rule} {letter} in {heading:?}\n    {message}\n    {suggestion}\n")
        + &fix(case, finding)
}

fn fix(case: &Case, finding: &Finding) -> String {
    let Some(fix) = &finding.fix else {
        return String::new();
    };
    let safety = match fix.safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
    };
    let workspace = case.workspace();
    let source = workspace.document(&finding.path);
    let edits = fix.edits.iter().map(|edit| {
        let old = source.and_then(|source| edit.span.slice(&source.source));
        let old = old.unwrap_or_default();
        format!("    {safety} fix: {old:?} -> {:?}\n", edit.text)
    });
    edits.collect()
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "snapshots are written on request"
)]
fn findings_match_their_snapshots() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut different = Vec::new();
    for &rule in Rule::ALL {
        let (path, now) = (path(rule), rendered(rule));
        if update {
            std::fs::write(&path, &now).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
        let held = std::fs::read_to_string(&path).unwrap_or_default();
        if held != now {
            different.push(format!("{}:\n{now}", rule.name()));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
