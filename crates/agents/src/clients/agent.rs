//! A client as an agent.

use std::sync::Arc;

use async_trait::async_trait;
use review_process::{Command, Ended, Environment, Limits, SpawnError, SpawnFault, Stdin};
use review_store::{FileError, read_file, replace_file};
use review_types::{AgentError, ModelId, Usage};

use super::Client;
use super::message::{log_in, message};
use super::recovery::FailedCall;
use crate::call::run_observed;
use crate::caller::{Caller, NoAnswer, not_started};
use crate::client::{ClientCall, Invocation};
use crate::ending::Ending;
use crate::environment::{client_variables, environment};
use crate::model::Model;
use crate::models::ModelTerms;
use crate::outcome::{CallEnd, outcome};
use crate::stream::{Observed, StreamLimits, cut_when_spent};
use crate::watch::Watch;
use crate::{Agent, AgentCall, AgentContext, AgentReply};

/// A client of a language model.
///
/// It runs in the root with the configuration of its user, and with ours on
/// top. What it prints is read as it arrives, and what it does to the files of
/// the checkout is always watched.
pub struct ClientAgent {
    pub(super) client: Client,
    model: Option<Model>,
    pub(super) context: Arc<AgentContext>,
}

/// What the session of a call had consumed before.
fn used(call: &AgentCall<'_>) -> Option<Usage> {
    call.follow_up.and_then(|follow_up| follow_up.used)
}

impl ClientAgent {
    /// A client in the world of `context`; without a model it chooses one.
    pub fn new(client: Client, model: Option<Model>, context: Arc<AgentContext>) -> Self {
        Self {
            client,
            model,
            context,
        }
    }

    async fn answer(&self, call: &AgentCall<'_>) -> Result<AgentReply, NoAnswer> {
        let caller = Caller {
            program: self.client.as_str(),
        };
        let models = &self.context.models;
        if let Some(why) = models.too_large(self.model.as_ref(), call.prompt.text.len()) {
            return Err(caller.not_called("was not started", why));
        }
        let own = self.client.own_files();
        let watch = Watch::start(&self.context, call.checkout, call.access, own).await;
        let not_watched = |error: FileError| caller.not_watched(&error);
        let watch = watch.map_err(not_watched)?;
        let (ended, mut seen) = self.run(call, caller).await?;
        let changes = watch.changes().await.map_err(not_watched)?;
        let forbidden = changes.forbidden();
        let judged = self.judge(call, caller, &Ending::from(&ended), &seen, forbidden);
        // What it changed outside its scope outweighs how it ended.
        if let (Err(error), true) = (judged, changes.out_of_scope.is_empty()) {
            let failed = FailedCall {
                ended: &ended,
                seen: &seen,
                watch: &watch,
                wrote: !forbidden.is_empty(),
                error,
            };
            seen = self.recover(call, caller, failed).await?;
        }
        let by = self.answered_by(&seen, &call.prompt.label);
        let usage = self.usage(call, &seen);
        let context = &self.context;
        Ok(AgentReply::observed(
            context, call, by, usage, &ended, seen, changes,
        ))
    }

    /// Runs the client and reads what it prints.
    async fn run(
        &self,
        call: &AgentCall<'_>,
        caller: Caller<'_>,
    ) -> Result<(Ended, Observed), NoAnswer> {
        let invocation = self.invocation(call);
        for (path, text) in &invocation.files {
            if read_file(path).is_ok_and(|held| held == text.as_bytes()) {
                continue;
            }
            replace_file(path, text.as_bytes())
                .map_err(|error| caller.not_called("was not started", error))?;
        }
        let limits = self.context.limits_of_events();
        let prompt = Stdin::Bytes(call.prompt.text.clone());
        let command = self.command(call, caller, invocation, prompt, limits)?;
        let asked = self.model.as_ref();
        let spent = cut_when_spent(&self.context, call.allowance, asked, used(call));
        let reader = self.client.reader(StreamLimits::default());
        let reader = reader.until(spent);
        let usage = |seen: &Observed| self.usage(call, seen);
        let program = caller.program;
        let ran = run_observed(&self.context, call, program, command, reader, &usage).await;
        ran.map_err(|error| self.not_started(caller, &error))
    }

