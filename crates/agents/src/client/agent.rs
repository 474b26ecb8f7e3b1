//! A client as reviewer and as applier.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use review::{
    Allowance, Applier, ApplyReport, ApplyRequest, FollowUp, OutOfScopeChange, ReviewAnswer,
    ReviewRequest, Reviewer,
};
use review_flow::Step;
use review_process::{Command, Ended, Environment, Limits, Overflow, Stdin};
use review_store::{ConfineError, FileError, replace_file};
use review_types::{AgentError, ModelId, Usage};

use super::message::message;
use super::recovery::Lost;
use super::schema::review_schema;
use super::{Asked, Client, CountReader, Invocation, Model};
use crate::AgentContext;
use crate::call::{Listener, run_logged};
use crate::caller::{Caller, NoAnswer};
use crate::completion::{Completer, Completion, CompletionRequest};
use crate::ending::Ending;
use crate::environment::{client_variables, environment};
use crate::models::{ModelTerms, spending};
use crate::outcome::{CallEnd, outcome};
use crate::prompts::{self, LessonPrompt, Prompt, Shown};
use crate::stream::{Fault, Observed, StreamLimits};
use crate::watch::Watch;
use review::events::AgentRole;

/// Bytes of standard output that are held beside what the reader holds.
const HELD: usize = 64 * 1024;

/// A client of a language model, as reviewer and as applier.
///
/// It runs in the root with the configuration of its user, and with ours on
/// top. What it prints is read as it arrives, and what it does to the project
/// is always watched: a reviewer may change no file, an applier none but the
/// artifact's.
pub struct ClientAgent {
    pub(super) client: Client,
    model: Option<Model>,
    pub(super) context: Arc<AgentContext>,
    /// Whether its version was found not to know the usual format.
    is_older: AtomicBool,
}

/// One call, before it is made.
pub(super) struct Call<'a> {
    pub(super) role: AgentRole,
    pub(super) iteration: u32,
    pub(super) step: &'a Step,
    pub(super) session: &'a str,
    pub(super) follow_up: Option<&'a FollowUp>,
    pub(super) schema: Option<&'a str>,
    /// What the request is known by, where an answer to it can be recovered.
    pub(super) review_id: Option<&'a str>,
    pub(super) allowance: Allowance,
}

impl Call<'_> {
    /// What its session had consumed before.
    fn used(&self) -> Option<Usage> {
        self.follow_up.and_then(|follow_up| follow_up.used)
    }
}

/// A call that gave an answer.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) by: ModelId,
    session: Option<String>,
    pub(super) usage: Option<Usage>,
    out_of_scope: Vec<OutOfScopeChange>,
}

impl ClientAgent {
    /// A client in the world of `context`; without a model it chooses one.
    #[must_use]
    pub fn new(client: Client, model: Option<Model>, context: Arc<AgentContext>) -> Self {
        Self {
            client,
            model,
            context,
            is_older: AtomicBool::new(false),
        }
    }

