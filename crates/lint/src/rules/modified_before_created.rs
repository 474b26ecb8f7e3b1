//! A2.

use crate::facts::{Facts, FileUse, SharedFile, Task};
use crate::rule::rule;
use crate::sink::{Sink, sentence};

rule! {
    /// Finds a file that a task modifies without a dependency on the task that creates
    /// it.
    ///
    /// ## What it does
    /// Compares the files that the deliverables of one task mark as created with those
    /// that another task marks as modified, and follows `depends_on` from the second
    /// task to the first, directly or indirectly.
    ///
    /// ## Why is this bad
    /// The task may start before the file exists. It then creates the file itself, and
    /// the task that should create it overwrites it.
    ///
    /// ## Example
    /// Task 1 lists `store.go  # CREATE`, task 3 lists `store.go  # MODIFY`
    /// with `depends_on: [2]`, and task 2 has no dependencies.
    ///
    /// ## Fix
    /// Add the dependency: `depends_on: [1, 2]`.
    ModifiedBeforeCreated {
        code: "A2",
        name: "modified-before-created",
        criterion: Architecture,
        severity: Error,
        summary: "A task modifies a file without a dependency on the task that creates it.",
    }
}

/// The maximum number of creating tasks that are examined; if there are more, another
/// rule reports them.
const MAX_CREATORS: usize = 8;

impl ModifiedBeforeCreated {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        sink.look_at(facts.known_files());
        let Some(sharing) = facts.sharing() else {
            return;
        };
        let asked: Vec<_> = sharing.files.iter().flat_map(uses).collect();
        let pairs: Vec<_> = asked
            .iter()
            .flat_map(|(creators, user)| {
                creators
                    .iter()
                    .flat_map(|&creator| [(creator, *user), (*user, creator)])
            })
            .collect();
        let answers = sharing.waits(&pairs);
        let mut answers = answers.chunks_exact(2);
        for (creators, user) in asked {
            let answers: Vec<_> = answers.by_ref().take(creators.len()).collect();
            if answers.iter().any(|answer| answer[0] != Some(false)) {
                continue;
            }
            let (Some(&creator), Some(first)) = (creators.first(), answers.first()) else {
                continue;
            };
            let (message, suggestion) = texts(&facts.tasks, creator, user, first[1] == Some(true));
            let task = user.task(&facts.tasks);
            sink.push(
                task.document,
                user.file(&facts.tasks).span,
                sentence(message),
                suggestion,
            );
        }
    }
}

/// Each task that modifies the file, with those that create it.
fn uses(file: &SharedFile) -> impl Iterator<Item = (&[FileUse], FileUse)> {
    let creators = &file.creates[..file.creates.len().min(MAX_CREATORS)];
    let users = file.modifies.iter().filter(|_| !creators.is_empty());
    users.map(move |&user| (creators, user))
}

/// The message and the suggestion; `reversed` if the creating task depends on the
/// modifying one.
fn texts(tasks: &[Task<'_>], creator: FileUse, user: FileUse, reversed: bool) -> (String, String) {
    let (maker, task) = (creator.task(tasks).label(), user.task(tasks).label());
    let path = &user.file(tasks).path;
    if reversed {
        (
            format!(
                "{task} modifies `{path}`, but {maker}, which creates the file, depends on it."
            ),
            format!(
                "Create `{path}` in {task} and modify it in {maker}, or reverse the dependency."
            ),
        )
    } else {
        (
            format!("{task} modifies `{path}` but does not depend on {maker}, which creates it."),
            format!("Add {maker} to the `depends_on` of {task}."),
        )
    }
}
