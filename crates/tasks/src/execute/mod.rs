//! Runs the operations of the task machine.

mod command;
mod context;
mod listener;
mod records;
mod shell;
mod tree;
mod watch;

use review::LimitReached;
use review::events::MustPass;
use review_document::set_status;
use review_flow::{ContentStore, Executed, Executor, Step, Stop};
use review_store::{Reader, Root, RootPath};
use review_types::{Hash, TaskStatus, UnitId};

use crate::machine::{
    GateCommand, GateKind, PlannedTask, Ran, RanTests, TaskMachine, TaskOp, TaskOut,
};
use crate::runners::TestNames;
use command::{CommandRun, Names, Scripts, run_scripts};
use tree::RunTree;

pub use command::run_check;
pub use context::{DEFAULT_TIMEOUT, TaskContext};
pub use shell::Shell;

/// Runs the steps of the task machine: commands without a valid record, and writes
/// of statuses.
pub struct TaskExecutor {
    unit: UnitId,
    context: TaskContext,
    tree: RunTree,
}

impl TaskExecutor {
    /// Returns an executor for the tasks of `unit`.
    pub fn new(unit: UnitId, context: TaskContext) -> Self {
        Self {
            unit,
            context,
            tree: RunTree::default(),
        }
    }

    async fn backpressure(
        &self,
        step: &Step,
        task: &PlannedTask,
        texts: &ContentStore,
    ) -> Result<TaskOut, Stop> {
        let proof = self.proof(task).await?;
        if let Some(record) = self.recorded(task, &proof) {
            return Ok(TaskOut::Ran(Ran {
                tests_run: record.tests_run,
                must_pass: record.must_pass,
                took_ms: record.took_ms,
                cached: true,
                ..Ran::default()
            }));
        }
        if self.context.shell.leaves_pipelines_unchecked(task) {
            tracing::warn!(
                "task {}: without bash only the last command of a pipeline decides; install bash",
                task.number
            );
        }
        let running = self.tree.command_runs(proof.tree).await;
        let scripts = Scripts::of_task(task, Names::Listed);
        let run = run_scripts((&self.context, step), &scripts).await;
        let group = running.end();
        let mut ran = match run? {
            Ok(run) => kept(run, texts),
            Err(cut) => return Ok(TaskOut::Cut(cut)),
        };
        if ran.failure.is_none() {
            ran.changed_tree = self.keep_record(task, &proof, group, &ran).await?;
        }
        Ok(TaskOut::Ran(ran))
    }
}

/// Runs a command in a checkout, whatever is on record, and compares its tests with those
/// that are known of it; or the limit of the run that cut it.
///
/// # Errors
/// [`Stop`] when this process stops, the log cannot be written, or the known names cannot
/// be read.
pub async fn run_command(
    context: &TaskContext,
    step: &Step,
    command: &GateCommand,
    (kind, known): (GateKind, &[Hash]),
    texts: &ContentStore,
) -> Result<Result<Ran, LimitReached>, Stop> {
    let names = match kind.compares_tests() {
        true => Names::All,
        false => Names::Listed,
    };
    let run = match run_scripts((context, step), &Scripts::of(command, names)).await? {
        Ok(run) => run,
        Err(cut) => return Ok(Err(cut)),
    };
    let tests = match names {
        Names::All => compared((&run.names, run.listed.as_ref()), (kind, known), texts)?,
        Names::Listed => None,
    };
    Ok(Ok(Ran {
        tests,
        ..kept(run, texts)
    }))
}

/// Returns the tests of a run beside those that are known of its command; `None` if none
/// are.
fn compared(
    (run, listed): (&TestNames, Option<&MustPass>),
    (kind, known): (GateKind, &[Hash]),
    texts: &ContentStore,
) -> Result<Option<Box<RanTests>>, Stop> {
    let mut before = TestNames::default();
    for hash in known {
        let text = texts.get(hash).map_err(|error| halted(&error))?;
        let names = serde_json::from_slice(&text).map_err(|error| halted(&error))?;
        before = before.or(&names);
    }
    // What fails before it runs all of its tests shows only some of them.
    let names = match kind != GateKind::Before && run.is_whole() {
        true => run.clone(),
        false => before.clone().or(run),
    };
    if names.is_empty() {
        return Ok(None);
    }
    let text = serde_json::to_vec(&names).map_err(|error| halted(&error))?;
    let names = texts.put(text);
    let tests = RanTests::of((&before, run), names, listed);
    Ok(Some(Box::new(tests)))
}

/// Runs the commands that prepare a checkout.
///
/// # Errors
/// [`Stop`] when this process stops, or the log cannot be written.
pub async fn run_setup(
    context: &TaskContext,
    step: &Step,
    commands: &[String],
    texts: &ContentStore,
) -> Result<Result<Ran, LimitReached>, Stop> {
    let scripts = Scripts::around("setup", commands);
    let run = run_scripts((context, step), &scripts).await?;
    Ok(run.map(|run| kept(run, texts)))
}

/// The result of a command for the journal, with the end of its output if it failed.
fn kept(run: CommandRun, texts: &ContentStore) -> Ran {
    let has_failed = run.ran.failure.is_some();
    Ran {
        tail: has_failed.then(|| texts.put(run.tail.into_bytes())),
        ..run.ran
    }
}

impl Executor<TaskMachine> for TaskExecutor {
    async fn exec(
        &self,
        step: Step,
        op: TaskOp,
        texts: &ContentStore,
    ) -> Result<Executed<TaskOut>, Stop> {
        let out = match op {
            TaskOp::Backpressure { task } => self.backpressure(&step, &task, texts).await?,
            TaskOp::Status { task, status } => write_status(&self.context.root, &task, status),
            TaskOp::Lane(_) => {
                return Err(Stop::Broken(
                    "the executor of commands has no lane".to_owned(),
                ));
            }
        };
        Ok(Executed::local(out))
    }
}

/// Returns an internal failure.
fn halted(error: &dyn std::error::Error) -> Stop {
    Stop::Broken(error.to_string())
}

/// Writes the status in the file of a task. A file that cannot be edited is left
/// unchanged, and the run continues.
fn write_status(root: &Root, task: &PlannedTask, status: TaskStatus) -> TaskOut {
    let written = try_write(root, task, status);
    let kept = written
        .err()
        .map(|error| format!("{} keeps its status: {error}", task.path));
    if let Some(reason) = &kept {
        tracing::warn!("{reason}");
    }
    TaskOut::Status { kept }
}

fn try_write(
    root: &Root,
    task: &PlannedTask,
    status: TaskStatus,
) -> Result<(), Box<dyn std::error::Error>> {
    let before = Reader::new(root).read(&task.path)?;
    let after = set_status(&before, status)?;
    if after != before {
        root.replace(&RootPath::new(&task.path)?, &after)?;
    }
    Ok(())
}
