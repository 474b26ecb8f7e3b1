//! `ralph report`.

use review::MemorySink;
use review::events::{Envelope, RunInput};
use review_config::Overrides;
use review_engine::RunSettings;
use review_flow::RunRecord;
use review_report::Styling;
use review_report::run::{self, FeedbackRates, RunReport, Started};
use review_store::RunDir;
use review_types::{ExitCode, Outcome, RunId, Timestamp};
use serde::Serialize;

use super::Ended;
use crate::args::{PlainFormat, ReportArgs};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::live;
use crate::output::Version;
use crate::output::style::{FAINT, RESET, STRONG};
use crate::session::{engine_error, new_report};

/// As many runs are listed, the newest first.
const MAX_LISTED: usize = 50;

/// A run as its journal tells it.
pub(crate) struct Replayed {
    /// Its first record.
    pub(crate) record: RunRecord,
    /// What it is about.
    pub(crate) input: RunInput,
    /// What it was asked to do.
    pub(crate) settings: RunSettings,
    /// All that it told.
    pub(crate) events: Vec<Envelope>,
    /// What it became; `None` when it was cut off or still runs.
    pub(crate) outcome: Option<Outcome>,
}

/// Carries out `report`.
pub(crate) fn run(context: &mut Context, args: ReportArgs) -> Ended {
    let settings = context.settings(&context.current_root(), Overrides::default())?;
    let state = context.state_for_reading(&settings);
    match &args.run {
        Some(run) => {
            let dir = context.find_run(&state, run)?;
            show(context, &dir, args.format)?;
        }
        None => {
            let runs = state
                .runs()
                .map_err(|error| CommandError::new(ErrorKind::Input, error.to_string()))?;
            list(context, &runs, args.format)?;
        }
    }
    Ok(ExitCode::Passed)
}

/// Shows one run and returns the exit code that it ended with.
pub(super) fn show(context: &mut Context, dir: &RunDir, format: PlainFormat) -> Ended {
    let replayed = replay(dir)?;
    let mut report = report_of(dir, &replayed);
    let command = &replayed.input.command;
    report.suggest(Started {
        command,
        state_dir: context.given_state_dir().as_deref(),
        is_kept: true,
    });
    report.feedback = FeedbackRates::of(&report);
    let code = report.outcome.exit_code();
    match format {
        PlainFormat::Human => {
            let told: String = replayed
                .events
                .iter()
                .map(|envelope| live::human(&envelope.event))
                .collect();
            context.streams.print(&told)?;
            let summary = run::human_summary(&report, Styling::Ansi);
            context.streams.print_now(&summary)?;
        }
        PlainFormat::Json => context.streams.print_lines(run::json(&report))?,
    }
    Ok(code)
}

/// Replays the journal of a run.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn replay(dir: &RunDir) -> Result<Replayed, CommandError> {
    let sink = MemorySink::default();
    let replay = wait_for(review_engine::replay(dir, &sink)).map_err(|error| {
        let folder = dir.path().display();
        error.hint(format!(
            "the journal is in {folder}; `ralph run` starts anew"
        ))
    })?;
    Ok(Replayed {
        record: replay.record,
        input: replay.input,
        settings: replay.settings,
        events: sink.events(),
        outcome: replay.finished.map(|finished| finished.outcome),
    })
}

/// Runs a replay, which waits for nothing outside this process.
fn wait_for<T>(
    replay: impl Future<Output = Result<T, review_engine::EngineError>>,
) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime
        .map_err(|error| CommandError::new(ErrorKind::Input, "cannot replay").source(error))?;
    runtime.block_on(replay).map_err(engine_error)
}

/// The report of what a run told.
pub(super) fn report_of(dir: &RunDir, replayed: &Replayed) -> RunReport {
    let mut report = new_report(&replayed.settings);
    for event in &replayed.events {
        report.take(event);
    }
    report.run = Some(dir.id().clone());
    if replayed.outcome.is_none() {
        report.end(Outcome::Interrupted);
        report.is_live = dir.is_live();
        report.block_reason = match report.is_live {
            true => "it still runs",
            false => "it was cut off",
        }
        .to_owned();
    }
    report
}

/// The list of runs. This is the object that `--format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RunList {
    v: Version,
    runs: Vec<ListedRun>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedRun {
    run: RunId,
    at: Option<Timestamp>,
    spec: String,
    outcome: Outcome,
    block_reason: String,
}

fn list(context: &mut Context, runs: &[RunDir], format: PlainFormat) -> Result<(), CommandError> {
    let listed: Vec<_> = runs.iter().take(MAX_LISTED).map(listed).collect();
    match format {
        PlainFormat::Json => context.streams.print_json(&RunList {
            v: Version,
            runs: listed,
        }),
        PlainFormat::Human if listed.is_empty() => context.streams.print("no runs yet\n"),
        PlainFormat::Human => {
            for run in &listed {
                let at = run.at.map_or_else(String::new, |at| at.to_string());
                let mut line = format!(
                    "{STRONG}{}{RESET}  {at}  {:<11}  {}",
                    run.run,
                    run.outcome.as_str(),
                    run.spec,
                );
                if !run.block_reason.is_empty() {
                    line.push_str(&format!("  {FAINT}{}{RESET}", run.block_reason));
                }
                context.streams.print(&format!("{line}\n"))?;
            }
            Ok(())
        }
    }
}

/// A run in the list; one whose journal cannot be read says so.
fn listed(dir: &RunDir) -> ListedRun {
    match replay(dir) {
        Ok(replayed) => {
            let report = report_of(dir, &replayed);
            ListedRun {
                run: dir.id().clone(),
                at: Some(replayed.record.at),
                spec: report.spec,
                outcome: report.outcome,
                block_reason: report.block_reason,
            }
        }
        Err(error) => ListedRun {
            run: dir.id().clone(),
            at: None,
            spec: String::new(),
            outcome: Outcome::Error,
            block_reason: error.message().to_owned(),
        },
    }
}
