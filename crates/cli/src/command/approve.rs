//! `ralph approve`.

use clap::Args;
use review::events::{Approval, TaskState};
use review::people::Comment;
use review_engine::{ApprovedTask, Raised};
use review_types::{ExitCode, TaskNumber};

use crate::args::{Format, PlainFormat, task_number};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::runs::{FoundRun, run_of, say, text_of};
use crate::session::go_on;

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    run: String,
    /// The held task whose change goes on as it is.
    #[arg(long, value_name = "ID", requires = "why", value_parser = task_number)]
    task: Option<TaskNumber>,
    /// Who approves [default: the user of this computer].
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Why the change of the task is accepted.
    #[arg(long, value_name = "TEXT", requires = "task")]
    why: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Carries out `approve`: a run that is going on receives it at its next round,
/// any other one is ended with it. A held task goes on with its change.
pub(crate) fn run(context: &mut Context, args: &ApproveArgs) -> CommandResult {
    context.refuse_to_agents()?;
    let run = run_of(context, &args.run)?;
    let by = context.decider(args.by.as_deref())?;
    if let Some(task) = args.task {
        let why = text_of("--why", args.why.as_deref().unwrap_or_default())?;
        return accept(context, args, run, task, Approval { by, why });
    }
    say(&run.dir, &run.replay, &Comment::Approved { by })?;
    if run.dir.is_live() {
        let told = format!(
            "run {} receives it at its next round\n",
            run.dir.id().short()
        );
        match args.format {
            Format::Human => context.streams.print(&told)?,
            Format::Json => {
                super::report::show(context, &run, PlainFormat::Json)?;
            }
            Format::Jsonl => context.streams.tell(&told),
        }
        return Ok(ExitCode::Passed);
    }
    go_on(context, run, Raised::default(), args.format)
}

/// Lets the change of a held task go on.
fn accept(
    context: &mut Context,
    args: &ApproveArgs,
    run: FoundRun,
    task: TaskNumber,
    approval: Approval,
) -> CommandResult {
    let report = run.report(context);
    let found = report.tasks.iter().find(|found| found.id == task);
    let fault = match found.map(|found| found.status) {
        Some(TaskState::Held) => None,
        Some(state) => Some(format!("is not held: {}", state.as_str())),
        None => Some("does not exist".to_owned()),
    };
    if let Some(fault) = fault {
        let message = format!("task {task} of run {} {fault}", run.dir.id().short());
        return Err(CommandError::refused(message)
            .hint("`ralph report` shows which tasks of a run are held"));
    }
    let approved = Some(ApprovedTask { task, approval });
    let raised = Raised {
        approved,
        ..Raised::default()
    };
    go_on(context, run, raised, args.format)
}
