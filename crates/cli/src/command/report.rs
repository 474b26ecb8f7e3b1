//! `ralph report`.

use std::path::Path;

use review_engine::Purpose;
use review_report::run::{self, FeedbackRates, ListedRun, RunList};
use review_store::RunDir;
use review_types::{ExitCode, Outcome};

use crate::args::{PlainFormat, ReportArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::live::{self, Detail};
use crate::output::Version;
use crate::runs::{FoundRun, replay, run_of};

/// As many runs are listed, the newest first.
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
    let newest = runs.iter().take(MAX_LISTED);
    let listed: Vec<_> = newest.map(|(root, dir)| listed(root, dir)).collect();
    let list = RunList {
        v: Version,
        runs: listed,
    };
    match format {
        PlainFormat::Json => context.streams.print_json(&list),
        PlainFormat::Human => context.streams.print(&run::list(&list)),
    }
}

/// A run in the list; one whose journal cannot be read says so.
fn listed(root: &str, dir: &RunDir) -> ListedRun {
    match replay(dir) {
        Ok(replayed) => {
            let report = replayed.report(dir);
            ListedRun {
                run: dir.id().clone(),
                root: root.to_owned(),
                at: Some(replayed.record.at),
                spec: report.spec,
                by_gate: replayed.settings.purpose == Purpose::Gate,
                outcome: report.outcome,
                block_reason: report.block_reason,
                progress: report.progress,
            }
        }
        Err(error) => ListedRun {
            run: dir.id().clone(),
            root: root.to_owned(),
            at: None,
            spec: String::new(),
            by_gate: false,
            outcome: Some(Outcome::Error),
            block_reason: error.message(),
            progress: None,
        },
    }
}