    /// The artifact as a prompt in a role shows it.
    fn shown(&self, role: AgentRole) -> Result<Shown<'_>, ConfineError> {
        let artifact = &*self.context.artifact;
        let size = artifact.size()?;
        let form = self.client.form(role, size, self.context.max_inline);
        Ok(Shown { artifact, form })
    }

    pub(super) async fn call(
        &self,
        call: Call<'_>,
        prompt: Result<Prompt, ConfineError>,
    ) -> Result<Answer, Box<AgentError>> {
        let caller = Caller {
            role: call.role,
            program: self.client.as_str(),
        };
        let none = |none: NoAnswer| Box::new(AgentError::from(none));
        let prompt = prompt.map_err(|error| none(caller.no_prompt(&error)))?;
        let models = &self.context.models;
        if let Some(why) = models.too_large(self.model.as_ref(), prompt.text.len()) {
            return Err(none(caller.misconfigured(why)));
        }
        let watch = Watch::start(&self.context, call.role, self.client.row().writes).await;
        let not_watched = |error: FileError| none(caller.not_watched(&error));
        let watch = watch.map_err(not_watched)?;
        let (ended, mut seen) = self.run(&call, caller, prompt.text).await.map_err(none)?;
        let (forbidden, out_of_scope) = match call.role {
            AgentRole::Reviewer => (watch.changed().await.map_err(not_watched)?, Vec::new()),
            AgentRole::Applier => (Vec::new(), watch.put_back().await.map_err(not_watched)?),
        };
        let judged = self.judge(&call, caller, &Ending::from(&ended), &seen, &forbidden);
        // What an applier changed where it must not outweighs how it ended.
        if let (Err(error), true) = (judged, out_of_scope.is_empty()) {
            let lost = Lost {
                ended: &ended,
                seen: &seen,
                watch: &watch,
                wrote: !forbidden.is_empty(),
                error,
            };
            seen = self.recover(&call, caller, lost).await?;
        }
        Ok(Answer {
            by: self.answered_by(&seen, prompt.label),
            usage: self.usage(&call, &seen),
            text: self.context.clean(seen.text.unwrap_or_default()),
            session: seen.session,
            out_of_scope,
        })
    }

    /// Runs the client and reads what it prints; once more in another format
    /// where its version does not know the usual one, which asks no model.
    async fn run(
        &self,
        call: &Call<'_>,
        caller: Caller<'_>,
        prompt: Vec<u8>,
    ) -> Result<(Ended, Observed), NoAnswer> {
        let (invocation, older) = self.invocations(call);
        let Some(older) = older else {
            return self.run_as(invocation, call, caller, prompt).await;
        };
        if !self.is_older.load(Ordering::Relaxed) {
            let ran = self.run_as(invocation, call, caller, prompt.clone());
            let (ended, seen) = ran.await?;
            let error = seen.error.as_ref();
            if error.is_none_or(|error| error.fault != Fault::Format) {
                return Ok((ended, seen));
            }
            self.is_older.store(true, Ordering::Relaxed);
        }
        self.run_as(older, call, caller, prompt).await
    }

    /// Runs the client in one way.
    async fn run_as(
        &self,
        invocation: Invocation,
        call: &Call<'_>,
        caller: Caller<'_>,
        prompt: Vec<u8>,
    ) -> Result<(Ended, Observed), NoAnswer> {
        for (path, text) in &invocation.files {
            if std::fs::read(path).is_ok_and(|held| held == text.as_bytes()) {
                continue;
            }
            replace_file(path, text.as_bytes()).map_err(|error| {
                let message = format!("{caller} was not started: {error}");
                NoAnswer::not_started(caller.program, message)
            })?;
        }
        let limits = Limits {
            capture: HELD,
            overflow: Overflow::KeepTail,
            ..self.context.limits_now()
        };
        let command = self.command(call, caller, invocation, Stdin::Bytes(prompt), limits)?;
        let spent = spending(
            &self.context,
            call.allowance,
            self.model.as_ref(),
            call.used(),
        );
        let mut reader = self.client.reader(StreamLimits::default()).until(spent);
        let counts = self.client.counts();
        let listener = Listener {
            reader: &mut reader,
            counts: counts.map(|counts| CountReader::new(counts, &self.context.env)),
        };
        let ended = run_logged(
            &self.context,
            call.step,
            caller.program,
            command,
            Some(listener),
        )
        .await;
        let ended = ended.map_err(|error| caller.not_started(&error))?;
        Ok((ended, reader.finish()))
    }

    /// The client with these arguments, in the environment of a call.
    pub(super) fn command(
        &self,
        call: &Call<'_>,
        caller: Caller<'_>,
        invocation: Invocation,
        stdin: Stdin,
        limits: Limits,
    ) -> Result<Command, NoAnswer> {
        let AgentContext { env, pass_env, .. } = &*self.context;
        let seen = client_variables(env, self.client.row(), pass_env);
        let mut variables = environment(&self.context, call.role, call.iteration, seen);
        let root = self.context.artifact.root().path();
        let configuration = self.client.configuration(root, &self.context.env);
        let configuration = configuration.map_err(|error| caller.misconfigured(error))?;
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
        })
    }

    /// How the client is called, and how an older version of it is.
    fn invocations(&self, call: &Call<'_>) -> (Invocation, Option<Invocation>) {
        let schema_file = self.context.run.path().join("answer.schema.json");
        let title = self.title(call);
        let schema_file = schema_file.to_string_lossy();
        let asked = Asked {
            role: call.role,
            model: self.model.as_ref(),
            session: call.session,
            follow_up: call.follow_up.map(|follow_up| &*follow_up.session),
            title: &title,
            schema: call.schema,
            max_cost: call.allowance.cost.filter(|_| !self.is_priced()),
            schema_file: &schema_file,
        };
        (self.client.call(&asked), self.client.older_call(&asked))
    }

    /// Whether the price of the model that is asked is known here.
    fn is_priced(&self) -> bool {
        let asked = self.model.as_ref().map(Model::as_str);
        let terms = asked.and_then(|asked| self.context.models.get(asked));
        terms.is_some_and(ModelTerms::is_priced)
    }

    /// What the session of a call is called; no other step has it.
    pub(super) fn title(&self, call: &Call<'_>) -> String {
        format!("ralph {} {}", self.context.run.id(), call.step.name)
    }

    /// Tells an answer from all other outcomes, which keep what they consumed.
    pub(super) fn judge(
        &self,
        call: &Call<'_>,
        caller: Caller<'_>,
        ending: &Ending,
        seen: &Observed,
        changed: &[String],
    ) -> Result<(), Box<AgentError>> {
        let end = CallEnd {
            ending,
            seen,
            exits: self.client.exit_codes(),
            changed,
            at: Some(self.context.clock.now()),
            cut_recording: false,
        };
        outcome(&end).map_err(|failure| {
            Box::new(AgentError {
                message: message(caller, self.client, &failure, seen),
                failure,
                usage: self.usage(call, seen),
                session: seen.session.clone(),
            })
        })
    }

    /// What a call consumed.
    fn usage(&self, call: &Call<'_>, seen: &Observed) -> Option<Usage> {
        let models = &self.context.models;
        models.usage(seen, self.model.as_ref(), call.used())
    }

    fn answered_by(&self, seen: &Observed, prompt: String) -> ModelId {
        let asked = self.model.as_ref().map(ToString::to_string);
        ModelId {
            backend: self.client.as_str().to_owned(),
            model: asked.or_else(|| seen.model.clone()),
            prompt: Some(prompt),
        }
    }
}

