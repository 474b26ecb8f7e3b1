//! `ralph guide`.

use clap::Args;
use review::events::RunFinished;
use review::people::Comment;
use review_agents::Backend;
use review_engine::Stages;
use review_learning::collection::CommentKind;
use review_report::{NextStep, next_steps};
use review_types::{BlockCode, ExitCode, Outcome, TaskNumber};

use crate::args::task_number;
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::learning::learn_speech;
use crate::runs::{FoundRun, run_of, say, text_of};

#[derive(Debug, Args)]
pub(crate) struct GuideArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    run: String,
    /// The guidance; it is given from the next round or attempt on.
    text: String,
    /// The task whose agent is given it, such as an answer to its question.
    #[arg(long, value_name = "ID", value_parser = task_number)]
    task: Option<TaskNumber>,
}

/// Carries out `guide`.
///
/// # Errors
/// When the guidance would not be read: the run has no further round, or no agent is
/// called for the task.
pub(crate) fn run(context: &mut Context, args: &GuideArgs) -> CommandResult {
    let found = run_of(context, &args.run)?;
    let text = text_of("TEXT", &args.text)?;
    if let Some(task) = args.task {
        return guide_task(context, &found, task, text);
    }
    let FoundRun { dir, replay, .. } = &found;
    let run = dir.id().short();
    if let Some(end) = replay.finished.as_ref().and_then(last_end) {
        let message = format!("run {run} is finished ({end}); guidance not recorded");
        return Err(CommandError::new(message));
    }
    if replay.settings.stages == Stages::Tasks {
        let message = format!("run {run} has no review, whose rounds read guidance");
        return Err(CommandError::new(message).hint("write it into the spec or the task"));
    }
    let agents = &replay.settings.config;
    let mut agents = agents.reviewer.iter().chain([&agents.applier]);
    if agents.all(|agent| *agent == Backend::Builtin) {
        let message =
            format!("reviewer and applier of run {run} are builtin, which read no guidance");
        return Err(CommandError::new(message)
            .hint("write it into the spec, or start a run with --reviewer or --applier"));
    }
    say(dir, replay, &Comment::Guided { text: text.clone() })?;
    learn_speech(context, dir, replay, CommentKind::Guided, &text);
    let next = match dir.is_live() {
        true => format!("run {run} receives it at its next round\n"),
        false => next_steps(&[go_on(going_on(context, &found))], None),
    };
    context.streams.print(&next)?;
    Ok(ExitCode::Passed)
}

/// Gives the agent of a task guidance. The review of the run does not read it, so that
/// none follows from it.
fn guide_task(
    context: &mut Context,
    found: &FoundRun,
    task: TaskNumber,
    text: String,
) -> CommandResult {
    let FoundRun { dir, replay, .. } = found;
    let run = dir.id().short();
    let report = found.report(context);
    let state = report.tasks.iter().find(|found| found.id == task);
    let fault = match state.map(|found| found.status) {
        None if !report.tasks.is_empty() => Some("does not exist".to_owned()),
        None => Some("had no turn".to_owned()),
        _ if replay.settings.implementer().is_none() => Some("has no agent".to_owned()),
        Some(state) if state.is_done() => Some(format!("is {}", state.as_str())),
        Some(_) => None,
    };
    if let Some(fault) = fault {
        let message = format!("task {task} of run {run} {fault}; guidance not recorded");
        return Err(CommandError::new(message));
    }
    review_engine::guide_task(dir, task, text, now())?;
    let next = match dir.is_live() {
        true => format!("the agent of task {task} receives it at its next attempt\n"),
        false => next_steps(&[go_on(found.resume(context))], None),
    };
    context.streams.print(&next)?;
    Ok(ExitCode::Passed)
}

/// The step that goes on with a run.
fn go_on(command: String) -> NextStep {
    NextStep::by_command("go on with the run", command)
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
