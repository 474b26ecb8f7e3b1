//! What is wrong with a file that is validated.

use review_types::diagnostic::DiagnosticCode;

use super::{Entry, Kind};

/// The diagnostics that `command` tells.
pub(super) fn of<C: DiagnosticCode>(command: &str) -> impl Iterator<Item = Entry> {
    C::ALL.iter().map(move |code| {
        let (list, advice) = (code.list().as_str(), code.advice());
        let text = format!("{advice}\n`{command}` tells it; it is one of the list \"{list}\".\n");
        Entry::new(Kind::Diagnostic, code.as_str(), code.summary(), text)
    })
}
