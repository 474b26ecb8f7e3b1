//! Runs the operations of the task machine.

mod command;
mod context;
mod listener;
mod records;
mod shell;
mod status;
mod tail;
mod tree;
mod watch;

use review_flow::{ContentStore, Executed, Executor, Step, Stop};
use review_types::UnitId;

use crate::machine::{PlannedTask, Ran, TaskMachine, TaskOp, TaskOut};
use command::{Unfinished, run_steps};
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
    #[must_use]
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
        let course = run_steps(&self.context, step, task).await;
        let group = running.end();
        let course = match course {
            Ok(course) => course,
            Err(Unfinished::Cut(cut)) => return Ok(TaskOut::Cut(cut)),
            Err(Unfinished::Halted(halt)) => return Err(halt),
        };
        let mut ran = Ran {
            tests_run: course.tests_run,
            must_pass: course.must_pass,
            took_ms: u64::try_from(course.took.as_millis()).unwrap_or(u64::MAX),
            log: course.log,
            ..Ran::default()
        };
        match course.failure {
            None => ran.changed_tree = self.keep_record(task, &proof, group, &ran).await?,
            Some(failure) => {
                ran.failure = Some(failure);
                ran.tail = Some(texts.put(course.tail.into_bytes()));
            }
        }
        Ok(TaskOut::Ran(ran))
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
            TaskOp::Status { task, status } => status::write(&self.context.root, &task, status),
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
