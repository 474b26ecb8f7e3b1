//! What the gate found, as annotations of GitHub Actions.

use std::path::Path;

use review_types::plural;

use super::note::{notes, waits};
use super::report::GateReport;
use crate::github::{Annotation, AnnotationLevel};
use crate::path::shown;

/// How many annotations of a level GitHub shows of a step.
const SHOWN: usize = 10;

/// One workflow command for each difference, fault, finding and claim that does not hold,
/// with the end of what its command printed, and a warning where claims cover a part of
/// the tasks of a spec. A last line counts the rest: what is not among the worst of its
/// level, and what waits for another task. Paths are shown as seen from `folder`.
#[must_use]
pub fn github(report: &GateReport, folder: &Path) -> String {
    let mut notes = notes(report);
    notes.retain(|note| !note.is_allowed);
    let mut text = String::new();
    let mut rest = Vec::new();
    for (level, one, many) in [
        (AnnotationLevel::Error, "error", "errors"),
        (AnnotationLevel::Warning, "warning", "warnings"),
    ] {
        let of_level: Vec<_> = notes.iter().filter(|note| note.level == level).collect();
        for note in of_level.iter().take(SHOWN) {
            let annotation = Annotation {
                level,
                path: &shown(folder, &note.path),
                line: note.lines.0,
                end_line: note.lines.1,
                column: 1,
                title: "ralph gate",
                message: &note.message,
            };
            text.push_str(&format!("{annotation}\n"));
        }
        if let more @ 1.. = of_level.len().saturating_sub(SHOWN) {
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

#[cfg(test)]
mod tests {
    use review_types::{
        ChangeCode, Finding, FindingEvidence, FindingId, FindingPlace, FindingStatus, Lines,
        Outcome, Severity,
    };

    use super::super::change::{BaseComparison, Change, ChangeLevel};
    use super::super::report::{Claim, ClaimStatus, SpecGate};
    use super::*;
    use crate::status::SpecStatus;

    fn claim(name: &str, status: ClaimStatus) -> Claim {
        Claim {
            name: name.to_owned(),
            id: None,
            status,
            tests_run: None,
            must_pass: None,
            seconds: 0.0,
            reason: "it does not pass".to_owned(),
            path: Some(format!("{name}.md")),
            output: String::new(),
            findings: Vec::new(),
        }
    }

    fn report(review: Claim, tasks: Vec<Claim>) -> GateReport {
        let mut report = GateReport::new(&[]);
        let spec = SpecGate {
            folder: "/project".into(),
            root: ".".to_owned(),
            spec: "specs/A.md".to_owned(),
            unit: None,
            outcome: Outcome::NotPassed,
            review,
            tasks,
            unclaimed: Vec::new(),
            faults: Vec::new(),
            run: None,
            status: SpecStatus::default(),
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
