//! What the gate found, as annotations of GitHub Actions.

use std::path::Path;

use super::change::ChangeLevel;
use super::report::{GateReport, SpecGate, unclaimed};
use crate::github::{Annotation, AnnotationLevel};
use crate::path::shown;
use crate::text::printable;

/// One workflow command for each fault and for each claim that does not hold, with the end
/// of what its command printed, and a warning where claims cover a part of the tasks of a
/// spec. Paths are shown as seen from `folder`.
#[must_use]
pub fn github(report: &GateReport, folder: &Path) -> String {
    let mut text = String::new();
    let mut annotate = |level, path: &Path, line, message: &str| {
        let annotation = Annotation {
            level,
            path: &shown(folder, path),
            line,
            end_line: line,
            column: 1,
            title: "ralph gate",
            message,
        };
        text.push_str(&format!("{annotation}\n"));
    };
    for compared in &report.compared {
        for change in compared.changes.iter().filter(|change| !change.allowed) {
            let level = match change.level {
                ChangeLevel::Error => AnnotationLevel::Error,
                ChangeLevel::Warning => AnnotationLevel::Warning,
            };
            let path = compared.folder.join(&change.path);
            annotate(
                level,
                &path,
                change.line,
                printable(&change.sentence()).as_ref(),
            );
        }
    }
    let mut add = |level, spec: &SpecGate, path: &str, message: &str| {
        annotate(level, &spec.folder.join(path), 1, message);
    };
    for spec in &report.specs {
        for fault in &spec.faults {
            add(AnnotationLevel::Error, spec, &spec.spec, fault);
        }
    }
    for (spec, claim) in report.open_claims() {
        let path = claim.path.as_ref().unwrap_or(&spec.spec);
        let mut message = format!("{}: {}", claim.name, claim.reason);
        if !claim.output.is_empty() {
            message.push('\n');
            message.push_str(printable(claim.output.trim_end()).as_ref());
        }
        add(AnnotationLevel::Error, spec, path, &message);
    }
    for spec in &report.specs {
        if let Some(warning) = unclaimed(std::slice::from_ref(spec)) {
            add(AnnotationLevel::Warning, spec, &spec.spec, &warning);
        }
    }
    text
}
