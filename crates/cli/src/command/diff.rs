//! `ralph diff`.

use std::path::Path;

use clap::Args;
use review_engine::{ChangeOf, NoDiff};
use review_report::DiffReport;
use review_types::{ExitCode, TaskNumber};

use crate::args::{PlainFormat, task_number};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::output::{coloured, printable};
use crate::runs::run_of;

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder.
    #[arg(default_value = "latest")]
    run: String,
    /// Show what the applier changed after the review of this round.
    #[arg(long, value_name = "N", conflicts_with = "task")]
    round: Option<u32>,
    /// Show the last attempt at this task.
    #[arg(long, value_name = "ID", value_parser = task_number)]
    task: Option<TaskNumber>,
    /// Count the lines of each file.
    #[arg(long)]
    stat: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Carries out `diff`.
pub(crate) fn run(context: &mut Context, args: &DiffArgs) -> CommandResult {
    let run = run_of(context, &args.run)?;
    let of = match (args.round, args.task) {
        (Some(round), _) => ChangeOf::Round(round),
        (None, Some(task)) => ChangeOf::Task(task),
        (None, None) => ChangeOf::Run,
    };
    let state = context.open_state(run.dir.state().path())?;
    let root = Path::new(&run.replay.input.root);
    let diff = context.in_project(root, state, async |project| {
        run.replay.diff(project, of).await
    })?;
    let report = DiffReport::new(run.dir.id().clone(), diff.map_err(no_diff)?);
    match args.format {
        PlainFormat::Json => context.streams.print_report(&report)?,
        PlainFormat::Human if report.diff.is_empty() => context.streams.note("nothing was changed"),
        PlainFormat::Human if args.stat => context.streams.print(&report.stat())?,
        PlainFormat::Human if context.streams.out.is_plain() => {
            context.streams.print_raw(report.diff.as_bytes())?;
        }
        PlainFormat::Human => context.streams.print(&coloured(&printable(&report.diff)))?,
    }
    Ok(ExitCode::Passed)
}

/// The error of a missing diff, with what to do instead.
fn no_diff(error: NoDiff) -> CommandError {
    let hint = match error {
        NoDiff::Engine(error) => return error.into(),
        NoDiff::NoRound { .. } | NoDiff::NoAttempt(_) => {
            "`ralph report RUN -v` shows the rounds and attempts of a run"
        }
        NoDiff::LaneGone(_) => "what landed is in the commits of your branch: `git log`",
        NoDiff::NotKept(_) => {
            "what a run read and wrote is in the state folder until `ralph clean` removes the run"
        }
    };
    CommandError::from(error).hint(hint)
}
