//! Carries out what the task machine asks for.

mod command;
mod context;
mod listener;
mod records;
mod shell;
mod status;
mod tail;
mod tree;

use std::sync::Arc;

use review::{Executed, Executor, Halt, Step, Texts};
use review_types::TaskNumber;

use crate::machine::{PlannedTask, Ran, TaskMachine, TaskOp, TaskOut, TaskPlan};
use command::{Unfinished, run_steps};
use tree::RunTree;

pub use command::run_check;
pub use context::{DEFAULT_TIMEOUT, TaskContext};
pub use shell::Shell;

/// Carries out the steps of the task machine: runs commands where no record
/// spares them, and writes statuses.
pub struct TaskExecutor {
    plan: Arc<TaskPlan>,
    context: TaskContext,
    tree: RunTree,
}

impl TaskExecutor {
    /// An executor for the tasks of `plan`.
    #[must_use]
    pub fn new(plan: Arc<TaskPlan>, context: TaskContext) -> Self {
        Self {
            plan,
            context,
            tree: RunTree::default(),
        }
    }

    fn task(&self, number: TaskNumber) -> Result<&PlannedTask, Halt> {
        let task = self.plan.task(number);
        task.ok_or_else(|| Halt::Broken(format!("task {number} is not in the plan")))
    }

    async fn backpressure(
        &self,
        step: &Step,
        task: &PlannedTask,
        texts: &Texts,
    ) -> Result<TaskOut, Halt> {
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
        self.tree.forget().await;
        let course = match run_steps(&self.context, step, task).await {
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
            None => ran.changed_tree = self.keep_record(task, &proof, &ran).await?,
            Some(failure) => {
                ran.failure = Some(failure);
                ran.tail = Some(texts.put(course.tail.into_bytes()));
            }
        }
        Ok(TaskOut::Ran(ran))
    }
}

impl Executor<TaskMachine> for TaskExecutor {
    async fn exec(&self, step: Step, op: TaskOp, texts: &Texts) -> Result<Executed<TaskOut>, Halt> {
        let out = match op {
            TaskOp::Backpressure { task } => {
                self.backpressure(&step, self.task(task)?, texts).await?
            }
            TaskOp::Status { task, status } => {
                status::write(&self.context.root, self.task(task)?, status)
            }
        };
        Ok(Executed::local(out))
    }
}

/// A failure of our own.
fn halted(error: &dyn std::error::Error) -> Halt {
    Halt::Broken(error.to_string())
}
