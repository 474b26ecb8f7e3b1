//! Runs the command of a task, step by step.

use std::sync::Arc;
use std::time::Duration;

use review::events::{CheckReport, ListedTest, MustPass, TestResult};
use review::{CheckOutcome, LimitReached};
use review_flow::{Step, Stop, TRACE_PARENT};
use review_process::{
    Command, Context, Ended, EndedBy, Environment, Exit, GroupId, Limits, Overflow, SpawnError,
    SpawnFault, run,
};
use review_store::{LogFile, Reader};
use review_types::{TaskNumber, milliseconds};

use super::TaskContext;
use super::listener::{Listener, Tail};
use super::watch::StepWatch;
use crate::machine::{CommandFailure, FailureCause, GateCommand, PlannedTask, Ran};
use crate::must_pass::{judge, reports};
use crate::runners::{Listed, ObservedTests, TestNames, TestReader, TestRunner, names_variables};

/// The result of a command, as this process saw it.
pub(super) struct CommandRun {
    /// Without its tests beside others, and the end of its output.
    pub(super) ran: Ran,
    /// The names of all tests, if they are collected.
    pub(super) names: TestNames,
    /// The listed tests in the output, whatever the exit status.
    pub(super) listed: Option<MustPass>,
    pub(super) tail: String,
}

/// The external reason that a command was not run to its end.
enum Unfinished {
    /// A limit of the run.
    Cut(LimitReached),
    /// This process stops.
    Halted(Stop),
}

impl From<Stop> for Unfinished {
    fn from(halt: Stop) -> Self {
        Self::Halted(halt)
    }
}

/// Runs a command of the project before `step`, like the command of a task.
///
/// # Errors
/// [`Stop`] when this process stops, or the log cannot be written.
pub async fn run_check(
    context: &TaskContext,
    step: &Step,
    command: &str,
) -> Result<CheckOutcome, Stop> {
    let commands = [command.to_owned()];
    let scripts = Scripts::around("check", &commands);
    Ok(match run_scripts((context, step), &scripts).await? {
        Ok(run) => CheckOutcome::Ran(CheckReport {
            command: command.to_owned(),
            failure: run.ran.failure.map(|failure| failure.cause.to_string()),
            output: run.tail,
        }),
        Err(cut) => CheckOutcome::Cut(cut),
    })
}

/// The tests whose names are looked for in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// Those that the task lists.
    Listed,
    /// All.
    All,
}

/// The scripts to run, one per step.
pub(super) struct Scripts<'a> {
    texts: &'a [String],
    /// What the commands are, in the name of the log, unless they are those of the step.
    what: Option<&'static str>,
    task: Option<TaskNumber>,
    /// The tests that must run and pass.
    must_pass: &'a [String],
    timeout: Option<Duration>,
    names: Names,
}

impl<'a> Scripts<'a> {
    /// The steps of the command of a task.
    pub(super) fn of_task(task: &'a PlannedTask, names: Names) -> Self {
        Self {
            texts: &task.commands,
            what: None,
            task: Some(task.number),
            must_pass: &task.must_pass,
            timeout: task.timeout,
            names,
        }
    }

    /// The steps of a command.
    pub(super) fn of(command: &'a GateCommand, names: Names) -> Self {
        match command {
            GateCommand::Task(task) => Self::of_task(task, names),
            GateCommand::Check(command) => Self {
                what: None,
                names,
                ..Self::around("", std::slice::from_ref(command))
            },
        }
    }

    /// Commands that run before those of a step.
    pub(super) const fn around(what: &'static str, texts: &'a [String]) -> Self {
        Self {
            texts,
            what: Some(what),
            task: None,
            must_pass: &[],
            timeout: None,
            names: Names::Listed,
        }
    }

    fn listed(&self) -> Listed {
        let listed = Listed::new(self.must_pass.iter().map(String::as_str));
        match self.names {
            Names::Listed => listed,
            Names::All => listed.collecting(),
        }
    }

