//! What the gate found, for people.

use std::fmt::Write as _;

use review_types::{Outcome, plural};

use super::report::{Claim, GateReport};
use crate::next::next_steps;
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG, Styling, WARNING};
use crate::text::{printable, tail};

/// Each claim with its result, then the result of all.
#[must_use]
pub fn human(report: &GateReport, styling: Styling) -> String {
    let mut text = String::new();
    for spec in &report.specs {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{STRONG}{}{RESET}", printable(&spec.seen(&spec.spec)));
        for fault in &spec.faults {
            let _ = writeln!(
                text,
                "  {ERROR}fault{RESET}  {}",
                printable(&spec.seen(fault))
            );
        }
        text.push_str(&human_claim(&spec.review));
        for claim in &spec.tasks {
            text.push_str(&human_claim(claim));
        }
    }
    for compared in &report.compared {
        let _ = writeln!(text, "\n{STRONG}{}{RESET}", printable(&compared.heading()));
        for change in &compared.changes {
            let style = if change.fails() { ERROR } else { WARNING };
            let _ = writeln!(
                text,
                "  {style}{}{RESET}  {}: {}",
                change.level,
                printable(&compared.place(change)),
                printable(&change.sentence()).replace('\n', "\n    ")
            );
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{}", outcome_line(report));
    for warning in &report.warnings {
        let _ = writeln!(text, "{WARNING}warning{RESET}: {warning}");
    }
    text += &next_steps(&report.next, None);
    styling.apply(text)
}

/// The result of all, in one line.
#[must_use]
pub fn brief(report: &GateReport, styling: Styling) -> String {
    styling.apply(outcome_line(report) + "\n")
}

fn outcome_line(report: &GateReport) -> String {
    let style = if report.outcome == Outcome::Passed {
        GOOD
    } else {
        ERROR
    };
    format!(
        "{style}{}{RESET} {FAINT}{}{RESET}",
        report.outcome,
        report.counts()
    )
}

fn human_claim(claim: &Claim) -> String {
    let style = if claim.holds() { GOOD } else { ERROR };
    let tests = claim.tests_run.map_or_else(String::new, |tests| {
        let tests = usize::try_from(tests).unwrap_or(usize::MAX);
        format!("  {}", plural(tests, "test", "tests"))
    });
    let listed = claim
        .note()
        .map_or_else(String::new, |note| format!("  {note}"));
    let reason = match claim.reason.is_empty() {
        true => String::new(),
        false => format!("  {}", printable(&claim.reason).replace('\n', "\n    ")),
    };
    let mut text = format!(
        "  {style}{}{RESET}  {}{FAINT}{tests}{listed}{reason}{RESET}\n",
        claim.status.as_str(),
        printable(&claim.name)
    );
    if !claim.holds() {
        text.push_str(&tail(&claim.output));
    }
    text
}
