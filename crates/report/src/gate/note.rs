//! What the gate found, one note a place.

use std::fmt;
use std::path::PathBuf;

use review_types::{ChangeCode, Finding, Severity};

use super::change::ChangeLevel;
use super::report::{Claim, ClaimStatus, GateReport, SpecGate, unclaimed};
use crate::github::AnnotationLevel;
use crate::sarif::FINDING_ID;
use crate::text::printable;

/// The name of the fingerprint of what is no finding of a review.
const FINGERPRINT: &str = "ralphGate/v1";

/// What is shown at a place.
pub(super) struct Note {
    pub(super) rule: NoteRule,
    /// The name and the value of what stays the same when lines move.
    pub(super) fingerprint: (&'static str, String),
    /// Whether a user let it pass by name.
    pub(super) is_allowed: bool,
    pub(super) level: AnnotationLevel,
    pub(super) severity: Severity,
    pub(super) path: PathBuf,
    /// The first and the last line.
    pub(super) lines: (usize, usize),
    pub(super) message: String,
}

/// The kind of a note. Its `Display` is the id of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NoteRule {
    /// A difference from the base.
    Change(ChangeCode),
    /// A claim that does not hold.
    Claim(ClaimStatus),
    /// A finding of a review.
    Review,
    /// A fault in the files of a unit.
    Unit,
}

impl fmt::Display for NoteRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Change(code) => write!(f, "{code}"),
            Self::Claim(status) => write!(f, "claim_{status}"),
            Self::Review => f.write_str("review"),
            Self::Unit => f.write_str("unit_fault"),
        }
    }
}

/// What the formats that show places have one of: each difference, fault, finding and claim
/// that does not hold, and a warning where claims cover a part of the tasks of a spec. The
/// worst are first; what only waits for another task is left out.
pub(super) fn notes(report: &GateReport) -> Vec<Note> {
    let mut notes = Vec::new();
    for compared in &report.compared {
        notes.extend(compared.changes.iter().map(|change| {
            let (level, severity) = match change.level {
                ChangeLevel::Error => (AnnotationLevel::Error, Severity::Critical),
                ChangeLevel::Warning => (AnnotationLevel::Warning, Severity::Minor),
            };
            Note {
                rule: NoteRule::Change(change.code),
                fingerprint: (FINGERPRINT, change.name().to_string()),
                is_allowed: change.allowed,
                level,
                severity,
                path: compared.folder.join(&change.path),
                lines: (change.line, change.line),
                message: printable(&change.sentence()).into_owned(),
            }
        }));
    }
    let at = |spec: &SpecGate, path: &str, rule, of: String, message| Note {
        rule,
        fingerprint: (FINGERPRINT, of),
        is_allowed: false,
        level: AnnotationLevel::Error,
        severity: Severity::Critical,
        path: spec.folder.join(path),
        lines: (1, 1),
        message,
    };
    for spec in &report.specs {
        let faults = spec.faults.iter();
        notes.extend(faults.map(|fault| {
            let rule = NoteRule::Unit;
            at(spec, &spec.spec, rule, fault.clone(), fault.clone())
        }));
    }
    for (spec, claim) in report.open_claims().filter(|(_, claim)| !waits(claim)) {
        let path = claim.path.as_ref().unwrap_or(&spec.spec);
        if !claim.findings.is_empty() {
            let findings = claim.findings.iter();
            notes.extend(findings.map(|finding| note_of(finding, spec, path)));
            continue;
        }
        let mut message = format!("{}: {}", claim.name, claim.reason);
        if !claim.output.is_empty() {
            message.push('\n');
            message.push_str(printable(claim.output.trim_end()).as_ref());
        }
        let of = claim
            .id
            .map_or_else(|| "review".to_owned(), |id| format!("task {id}"));
        let rule = NoteRule::Claim(claim.status);
        notes.push(at(spec, path, rule, of, message));
    }
    for spec in &report.specs {
        let warning = unclaimed(std::slice::from_ref(spec));
        notes.extend(warning.map(|warning| Note {
            level: AnnotationLevel::Warning,
            severity: Severity::Minor,
            ..at(
                spec,
                &spec.spec,
                NoteRule::Claim(ClaimStatus::Unclaimed),
                "tasks".to_owned(),
                warning,
            )
        }));
    }
    // The first of one severity stays the first.
    notes.sort_by_key(|note| note.severity);
    notes
}

/// What a review found, at its place; in the file of the claim where it has none.
fn note_of(finding: &Finding, spec: &SpecGate, of_claim: &str) -> Note {
    let path = finding.place.path.as_deref().unwrap_or(of_claim);
    let number = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
    let section = finding.place.lines;
    let section = section.map(|lines| (number(lines.first), number(lines.last)));
    let line = line_named(&finding.issue, path);
    let line =
        line.filter(|line| section.is_none_or(|(first, last)| (first..=last).contains(line)));
    let text = format!("{}\n{}", finding.issue, finding.suggestion);
    Note {
        rule: NoteRule::Review,
        fingerprint: (FINDING_ID, finding.id.to_string()),
        is_allowed: false,
        level: match finding.below_fail_level {
            true => AnnotationLevel::Warning,
            false => AnnotationLevel::Error,
        },
        severity: finding.severity,
        path: spec.folder.join(path),
        lines: line.map(|line| (line, line)).or(section).unwrap_or((1, 1)),
        message: printable(&text).into_owned(),
    }
}

/// The line of a file that a text names as `PATH:LINE`.
fn line_named(text: &str, path: &str) -> Option<usize> {
    let (_, after) = text.split_once(&format!("{path}:"))?;
    let end = after.find(|char: char| !char.is_ascii_digit());
    after[..end.unwrap_or(after.len())].parse().ok()
}

/// Whether a claim only waits for a task that does not pass.
pub(super) fn waits(claim: &Claim) -> bool {
    claim.status == ClaimStatus::Skipped
}
