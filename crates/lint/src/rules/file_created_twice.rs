//! A1.

use crate::Severity;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::{Sink, sentence};

rule! {
    /// Finds a file that two tasks create.
    ///
    /// ## What it does
    /// Compares the files that the deliverables of the unit's tasks mark as created: in
    /// trees, lists and tables, or below a heading such as `Files to Create`. If one
    /// task depends on the other the finding is a warning, otherwise an error.
    ///
    /// ## Why is this bad
    /// The second task overwrites the work of the first, or fails because the file
    /// already exists. Without a dependency, either may run last.
    ///
    /// ## Example
    /// `02-parser.md` and `03-printer.md` both list `ast.go  # CREATE`.
    ///
    /// ## Fix
    /// Create the file in one task. Mark it `MODIFY` in the other, and let that task
    /// depend on the first.
    FileCreatedTwice {
        code: "A1",
        name: "file-created-twice",
        criterion: Architecture,
        severity: Error,
        summary: "Two tasks create the same file.",
    }
}

impl FileCreatedTwice {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let tasks = &facts.tasks;
        sink.look_at(facts.known_files());
        let Some(sharing) = facts.sharing() else {
            return;
        };
        let files = sharing.files.iter();
        let pairs: Vec<_> = files
            .flat_map(|file| file.creates.windows(2).map(|pair| (pair[0], pair[1])))
            .collect();
        for (&(first, second), waits) in pairs.iter().zip(sharing.waits(&pairs)) {
            let (one, two) = (first.task(tasks), second.task(tasks));
            let path = &second.file(tasks).path;
            let unordered = waits == Some(false);
            let message = if unordered {
                format!(
                    "{} and {} both create `{path}`, and neither depends on the other.",
                    one.label(),
                    two.label()
                )
            } else {
                format!(
                    "{} creates `{path}`, which {} already creates.",
                    two.label(),
                    one.label()
                )
            };
            let order = if unordered {
                format!(" and add {} to its `depends_on`", one.label())
            } else {
                String::new()
            };
            let suggestion = format!(
                "Mark `{path}` as `MODIFY` in {}{order}, or use another file in one of the two.",
                two.label()
            );
            let draft = sink.push(
                two.document,
                second.file(tasks).span,
                sentence(message),
                suggestion,
            );
            if !unordered {
                draft.severity(Severity::Warning);
            }
        }
    }
}
