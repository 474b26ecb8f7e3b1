//! An agent of the protocol as an agent.

use std::sync::Arc;

use async_trait::async_trait;
use review_process::{
    Command, Ended, Environment, FileAccess, Sandbox, Sink as _, SpawnError, Stdin,
};
use review_store::FileError;
use review_types::{AgentError, ModelId, Usage};

use super::events::{AcpEvents, Question};
use super::permission::Permissions;
use super::{NAME, ROW, client_of, folder_of, is_remote};
use crate::call::run_observed;
use crate::caller::{Caller, NoAnswer};
use crate::clients::{Client, message};
use crate::cmd::CommandLine;
use crate::ending::Ending;
use crate::environment::{client_variables, environment};
use crate::outcome::{CallEnd, ExitCodes, outcome};
use crate::stream::{Observed, StreamLimits, StreamReader, cut_when_spent};
use crate::watch::{OwnFiles, Watch};
use crate::{Access, Agent, AgentCall, AgentContext, AgentReply, ApplyScope};

/// How an agent gets what it needs of its user.
const LOG_IN: &str = "log in with the agent itself, or name its key in `agent.pass_env`";

/// An agent of the Agent Client Protocol.
///
/// Each call starts it again. It is talked with in the root, sees what a client of its name
/// sees, and what it does to the files of the checkout is always watched.
pub struct AcpAgent {
    line: CommandLine,
    written: String,
    context: Arc<AgentContext>,
}

impl AcpAgent {
    /// The agent that `line` starts in the world of `context`.
    pub fn new(line: CommandLine, context: Arc<AgentContext>) -> Self {
        Self {
            written: format!("{NAME}:{line}"),
            line,
            context,
        }
    }

    async fn answer(&self, call: &AgentCall<'_>) -> Result<AgentReply, NoAnswer> {
        let caller = Caller {
            program: &self.written,
        };
        let own = client_of(&self.line).map_or_else(OwnFiles::default, Client::own_files);
        let watch = Watch::start(&self.context, call.checkout, call.access, own).await;
        let not_watched = |error: FileError| caller.not_watched(&error);
        let watch = watch.map_err(not_watched)?;
        let ran = self.run(call).await;
        let (ended, seen) = ran.map_err(|error| caller.not_started(&error))?;
        let changes = watch.changes().await.map_err(not_watched)?;
        let usage = self.usage(&seen);
        let end = CallEnd {
            ending: &Ending::from(&ended),
            seen: &seen,
            exits: ExitCodes::Plain,
            changed: changes.forbidden(),
            at: Some(self.context.clock.now()),
        };
        // What it changed outside its scope outweighs how it ended.
        if let (Err(failure), true) = (outcome(&end), changes.out_of_scope.is_empty()) {
            return Err(Box::new(AgentError {
                message: message(caller, LOG_IN, call.role, &failure, &seen),
                failure,
                usage,
                session: seen.session,
            }));
        }
        let by = ModelId {
            backend: NAME.to_owned(),
            model: seen.model.clone(),
            prompt: Some(call.prompt.label.clone()),
        };
        let context = &self.context;
        Ok(AgentReply::observed(
            context, call, by, usage, &ended, seen, changes,
        ))
    }

    /// Talks with the agent until it has answered.
    async fn run(&self, call: &AgentCall<'_>) -> Result<(Ended, Observed), SpawnError> {
        let limits = StreamLimits::default();
        let events = AcpEvents::new(self.question(call), limits.text);
        let spent = cut_when_spent(&self.context, call.allowance, None, None);
        let mut reader = StreamReader::new(Box::new(events), limits).until(spent);
        let command = self.command(call, reader.reply());
        let usage = |seen: &Observed| self.usage(seen);
        run_observed(&self.context, call, NAME, command, reader, &usage).await
    }

    fn question(&self, call: &AgentCall<'_>) -> Question {
        let follow_up = call.follow_up.map(|follow_up| follow_up.session.clone());
        Question {
            cwd: folder_of(&self.line, call.checkout.root()),
            follow_up,
            prompt: Some(String::from_utf8_lossy(&call.prompt.text).into_owned()),
            permissions: Permissions::of(call.access, &call.checkout.artifact),
        }
    }

    fn command(&self, call: &AgentCall<'_>, first: Vec<u8>) -> Command {
        let context = &self.context;
        let row = client_of(&self.line).map_or(&ROW, Client::row);
        let seen = client_variables(&context.env, row, &context.pass_env);
        Command {
            program: self.line.file(&context.programs),
            args: self.line.args().iter().map(Into::into).collect(),
            cwd: call.checkout.root().path().to_owned(),
            env: Environment::Only(environment(context, call, seen)),
            stdin: Stdin::Dialog(first),
            limits: context.limits_of_events(),
            sandbox: self.sandbox(call),
            finishes: false,
        }
    }

    /// The sandbox of a call in the root: an applier may write to the folders of its scope.
    fn sandbox(&self, call: &AgentCall<'_>) -> Option<Sandbox> {
        let sandbox = self.context.sandbox.clone();
        let sandbox = sandbox.filter(|_| !is_remote(&self.line))?;
        let root = call.checkout.root().path();
        Some(match call.access {
            Access::None | Access::Read | Access::Implement => sandbox,
            Access::Edit(ApplyScope::Root) => sandbox.with(root, FileAccess::Write),
            Access::Edit(ApplyScope::Artifact) => {
                let files = call.checkout.artifact.paths().unwrap_or_default();
                let files = files.iter().map(|file| root.join(file.as_str()));
                files.fold(sandbox, |sandbox, file| match file.parent() {
                    Some(folder) => sandbox.with(folder, FileAccess::Write),
                    None => sandbox,
                })
            }
        })
    }

    fn usage(&self, seen: &Observed) -> Option<Usage> {
        self.context.models.usage(seen, None, None)
    }
}

#[async_trait]
impl Agent for AcpAgent {
    async fn call(&self, call: AgentCall<'_>) -> Result<AgentReply, AgentError> {
        self.answer(&call).await.map_err(|error| *error)
    }
}
