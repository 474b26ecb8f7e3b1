//! `ralph report`.

use std::path::Path;

use clap::{Args, ValueEnum};
use review_engine::{ChangeOf, Purpose, Replay};
use review_report::html::{self, Delivery, RunPage};
use review_report::otlp::{Trace, TraceContext};
use review_report::run::{self, FeedbackRates, ListedRun, RunList, RunReport, Timeline};
use review_store::RunDir;
use review_types::{ExitCode, Outcome, Timestamp};

use crate::args::{Output, PlainFormat};
use crate::clock::now;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
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
    format: ReportFormat,
    /// Write the page of the run to a file as well.
    #[arg(long, value_name = "html=PATH", requires = "run")]
    output: Option<Output<PageFormat>>,
}

/// Formats of `report`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// A page of one run for a browser, in one file.
    Html,
    /// The spans of one run as a request of OTLP, the protocol of OpenTelemetry.
    Otlp,
}

/// Formats of a report in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PageFormat {
    /// A page for a browser, in one file.
    Html,
}

/// As many runs are listed for people, the newest first.
pub(super) const MAX_LISTED: usize = 50;

/// Carries out `report`.
pub(crate) fn run(context: &mut Context, args: &ReportArgs) -> CommandResult {
    let Some(run) = &args.run else {
        return list(context, args.format);
    };
    let run = run_of(context, run)?;
    let report = whole_report(context, &run);
    match args.format {
        ReportFormat::Human => print(context, &run, &report, PlainFormat::Human)?,
        ReportFormat::Json => print(context, &run, &report, PlainFormat::Json)?,
        ReportFormat::Html => {
            context.refuse_page()?;
            let page = page(context, &run, &report)?;
            context.streams.print_lines(page)?;
        }
        ReportFormat::Otlp => print_trace(context, &run, &report)?,
    }
    if let Some(output) = &args.output {
        let page = page(context, &run, &report)?;
        review_store::write_named(&context.absolute(&output.path), page.as_bytes())?;
    }
    Ok(ExitCode::Passed)
}

/// The page of a run, as a file.
fn page(context: &mut Context, run: &FoundRun, report: &RunReport) -> Result<String, CommandError> {
    let state = context.open_state(run.dir.state().path())?;
    let root = Path::new(&run.replay.input.root);
    let diff = context.in_project(root, state, async |project| {
        run.replay.diff(project, ChangeOf::Run).await
    })?;
    let diff = diff.map_err(|error| CommandError::from(error).message());
    Ok(run_page(&run.replay, report, diff, Delivery::File))
}

/// Prints the trace of a run.
fn print_trace(
    context: &mut Context,
    run: &FoundRun,
    report: &RunReport,
) -> Result<(), CommandError> {
    let trace = TraceContext::new(run.dir.id(), &context.environment.variables);
    let spans = Trace {
        context: &trace,
        report,
        timeline: &timeline_of(&run.replay),
    };
    context
        .streams
        .print_json(&trace.request(&spans.spans(Timestamp::UNIX_EPOCH)))
}

fn timeline_of(replay: &Replay) -> Timeline {
    let mut timeline = Timeline::default();
    replay.events.iter().for_each(|event| timeline.take(event));
    timeline
}

/// The report of a run with all that a report shows.
fn whole_report(context: &mut Context, run: &FoundRun) -> RunReport {
    let mut report = run.report(context);
    let variables = &context.environment.variables;
    if let Err(error) = run.replay.add_checkouts(&mut report, variables) {
        context.streams.warn(&error.to_string());
    }
    report.feedback = FeedbackRates::of(&report);
    report
}

/// The page of a run with this report, and with what it changed or why that is not known.
pub(super) fn run_page(
    replay: &Replay,
    report: &RunReport,
    diff: Result<String, String>,
    delivery: Delivery<'_>,
) -> String {
    let timeline = timeline_of(replay);
    let criteria = replay.settings.config.review.criteria.iter();
    let criteria: Vec<_> = criteria
        .map(|criterion| (criterion.name.to_string(), criterion.min_score))
        .collect();
    let page = RunPage {
        report,
        timeline: &timeline,
        criteria: &criteria,
        diff: diff.as_deref().map_err(String::as_str),
        now: now(),
    };
    html::run(&page, delivery)
}

/// Shows one run and returns the exit code that it ended with.
pub(super) fn show(context: &mut Context, run: &FoundRun, format: PlainFormat) -> CommandResult {
    let report = whole_report(context, run);
    print(context, run, &report, format)?;
    let outcome = report.outcome;
    Ok(outcome.map_or(ExitCode::Interrupted, Outcome::exit_code))
}

fn print(
    context: &mut Context,
    run: &FoundRun,
    report: &RunReport,
    format: PlainFormat,
) -> Result<(), CommandError> {
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
            context.streams.print(&run::time_line(report))?;
            let summary = live::summary(report, detail, width);
            context.streams.print(&summary)
        }
        PlainFormat::Json => context.streams.print_report(report),
    }
}

fn list(context: &mut Context, format: ReportFormat) -> CommandResult {
    let runs = context.runs()?;
    match format {
        ReportFormat::Json => context.streams.print_report(&listed(runs.iter()))?,
        ReportFormat::Human => {
            let list = listed(runs.iter().take(MAX_LISTED));
            context.streams.print(&run::list(&list))?;
        }
        ReportFormat::Html => return Err(of_one_run("a page is of one run", "html")),
        ReportFormat::Otlp => return Err(of_one_run("a trace is of one run", "otlp")),
    }
    Ok(ExitCode::Passed)
}

fn of_one_run(message: &str, format: &str) -> CommandError {
    let error = CommandError::new(message);
    error.hint(format!("name it: `ralph report latest --format {format}`"))
}

/// The list of these runs, each with the name of its root.
pub(super) fn listed<'r>(runs: impl Iterator<Item = &'r (String, RunDir)>) -> RunList {
    let mut listed = Vec::new();
    let mut reports = Vec::new();
    for (root, dir) in runs {
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
    RunList::new(listed, &reports)
}

impl Context {
    /// Refuses to print a page on a terminal.
    ///
    /// # Errors
    /// Where standard output is one.
    pub(crate) fn refuse_page(&self) -> Result<(), CommandError> {
        if !self.streams.out.is_terminal() {
            return Ok(());
        }
        let error = CommandError::new("a page is not for a terminal");
        Err(error.hint("write it to a file with --output html=FILE"))
    }
}
