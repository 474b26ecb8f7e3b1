//! A2.

use crate::copies::{Change, in_plan};
use crate::facts::{Facts, FileUse, SharedFile, Task, Waiting};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::{Sink, sentence};

rule! {
    /// Finds a file that a task modifies without waiting for the task that
    /// creates it.
    ///
    /// ## What it does
    /// Looks for the files that the deliverables of one task mark as created
    /// and those of another as modified, and follows `depends_on` from the
    /// second task to the first, directly or through others.
    ///
    /// ## Why is this bad
    /// The task may be started while the file does not exist. It then makes
    /// the file itself, and the task that should create it overwrites that.
    ///
    /// ## Example
    /// Task 1 lists `store.go  # CREATE`, task 3 lists `store.go  # MODIFY`
    /// with `depends_on: [2]`, and task 2 depends on nothing.
    ///
    /// ## Fix
    /// Add the dependency: `depends_on: [1, 2]`.
    ModifiedBeforeCreated {
        code: "A2",
        name: "modified-before-created",
        criterion: Architecture,
        severity: Error,
        fixes: [Unsafe],
        summary: "A task modifies a file without waiting for the task that creates it.",
    }
}

/// The most tasks that create a file among which one is looked for; more of
/// them are another rule's finding.
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
        let mut waiting = Waiting::default();
        for (creators, user) in asked {
            let answers: Vec<_> = answers.by_ref().take(creators.len()).collect();
            if answers.iter().any(|answer| answer[0] != Some(false)) {
                continue;
            }
            let (Some(&creator), Some(first)) = (creators.first(), answers.first()) else {
                continue;
            };
            let may_wait = sharing.may_wait(creator, user);
            let fix = may_wait.then(|| fix(facts, creator, user, &mut waiting));
            let (message, suggestion) = texts(&facts.tasks, creator, user, first[1] == Some(true));
            let task = user.task(&facts.tasks);
            sink.push(
                task.document,
                user.file(&facts.tasks).span,
                sentence(message),
                suggestion,
            )
            .fix(fix.flatten());
        }
    }
}

/// Each task that modifies the file, with those that create it.
fn uses(file: &SharedFile) -> impl Iterator<Item = (&[FileUse], FileUse)> {
    let creators = &file.creates[..file.creates.len().min(MAX_CREATORS)];
    let users = file.modifies.iter().filter(|_| !creators.is_empty());
    users.map(move |&user| (creators, user))
}

/// Lets the user wait for the creator.
fn fix(facts: &Facts<'_>, creator: FileUse, user: FileUse, waiting: &mut Waiting) -> Option<Fix> {
    let (creating, using) = (creator.task(&facts.tasks), user.task(&facts.tasks));
    let edit = waiting.edit(facts, creator, user)?;
    let fix = Fix::of(Safety::Unsafe, vec![edit]);
    let change = Change::Adds(creating.number()?);
    in_plan(facts, &using.file.path, change, fix)
}

/// The message and the suggestion; `reversed` where the task that creates the
/// file waits for the one that modifies it.
fn texts(tasks: &[Task<'_>], creator: FileUse, user: FileUse, reversed: bool) -> (String, String) {
    let (maker, task) = (creator.task(tasks).label(), user.task(tasks).label());
    let path = &user.file(tasks).path;
    if reversed {
        (
            format!(
                "{task} modifies `{path}` before {maker}, which waits for it, creates the file."
            ),
            format!(
                "Create `{path}` in {task} and modify it in {maker}, or turn the dependency around."
            ),
        )
    } else {
        (
            format!("{task} modifies `{path}` and does not wait for {maker}, which creates it."),
            format!("Add {maker} to the `depends_on` of {task}."),
        )
    }
}
