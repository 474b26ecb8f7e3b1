//! Runs of the engine inside this process: signals, clock, outputs.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use review::EventSink;
use review_agents::{Backend, ClientProbe};
use review_engine::{EngineError, Project, RunEnd, RunSettings};
use review_flow::{DriveError, LogError};
use review_learning::config::LearningConfig;
use review_process::signals::{self, Interrupt, Signals};
use review_process::{Groups, Stop};
use review_report::run::{self, RunLimits, RunReport, RunRequest, Started};
use review_report::{NextStep, Styling};
use review_store::{Root, StateDir};
use review_types::{ExitCode, Outcome, RunId};
use tokio::runtime::Runtime;

use crate::args::Format;
use crate::clock::StoppableClock;
use crate::context::Context;
use crate::environment::Environment;
use crate::error::{CommandError, ErrorKind};
use crate::learning::after_run;
use crate::live::LiveSink;

/// The parts of this process that runs need: signals are heard, and a runtime
/// waits for children.
pub(crate) struct World {
    groups: Groups,
    signals: Signals,
    runtime: Runtime,
}

impl World {
    /// Starts to listen.
    ///
    /// # Errors
    /// When the system refuses a thread or a runtime.
    pub(crate) fn new(context: &Context) -> Result<Self, CommandError> {
        context.show_log();
        let groups = Groups::of_process();
        Ok(Self {
            signals: signals::listen(groups.clone(), exit_now).map_err(cannot_start)?,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(cannot_start)?,
            groups,
        })
    }

    /// Carries out `work` in the project at `root`.
    ///
    /// # Errors
    /// When `root` is no folder.
    pub(crate) fn block_on<T>(
        &self,
        environment: &Environment,
        root: &Path,
        state: StateDir,
        sink: &dyn EventSink,
        work: impl AsyncFnOnce(&Project<'_>) -> T,
    ) -> Result<T, CommandError> {
        let project = Project {
            root: Root::open(root).map_err(no_root)?,
            state,
            cwd: environment.folder().to_owned(),
            env: environment.variables().clone(),
            command: environment.arguments().to_vec(),
            clock: Arc::new(StoppableClock::new(self.signals.stop())),
            sink,
            groups: self.groups.clone(),
            stop: self.signals.stop(),
        };
        Ok(self.runtime.block_on(work(&project)))
    }

    /// What asks clients in `folder` what they are.
    pub(crate) fn client_probe(
        &self,
        environment: &Environment,
        folder: &Path,
        pass_env: Vec<OsString>,
    ) -> ClientProbe {
        ClientProbe {
            folder: folder.to_owned(),
            env: environment.variables().clone(),
            pass_env,
            groups: self.groups.clone(),
            stop: self.signals.stop(),
        }
    }

    /// Waits for `work`; `None` when a signal comes first.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut stop = self.signals.stop();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop != Stop::Run) => None,
                done = work => Some(done),
            }
        })
    }

    /// Waits for `work`, which ends by itself when a signal comes.
    pub(crate) fn finish<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The error of a command that a signal ended.
    pub(crate) fn interruption(&self) -> CommandError {
        let kind = match self.interrupted() {
            ExitCode::Terminated => ErrorKind::Terminated,
            ExitCode::HungUp => ErrorKind::HungUp,
            _ => ErrorKind::Interrupted,
        };
        CommandError::new(kind, "interrupted")
    }

    /// The exit code of a process that a signal ended.
    pub(crate) fn interrupted(&self) -> ExitCode {
        match self.signals.interrupt() {
            Some(Interrupt::Term) => ExitCode::Terminated,
            Some(Interrupt::Hangup) => ExitCode::HungUp,
            Some(Interrupt::Int) | None => ExitCode::Interrupted,
        }
    }
}

/// Where a run happens and how it is told.
pub(crate) struct Session<'a> {
    /// The root of what is reviewed.
    pub(crate) root: &'a Path,
    /// Where the run is remembered.
    pub(crate) state: StateDir,
    /// The format of standard output.
    pub(crate) format: Format,
    /// The command line that started the run.
    pub(crate) command: Vec<String>,
    /// What was given as `--state-dir`, for commands to copy.
    pub(crate) state_dir: Option<String>,
    /// What is learned from the run; `None` for nothing.
    pub(crate) learning: Option<LearningConfig>,
}