    /// Returns the name of the log file of a step's attempt.
    fn log_name(&self, step: &Step) -> String {
        let name = step.name.as_str().replace('/', ".");
        let prefix = self
            .what
            .map_or_else(String::new, |what| format!("{what}."));
        format!("{prefix}{name}-{}", step.attempt)
    }
}

/// Runs scripts up to the first that does not pass, or the limit of the run that cuts them.
pub(super) async fn run_scripts(
    (context, step): (&TaskContext, &Step),
    scripts: &Scripts<'_>,
) -> Result<Result<CommandRun, LimitReached>, Stop> {
    let mut running = Running {
        context,
        step,
        log: context.run.log(&scripts.log_name(step)),
        tail: Tail::default(),
        limit: scripts.timeout.unwrap_or(context.timeout),
        took: Duration::ZERO,
        listed: Arc::new(scripts.listed()),
        observed: ObservedTests::default(),
        watch: StepWatch::start(&context.live, step, scripts.task),
    };
    let steps = scripts.texts.len();
    for (index, script) in scripts.texts.iter().enumerate() {
        match running.script(script).await {
            Ok(None) => {}
            Ok(Some(cause)) => {
                let step = index + 1;
                let failure = CommandFailure { step, steps, cause };
                return Ok(Ok(running.end(scripts, Some(failure))));
            }
            Err(Unfinished::Cut(cut)) => return Ok(Err(cut)),
            Err(Unfinished::Halted(stop)) => return Err(stop),
        }
    }
    Ok(Ok(running.end(scripts, None)))
}

/// A JUnit file of a runner, which counts only if a command has written it.
struct ReportFile {
    runner: &'static TestRunner,
    path: String,
    before: Option<Vec<u8>>,
}

struct Running<'a> {
    context: &'a TaskContext,
    step: &'a Step,
    log: LogFile,
    tail: Tail,
    limit: Duration,
    took: Duration,
    listed: Arc<Listed>,
    observed: ObservedTests,
    watch: Option<StepWatch<'a>>,
}

