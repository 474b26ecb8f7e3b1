//! What the gate found, as SARIF 2.1.0 and as a report of code quality for GitLab.

use std::collections::BTreeMap;
use std::path::Path;

use review_types::ExitCode;
use serde_json::json;

use super::note::{Note, NoteRule, notes};
use super::report::{ClaimStatus, GateReport};
use crate::explain;
use crate::json::{Version, line};
use crate::path::shown;
use crate::sarif::{
    self, Configuration, Driver, Help, Invocation, Location, Log, Message, Region,
    ReportingDescriptor, Run, Suppression, SuppressionStatus, Tool, properties,
};

/// The group of the differences in the page of codes.
const DIFFERENCES: &str = "differences-from-a-base";

/// The log of one run, a result for each annotation and for each difference that is
/// allowed. Paths are written as seen from `folder`.
#[must_use]
pub fn sarif(report: &GateReport, folder: &Path) -> String {
    line(&log(report, folder))
}

/// The same as a report of code quality, without what is allowed.
#[must_use]
pub fn gitlab(report: &GateReport, folder: &Path) -> String {
    crate::gitlab::report(&log(report, folder))
}

fn log(report: &GateReport, folder: &Path) -> Log {
    let notes = notes(report);
    let rules: BTreeMap<_, _> = notes.iter().rev().map(|note| (note.rule, note)).collect();
    let index = |rule: NoteRule| rules.keys().position(|known| *known == rule);
    let results = notes.iter().map(|note| sarif::Finding {
        rule_id: Some(note.rule.to_string()),
        rule_index: index(note.rule),
        level: note.level.into(),
        message: Message::new(&*note.message),
        locations: vec![Location::new(
            &shown(folder, &note.path),
            Region {
                start_line: Some(note.lines.0),
                end_line: Some(note.lines.1),
                ..Region::default()
            },
        )],
        partial_fingerprints: properties(json!({ note.fingerprint.0: note.fingerprint.1 })),
        suppressions: Some(note.is_allowed.then(allowed).into_iter().collect()),
        properties: properties(json!({ "severity": note.severity })),
        ..sarif::Finding::default()
    });
    Log::new(Run {
        results: results.collect(),
        tool: Tool {
            driver: Driver::new(rules.values().map(|note| descriptor(note)).collect()),
        },
        invocations: vec![Invocation {
            execution_successful: report.exit_code() != ExitCode::NoVerdict,
            exit_code: report.exit_code().get(),
        }],
        properties: properties(json!({ "v": Version, "outcome": report.outcome })),
        ..Run::default()
    })
}

fn allowed() -> Suppression {
    Suppression {
        kind: "external",
        status: SuppressionStatus::Accepted,
        justification: Some("allowed by its name".to_owned()),
    }
}

/// The rule of a note.
fn descriptor(note: &Note) -> ReportingDescriptor {
    let id = note.rule.to_string();
    let (summary, text) = match note.rule {
        NoteRule::Change(code) => explain::text_of(DIFFERENCES, code.as_str()).unwrap_or_default(),
        NoteRule::Claim(status) => (of_claim(status), ""),
        NoteRule::Review => ("An issue that a reviewer raised.", ""),
        NoteRule::Unit => (
            "The files of a unit have a fault, so no task of it counts.",
            "",
        ),
    };
    let help = format!("{summary}\n\n{text}").trim_end().to_owned();
    ReportingDescriptor {
        name: id.replace('_', "-"),
        id,
        short_description: Message::new(summary),
        help: Help {
            text: help.clone(),
            markdown: help,
        },
        default_configuration: Configuration {
            level: note.level.into(),
        },
        ..ReportingDescriptor::default()
    }
}

const fn of_claim(status: ClaimStatus) -> &'static str {
    match status {
        ClaimStatus::Recorded | ClaimStatus::Passed => "A claim of completion holds.",
        ClaimStatus::Failed => "A claim of completion does not hold.",
        ClaimStatus::Skipped => "A task waits for another one that does not pass.",
        ClaimStatus::Unproven => "No record proves a claim of completion.",
        ClaimStatus::NoVerdict => "It could not be found out whether a claim of completion holds.",
        ClaimStatus::Unclaimed => "Tasks do not claim to be complete.",
    }
}
