//! What the gate found, for people.

use review_types::{Outcome, plural};

use super::report::GateReport;
use super::rows::{Row, RowKind};
use crate::next::next_steps;
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG, Styling, WARNING};
use crate::text::{printable, tail};

/// Each row with its state, then the result of all.
#[must_use]
pub fn human(report: &GateReport, styling: Styling) -> String {
    let mut text = String::new();
    for rows in report.rows().chunk_by(|one, next| one.of == next.of) {
        let of = rows.first().map(|row| printable(&row.of));
        text.extend(of.map(|of| format!("{STRONG}{of}{RESET}\n")));
        text.extend(rows.iter().map(line));
        text.push('\n');
    }
    text += &outcome_line(report);
    for warning in &report.warnings {
        text += &format!("{WARNING}warning{RESET}: {warning}\n");
    }
    text += &next_steps(&report.next, None);
    styling.apply(text)
}

/// The result of all, in one line.
#[must_use]
pub fn brief(report: &GateReport, styling: Styling) -> String {
    styling.apply(outcome_line(report))
}

fn outcome_line(report: &GateReport) -> String {
    let style = match report.outcome {
        Outcome::Passed => GOOD,
        _ => ERROR,
    };
    let (outcome, counts) = (report.outcome, report.counts());
    format!("{style}{outcome}{RESET} {FAINT}{counts}{RESET}\n")
}

fn line(row: &Row<'_>) -> String {
    let style = match row.kind {
        RowKind::Good => GOOD,
        RowKind::Warning => WARNING,
        RowKind::Failure | RowKind::Unknown | RowKind::Skipped => ERROR,
    };
    let tests = row.tests_run.map(|tests| {
        plural(
            usize::try_from(tests).unwrap_or(usize::MAX),
            "test",
            "tests",
        )
    });
    let remark = printable(&row.remark).replace('\n', "\n    ");
    let facts = tests.into_iter().chain(Some(remark));
    let facts = facts.filter(|fact| !fact.is_empty());
    let facts: String = facts.map(|fact| format!("  {fact}")).collect();
    let (state, name) = (row.state, printable(&row.name));
    let line = format!("  {style}{state}{RESET}  {name}{FAINT}{facts}{RESET}\n");
    line + &tail(row.output)
}
