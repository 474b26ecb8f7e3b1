//! `ralph approve`.

use clap::Args;
use review::events::{Approval, TaskState};
use review::people::Comment;
use review_engine::{ApprovedTask, ResumeRequest};
use review_types::{ExitCode, TaskNumber};

use crate::args::{Format, PlainFormat, task_number};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::runs::{FoundRun, run_of, say, text_of};
use crate::session::resume_run;

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
        must_be_held(context, &run, task)?;
        let approval = Approval { by, why };
        let request = ResumeRequest {
            approved: Some(ApprovedTask { task, approval }),
            ..ResumeRequest::default()
        };
        return resume_run(context, run, request, &[], args.format);
    }
    say(&run.dir, &run.replay, &Comment::Approved { by })?;
    if !run.dir.is_live() {
        return resume_run(context, run, ResumeRequest::default(), &[], args.format);
    }
    let id = run.dir.id().short();
    let told = format!("run {id} receives it at its next round\n");
    match args.format {
        Format::Human => context.streams.print(&told)?,
        Format::Json => {
            super::report::show(context, &run, PlainFormat::Json)?;
        }
        Format::Jsonl => context.streams.tell(&told),
    }
    Ok(ExitCode::Passed)
}

fn must_be_held(context: &Context, run: &FoundRun, task: TaskNumber) -> Result<(), CommandError> {
    let report = run.report(context);
    let found = report.tasks.iter().find(|found| found.id == task);
    let fault = match found.map(|found| found.status) {
        Some(TaskState::Held) => return Ok(()),
        Some(state) => format!("is not held: {}", state.as_str()),
        None => "does not exist".to_owned(),
    };
    let message = format!("task {task} of run {} {fault}", run.dir.id().short());
    Err(CommandError::refused(message).hint("`ralph report` shows which tasks of a run are held"))
}