#[async_trait]
impl Reviewer for ClientAgent {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let schema = review_schema(&request.criteria).to_string();
        let role = &self.context.prompts.reviewer;
        let shown = self.shown(AgentRole::Reviewer);
        let prompt = shown.and_then(|shown| self.client.review_prompt(&request, shown, role));
        let call = Call {
            role: AgentRole::Reviewer,
            iteration: request.iteration,
            step: &request.step,
            session: &request.session_id,
            follow_up: request.follow_up.as_ref(),
            schema: Some(&schema),
            review_id: Some(&request.review_id),
            allowance: request.allowance,
        };
        let answer = self.call(call, prompt).await.map_err(|error| *error)?;
        Ok(ReviewAnswer::text(answer.text.into_bytes())
            .with_model(answer.by)
            .with_session(answer.session)
            .with_usage(answer.usage))
    }
}

#[async_trait]
impl Applier for ClientAgent {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let role = &self.context.prompts.applier;
        let scope = self.context.apply_scope;
        let shown = self.shown(AgentRole::Applier);
        let prompt = shown.and_then(|shown| prompts::apply(&request, shown, role, scope));
        let call = Call {
            role: AgentRole::Applier,
            iteration: request.iteration,
            step: &request.step,
            session: &request.session_id,
            follow_up: None,
            schema: None,
            review_id: None,
            allowance: request.allowance,
        };
        let answer = self.call(call, prompt).await.map_err(|error| *error)?;
        Ok(ApplyReport::done()
            .with_model(answer.by)
            .with_text(answer.text.into_bytes())
            .with_session(answer.session)
            .with_usage(answer.usage)
            .with_out_of_scope(answer.out_of_scope))
    }
}

#[async_trait]
impl Completer for ClientAgent {
    async fn complete(&self, request: CompletionRequest<'_>) -> Result<Completion, AgentError> {
        let schema = LessonPrompt::schema().to_string();
        let call = Call {
            role: AgentRole::Reviewer,
            iteration: 1,
            step: &request.step,
            session: &request.session_id,
            follow_up: None,
            schema: Some(&schema),
            review_id: None,
            allowance: request.allowance,
        };
        let answer = self.call(call, Ok(request.rendered())).await;
        let answer = answer.map_err(|error| *error)?;
        Ok(Completion {
            text: answer.text.into_bytes(),
            by: answer.by,
            usage: answer.usage,
        })
    }
}
