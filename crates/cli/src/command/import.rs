//! `ralph import`: work that was planned with another tool becomes a unit.

use std::path::{Path, PathBuf};

use clap::Args;

use review_document::import::CommandTemplate;
use review_engine::{ImportFailure, ImportedTask, Importing, importable};
use review_report::shown;
use review_store::Root;
use review_types::{ExitCode, listed, plural};

use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use review_report::printable;

#[derive(Debug, Args)]
pub(crate) struct ImportTasksArgs {
    /// prd.json, a Markdown file with boxes, a feature folder of spec-kit or a change
    /// folder of OpenSpec.
    path: PathBuf,
    /// The command that proves a task, for all tasks; {id} is that of the task.
    #[arg(long, value_name = "CMD")]
    command: Option<CommandTemplate>,
    /// Print what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// The most tasks that a line lists.
const MAX_LISTED: usize = 20;

/// Carries out `import`.
pub(crate) fn run(context: &mut Context, args: &ImportTasksArgs) -> CommandResult {
    let path = context.absolute(&args.path);
    let root_path = context.root_of(&path);
    let root = Root::open(&root_path)?;
    let importing = Importing::of(&root, &path, args.command.as_ref())
        .map_err(|error| failed(context, &root_path, &error))?;
    if !args.dry_run {
        importing.write(&root)?;
    }
    let folder = context.environment.folder();
    let name = |path: &str| shown(folder, &root_path.join(path));
    let mut text = String::new();
    if importing.is_unchanged() {
        let source = name(&importing.source);
        text += &format!(
            "nothing changed since the last import of {source}, and what is there stays as it is\n"
        );
    } else {
        let verb = if args.dry_run { "would write" } else { "wrote" };
        for path in importing.files.keys() {
            text += &format!("{verb} {}\n", name(path.as_str()));
        }
        for path in &importing.kept {
            text += &format!("kept {}, which was there already\n", name(path));
        }
        for line in remarks(&importing, args) {
            text += &format!("{line}\n");
        }
    }
    if args.command.is_some() && importing.tasks.iter().all(|task| task.was_there) {
        text += "`--command` is for new tasks: `backpressure` in the front matter gives one to a task that is there\n";
    }
    if !args.dry_run {
        let status = context.command(&["ralph", "status", &name(&importing.spec)]);
        text += &format!("next: `{status}`\n");
    }
    context.streams.print(&printable(&text))?;
    Ok(ExitCode::Passed)
}

/// What was not taken over as it is, and what is to be done by hand.
fn remarks(importing: &Importing, args: &ImportTasksArgs) -> Vec<String> {
    let new = || importing.tasks.iter().filter(|task| !task.was_there);
    let list = |tasks: Vec<&ImportedTask>, what: &str| {
        let names = tasks.iter();
        let names = names.map(|task| format!("{} {}", task.number, task.id));
        let count = plural(tasks.len(), "task", "tasks");
        (!tasks.is_empty()).then(|| format!("{count} {what}: {}", listed(names, MAX_LISTED)))
    };
    let claimed = match &args.command {
        Some(_) => "called done, until `ralph gate` disproves it",
        None => "called done, and pending since no command proves it",
    };
    let differ = importing.tasks.iter().filter(|task| task.differs).collect();
    let mut remarks = vec![
        list(new().filter(|task| task.is_claimed).collect(), claimed),
        list(
            differ,
            "whose file differs from the source, which you edit where it is wrong",
        ),
    ];
    if !importing.gone.is_empty() {
        let count = plural(importing.gone.len(), "task", "tasks");
        let gone = listed(&importing.gone, MAX_LISTED);
        remarks.push(Some(format!(
            "{count} that the source has no more, which you remove if not wanted: {gone}"
        )));
    }
    let mut kept = importing.kept.iter();
    if kept.any(|path| path.ends_with("/IMPLEMENTATION_PLAN.md")) {
        remarks.push(list(new().collect(), "to add to the table of the plan"));
    }
    match &args.command {
        None => {
            let what = match args.dry_run {
                true => {
                    "to give a command, by `--command`, or later by `backpressure` in the front matter"
                }
                false => "to give a command, by `backpressure` in the front matter",
            };
            remarks.push(list(new().collect(), what));
        }
        Some(command) if command.is_fixed() && new().count() > 1 => remarks.push(Some(format!(
            "{} tasks have one command: they are proved together or not at all",
            new().count()
        ))),
        Some(_) => {}
    }
    let left_out = importing.left_out.iter();
    let left_out = left_out.map(|what| format!("not taken over: {what}"));
    remarks.into_iter().flatten().chain(left_out).collect()
}

/// The error of an import, with what can be imported where that was not said.
fn failed(context: &Context, root: &Path, error: &ImportFailure) -> CommandError {
    let failed = CommandError::new(error.to_string());
    match error {
        ImportFailure::NoTask(_) => return failed.exits(ExitCode::NotPassed),
        ImportFailure::NoShape(_) => {}
        _ => return failed,
    }
    let failed = failed.hints(context.import_hints(root, root));
    failed.hint("`ralph plan` has an agent make tasks of any file")
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
