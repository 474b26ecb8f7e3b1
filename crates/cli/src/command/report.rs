//! `ralph report`.

use review_config::Overrides;
use review_engine::Purpose;
use review_report::run::{self, FeedbackRates, ListedRun, RunList};
use review_store::RunDir;
use review_types::{ExitCode, Outcome};

use crate::args::{PlainFormat, ReportArgs};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
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
            let settings = context.settings(&context.current_root(), Overrides::default())?;
            let runs = context
                .state_for_reading(&settings)
                .runs()
                .map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))?;
            list(context, &runs, args.format)?;
        }
    }
    Ok(ExitCode::Passed)
}

/// Shows one run and returns the exit code that it ended with.
pub(super) fn show(context: &mut Context, run: &FoundRun, format: PlainFormat) -> Ended {
    let mut report = run.report(context);
    report.feedback = FeedbackRates::of(&report);
    let code = report
        .outcome
        .map_or(ExitCode::Interrupted, Outcome::exit_code);
    match format {
        PlainFormat::Human => {
            let (detail, width) = (context.detail(), context.streams.out_width());
            if detail != Detail::Result {
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

fn list(context: &mut Context, runs: &[RunDir], format: PlainFormat) -> Result<(), CommandError> {
    let listed: Vec<_> = runs.iter().take(MAX_LISTED).map(listed).collect();
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
fn listed(dir: &RunDir) -> ListedRun {
    match replay(dir) {
        Ok(replayed) => {
            let report = replayed.report(dir);
            ListedRun {
                run: dir.id().clone(),
                at: Some(replayed.record.at),
                spec: report.spec,
                by_gate: replayed.settings.purpose == Purpose::Gate,
                outcome: report.outcome,
                block_reason: report.block_reason,
            }
        }
        Err(error) => ListedRun {
            run: dir.id().clone(),
            at: None,
            spec: String::new(),
            by_gate: false,
            outcome: Some(Outcome::Error),
            block_reason: error.message(),
        },
    }
}
