//! `ralph import`: work that was planned with another tool becomes a unit.

use std::path::Path;

use review_engine::{ImportFailure, ImportedTask, Importing, importable};
use review_report::shown;
use review_types::{ExitCode, plural};

use crate::args::ImportTasksArgs;
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::target::open_root;
use review_report::printable;
use review_report::style::{FAINT, GOOD, RESET};

/// The most tasks that a line lists.
const MAX_LISTED: usize = 20;

/// Carries out `import`.
pub(crate) fn run(context: &mut Context, args: &ImportTasksArgs) -> Ended {
    let path = context.absolute(&args.path);
    let root_path = context.root_of(&path);
    let root = open_root(&root_path)?;
    let importing = Importing::of(&root, &path, args.command.as_ref())
        .map_err(|error| failed(context, &root_path, &error))?;
    if !args.dry_run {
        importing
            .write(&root)
            .map_err(|error| CommandError::new(ErrorKind::Output, error.to_string()))?;
    }
    let folder = context.environment.folder();
    let name = |path: &str| printable(&shown(folder, &root_path.join(path))).into_owned();
    let mut text = String::new();
    let verb = match args.dry_run {
        true => "would write",
        false => "wrote",
    };
    for path in importing.files.keys() {
        text += &format!("{GOOD}{verb}{RESET} {}\n", name(path.as_str()));
    }
    for path in &importing.kept {
        let path = name(path);
        text += &format!("{FAINT}kept{RESET} {path}, which was there already\n");
    }
    for (word, line) in rows(&importing, args) {
        text += &printable(&format!("{word:<8} {line}\n"));
    }
    text += &format!("{} is not changed\n", name(&importing.source));
    let mut words = vec![
        "ralph".to_owned(),
        "status".to_owned(),
        name(&importing.spec),
    ];
    words.extend(context.given_options());
    if !args.dry_run {
        text += &format!("next: `{}`\n", shell_words::join(words));
    }
    context.streams.print(&text)?;
    Ok(ExitCode::Passed)
}

/// The table of what was taken, changed and lost, and of what is to be done by hand.
fn rows(importing: &Importing, args: &ImportTasksArgs) -> Vec<(&'static str, String)> {
    type Test = fn(&ImportedTask) -> bool;
    let tasks = &importing.tasks;
    let list = |word, test: Test, what: &str| {
        let chosen: Vec<_> = tasks.iter().filter(|task| test(task)).collect();
        let names = chosen.iter().take(MAX_LISTED);
        let names: Vec<_> = names
            .map(|task| format!("{} {}", task.number, task.id))
            .collect();
        let more = match chosen.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let count = plural(chosen.len(), "task", "tasks");
        let text = format!("{count} {what}: {}{more}", names.join(", "));
        (!chosen.is_empty()).then_some((word, text))
    };
    let taken = [
        plural(tasks.len(), "task", "tasks"),
        plural(importing.criteria, "criterion", "criteria"),
        plural(importing.dependencies, "dependency", "dependencies"),
    ];
    let kept_plan = importing
        .kept
        .iter()
        .any(|path| path.ends_with("/IMPLEMENTATION_PLAN.md"));
    let new = tasks.iter().filter(|task| !task.was_there).count();
    let command = args.command.as_ref().filter(|command| command.is_fixed());
    let notes = importing.notes.iter();
    let notes = notes.map(|note| (note.kind.as_str(), note.text.clone()));
    let is_proved: Test = |task| task.is_claimed && task.has_command && !task.was_there;
    [
        Some(("taken", taken.join(", "))),
        list(
            "claimed",
            is_proved,
            "called done, until `ralph gate` disproves it",
        ),
        list(
            "changed",
            |task| task.is_claimed && !task.has_command,
            "called done: pending, since nothing can prove it",
        ),
        list(
            "differs",
            |task| task.differs,
            "whose file differs from the source",
        ),
        list(
            "to do",
            |task| !task.was_there,
            "to add to the table of the plan",
        )
        .filter(|_| kept_plan),
        list(
            "to do",
            |task| !task.has_command,
            "without a command (`backpressure` in the front matter)",
        ),
        (new > 1).then_some(command).flatten().map(|_| {
            let text =
                format!("one command for {new} tasks: they are proved together or not at all");
            ("note", text)
        }),
    ]
    .into_iter()
    .flatten()
    .chain(notes)
    .collect()
}

/// The error of an import, with what can be imported where that was not said.
fn failed(context: &Context, root: &Path, error: &ImportFailure) -> CommandError {
    let kind = match error {
        ImportFailure::NoTask(_) => ErrorKind::Refused,
        ImportFailure::Several { .. } | ImportFailure::HasUnit { .. } => ErrorKind::Usage,
        ImportFailure::Confine(_) | ImportFailure::NoShape(_) | ImportFailure::Unusable(_) => {
            ErrorKind::Input
        }
    };
    let failed = CommandError::new(kind, error.to_string());
    match error {
        ImportFailure::Several { sources, .. } => {
            let paths = sources.iter().map(|source| root.join(source));
            let folder = context.environment.folder();
            paths.fold(failed, |error, path| {
                error.hint(format!("there is {}", shown(folder, &path)))
            })
        }
        ImportFailure::NoShape(_) => {
            let hints = context.import_hints(root, root).into_iter();
            let failed = hints.fold(failed, CommandError::hint);
            failed.hint("`ralph plan` has an agent make tasks of any file")
        }
        ImportFailure::HasUnit { dir, .. } => {
            failed.hint(format!("add the tasks there, or remove {dir}"))
        }
        _ => failed,
    }
}

impl Context {
    /// The commands that import what other tools planned in a folder of a root.
    pub(crate) fn import_hints(&self, root: &Path, inside: &Path) -> Vec<String> {
        let folder = self.environment.folder();
        let sources = importable(root).into_iter();
        let sources = sources.filter(|source| source.starts_with(inside));
        let sources = sources.take(MAX_LISTED);
        let words = sources.map(|source| {
            let path = shown(folder, &source);
            shell_words::join(["ralph", "import", &path])
        });
        words
            .map(|command| format!("`{command}` takes over what is planned there"))
            .collect()
    }
}
