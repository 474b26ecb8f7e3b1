//! `ralph run`.

use review_config::{Config, Overrides};
use review_engine::learn::active_prompts;
use review_engine::{ImplementSettings, RunSettings, Stages};

use crate::args::{ImplementArgs, RunArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::session::{base, carry_out, dry_run, learned};
use crate::target::{open_root, unit_target};

/// Carries out `run`.
pub(crate) fn run(context: &mut Context, args: RunArgs) -> Ended {
    let spec = context.spec(args.spec())?;
    let root_path = context.root_of(&spec);
    let overrides = Overrides {
        task_jobs: args.jobs,
        ..args.review.overrides().or(args.implement.overrides())
    };
    let mut settings = context.settings(&root_path, overrides)?;
    if let Some(mode) = args.implement.sandbox {
        settings.lane_sandbox.mode = mode;
    }
    let root = open_root(&root_path)?;
    let mut run = RunSettings::of(&settings, unit_target(context, &root, &spec)?);
    run.apply = !args.review.no_apply;
    run.stages = stages(&args);
    if let Some(selection) = args.selection() {
        run.select_tasks(&root, &selection)?;
    }
    run.implement = implement(&settings, &run, &args.implement)?;
    run.check_implementer()?;
    run.since = base(&run, &args.review)?;
    run.prompts = active_prompts(&root_path, &settings)?;
    if args.dry_run {
        return dry_run(context, &run, args.review.format);
    }
    let learning = learned(&root_path, &settings, &run)?;
    let state = context.state(&settings, &root_path, run.apply)?;
    carry_out(context, &root_path, state, run, learning, &args.review)
}

/// How the tasks are implemented. A run without tasks, and one that changes no file,
/// asks no agent that only the configuration names.
///
/// # Errors
/// When options are for an agent, and none is named.
fn implement(
    settings: &Config,
    run: &RunSettings,
    args: &ImplementArgs,
) -> Result<Option<ImplementSettings>, CommandError> {
    let has_tasks = run.stages != Stages::Review && run.target.unit().is_some();
    let implement = ImplementSettings::of(settings);
    let implement = implement.filter(|_| args.names_one() || run.apply && has_tasks);
    if implement.is_none() && args.says_how() {
        let message = "--attempts, --dirty, --land, --sandbox and --target are for tasks that an \
                       agent implements";
        return Err(CommandError::new(ErrorKind::Usage, message)
            .hint("name the agent with --implementer or in task.implementer"));
    }
    Ok(implement)
}

fn stages(args: &RunArgs) -> Stages {
    match (args.no_tasks, args.tasks_only, args.keep_going) {
        (true, _, _) => Stages::Review,
        (_, true, _) => Stages::Tasks,
        (_, _, true) => Stages::ReviewAndTasks,
        (false, false, false) => Stages::ReviewThenTasks,
    }
}
