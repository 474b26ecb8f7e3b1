//! What each rule says about its fixture, word for word.
//!
//! Beside each fixture lies what is found in it. `UPDATE_SNAPSHOTS=1 cargo test
//! -p review-lint --test lint snapshots` writes these files anew; read what
//! changed in them.

use std::fmt::Write as _;

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
        if report.findings().is_empty() {
            continue;
        }
        writeln!(text, "=== {}", case.name).expect("a text takes everything");
        for finding in report.findings() {
            render(&mut text, &case, finding).expect("a text takes everything");
        }
    }
    text
}

fn render(text: &mut String, case: &Case, finding: &Finding) -> std::fmt::Result {
    let Finding { position, rule, .. } = finding;
    writeln!(
        text,
        "{}:{}:{} {rule} {} in {:?}",
        finding.path,
        position.line,
        position.column,
        letter(finding.severity),
        finding.heading.to_string()
    )?;
    writeln!(text, "    {}", finding.message)?;
    writeln!(text, "    {}", finding.suggestion)?;
    let Some(fix) = &finding.fix else {
        return Ok(());
    };
    let safety = match fix.safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
    };
    let workspace = case.workspace();
    let source = workspace.document(&finding.path);
    for edit in &fix.edits {
        let old = source.and_then(|source| edit.span.slice(&source.source));
        let old = old.unwrap_or_default();
        writeln!(text, "    {safety} fix: {old:?} -> {:?}", edit.text)?;
    }
    Ok(())
}

#[test]
fn what_rules_say_is_what_their_snapshots_hold() {
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
