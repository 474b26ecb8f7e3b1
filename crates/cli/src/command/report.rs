//! `ralph report`.

use std::path::Path;

use clap::Args;
use review_engine::Purpose;
use review_report::run::{self, FeedbackRates, ListedRun, RunList};
use review_store::RunDir;
use review_types::{ExitCode, Outcome};

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::live::{self, Detail};
use crate::runs::{FoundRun, replay, run_of};

/// Show what a run did, or list the runs.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run: latest, latest~N, the beginning or end of its id, or its folder. Without
    /// it the runs are listed.
    run: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// As many runs are listed for people, the newest first.
const MAX_LISTED: usize = 50;

/// Carries out `report`.
pub(crate) fn run(context: &mut Context, args: ReportArgs) -> Ended {
    match &args.run {
        Some(run) => {
            let run = run_of(context, run)?;
            show(context, &run, args.format)?;
        }
        None => {
            let runs = context.runs()?;
            list(context, &runs, args.format)?;
        }
    }
    Ok(ExitCode::Passed)
}

/// Shows one run and returns the exit code that it ended with.
pub(super) fn show(context: &mut Context, run: &FoundRun, format: PlainFormat) -> Ended {
    let mut report = run.report(context);
    let variables = context.environment.variables();
    if let Err(error) = run.replay.add_checkouts(&mut report, variables) {
        context.streams.warn(&error.to_string());
    }
    report.feedback = FeedbackRates::of(&report);
    let code = report
        .outcome
        .map_or(ExitCode::Interrupted, Outcome::exit_code);
    match format {
        PlainFormat::Human => {
            let (detail, width) = (context.detail(), context.streams.out_width());
            if detail != Detail::Result {
                context.note_root(Path::new(&run.replay.input.root));
                let events = run.replay.events.iter();
                let told: String = events
                    .map(|envelope| live::human(&envelope.event, detail, width))
                    .collect();
                context.streams.print(&told)?;
            }
            context.streams.print(&run::time_line(&report))?;
            let summary = live::summary(&report, detail, width);
            context.streams.print_now(&summary)?;
        }
        PlainFormat::Json => context.streams.print_lines(run::json(&report))?,
    }
    Ok(code)
}

fn list(
    context: &mut Context,
    runs: &[(String, RunDir)],
    format: PlainFormat,
) -> Result<(), CommandError> {
    let most = match format {
        PlainFormat::Json => runs.len(),
        PlainFormat::Human => MAX_LISTED,
    };
    let mut listed = Vec::new();
    let mut reports = Vec::new();
    for (root, dir) in runs.iter().take(most) {
        let run = dir.id().clone();
        match replay(dir) {
            Ok(replayed) => {
                let report = replayed.report(dir);
                let by_gate = replayed.settings.purpose == Purpose::Gate;
                listed.push(ListedRun::new(run, root, &report, by_gate));
                reports.push(report);
            }
            Err(error) => listed.push(ListedRun::unreadable(run, root, error.message())),
        }
    }
    let list = RunList::new(listed, &reports);
    match format {
        PlainFormat::Json => context.streams.print_json(&list),
        PlainFormat::Human => context.streams.print(&run::list(&list)),
    }
}
