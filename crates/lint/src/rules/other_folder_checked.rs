//! B6.

use review_document::command::{Invocation, Runner, Script, Word};
use review_document::workspace::Language;

use crate::facts::{Facts, Task};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a command that tests a different folder from the one that the task
    /// changes.
    ///
    /// ## What it does
    /// Compares the packages of `go test` with the Go files in the deliverables of the
    /// task. One file below one of the packages is enough. A command that also
    /// compiles, which covers what a package imports, or that runs scripts or recipes
    /// is not checked; neither are languages whose tests are in separate folders.
    ///
    /// ## Why is this bad
    /// The tests of the new code are not run.
    ///
    /// ## Example
    /// `go test ./internal/web/...` in a task that creates
    /// `internal/store/store.go`.
    ///
    /// ## Fix
    /// Test the folder of the deliverables: `go test ./internal/store/...`.
    OtherFolderChecked {
        code: "B6",
        name: "other-folder-checked",
        criterion: Testability,
        severity: Info,
        summary: "A command tests a different folder from the deliverables.",
    }
}

impl OtherFolderChecked {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for task in &facts.tasks {
            let scripts = task.steps.iter().map(|step| &step.script);
            let (Some(file), Some(targets)) = (go_files(task).next(), targets(scripts)) else {
                continue;
            };
            sink.look_at(targets.len());
            let (Some(first), true) = (targets.first(), are_elsewhere(&targets, task)) else {
                continue;
            };
            let step = &task.steps[first.step];
            let command = &step.script.commands()[first.command];
            let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
            let message = format!(
                "The command tests `{}`, but the task changes `{}`.",
                excerpt(&first.folder, 120),
                excerpt(file, 120)
            );
            let suggestion = format!("Test `./{}/...` instead.", excerpt(folder, 120));
            sink.push(
                task.document,
                step.locate(command.span),
                message,
                suggestion,
            );
        }
    }
}

/// Whether these scripts would test a different folder from the one that a task
/// changes.
pub(super) fn tests_elsewhere<'t>(
    task: &Task<'_>,
    scripts: impl Iterator<Item = &'t Script<'t>>,
) -> bool {
    go_files(task).next().is_some()
        && targets(scripts).is_some_and(|targets| are_elsewhere(&targets, task))
}

fn go_files<'t>(task: &'t Task<'_>) -> impl Iterator<Item = &'t str> {
    let files = task.deliverables.files.iter().map(|file| &*file.path);
    files.filter(|path| Language::Go.is_source(path))
}

fn are_elsewhere(targets: &[Target], task: &Task<'_>) -> bool {
    !go_files(task).any(|file| targets.iter().any(|target| target.holds(file)))
}

/// The maximum number of packages of a task that are compared with its files.
const MAX_TARGETS: usize = 64;

/// A folder that a command tests.
struct Target {
    folder: String,
    step: usize,
    command: usize,
}

impl Target {
    /// Whether the file is in the folder or below it.
    fn holds(&self, file: &str) -> bool {
        let rest = file.strip_prefix(&*self.folder);
        self.folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    }
}

/// The folders that scripts test; `None` if something else may check more.
fn targets<'t>(scripts: impl Iterator<Item = &'t Script<'t>>) -> Option<Vec<Target>> {
    let mut found = Vec::new();
    for (step, script) in scripts.enumerate() {
        for run in script.invocations() {
            let mut add = |folder| {
                found.push(Target {
                    folder,
                    step,
                    command: run.command,
                });
            };
            match run.runner {
                Runner::Check => {}
                Runner::GoTest if run.packages.is_empty() => add(run.folder.join("")?),
                Runner::GoTest => {
                    for word in &run.packages {
                        add(folder(run, word)?);
                    }
                }
                _ => return None,
            }
        }
    }
    (!found.is_empty() && found.len() <= MAX_TARGETS).then_some(found)
}

/// The folder of a package; `None` if it is not a folder of the project.
fn folder(run: &Invocation<'_>, word: &Word<'_>) -> Option<String> {
    let package = word.text.strip_suffix("...").unwrap_or(&word.text);
    let package = package.strip_suffix(".go").map_or(package, |_| {
        package.rsplit_once('/').map_or(".", |(folder, _)| folder)
    });
    let is_folder = word.is_literal() && package.starts_with('.');
    run.folder.join(package).filter(|_| is_folder)
}
