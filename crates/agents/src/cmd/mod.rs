//! Any program as reviewer or applier: the prompt on its standard input, the
//! answer on its standard output.

mod line;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use review::{Applier, ApplyReport, ApplyRequest, ReviewAnswer, ReviewRequest, Reviewer};
use review_flow::Step;
use review_process::{Command, Ended, EndedBy, Environment, Stdin};
use review_store::ConfineError;
use review_types::{AgentError, Failure, ModelId};

use crate::AgentContext;
use crate::call::run_logged;
use crate::caller::{Caller, NoAnswer, Said, what};
use crate::completion::{Completer, Completion, CompletionRequest};
use crate::ending::Ending;
use crate::environment::{environment, usual_variables};
use crate::prompts::{self, Prompt};
use crate::watch::Watch;
use review::events::AgentRole;

pub use line::{CommandLine, CommandLineError};

/// The name of the backend.
pub(crate) const NAME: &str = "cmd";

/// Bytes of standard error that an error quotes.
const QUOTED: usize = 2 * 1024;

/// A program of the user, as reviewer and as applier.
///
/// It runs in the root, sees only the variables that it is allowed to see, and
/// its answer counts only when it ended by itself with status 0.
pub struct CmdAgent {
    line: CommandLine,
    context: Arc<AgentContext>,
}

impl CmdAgent {
    /// The program of `line` in the world of `context`.
    #[must_use]
    pub fn new(line: CommandLine, context: Arc<AgentContext>) -> Self {
        Self { line, context }
    }

    fn caller(&self, role: AgentRole) -> Caller<'_> {
        let program = self.line.program();
        Caller { role, program }
    }

    async fn call(
        &self,
        role: AgentRole,
        iteration: u32,
        step: &Step,
        prompt: Result<Prompt, ConfineError>,
    ) -> Result<(Vec<u8>, ModelId), NoAnswer> {
        let caller = self.caller(role);
        let prompt = prompt.map_err(|error| caller.no_prompt(&error))?;
        let variables = usual_variables(&self.context.env, &self.context.pass_env);
        let command = Command {
            program: self.program(),
            args: self.line.args().iter().map(Into::into).collect(),
            cwd: self.context.artifact.root().path().to_owned(),
            env: Environment::Only(environment(&self.context, role, iteration, variables)),
            stdin: Stdin::Bytes(prompt.text),
            limits: self.context.limits_now(),
        };
        let ended = run_logged(&self.context, step, NAME, command, None).await;
        let ended = ended.map_err(|error| caller.not_started(&error))?;
        Ok((output(caller, ended)?, by(Some(prompt.label))))
    }

    /// A call that may change no file.
    async fn read_only(
        &self,
        iteration: u32,
        step: &Step,
        prompt: Result<Prompt, ConfineError>,
    ) -> Result<(Vec<u8>, ModelId), NoAnswer> {
        let role = AgentRole::Reviewer;
        let watch = self.watch(role).await?;
        let called = self.call(role, iteration, step, prompt).await;
        if let Some(watch) = watch {
            let paths = watch.changed().await;
            let paths = paths.map_err(|error| self.caller(role).not_watched(&error))?;
            if !paths.is_empty() {
                return Err(NoAnswer::reviewer_wrote(paths));
            }
        }
        called
    }

    /// The files of the project before a call, where they are watched.
    async fn watch(&self, role: AgentRole) -> Result<Option<Watch<'_>>, NoAnswer> {
        if !self.context.watches_programs {
            return Ok(None);
        }
        let watch = Watch::start(&self.context, role, &[]).await;
        watch
            .map(Some)
            .map_err(|error| self.caller(role).not_watched(&error))
    }

    /// A path starts at the folder that the user is in, though the program
    /// runs in the root; a name is left to be found on `PATH`.
    fn program(&self) -> PathBuf {
        let program = Path::new(self.line.program());
        if self.line.program().contains('/') {
            self.context.cwd.join(program)
        } else {
            program.to_owned()
        }
    }
}

fn by(prompt: Option<String>) -> ModelId {
    ModelId {
        backend: NAME.to_owned(),
        model: None,
        prompt,
    }
}

/// The complete output of a program that did its work, or why there is none.
/// What a program wrote before it failed or was cut off is no output.
fn output(caller: Caller<'_>, ended: Ended) -> Result<Vec<u8>, NoAnswer> {
    if let Some(failure) = Ending::from(&ended).failure() {
        let what = match ended.cut {
            Some(EndedBy::Stopped | EndedBy::Dismissed) => "was stopped with the run".to_owned(),
            _ => what(&failure, ""),
        };
        let message = format!("{caller} {what}{}", Said(&ended.stderr.tail(QUOTED)));
        return Err(NoAnswer { failure, message });
    }
    // The last bytes of an output come when its program has ended, too late to
    // be cut off for their number.
    let limit = ended.stdout.total() - ended.stdout.dropped();
    ended.stdout.into_complete().ok_or_else(|| {
        let failure = Failure::TooLarge { limit };
        let message = format!("{caller} {}", what(&failure, ""));
        NoAnswer { failure, message }
    })
}

#[async_trait]
impl Reviewer for CmdAgent {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let prompt = prompts::review(
            &request,
            &*self.context.artifact,
            &self.context.prompts.reviewer,
        );
        let called = self.read_only(request.iteration, &request.step, prompt);
        let (text, by) = called.await?;
        Ok(ReviewAnswer::text(text).with_model(by))
    }
}

#[async_trait]
impl Applier for CmdAgent {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let prompt = prompts::apply(
            &request,
            &*self.context.artifact,
            &self.context.prompts.applier,
            self.context.apply_scope,
        );
        let watch = self.watch(AgentRole::Applier).await?;
        let called = self.call(AgentRole::Applier, request.iteration, &request.step, prompt);
        let called = called.await;
        let out_of_scope = match watch {
            Some(watch) => watch.put_back().await,
            None => Ok(Vec::new()),
        };
        let out_of_scope =
            out_of_scope.map_err(|error| self.caller(AgentRole::Applier).not_watched(&error))?;
        let (text, by) = match called {
            // What it changed where it must not outweighs how it ended.
            Err(_) if !out_of_scope.is_empty() => (Vec::new(), by(None)),
            called => called?,
        };
        Ok(ApplyReport::done()
            .with_model(by)
            .with_text(text)
            .with_out_of_scope(out_of_scope))
    }
}

#[async_trait]
impl Completer for CmdAgent {
    async fn complete(&self, request: CompletionRequest<'_>) -> Result<Completion, AgentError> {
        let prompt = Ok(request.rendered());
        let (text, by) = self.read_only(1, &request.step, prompt).await?;
        Ok(Completion {
            text,
            by,
            usage: None,
        })
    }
}
