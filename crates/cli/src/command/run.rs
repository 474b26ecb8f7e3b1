//! `ralph run`.

use std::num::NonZeroU32;

use clap::Args;
use review_agents::Chain;
use review_config::{Config, Setting};
use review_engine::{RunSettings, Stages, TaskSelection, open_boxes};
use review_store::Root;
use review_types::{TaskNumber, plural};

use crate::args::{HostArgs, ImplementArgs, LoopArgs, count, task_number};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::session::start_run;
use crate::target::unit_target;

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The spec: a path, or a name in specs/ or specs/completed/ [default: the
    /// only spec].
    #[arg(value_name = "SPEC", conflicts_with = "named")]
    spec: Option<String>,
    /// Same as SPEC.
    #[arg(long = "spec", value_name = "SPEC")]
    named: Option<String>,
    /// Review only; run no task.
    #[arg(long, conflicts_with = "tasks_only")]
    no_tasks: bool,
    /// Run the tasks without a review.
    #[arg(long)]
    tasks_only: bool,
    /// Run this task only; may be repeated. What it depends on must be complete or
    /// selected, too. Implies --tasks-only.
    #[arg(
        long = "task",
        value_name = "N",
        value_parser = task_number,
        conflicts_with_all = ["no_tasks", "keep_going"]
    )]
    task: Vec<TaskNumber>,
    /// Run this task and all after it in the order in which tasks run. Implies
    /// --tasks-only.
    #[arg(
        long,
        value_name = "N",
        value_parser = task_number,
        conflicts_with_all = ["no_tasks", "keep_going"]
    )]
    from: Option<TaskNumber>,
    /// Run the tasks even if the review does not pass.
    #[arg(long, conflicts_with = "no_tasks")]
    keep_going: bool,
    /// How many independent tasks agents implement at a time, or without agents how many
    /// of their commands run at a time [default: 1].
    #[arg(long, value_name = "N", value_parser = count)]
    jobs: Option<NonZeroU32>,
    /// Who implements the tasks, and what becomes of that.
    #[command(flatten)]
    implement: ImplementArgs,
    /// Where the tasks are worked at.
    #[command(flatten)]
    hosts: HostArgs,
    /// Say what would be done and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// How the loop runs.
    #[command(flatten)]
    review: LoopArgs,
}

impl RunArgs {
    /// The spec, where one is given.
    fn spec(&self) -> Option<&str> {
        self.spec.as_deref().or(self.named.as_deref())
    }
}

/// Carries out `run`.
pub(crate) fn run(context: &mut Context, args: &RunArgs) -> CommandResult {
    let spec = context.spec(args.spec())?;
    let root_path = context.root_of(&spec);
    let jobs = Setting::of_option("--jobs", "task.jobs", args.jobs);
    let overrides = args.review.overrides().chain(args.implement.overrides());
    let overrides: Vec<_> = overrides.chain(jobs).collect();
    let settings = context.settings(&root_path, &overrides)?;
    let root = Root::open(&root_path)?;
    let mut run = RunSettings::of(&settings, unit_target(context, &root, &spec)?);
    let is_elsewhere = !run.target.spec().starts_with("specs/");
    if run.target.unit().is_none() && !args.no_tasks && is_elsewhere {
        check_boxes(&root, run.target.spec(), args)?;
    }
    run.apply = !args.review.no_apply;
    run.stages = stages(args);
    let selection = TaskSelection {
        tasks: args.task.clone(),
        from: args.from,
    };
    if selection != TaskSelection::default() {
        run.select_tasks(&root, &selection)?;
    }
    run.config.task.implementer = implementer(&settings, &run, args)?;
    run.check_implementer()?;
    if run.implementer().is_some() {
        let engine = context.engine(args.hosts.engine.as_ref(), &settings)?;
        run.work_at(args.hosts.named(), engine);
    }
    start_run(
        context,
        &root_path,
        &settings,
        run,
        args.dry_run,
        &args.review,
    )
}

/// Looks at a file without tasks for boxes that are open, or stories, which are the tasks.
///
/// # Errors
/// When it has some.
fn check_boxes(root: &Root, path: &str, args: &RunArgs) -> Result<(), CommandError> {
    let name = args.spec().unwrap_or(path);
    let open = open_boxes(root, path);
    let boxes = match open {
        0 if path.ends_with("prd.json") => "stories".to_owned(),
        0 => return Ok(()),
        open => plural(open, "open box", "open boxes"),
    };
    let import = shell_words::join(["ralph", "import", name]);
    let review = shell_words::join(["ralph", "review", name]);
    let error = CommandError::new(format!("{name} has {boxes} and no tasks"));
    let error = error.hint(format!("`{import}` makes tasks of them"));
    Err(error.hint(format!("`{review}` reviews it as a document")))
}

/// How the tasks are implemented. A run without tasks, and one that changes no file,
/// asks no agent that only the configuration names.
///
/// # Errors
/// When options are for an agent, and none is named.
fn implementer(
    settings: &Config,
    run: &RunSettings,
    args: &RunArgs,
) -> Result<Option<Chain>, CommandError> {
    let has_tasks = run.stages != Stages::Review && run.target.unit().is_some();
    let implementer = settings.task.implementer.clone();
    let implementer = implementer.filter(|_| args.implement.names_one() || run.apply && has_tasks);
    if implementer.is_none() && (args.implement.says_how() || args.hosts.are_given()) {
        let message = "--attempts, --dirty, --engine, --host, --land, --sandbox and --target are \
                       for tasks that an agent implements";
        return Err(CommandError::new(message)
            .hint("name the agent with --implementer or in task.implementer"));
    }
    Ok(implementer)
}

fn stages(args: &RunArgs) -> Stages {
    match (args.no_tasks, args.tasks_only, args.keep_going) {
        (true, _, _) => Stages::Review,
        (_, true, _) => Stages::Tasks,
        (_, _, true) => Stages::ReviewAndTasks,
        (false, false, false) => Stages::ReviewThenTasks,
    }
}
