//! `ralph approve` and `ralph guide`.

use review::events::{Approval, RunFinished, TaskState};
use review::people::Comment;
use review_engine::{ApprovedTask, Raised};
use review_learning::collection::CommentKind;
use review_types::{BlockCode, ExitCode, Outcome, TaskNumber};

use crate::args::{ApproveArgs, Format, GuideArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::learning::learn_speech;
use crate::runs::{FoundRun, run_of, say, text_of};
use crate::session::go_on;

/// Carries out `approve`: a run that is going on receives it at its next round,
/// any other one is ended with it. A held task goes on with its change.
pub(crate) fn approve(context: &mut Context, args: &ApproveArgs) -> Ended {
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
) -> Ended {
    let report = run.report(context);
    let found = report.tasks.iter().find(|found| found.id == task);
    let fault = match found.map(|found| found.status) {
        Some(TaskState::Held) => None,
        Some(state) => Some(format!("is not held: {}", state.as_str())),
        None => Some("does not exist".to_owned()),
    };
    if let Some(fault) = fault {
        let message = format!("task {task} of run {} {fault}", run.dir.id().short());
        return Err(CommandError::new(ErrorKind::Refused, message)
            .hint("`ralph report` shows which tasks of a run are held"));
    }
    let approved = Some(ApprovedTask { task, approval });
    let raised = Raised {
        approved,
        ..Raised::default()
    };
    go_on(context, run, raised, args.format)
}

/// Carries out `guide`.
///
/// # Errors
/// When nobody would read the guidance: the run has no further round.
pub(crate) fn guide(context: &mut Context, args: &GuideArgs) -> Ended {
    let found = run_of(context, &args.run)?;
    let text = text_of("TEXT", &args.text)?;
    let FoundRun { dir, replay, .. } = &found;
    let run = dir.id().short();
    if let Some(end) = replay.finished.as_ref().and_then(last_end) {
        let message = format!("run {run} is finished ({end}); guidance not recorded");
        return Err(CommandError::new(ErrorKind::Usage, message));
    }
    say(dir, replay, &Comment::Guided { text: text.clone() })?;
    learn_speech(context, dir, replay, CommentKind::Guided, &text);
    let next = match dir.is_live() {
        true => format!("run {run} receives it at its next round\n"),
        false => format!("next:\n{}\n", going_on(context, &found)),
    };
    context.streams.print(&next)?;
    Ok(ExitCode::Passed)
}

/// How a run ended that has no further round in which guidance is read.
fn last_end(finished: &RunFinished) -> Option<&'static str> {
    match (finished.outcome, finished.block_code) {
        (_, Some(code @ BlockCode::TaskFailed)) => Some(code.as_str()),
        (outcome @ (Outcome::Passed | Outcome::Approved | Outcome::Nothing), _) => {
            Some(outcome.as_str())
        }
        _ => None,
    }
}

/// The command that goes on with a run after guidance: a limit that was reached is
/// raised.
fn going_on(context: &Context, run: &FoundRun) -> String {
    let report = run.report(context);
    let commands = report.next.into_iter().filter_map(|step| step.command);
    let mut raising = commands.filter(|_| report.outcome == Some(Outcome::Limit));
    raising.next().unwrap_or_else(|| run.resume(context))
}
