//! Expensive inputs: the work is bounded.
//!
//! Nothing here measures time. A rule that is not linear makes these tests run for
//! minutes, and the assertions check that the output is limited.

use std::fmt::Write;

use review_lint::{Report, Rule, Settings, lint};

use crate::support::workspace;

/// The maximum number of findings of one rule in one file.
const MAX_PER_FILE: usize = 200;

fn report(path: &str, text: String) -> Report {
    let settings = Settings::default();
    lint(&workspace(&[(path.to_owned(), text)], &[], &[]), &settings)
}

fn spec(text: String) -> Report {
    report("specs/A.md", text)
}

fn found(report: &Report, rule: Rule) -> usize {
    let findings = report.findings().iter();
    findings.filter(|finding| finding.rule == rule).count()
}

/// The number of items that a rule checked.
fn looked(report: &Report, rule: Rule) -> usize {
    let mut checked = report.checked().iter();
    checked
        .find(|checked| checked.rule == rule)
        .map_or(0, |checked| checked.things)
}

#[test]
fn unclosed_markers_terminate() {
    for mark in [
        "[", "(", "<", "*", "`", "![", "<!--", "| ", "> ", "- ", "# ", "**FR-1", "[FR-1",
    ] {
        let report = spec(format!("# Requirements\n\n- {}\n", mark.repeat(20_000)));
        let most = Rule::ALL.len() * MAX_PER_FILE;
        assert!(report.findings().len() <= most, "{mark}");
        for finding in report.findings() {
            assert!(
                finding.message.len() < 2000,
                "{mark}: {}",
                finding.message.len()
            );
            assert!(finding.suggestion.len() < 2000, "{mark}");
        }
    }
}

#[test]
fn deep_nesting_terminates() {
    let mut lists = "# Requirements\n\n".to_owned();
    for depth in 0..500 {
        writeln!(
            lists,
            "{}- **FR-{depth}**: The store shall {depth}.",
            "  ".repeat(depth)
        )
        .unwrap();
    }
    let report = spec(lists);
    assert!(looked(&report, Rule::VagueWord) > 0);
}

#[test]
fn a_long_line_is_read_in_one_pass() {
    for words in [
        "etc. ",
        "should ",
        "shall, when ",
        "FR-1: ",
        "1 if possible (",
        "\"fast\" ",
    ] {
        let line = words.repeat((1 << 18) / words.len());
        let report = spec(format!("# Requirements\n\n- **FR-1**: {line}\n"));
        assert_eq!(looked(&report, Rule::VagueWord), 1, "{words}");
        assert!(found(&report, Rule::VagueWord) <= MAX_PER_FILE, "{words}");
        let long = report
            .findings()
            .iter()
            .map(|found| found.message.len())
            .max();
        assert!(long.unwrap_or_default() < 2000, "{words}");
    }
}

#[test]
fn checked_items_grow_with_the_input_and_are_limited() {
    let items = |count: usize| {
        let mut text = "# Requirements\n\n".to_owned();
        for number in 0..count {
            writeln!(text, "- **FR-{}**: Keeps various values.", number % 7).unwrap();
        }
        spec(text)
    };
    for (count, seen) in [(1_000, 1_000), (2_000, 2_000), (21_000, 20_000)] {
        let report = items(count);
        for rule in [Rule::DuplicateRequirementId, Rule::VagueWord] {
            assert_eq!(looked(&report, rule), seen, "{rule}");
            assert_eq!(found(&report, rule), MAX_PER_FILE, "{rule}");
        }
    }
}

#[test]
fn a_table_with_many_columns_and_a_long_heading_terminate() {
    let head = "| Metric ".repeat(20_000);
    let line = "|---".repeat(20_000);
    let row = "| FR-1 ".repeat(20_000);
    spec(format!(
        "# {}\n\n{head}|\n{line}|\n{row}|\n",
        "x ".repeat(100_000)
    ));
    let sections = "## Requirements\n\n- FR-1: a\n\n".repeat(5_000);
    let report = spec(format!("# {}\n\n{sections}", "long ".repeat(20_000)));
    assert_eq!(looked(&report, Rule::DuplicateRequirementId), 5_000);
}

#[test]
fn a_task_with_many_dependencies_and_commands_terminates() {
    let numbers: Vec<_> = (2..5_000).map(|number| number.to_string()).collect();
    let text = format!(
        "---\ntask: 1\ndepends_on: [{}]\nbackpressure: \"{}\"\n---\n# A\n\nText.\n",
        numbers.join(", "),
        "true && ".repeat(5_000),
    );
    let report = report("tasks/web/01-a.md", text);
    assert_eq!(found(&report, Rule::UnknownDependency), MAX_PER_FILE);
}

#[test]
fn many_sentences_about_tasks_on_one_line_terminate() {
    let body = "Depends on #1: ".repeat(30_000);
    let task = |number: u32, body: &str| {
        let path = format!("tasks/web/0{number}-a.md");
        let text = format!("---\ntask: {number}\n---\n# A\n\n{body}\n");
        (path, text)
    };
    let files = [task(1, ""), task(2, &body)];
    let report = lint(&workspace(&files, &[], &[]), &Settings::default());
    assert_eq!(found(&report, Rule::UndeclaredDependency), 1);
}