impl Session<'_> {
    /// Carries out `work` on a runtime of its own, prints `report` completed by
    /// what it told, and returns the exit code.
    ///
    /// # Errors
    /// When the run could not be started or broke; what was told is printed.
    pub(crate) fn run(
        self,
        context: &mut Context,
        report: RunReport,
        work: impl AsyncFnOnce(&Project<'_>) -> Result<RunEnd, EngineError>,
    ) -> Result<ExitCode, CommandError> {
        let world = World::new(context)?;
        let progress = context.shows_progress();
        let is_kept = !self.state.is_temporary();
        let state = self.state.clone();
        let sink = LiveSink::new(&mut context.streams, self.format, report, progress);
        let ended = world.block_on(&context.environment, self.root, self.state, &sink, work)?;
        let mut report = sink.into_report()?;
        let (code, broken) = match ended {
            Ok(end) => {
                report.run = Some(end.run);
                (end.finished.outcome.exit_code(), None)
            }
            Err(EngineError::Interrupted(run)) => {
                report.run = Some(run);
                report.end(Outcome::Interrupted);
                (world.interrupted(), None)
            }
            Err(EngineError::Broken { run, source }) => {
                report.run = Some(run.clone());
                report.end(Outcome::Error);
                (ExitCode::Error, Some((run, source)))
            }
            Err(error) => return Err(engine_error(error)),
        };
        report.exit = code.get();
        report.suggest(Started {
            command: &self.command,
            state_dir: self.state_dir.as_deref(),
            is_kept,
        });
        // What a report ends with is what to do next: nothing is said behind it.
        if let (Some(config), Some(run)) = (&self.learning, &report.run) {
            let dir = state.run(run);
            after_run(context, self.root, config, &dir, self.format)?;
        }
        match self.format {
            Format::Human => {
                let summary = run::human_summary(&report, Styling::Ansi);
                context.streams.print_now(&summary)?;
            }
            Format::Json => context.streams.print_lines(run::json(&report))?,
            Format::Jsonl => {}
        }
        match broken {
            Some((run, source)) => Err(broken_run(run, source, &report.next)),
            None => Ok(code),
        }
    }
}

/// The report of a run that nothing has happened in yet.
pub(crate) fn new_report(settings: &RunSettings) -> RunReport {
    RunReport::new(RunRequest {
        spec: settings.target.spec().to_owned(),
        reviewer: settings.reviewer.to_string(),
        first_reviewer: settings.reviewer.first().to_string(),
        limits: RunLimits {
            applies: settings.apply,
            max_calls: settings.max_calls,
            max_tokens: settings.budget.max_tokens,
            max_cost: settings.budget.max_cost,
            max_time: settings.max_time,
        },
    })
}

/// The error of a run that broke; `next` are the commands that go on with it.
fn broken_run(run: RunId, source: DriveError, next: &[NextStep]) -> CommandError {
    let next = match source {
        DriveError::Broken(_) | DriveError::Log(LogError::Io { .. }) => next,
        _ => &[],
    };
    let told = engine_error(EngineError::Broken { run, source });
    let commands = next.iter().filter_map(|step| step.command.as_ref());
    let hints = commands.map(|command| format!("go on with `{command}`"));
    hints.fold(told, CommandError::hint)
}

/// An engine's error as the command reports it.
pub(crate) fn engine_error(error: EngineError) -> CommandError {
    let kind = match &error {
        EngineError::Held { .. }
        | EngineError::Answering(_)
        | EngineError::Run(_)
        | EngineError::Base { .. } => ErrorKind::Usage,
        EngineError::Config(_)
        | EngineError::Profile(_)
        | EngineError::Unmeasured { .. }
        | EngineError::Window { .. } => ErrorKind::Config,
        EngineError::State(_) | EngineError::File(_) | EngineError::Broken { .. } => {
            ErrorKind::Output
        }
        EngineError::Interrupted(_)
        | EngineError::Gone(_)
        | EngineError::Confine(_)
        | EngineError::Artifact(_)
        | EngineError::Log(_)
        | EngineError::Settings { .. }
        | EngineError::Recording(_)
        | EngineError::Inspection(_)
        | EngineError::NotReplayed(_)
        | EngineError::Id(_)
        | EngineError::Random(_) => ErrorKind::Input,
    };
    let hint = match &error {
        EngineError::Held { held, .. } => held.holder.as_ref().map(|holder| {
            format!(
                "wait for it, or look at it with `ralph report {}`",
                holder.run
            )
        }),
        EngineError::Gone(_) => Some(GONE.to_owned()),
        EngineError::Answering(_) => Some("send this one again when that is done".to_owned()),
        EngineError::Unmeasured { backend, .. } => Some(limit_hint(backend).to_owned()),
        EngineError::Base { .. } => {
            Some("name a commit, a branch or a tag of the project's git".to_owned())
        }
        _ => None,
    };
    let told = CommandError::new(kind, error.to_string());
    hint.into_iter().fold(told, CommandError::hint)
}

/// How a run is limited by a backend that does not say what a call consumes.
fn limit_hint(backend: &Backend) -> &'static str {
    match backend.is_model() {
        true => "name a model, and its prices in a table [models.NAME] of ralph.toml",
        false => "limit the calls or the time of the run: --max-calls N, --max-time D",
    }
}

/// The second signal: whatever still runs is dead already.
#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "the second Ctrl-C ends the process wherever it is"
)]
fn exit_now(interrupt: Interrupt) {
    std::process::exit(i32::from(interrupt.exit_code()))
}

fn cannot_start(error: std::io::Error) -> CommandError {
    CommandError::new(ErrorKind::Input, "cannot start the run").source(error)
}

fn no_root(error: review_store::FileError) -> CommandError {
    let told = CommandError::new(ErrorKind::Input, error.to_string());
    match error.source.kind() {
        std::io::ErrorKind::NotFound => told.hint(GONE),
        _ => told,
    }
}

/// What to do where a run finds nothing to go on with.
const GONE: &str = "put it back, or start a new run where it is now";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_limited_by_what_it_cannot_hide() {
        for (text, way) in [
            ("cmd:judge", "--max-calls N, --max-time D"),
            ("codex", "[models.NAME]"),
            #[cfg(feature = "http")]
            ("http:local", "[models.NAME]"),
        ] {
            let backend = Backend::single(text).unwrap();
            assert!(limit_hint(&backend).contains(way), "{text}");
        }
    }
}
