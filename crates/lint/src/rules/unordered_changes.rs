//! A3.

use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::{Sink, sentence};

rule! {
    /// Finds a file that two tasks modify without a dependency between them.
    ///
    /// ## What it does
    /// Compares the files that the deliverables of the unit's tasks mark as modified,
    /// and follows `depends_on` between the tasks that share one.
    ///
    /// ## Why is this bad
    /// The result depends on which task runs first, and tasks that run in parallel
    /// overwrite each other's changes.
    ///
    /// ## Example
    /// Tasks 2 and 3 both list `server.go  # MODIFY` and both have
    /// `depends_on: [1]`.
    ///
    /// ## Fix
    /// Add a dependency, `depends_on: [1, 2]` in task 3, or change the file in only one
    /// task.
    UnorderedChanges {
        code: "A3",
        name: "unordered-changes",
        criterion: Architecture,
        severity: Warning,
        summary: "Two tasks modify the same file, and neither depends on the other.",
    }
}

impl UnorderedChanges {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let tasks = &facts.tasks;
        sink.look_at(facts.known_files());
        let Some(sharing) = facts.sharing() else {
            return;
        };
        let files = sharing.files.iter();
        let pairs: Vec<_> = files
            .flat_map(|file| file.modifies.windows(2).map(|pair| (pair[0], pair[1])))
            .collect();
        for (&(first, second), waits) in pairs.iter().zip(sharing.waits(&pairs)) {
            if waits != Some(false) {
                continue;
            }
            let (one, two) = (first.task(tasks).label(), second.task(tasks).label());
            let file = second.file(tasks);
            let path = &file.path;
            let message =
                format!("{one} and {two} both modify `{path}`, and neither depends on the other.");
            let suggestion = format!(
                "Add {one} to the `depends_on` of {two}, or change `{path}` in only one of the two."
            );
            sink.push(
                second.task(tasks).document,
                file.span,
                sentence(message),
                suggestion,
            );
        }
    }
}
