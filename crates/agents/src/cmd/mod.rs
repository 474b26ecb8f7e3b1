//! Any program as an agent: the prompt on its standard input, the
//! answer on its standard output.

mod line;

use std::sync::Arc;

use async_trait::async_trait;
use review::Artifact;
use review_process::{Command, Ended, EndedBy, Environment, InputRead, Overflow, Stdin};
use review_types::{AgentError, Failure, ModelId};

use crate::call::{CallLog, run_logged};
use crate::caller::{Caller, NoAnswer, StderrTail, prompt_read, reader_wrote, what};
use crate::ending::Ending;
use crate::environment::{environment, usual_variables};
use crate::row::{BackendKind, BackendRow};

use crate::{Access, Agent, AgentCall, AgentContext, AgentReply, Paths};

pub use line::{CommandLine, CommandLineError};

/// The name of the backend.
pub(crate) const NAME: &str = "cmd";

/// What it is like.
pub(crate) const ROW: BackendRow = BackendRow {
    name: NAME,
    kind: BackendKind::Program,
    implementer: true,
    needs: "a program, given as cmd:PROGRAM ARGS",
    install: None,
    variables: &[],
    writes: &[],
};

/// Bytes of standard error that an error quotes.
const QUOTED: usize = 2 * 1024;

/// A program of the user.
///
/// It runs in the root, sees only the variables that it is allowed to see, and
/// its answer counts only when it exited with status 0.
pub struct CmdAgent {
    line: CommandLine,
    context: Arc<AgentContext>,
}

impl CmdAgent {
    /// The program of `line` in the world of `context`.
    pub fn new(line: CommandLine, context: Arc<AgentContext>) -> Self {
        Self { line, context }
    }

    /// The output of one run of the program, and how much of its prompt it read.
    async fn output(&self, call: &AgentCall<'_>, caller: Caller<'_>) -> Result<Output, NoAnswer> {
        let context = &self.context;
        let variables = usual_variables(&context.env, &context.pass_env);
        let mut limits = context.limits_now();
        if call.access == Access::Implement {
            limits.overflow = Overflow::KeepTail;
        }
        let command = Command {
            program: self.line.file(&context.programs),
            args: self.line.args().iter().map(Into::into).collect(),
            cwd: call.checkout.root().path().to_owned(),
            env: Environment::Only(environment(context, call, variables)),
            stdin: Stdin::Bytes(call.prompt.text.clone()),
            limits,
            sandbox: None,
            finishes: false,
        };
        let log = CallLog::new(&context.run, call.step);
        let ended = run_logged(context, call, NAME, command, None, log).await;
        let ended = ended.map_err(|error| caller.not_started(&error))?;
        let (input, left_running) = (ended.input, ended.left_running);
        Ok(Output {
            text: output(caller, ended, limits.overflow)?,
            input,
            left_running,
        })
    }
}

/// What is known of a program that did its work.
struct Output {
    text: Vec<u8>,
    input: Option<InputRead>,
    left_running: bool,
}

/// The output of a program that did its work, or why it has none: all of it, or of one that
/// implements, whose files are what counts, the last lines of a long one. What a program
/// wrote before it failed or was cut off does not count.
fn output(caller: Caller<'_>, ended: Ended, overflow: Overflow) -> Result<Vec<u8>, NoAnswer> {
    if let Some(failure) = Ending::from(&ended).failure() {
        let what = match ended.cut {
            Some(EndedBy::Stopped | EndedBy::Dismissed) => "was stopped with the run".to_owned(),
            _ => what(&failure, ""),
        };
        let message = format!("{caller} {what}{}", StderrTail(&ended.stderr.tail(QUOTED)));
        return Err(Box::new(AgentError::new(failure, message)));
    }
    if overflow == Overflow::KeepTail && ended.stdout.dropped() > 0 {
        let last = ended.stdout.tail(usize::MAX).into_owned();
        return Ok(last.into_bytes());
    }
    // The last bytes of an output come when its program has ended, too late to
    // be cut off for their number.
    let limit = ended.stdout.total() - ended.stdout.dropped();
    ended.stdout.into_complete().ok_or_else(|| {
        let failure = Failure::Truncated { limit: Some(limit) };
        let message = format!("{caller} {}", what(&failure, ""));
        Box::new(AgentError::new(failure, message))
    })
}

#[async_trait]
impl Agent for CmdAgent {
    async fn call(&self, call: AgentCall<'_>) -> Result<AgentReply, AgentError> {
        let program = self.line.program();
        let caller = Caller { program };
        let line = format!("{NAME}:{}", self.line);
        let writer = Caller { program: &line };
        let artifact = &call.checkout.artifact;
        let snapshot = || match call.access.may_edit() {
            true => Ok(None),
            false => artifact.snapshot(None).map(Some),
        };
        let unreadable = |error| *caller.not_called("was not started", error);
        let before = snapshot().map_err(unreadable)?;
        let called = self.output(&call, caller).await;
        // An artifact that cannot be read any more is reported by the loop.
        if let (Some(before), Ok(Some(after))) = (before, snapshot())
            && after.hash != before.hash
        {
            let paths = after.manifest.difference(&before.manifest);
            return Err(*reader_wrote(writer, call.role, paths));
        }
        let output = called.map_err(|error| *error)?;
        Ok(AgentReply {
            text: output.text,
            by: ModelId {
                backend: NAME.to_owned(),
                model: None,
                prompt: Some(call.prompt.label),
            },
            session: None,
            usage: None,
            prompt: prompt_read(output.input),
            reads: Paths::unknown(),
            changed: Paths::unknown(),
            out_of_scope: Vec::new(),
            left_running: output.left_running,
        })
    }
}
