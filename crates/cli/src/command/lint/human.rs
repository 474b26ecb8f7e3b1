//! What `lint` found, for people and for GitHub.

use std::path::Path;

use review_lint::{Finding, Safety, Severity};
use review_types::{Verdict, plural};

use super::checked::{Checked, Part};
use super::counted;
use crate::location::shown;
use crate::output::style::{ERROR, GOOD, RESET, WARNING};
use crate::output::{Annotation, AnnotationLevel, NoteLevel, SourceNote};

/// Every finding with its lines, then what they come to. Paths are shown as
/// seen from `folder`.
pub(super) fn render(checked: &Checked, folder: &Path) -> String {
    let mut text = String::new();
    for part in &checked.parts {
        for finding in part.report.findings() {
            text.push_str(&note(part, finding, folder).render());
            text.push('\n');
        }
    }
    text.push_str(&summary(checked));
    text
}

fn note(part: &Part, finding: &Finding, folder: &Path) -> SourceNote {
    let level = match finding.severity {
        Severity::Error => NoteLevel::Error,
        Severity::Warning => NoteLevel::Warning,
        Severity::Info => NoteLevel::Info,
    };
    let document = part.workspace.document(&finding.path);
    let source = document.map_or("", |document| document.source.as_str());
    let place = (finding.position.line, finding.span.range());
    let note = SourceNote::new(
        level,
        &finding.message,
        path(part, finding, folder),
        source,
        place,
    )
    .code(finding.rule.code())
    .help(&finding.suggestion);
    match part.report.cost(finding) {
        0 => note,
        points => {
            let points = plural(points.into(), "point", "points");
            note.note(format!("costs {points} of {}", finding.criterion()))
        }
    }
}

fn path(part: &Part, finding: &Finding, folder: &Path) -> String {
    shown(folder, &part.root.join(&finding.path))
}

fn summary(checked: &Checked) -> String {
    let findings: Vec<&Finding> = checked.findings().collect();
    let of = |severity| {
        findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let mut text = counted(findings.len(), checked.mended);
    if !findings.is_empty() {
        let errors = plural(errors, "error", "errors");
        let warnings = plural(warnings, "warning", "warnings");
        text.push_str(&format!(": {errors}, {warnings}"));
    }
    text.push('\n');
    let fixable = |safety| {
        let fixes = findings.iter().filter_map(|finding| finding.fix.as_ref());
        fixes.filter(|fix| fix.safety == safety).count()
    };
    let (safe, unsafe_fixes) = (fixable(Safety::Safe), fixable(Safety::Unsafe));
    if safe > 0 {
        text.push_str(&format!("{safe} can be mended with --fix\n"));
    }
    if unsafe_fixes > 0 {
        text.push_str(&format!(
            "{unsafe_fixes} can be mended with --fix --unsafe-fixes\n"
        ));
    }
    for (name, score) in checked.scores().iter() {
        text.push_str(&format!("  {name} {score}\n"));
    }
    text.push_str(&match checked.verdict() {
        Some(Verdict::Pass) => format!("{GOOD}pass{RESET}, says the embedded reviewer\n"),
        Some(Verdict::NeedsRevision) => {
            format!("{WARNING}needs_revision{RESET}, says the embedded reviewer\n")
        }
        None => format!("{ERROR}no verdict{RESET}: no rule had anything to look at\n"),
    });
    if let Some(worst) = findings.iter().max_by_key(|finding| finding.severity) {
        text.push_str(&format!("Next: ralph explain {}\n", worst.rule));
    }
    text
}

/// One workflow command a finding.
pub(super) fn annotations(checked: &Checked, folder: &Path) -> String {
    let mut text = String::new();
    for part in &checked.parts {
        for finding in part.report.findings() {
            let annotation = Annotation {
                level: match finding.severity {
                    Severity::Error => AnnotationLevel::Error,
                    Severity::Warning => AnnotationLevel::Warning,
                    Severity::Info => AnnotationLevel::Notice,
                },
                path: &path(part, finding, folder),
                line: finding.position.line,
                end_line: finding.end_line,
                column: finding.position.column,
                title: &format!("{} {}", finding.rule.code(), finding.rule.name()),
                message: &format!("{}\n{}", finding.message, finding.suggestion),
            };
            text.push_str(&format!("{annotation}\n"));
        }
    }
    text
}
