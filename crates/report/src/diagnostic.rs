//! Diagnostics of files.

use review_types::diagnostic::{Diagnostic, DiagnosticCode, Severity};

use crate::style::{ERROR, HINT, RESET, WARNING};
use crate::text::printable;

/// Returns a diagnostic of a file as users read it, with styles.
#[must_use]
pub fn diagnostic<C: DiagnosticCode>(path: &str, found: &Diagnostic<C>) -> String {
    let (style, severity) = match found.severity {
        Severity::Error => (ERROR, "error"),
        Severity::Warning => (WARNING, "warning"),
    };
    let place = if found.pointer.is_empty() {
        String::new()
    } else {
        format!(" {}", printable(&found.pointer))
    };
    let fix = match &found.fix {
        Some(fix) => format!("write {fix}"),
        None => found.advice().to_owned(),
    };
    format!(
        "{}:{}:{place} {style}{severity}[{}]{RESET}: {}\n  {HINT}fix{RESET}: {}\n",
        printable(path),
        found.line,
        found.code,
        printable(&found.message),
        printable(&fix),
    )
}
