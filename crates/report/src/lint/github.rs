//! What `lint` found, as annotations of GitHub Actions.

use std::path::Path;

use review_lint::Severity;

use super::report::LintReport;
use crate::github::{Annotation, AnnotationLevel};
use crate::path::shown;

/// One workflow command a finding. Paths are shown as seen from `folder`.
#[must_use]
pub fn github(report: &LintReport<'_>, folder: &Path) -> String {
    let mut text = String::new();
    for found in &report.findings {
        let finding = found.finding;
        let annotation = Annotation {
            level: match finding.severity {
                Severity::Error => AnnotationLevel::Error,
                Severity::Warning => AnnotationLevel::Warning,
                Severity::Info => AnnotationLevel::Notice,
            },
            path: &shown(folder, &found.documents.file(&finding.path)),
            line: finding.position.line,
            end_line: finding.end_line,
            column: finding.position.column,
            title: &format!("{} {}", finding.rule.code(), finding.rule.name()),
            message: &format!("{}\n{}", finding.message, finding.suggestion),
        };
        text.push_str(&format!("{annotation}\n"));
    }
    text
}
