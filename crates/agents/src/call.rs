//! One call of a program, with what it leaves in the folder of the run.

use review::Step;
use review_process::{Command, Context, Ended, SpawnError, run};

use crate::AgentContext;

pub(crate) async fn run_logged(
    context: &AgentContext,
    _step: &Step,
    command: Command,
) -> Result<Ended, SpawnError> {
    run(
        command,
        Context::new(context.stop.clone(), &context.groups, &context.redactor),
    )
    .await
}
