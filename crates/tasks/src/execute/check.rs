//! Runs a command of the project before a review.

use review::events::CheckReport;
use review::{Checking, Halt, Step};

use super::TaskContext;
use super::command::{Unfinished, run_before};

/// Runs a command of the project before `step`, as the command of a task is run.
///
/// # Errors
/// [`Halt`] when this process stops, or the log cannot be written.
pub async fn run_check(
    context: &TaskContext,
    step: &Step,
    command: &str,
) -> Result<Checking, Halt> {
    match run_before(context, step, command).await {
        Ok(course) => Ok(Checking::Ran(CheckReport {
            command: command.to_owned(),
            failure: course.failure.map(|failure| failure.cause.to_string()),
            output: course.tail,
        })),
        Err(Unfinished::Cut(cut)) => Ok(Checking::Cut(cut)),
        Err(Unfinished::Halted(halt)) => Err(halt),
    }
}