    /// Why the client was not started, and how it is installed where it is missing.
    fn not_started(&self, caller: Caller<'_>, error: &SpawnError) -> NoAnswer {
        match (&error.cause, self.client.row().install) {
            (SpawnFault::NotFound, Some(install)) => {
                let what = format!("was not found on PATH; install it with `{install}`");
                not_started(caller.program, format!("{caller} {what}"))
            }
            _ => caller.not_started(error),
        }
    }

    /// The client with these arguments, in the environment of a call.
    pub(super) fn command(
        &self,
        call: &AgentCall<'_>,
        caller: Caller<'_>,
        invocation: Invocation,
        stdin: Stdin,
        limits: Limits,
    ) -> Result<Command, NoAnswer> {
        let env = &self.context.env;
        let seen = client_variables(env, self.client.row(), &self.context.pass_env);
        let mut variables = environment(&self.context, call, seen);
        let root = call.checkout.root().path();
        let configuration = (self.client.parts().configuration)(root, env);
        let configuration =
            configuration.map_err(|error| caller.not_called("was not started", error))?;
        let set = invocation
            .variables
            .into_iter()
            .chain(configuration.variable);
        let args = configuration.args.into_iter().chain(invocation.args);
        variables.extend(set.map(|(name, value)| (name.into(), value.into())));
        Ok(Command {
            program: caller.program.into(),
            args: args.map(Into::into).collect(),
            cwd: root.to_owned(),
            env: Environment::Only(variables),
            stdin,
            limits,
            sandbox: None,
            finishes: false,
        })
    }

    /// How the client is called.
    fn invocation(&self, call: &AgentCall<'_>) -> Invocation {
        let schema_file = self.context.run.path().join("answer.schema.json");
        let title = self.title(call);
        let schema_file = schema_file.to_string_lossy();
        let schema = call.answer_schema.as_ref().map(ToString::to_string);
        let asked = ClientCall {
            role: call.role,
            access: call.access,
            model: self.model.as_ref(),
            session: call.session,
            follow_up: call.follow_up.map(|follow_up| &*follow_up.session),
            title: &title,
            schema: schema.as_deref(),
            max_cost: call.allowance.cost.filter(|_| !self.is_priced()),
            is_confined: call.checkout.sandbox.is_some(),
            schema_file: &schema_file,
        };
        (self.client.parts().call)(&asked)
    }

    /// Whether the price of the model that is asked is known here.
    fn is_priced(&self) -> bool {
        let asked = self.model.as_ref().map(Model::as_str);
        let terms = asked.and_then(|asked| self.context.models.get(asked));
        terms.is_some_and(ModelTerms::is_priced)
    }

    /// What the session of a call is called; no other step has it.
    pub(super) fn title(&self, call: &AgentCall<'_>) -> String {
        format!("ralph {} {}", self.context.run.id(), call.step.name)
    }

    /// Tells an answer from all other outcomes, which keep what they consumed.
    pub(super) fn judge(
        &self,
        call: &AgentCall<'_>,
        caller: Caller<'_>,
        ending: &Ending,
        seen: &Observed,
        changed: &[String],
    ) -> Result<(), NoAnswer> {
        let end = CallEnd {
            ending,
            seen,
            exits: self.client.exit_codes(),
            changed,
            at: Some(self.context.clock.now()),
        };
        outcome(&end).map_err(|failure| {
            Box::new(AgentError {
                message: message(caller, &log_in(self.client), call.role, &failure, seen),
                failure,
                usage: self.usage(call, seen),
                session: seen.session.clone(),
            })
        })
    }

    /// What a call consumed.
    fn usage(&self, call: &AgentCall<'_>, seen: &Observed) -> Option<Usage> {
        let models = &self.context.models;
        models.usage(seen, self.model.as_ref(), used(call))
    }

    fn answered_by(&self, seen: &Observed, prompt: &str) -> ModelId {
        let asked = self.model.as_ref().map(ToString::to_string);
        ModelId {
            backend: self.client.as_str().to_owned(),
            model: asked.or_else(|| seen.model.clone()),
            prompt: Some(prompt.to_owned()),
        }
    }
}

#[async_trait]
impl Agent for ClientAgent {
    async fn call(&self, call: AgentCall<'_>) -> Result<AgentReply, AgentError> {
        self.answer(&call).await.map_err(|error| *error)
    }
}
