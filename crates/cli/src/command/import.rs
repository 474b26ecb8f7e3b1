//! `ralph import`: work that was planned with another tool becomes a unit.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use review_engine::{EngineError, ImportedTask, Importing, importable};
use review_report::{NextStep, next_steps, printable, shown};
use review_store::Root;
use review_types::{ExitCode, listed, plural};

use crate::context::Context;
use crate::error::{CommandError, CommandResult};

#[derive(Debug, Args)]
pub(crate) struct ImportTasksArgs {
    /// prd.json, a Markdown file with boxes, a feature folder of spec-kit or a change
    /// folder of OpenSpec.
    path: PathBuf,
    /// The command that proves a task, for all tasks without one; {id} is that of the task.
    #[arg(long, value_name = "CMD", value_parser = NonEmptyStringValueParser::new())]
    command: Option<String>,
    /// Print what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// The most tasks that a line lists.
const MAX_LISTED: usize = 20;

/// The most sources that are suggested.
const MOST: usize = 3;

/// Carries out `import`.
pub(crate) fn run(context: &mut Context, args: &ImportTasksArgs) -> CommandResult {
    let path = context.absolute(&args.path);
    let root_path = context.root_of(&path);
    let root = Root::open(&root_path)?;
    let importing = Importing::of(&root, &path, args.command.as_deref())
        .map_err(|error| failed(context, &root_path, error))?;
    if !args.dry_run {
        importing.write(&root)?;
    }
    let folder = &context.environment.folder;
    let name = |path: &str| shown(folder, &root_path.join(path));
    let (wrote, changed) = match args.dry_run {
        true => ("would write", "would add the command to"),
        false => ("wrote", "added the command to"),
    };
    let written = importing.files.keys().map(|path| (wrote, path));
    let written = written.chain(importing.changed.keys().map(|path| (changed, path)));
    let mut text: String = written
        .map(|(what, path)| format!("{what} {}\n", name(path.as_str())))
        .collect();
    for path in &importing.kept {
        text += &format!("kept {}, which was there already\n", name(path));
    }
    for line in remarks(&importing, args.command.as_deref()) {
        text += &format!("{line}\n");
    }
    let mut next = Vec::new();
    let lacking = importing.tasks.iter().filter(|task| !task.has_command);
    let lacking = lacking.count();
    if lacking > 0 {
        let import = context.command(&["ralph", "import", &name(&importing.source)]);
        next.push(NextStep::by_hand(format!(
            "give {} a command: `{import} --command CMD`, where {{id}} is the id of a task, or \
             `backpressure` in the front matter",
            plural(lacking, "task", "tasks")
        )));
    }
    if !args.dry_run {
        let status = context.command(&["ralph", "status", &name(&importing.spec)]);
        next.push(NextStep::by_command("see what is left to do", status));
    }
    let text = printable(&text).into_owned() + &next_steps(&next, None);
    context.streams.print(&text)?;
    Ok(ExitCode::Passed)
}

/// What was not taken over as it is, and what is to be done by hand.
fn remarks(importing: &Importing, command: Option<&str>) -> Vec<String> {
    let list = |what: &str, is_meant: &dyn Fn(&ImportedTask) -> bool| {
        let tasks = importing.tasks.iter().filter(|task| is_meant(task));
        let names: Vec<_> = tasks
            .map(|task| format!("{} {}", task.number, task.id))
            .collect();
        let count = plural(names.len(), "task", "tasks");
        (!names.is_empty()).then(|| format!("{count} {what}: {}", listed(names, MAX_LISTED)))
    };
    let is_claimed = |task: &ImportedTask| !task.was_there && task.is_claimed;
    let has_plan = importing
        .kept
        .iter()
        .any(|path| path.ends_with("/IMPLEMENTATION_PLAN.md"));
    let given = importing
        .tasks
        .iter()
        .filter(|task| !task.was_there)
        .count();
    let given = given + importing.changed.len();
    let proved_together = given > 1 && command.is_some_and(|command| !command.contains("{id}"));
    let remarks = [
        list("called done, until `ralph gate` disproves it", &|task| {
            is_claimed(task) && task.has_command
        }),
        list(
            "called done, and pending since no command proves it",
            &|task| is_claimed(task) && !task.has_command,
        ),
        list(
            "whose file differs from the source, which you edit where it is wrong",
            &|task| task.differs,
        ),
        list("to add to the table of the plan", &|task| {
            has_plan && !task.was_there
        }),
        proved_together.then(|| {
            "these tasks have one command: they are proved together or not at all".to_owned()
        }),
    ];
    let left_out = importing.left_out.iter();
    let left_out = left_out.map(|what| format!("not taken over: {what}"));
    remarks.into_iter().flatten().chain(left_out).collect()
}

/// The error of an import, with what can be imported where that was not said.
fn failed(context: &Context, root: &Path, error: EngineError) -> CommandError {
    match error {
        EngineError::Absent { message, hint } => CommandError::new(message)
            .hints(context.import_hints(root, root))
            .hint(hint),
        error => error.into(),
    }
}

impl Context {
    /// The commands that take over what other tools planned in a folder of a root.
    fn import_commands(&self, root: &Path, inside: &Path) -> Vec<String> {
        let folder = &self.environment.folder;
        let sources = importable(root).into_iter();
        let sources = sources.filter(|source| source.starts_with(inside));
        let commands = sources
            .take(MOST)
            .map(|source| shell_words::join(["ralph", "import", &shown(folder, &source)]));
        commands.collect()
    }

    /// The same as hints.
    pub(crate) fn import_hints(&self, root: &Path, inside: &Path) -> Vec<String> {
        let commands = self.import_commands(root, inside).into_iter();
        let hint = |command| format!("`{command}` takes over what is planned there");
        commands.map(hint).collect()
    }

    /// The same as steps to take next.
    pub(crate) fn import_steps(&self, root: &Path) -> Vec<NextStep> {
        let commands = self.import_commands(root, root).into_iter();
        let step = |command| NextStep::by_command("take over what is planned there", command);
        commands.map(step).collect()
    }
}
