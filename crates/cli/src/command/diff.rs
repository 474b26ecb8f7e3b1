//! `ralph diff`.

use std::path::Path;

use clap::Args;
use review_engine::ChangeOf;
use review_report::DiffReport;
use review_types::{ExitCode, TaskNumber};

use crate::args::{PlainFormat, task_number};
use crate::context::Context;
use crate::error::CommandResult;
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
    let report = DiffReport::new(run.dir.id().clone(), diff?);
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
