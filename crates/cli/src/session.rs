//! Runs of the engine inside this process, and how they are printed.

use std::path::Path;

use review_config::{Config, RAISED, Setting};
use review_engine::learn::active_prompts;
use review_engine::{
    EngineError, Project, ResumeRequest, RunEnd, RunSettings, interrupted_before, lane_folder,
};
use review_flow::{DriveError, LogError};
use review_report::NextStep;
use review_report::run::{self, RunReport, Started};
use review_store::StateDir;
use review_types::{ExitCode, Outcome, RunId};

use crate::args::{Format, LoopArgs};
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::learning::{Place, after_run};
use crate::live::{LiveSink, summary};
use crate::runs::{FoundRun, replay};
use crate::runtime::{Runtime, wait_for};

/// Where a run happens and how it is reported.
struct Session<'a> {
    /// The root of what is reviewed.
    root: &'a Path,
    /// Where the run is remembered.
    state: StateDir,
    /// The format of standard output.
    format: Format,
    /// The command line that started the run.
    command: Vec<String>,
    /// The folder that it was started in, where the user is in another one now.
    folder: Option<String>,
    /// How commands name the run, where its id is not enough.
    name: Option<String>,
    /// What is learned from the run; `None` for nothing.
    learning: Option<Place>,
}

impl Session<'_> {
    /// Carries out `work` on a runtime of its own, prints `report` completed by
    /// its events, and returns the exit code.
    ///
    /// # Errors
    /// When the run could not be started or broke; what was reported is printed.
    fn run(
        self,
        context: &mut Context,
        report: RunReport,
        work: impl AsyncFnOnce(&Project<'_>) -> Result<RunEnd, EngineError>,
    ) -> Result<ExitCode, CommandError> {
        let runtime = Runtime::new(context)?;
        let progress = context.shows_progress();
        if self.format == Format::Human {
            context.note_root(self.root);
        }
        let detail = context.detail();
        let state = self.state.clone();
        let sink = LiveSink::new(&mut context.streams, self.format, detail, report, progress);
        let ended = runtime.block_on(&context.environment, self.root, self.state, &sink, work)?;
        let mut report = sink.into_report()?;
        let (code, broken) = match ended {
            Ok(end) => {
                report.run = Some(end.run);
                (end.finished.outcome.exit_code(), None)
            }
            Err(EngineError::Interrupted(run)) => {
                // The events name only the tasks that had their turn.
                if let Ok(replayed) = replay(&state.run(&run)) {
                    replayed.add_plan(&mut report);
                }
                report.run = Some(run);
                report.end(Outcome::Interrupted);
                let code = runtime.interrupted();
                (code.unwrap_or(ExitCode::Interrupted), None)
            }
            Err(EngineError::Broken { run, source }) => {
                report.run = Some(run.clone());
                report.end(Outcome::Error);
                (ExitCode::Error, Some((run, source)))
            }
            Err(error) => return Err(error.into()),
        };
        report.exit = Some(code.get());
        let journal = report.run.as_ref().map(|run| state.run(run).journal_path());
        let is_gone = journal.is_some_and(|journal| !journal.exists());
        let is_lost = is_gone && broken.is_some();
        if is_gone && !is_lost {
            context.streams.warn(
                "the folder of the run was removed while it was at work: nothing of it is recorded",
            );
        }
        let is_kept = !is_gone && !state.is_temporary();
        let name = match (self.name, &report.run) {
            (None, Some(run)) if is_kept => context.run_name(&state.run(run)),
            (name, _) => name,
        };
        report.suggest(Started {
            command: &self.command,
            folder: self.folder.as_deref(),
            run: name.as_deref(),
            root: &context.root_name(self.root),
            options: &context.given_options(),
            is_kept,
        });
        if is_lost {
            report.next.clear();
        }
        // What a report ends with is what to do next: nothing is printed after it.
        if let (Some(learning), Some(run)) = (&self.learning, &report.run) {
            let dir = state.run(run);
            after_run(context, learning, &dir, self.format)?;
        }
        match self.format {
            Format::Human => {
                let summary = summary(&report, detail, context.streams.out_width());
                context.streams.print(&summary)?;
            }
            Format::Json => context.streams.print_report(&report)?,
            Format::Jsonl => {}
        }
        match broken {
            Some((run, source)) if is_lost => {
                let lane = lane_folder(self.root, &context.environment.variables, &run);
                let hint = match lane.map(|lane| lane.entry("lane.git")) {
                    Some(git) if git.is_dir() => format!(
                        "its folder was removed; what its agents finished is in {}",
                        git.display()
                    ),
                    _ => "its folder was removed; `ralph run` starts a new run".to_owned(),
                };
                Err(CommandError::from(EngineError::Broken { run, source }).hint(hint))
            }
            Some((run, source)) => Err(broken_run(run, source, &report.next)),
            None => Ok(code),
        }
    }
}

