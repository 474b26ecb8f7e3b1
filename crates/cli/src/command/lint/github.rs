//! What `lint` found, as annotations of GitHub Actions.

use std::path::Path;

use review_lint::Severity;

use super::checked::Checked;
use crate::location::shown;
use crate::output::{Annotation, AnnotationLevel};

/// One workflow command a finding. Paths are shown as seen from `folder`.
pub(super) fn annotations(checked: &Checked, folder: &Path) -> String {
    let mut text = String::new();
    for (part, finding) in checked.located() {
        let annotation = Annotation {
            level: match finding.severity {
                Severity::Error => AnnotationLevel::Error,
                Severity::Warning => AnnotationLevel::Warning,
                Severity::Info => AnnotationLevel::Notice,
            },
            path: &shown(folder, &part.file(&finding.path)),
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
