//! What runs of the engine need of this process: signals, clock, runtime.

use std::path::Path;
use std::sync::Arc;

use review::EventSink;
use review_engine::Project;
use review_process::signals::{self, Interrupt, Signals};
use review_process::{Groups, Stop};
use review_store::{Root, StateDir};
use review_types::ExitCode;
use tokio::sync::watch;

use crate::clock::StoppableClock;
use crate::context::Context;
use crate::environment::Environment;
use crate::error::{CommandError, cannot, exit_code};

/// The parts of this process that runs need: signals are received, and a runtime
/// waits for children.
pub(crate) struct Runtime {
    groups: Groups,
    signals: Signals,
    /// `None` once it is dropped.
    tokio: Option<tokio::runtime::Runtime>,
}

impl Runtime {
    /// Starts to listen.
    ///
    /// # Errors
    /// When the system refuses a thread or a runtime.
    pub(crate) fn new(context: &Context) -> Result<Self, CommandError> {
        context.show_log();
        let groups = match context.environment.launcher() {
            Some(launcher) => Groups::of_process().with_launcher(launcher),
            None => Groups::of_process(),
        };
        if cfg!(panic = "abort") {
            groups.kill_on_panic();
        }
        let signals = signals::listen(groups.clone(), exit_now).map_err(cannot(START))?;
        context.heed(signals.clone());
        Ok(Self {
            signals,
            tokio: Some(
                tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .map_err(cannot(START))?,
            ),
            groups,
        })
    }

    /// Carries out `work` in the project at `root`.
    ///
    /// # Errors
    /// When `root` is not a folder.
    pub(crate) fn block_on<T>(
        &self,
        environment: &Environment,
        root: &Path,
        state: StateDir,
        sink: &dyn EventSink,
        work: impl AsyncFnOnce(&Project<'_>) -> T,
    ) -> Result<T, CommandError> {
        let project = self.project(environment, root, state, sink)?;
        Ok(self.finish(work(&project)))
    }

    /// The project at `root`, for work that this runtime carries out.
    ///
    /// # Errors
    /// When `root` is not a folder.
    pub(crate) fn project<'s>(
        &self,
        environment: &Environment,
        root: &Path,
        state: StateDir,
        sink: &'s dyn EventSink,
    ) -> Result<Project<'s>, CommandError> {
        Ok(Project {
            root: Root::open(root).map_err(no_root)?,
            state,
            cwd: environment.folder.clone(),
            env: environment.variables.clone(),
            version: env!("RALPH_VERSION"),
            command: environment.arguments.clone(),
            clock: Arc::new(StoppableClock::new(self.signals.stop())),
            sink,
            groups: self.groups.clone(),
            stop: self.signals.stop(),
        })
    }

    /// Where the live process groups are listed.
    pub(crate) fn groups(&self) -> Groups {
        self.groups.clone()
    }

    /// Whether work goes on.
    pub(crate) fn stop(&self) -> watch::Receiver<Stop> {
        self.signals.stop()
    }

    /// Waits for `work`; `None` when a signal comes first.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut stop = self.signals.stop();
        self.finish(async {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop != Stop::Run) => None,
                done = work => Some(done),
            }
        })
    }

    /// Waits for `work`, which ends on its own when a signal comes.
    #[expect(clippy::expect_used, reason = "it is taken where it is dropped alone")]
    pub(crate) fn finish<T>(&self, work: impl Future<Output = T>) -> T {
        let tokio = self.tokio.as_ref().expect("it is not dropped yet");
        tokio.block_on(work)
    }

    /// The exit code of a process that a signal ended, if one came.
    pub(crate) fn interrupted(&self) -> Option<ExitCode> {
        self.signals.interrupt().map(exit_code)
    }

    /// The error of a command that a signal ended.
    pub(crate) fn interruption(&self) -> CommandError {
        CommandError::new("interrupted").after(self.signals.interrupt())
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.groups.dismiss_guard();
        // Nothing can stop the system from looking up a name, and nobody waits for it.
        if let Some(tokio) = self.tokio.take() {
            tokio.shutdown_background();
        }
    }
}

/// Waits for work that waits for nothing outside this process.
///
/// # Errors
/// When the system refuses a runtime.
pub(crate) fn wait_for<T>(work: impl Future<Output = T>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    Ok(runtime.map_err(cannot(START))?.block_on(work))
}

/// The second signal: whatever still runs is dead already.
#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "the second Ctrl-C ends the process wherever it is"
)]
fn exit_now(interrupt: Interrupt) {
    std::process::exit(i32::from(exit_code(interrupt).get()))
}

/// Why nothing was begun.
const START: &str = "start the run";

fn no_root(error: review_store::FileError) -> CommandError {
    let kind = error.source.kind();
    let error = CommandError::from(error);
    match kind {
        std::io::ErrorKind::NotFound => {
            error.hint("restore it, or start a new run where it is now")
        }
        _ => error,
    }
}
