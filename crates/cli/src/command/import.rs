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
use review_report::style::{FAINT, GOOD, RESET};

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
    let name = |path: &str| printable(&shown(folder, &root_path.join(path))).into_owned();
    let mut text = String::new();
    let verb = match args.dry_run {
        true => "would write",
        false => "wrote",
    };
    if importing.is_unchanged() {
        let source = name(&importing.source);
        text += &format!(
            "nothing changed since the last import of {source}, and what is there stays as it is\n"
        );
    } else {
        for path in importing.files.keys() {
            text += &format!("{GOOD}{verb}{RESET} {}\n", name(path.as_str()));
        }
        for path in &importing.kept {
            let path = name(path);
            text += &format!("{FAINT}kept{RESET} {path}, which was there already\n");
        }
        for line in remarks(&importing, args) {
            text += &printable(&format!("{line}\n"));
        }
    }
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

/// What was not taken over as it is, and what is to be done by hand.
fn remarks(importing: &Importing, args: &ImportTasksArgs) -> Vec<String> {
    type Test = fn(&ImportedTask) -> bool;
    let tasks = &importing.tasks;
    let list = |test: Test, what: &str| {
        let chosen: Vec<_> = tasks.iter().filter(|task| test(task)).collect();
        let names = chosen
            .iter()
            .map(|task| format!("{} {}", task.number, task.id));
        let count = plural(chosen.len(), "task", "tasks");
        (!chosen.is_empty()).then(|| format!("{count} {what}: {}", listed(names, MAX_LISTED)))
    };
    let is_kept_plan = |path: &String| path.ends_with("/IMPLEMENTATION_PLAN.md");
    let is_new: Test = |task| !task.was_there;
    let claimed = match &args.command {
        Some(_) => "called done, until `ralph gate` disproves it",
        None => "called done, and pending since no command proves it",
    };
    let mut remarks: Vec<_> = [
        list(|task| task.is_claimed && !task.was_there, claimed),
        list(
            |task| task.differs,
            "whose file differs from the source, which you edit where it is wrong",
        ),
        list(is_new, "to add to the table of the plan")
            .filter(|_| importing.kept.iter().any(is_kept_plan)),
        list(
            is_new,
            "to give a command, by `--command` or `backpressure` in the front matter",
        )
        .filter(|_| args.command.is_none()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let new = tasks.iter().filter(|task| is_new(task)).count();
    if new > 1 && args.command.as_ref().is_some_and(CommandTemplate::is_fixed) {
        remarks.push(format!(
            "{new} tasks have one command: they are proved together or not at all"
        ));
    }
    let left_out = importing.left_out.iter();
    remarks.extend(left_out.map(|what| format!("not taken over: {what}")));
    remarks
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
