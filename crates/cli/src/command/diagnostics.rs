//! Diagnostics of files, as people read them.

use review_types::diagnostic::{Diagnostic, DiagnosticCode, Severity};

use crate::output::printable;
use crate::output::style::{ERROR, HINT, RESET, WARNING};

/// A diagnostic of a file as a person reads it, with styles.
pub(super) fn rendered<C: DiagnosticCode>(path: &str, diagnostic: &Diagnostic<C>) -> String {
    let (style, severity) = match diagnostic.severity {
        Severity::Error => (ERROR, "error"),
        Severity::Warning => (WARNING, "warning"),
    };
    let place = if diagnostic.pointer.is_empty() {
        String::new()
    } else {
        format!(" {}", printable(&diagnostic.pointer))
    };
    let fix = match &diagnostic.fix {
        Some(fix) => format!("write {fix}"),
        None => diagnostic.advice().to_owned(),
    };
    format!(
        "{}:{}:{place} {style}{severity}[{}]{RESET}: {}\n  {HINT}fix{RESET}: {}\n",
        printable(path),
        diagnostic.line,
        diagnostic.code,
        printable(&diagnostic.message),
        printable(&fix),
    )
}
