//! What is wrong with a file that is validated.

use review_learning::corrections::Code;
use review_schema::actionable::Code as FeedbackCode;

use super::{Entry, Kind};

/// The diagnostics of corrections.
pub(super) fn corrections() -> impl Iterator<Item = Entry> {
    Code::ALL.iter().map(|code| {
        let list = code.list().as_str();
        let text = format!(
            "{}\n`ralph corrections validate` tells it; it is one of the list \"{list}\".\n",
            code.advice()
        );
        Entry::new(Kind::Diagnostic, code.as_str(), code.summary(), text)
    })
}

/// The diagnostics of actionable-feedback documents.
pub(super) fn feedback() -> impl Iterator<Item = Entry> {
    FeedbackCode::ALL.iter().map(|code| {
        let list = code.list().as_str();
        let text = format!(
            "{}\n`ralph feedback validate` tells it; it is one of the list \"{list}\".\n",
            code.fix()
        );
        Entry::new(Kind::Diagnostic, code.as_str(), code.summary(), text)
    })
}
