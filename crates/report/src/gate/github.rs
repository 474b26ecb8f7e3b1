//! What the gate found, as annotations of GitHub Actions.

use std::path::Path;

use super::report::GateReport;
use crate::github::{Annotation, AnnotationLevel};
use crate::path::shown;

/// One workflow command for each claim that does not hold. Paths are shown as
/// seen from `folder`.
#[must_use]
pub fn github(report: &GateReport, folder: &Path) -> String {
    let mut text = String::new();
    for (spec, claim) in report.open_claims() {
        let path = spec.root.join(claim.path.as_ref().unwrap_or(&spec.spec));
        let annotation = Annotation {
            level: AnnotationLevel::Error,
            path: &shown(folder, &path),
            line: 1,
            end_line: 1,
            column: 1,
            title: "ralph gate",
            message: &format!("{}: {}", claim.name, claim.reason),
        };
        text.push_str(&format!("{annotation}\n"));
    }
    text
}