/// The error of a run that broke; `next` are the commands that go on with it.
fn broken_run(run: RunId, source: DriveError, next: &[NextStep]) -> CommandError {
    let next = match source {
        DriveError::Broken(_) | DriveError::Log(LogError::Io { .. }) => next,
        _ => &[],
    };
    let commands = next.iter().filter_map(|step| step.command.as_ref());
    let hints = commands.map(|command| format!("go on with `{command}`"));
    CommandError::from(EngineError::Broken { run, source }).hints(hints)
}

/// Runs what the settings say and prints it, or with `dry_run` prints what it would do.
///
/// # Errors
/// When the run could not be started or broke.
pub(crate) fn start_run(
    context: &mut Context,
    root: &Path,
    settings: &Config,
    mut run: RunSettings,
    dry_run: bool,
    args: &LoopArgs,
) -> CommandResult {
    if args.base.is_some() && run.convergence().is_none() {
        let message = "--base needs a review.patience above 0, with which findings are followed";
        return Err(CommandError::new(message).hint("leave out --base, or set review.patience"));
    }
    run.since = args.base.clone();
    run.prompts = active_prompts(root, settings)?;
    if dry_run {
        return context.show(args.format, &run.intent(), run::intent);
    }
    let learning = Place::of_run(root, settings, &run)?;
    let state = match run.apply {
        true => context.state(settings, root)?,
        false => context.state_of_look(settings, root)?,
    };
    if let Ok(Some(before)) = wait_for(interrupted_before(&state, &run.target))? {
        let name = context.run_name(&state.run(&before));
        let name = name.as_deref().unwrap_or(before.short());
        let resume = context.command(&["ralph", "resume", name]);
        let (spec, before) = (run.target.spec(), before.short());
        let note = format!("run {before} of {spec} was interrupted; `{resume}` goes on with it");
        context.streams.note(&note);
    }
    let report = run.report();
    let session = Session {
        root,
        state,
        format: args.format,
        command: context.environment.arguments.clone(),
        folder: None,
        name: None,
        learning,
    };
    session.run(context, report, async |project| {
        Box::pin(review_engine::start(project, run)).await
    })
}

/// Goes on with a run, where options of the command line set `limits`.
///
/// # Errors
/// When the run could not be resumed or broke.
pub(crate) fn resume_run(
    context: &mut Context,
    run: FoundRun,
    request: ResumeRequest,
    limits: &[Setting],
    format: Format,
) -> CommandResult {
    let FoundRun {
        dir,
        mut replay,
        name,
    } = run;
    let state = context.open_state(dir.state().path())?;
    let root = Path::new(&replay.input.root).to_owned();
    if let Some(key) = context.set_keys().find(|key| !RAISED.contains(&&**key)) {
        let message = format!("a run keeps its `{key}`");
        let hint = format!("--set may change {}", RAISED.join(", "));
        return Err(CommandError::new(message).hint(hint));
    }
    let settings = context.settings(&root, limits)?;
    let raised = settings.raised();
    // A run that was cut off goes on without a resume in its events.
    if replay.finished.is_none() {
        if raised.0.keys().any(|key| *key == "task.jobs") {
            let message = "a run that was cut off goes on with the jobs that it has";
            return Err(CommandError::new(message)
                .hint("leave out `--set task.jobs`; a run that ended takes other ones"));
        }
        if raised.0.keys().any(|key| *key == "run.max_time") {
            replay.settings.config.run.max_time = settings.run.max_time;
        }
    }
    let mut report = replay.settings.report();
    for event in &replay.events {
        report.take(event);
    }
    let request = ResumeRequest { raised, ..request };
    let session = Session {
        root: &root,
        state,
        format,
        folder: context.elsewhere(&replay.cwd),
        name,
        learning: Place::of_run(&root, &settings, &replay.settings)?,
        command: replay.input.command,
    };
    session.run(context, report, async |project| {
        Box::pin(review_engine::resume(project, dir, request)).await
    })
}