impl Running<'_> {
    /// Runs one script; `None` when it passed.
    async fn script(&mut self, script: &str) -> Result<Option<FailureCause>, Unfinished> {
        let own = self.limit.saturating_sub(self.took);
        let left = self.context.remaining().unwrap_or(Duration::MAX);
        if left.is_zero() {
            return Err(Unfinished::Cut(LimitReached::RunTime));
        }
        if own.is_zero() {
            return Ok(Some(self.timed_out()));
        }
        let command = self.command(script, own.min(left));
        let reports = self.reports(script);
        if let Some(watch) = &mut self.watch {
            watch.begin(script, own.min(left), self.observed.tests_run);
        }
        let mut listener = Listener {
            watch: self.watch.as_mut(),
            log: &mut self.log,
            reader: TestReader::new(&self.listed),
            tail: &mut self.tail,
        };
        let ended = run_noted(self.context, command, &mut listener).await;
        let mut observed = listener.finish();
        let ended = match ended {
            Ok(ended) => ended,
            Err(error) if matches!(error.cause, SpawnFault::Stopped) => {
                return Err(Stop::Interrupted.into());
            }
            Err(error) => {
                let message = error.to_string();
                return Ok(Some(FailureCause::NotStarted { message }));
            }
        };
        self.took += ended.took;
        for report in reports {
            let now = self.read(&report.path);
            if let Some(text) = now.filter(|now| Some(now) != report.before.as_ref()) {
                let text = String::from_utf8_lossy(&text);
                observed.add_report(report.runner, &text, &self.listed);
            }
        }
        self.observed.add(&observed);
        if let Some(error) = &ended.spill_error {
            let path = self.log.path().display();
            let broken = Stop::Broken(format!("the log {path} cannot be written: {error}"));
            return Err(broken.into());
        }
        match ended.cut {
            Some(EndedBy::Stopped) => Err(Stop::Interrupted.into()),
            Some(_) if left < own => Err(Unfinished::Cut(LimitReached::RunTime)),
            Some(_) => Ok(Some(self.timed_out())),
            None => Ok(failure(&ended, observed.tests_run)),
        }
    }

    /// Returns the JUnit files that a script writes, as they are before it runs.
    fn reports(&self, script: &str) -> Vec<ReportFile> {
        if !self.listed.wants_names() {
            return Vec::new();
        }
        let reports = reports(script)
            .into_iter()
            .map(|(runner, path)| ReportFile {
                runner,
                before: self.read(&path),
                path,
            });
        reports.collect()
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        Reader::new(&self.context.root).read(path).ok()
    }

    fn timed_out(&self) -> FailureCause {
        FailureCause::TimedOut { limit: self.limit }
    }

    fn command(&self, script: &str, wall: Duration) -> Command {
        let mut command = self.context.shell.command(script, self.context.root.path());
        command.env = self.environment();
        command.sandbox.clone_from(&self.context.sandbox);
        command.limits = Limits {
            wall: Some(wall),
            idle: None,
            // The listener stores the required part of the output.
            capture: 0,
            overflow: Overflow::KeepTail,
            ..Limits::default()
        };
        command
    }

    /// Returns the variables of the command, with those that make runners name tests
    /// appended to what the user set.
    fn environment(&self) -> Environment {
        let trace = self.context.trace_parent.iter();
        let trace = trace.map(|parent| (TRACE_PARENT.into(), parent(self.step).into()));
        let environment = self.context.environment.with(trace);
        if !self.listed.wants_names() {
            return environment;
        }
        environment.with(names_variables().map(|names| {
            let mut value = environment
                .named(&names.variable)
                .cloned()
                .unwrap_or_default();
            value.push(if value.is_empty() { "" } else { " " });
            value.push(&names.options);
            (names.variable.clone().into(), value)
        }))
    }

    /// Ends with the failure of a script, or with what the listed tests say.
    fn end(self, scripts: &Scripts<'_>, failed: Option<CommandFailure>) -> CommandRun {
        let listed = judge(scripts.must_pass, scripts.texts, &self.observed);
        let must_pass = listed.clone().filter(|_| failed.is_none());
        let steps = scripts.texts.len();
        let missing = must_pass.as_ref().and_then(|listed| self.missing(listed));
        let missing = missing.map(|cause| CommandFailure {
            step: steps,
            steps,
            cause,
        });
        let log = self.log.is_written();
        CommandRun {
            ran: Ran {
                failure: failed.or(missing),
                tests_run: self.observed.tests_run,
                must_pass,
                took_ms: milliseconds(self.took),
                log: log.then(|| self.log.shown(&self.context.shown_from)),
                ..Ran::default()
            },
            names: self.observed.names,
            listed,
            tail: self.tail.text(),
        }
    }

    fn missing(&self, listed: &MustPass) -> Option<FailureCause> {
        let is_missing = |test: &&ListedTest| match test.result {
            TestResult::Passed => false,
            TestResult::Unknown => self.context.require_names,
            TestResult::Failed | TestResult::Skipped | TestResult::NotRun => true,
        };
        let tests: Vec<_> = listed.tests.iter().filter(is_missing).cloned().collect();
        (!tests.is_empty()).then_some(FailureCause::TestsMissing { tests })
    }
}

/// Returns why a step that ended on its own did not pass, if it did not.
fn failure(ended: &Ended, tests_run: Option<u64>) -> Option<FailureCause> {
    match ended.exit {
        Exit::Code(0) => (tests_run == Some(0)).then_some(FailureCause::NoTests),
        Exit::Code(status) => Some(FailureCause::Exit { status }),
        Exit::Signal(signal) => Some(FailureCause::Signal { signal }),
    }
}

/// Runs a command whose process group is recorded while it lives.
async fn run_noted(
    context: &TaskContext,
    command: Command,
    listener: &mut Listener<'_, '_>,
) -> Result<Ended, SpawnError> {
    // Declared before the call, so that a dropped call is killed first.
    let mut child = context.run.child_slot().note();
    let mut started = |group: GroupId| child.write(group);
    run(
        command,
        Context {
            stop: context.stop.clone(),
            groups: &context.groups,
            redactor: &context.redactor,
            sink: Some(listener),
            messages: None,
            started: Some(&mut started),
        },
    )
    .await
}
