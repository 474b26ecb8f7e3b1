//! The agents of a project, asked questions of ours outside of any run.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use review::{Allowance, Budget};
use review_agents::{
    AgentContext, AgentReply, Backend, Inquiry, InquiryRequest, Interruption, RoleAgent,
    estimated_tokens,
};
use review_flow::Seed;
use review_flow::{Nonce, Step, StepName, hash_bytes, session_id};
use review_types::{AgentError, QuestionUsage, RunId, Usd, plural};
use tokio::time::Instant;

use crate::agents::Agents;
use crate::error::EngineError;
use crate::id::time_ordered_id;
use crate::project::Project;
use crate::run::{Opened, artifact_of, seed};
use crate::settings::RunSettings;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unanswered {
    /// The process is to end.
    #[error("the analysis was interrupted")]
    Interrupted,
    /// A limit allows no further call.
    #[error("{0}")]
    Limit(String),
    /// No agent is left that answers; the last failure.
    #[error("{0}")]
    Failed(String),
}

/// Agents that are asked one question after another: the next one when the one
/// before gives no answer, which is then asked no more.
pub(crate) struct Consultation {
    context: Arc<AgentContext>,
    seed: Seed,
    agents: Vec<(String, RoleAgent)>,
    budget: Budget,
    asked: QuestionUsage,
    last_failure: String,
}

impl Consultation {
    /// The reviewers of `settings`, within `budget`; their calls are logged in a
    /// folder of their own. `settings` name the folder that the questions are
    /// about as their target.
    ///
    /// # Errors
    /// [`EngineError`] when the folder cannot be made, a reviewer has no profile,
    /// or the limit of money cannot be kept.
    pub(crate) async fn begin(
        project: &Project<'_>,
        settings: RunSettings,
        budget: Budget,
    ) -> Result<Self, EngineError> {
        Self::with(project, settings, budget, |_, agents| agents.named()).await
    }

    /// The implementer of `settings`, otherwise as [`Self::begin`].
    ///
    /// # Errors
    /// [`EngineError`] as there, and when no agent is named or it implements nothing.
    pub(crate) async fn of_implementer(
        project: &Project<'_>,
        settings: RunSettings,
        budget: Budget,
    ) -> Result<Self, EngineError> {
        Self::with(project, settings, budget, |settings, agents| {
            let chain = settings.planner()?;
            let named = |backend: &Backend| Ok((backend.to_string(), agents.implementer(backend)?));
            chain.iter().map(named).collect()
        })
        .await
    }

    async fn with(
        project: &Project<'_>,
        settings: RunSettings,
        budget: Budget,
        chosen: impl FnOnce(&RunSettings, &Agents<'_>) -> Result<Vec<(String, RoleAgent)>, EngineError>,
    ) -> Result<Self, EngineError> {
        let mut settings = RunSettings {
            apply: false,
            ..settings
        };
        settings.config.run.max_tokens = None;
        settings.config.run.max_cost = budget.max_cost;
        settings.check_budget()?;
        let id = RunId::new(time_ordered_id(project.clock.now())?.to_string())?;
        let artifact = artifact_of(project.root.clone(), &settings.target)?;
        let dir = project.state.create_analysis(&id)?;
        let opened = Opened::new(project, settings, artifact, dir);
        let deadline = Some(Instant::now() + opened.settings.config.run.max_time);
        let context = Arc::new(opened.agent_context(deadline).await?);
        let checkout = Arc::new(opened.checkout());
        let agents = Agents::new(&opened.settings, &context, &checkout);
        let agents = chosen(&opened.settings, &agents)?;
        Ok(Self {
            context,
            seed: seed()?,
            agents,
            budget,
            asked: QuestionUsage::default(),
            last_failure: "no reviewer can be asked".to_owned(),
        })
    }

    /// The folder with the logs of the calls.
    pub(crate) fn logs(&self) -> &Path {
        self.context.run.path()
    }

    /// What was asked so far.
    pub(crate) const fn asked(&self) -> QuestionUsage {
        self.asked
    }

    /// Asks.
    ///
    /// # Errors
    /// [`Unanswered`] when no agent answers.
    pub(crate) async fn ask(&mut self, mut inquiry: Inquiry<'_>) -> Result<AgentReply, Unanswered> {
        while let Some((name, agent)) = self.agents.first() {
            let said = inquiry.own_text();
            let prompt_tokens = estimated_tokens(said.len());
            let allowance = self.allowance(prompt_tokens)?;
            let step = step(inquiry.step(self.asked.calls + 1), &said);
            let request = InquiryRequest {
                inquiry,
                nonce: Nonce::new(&self.seed, &step.name, "marker"),
                session_id: session_id(&self.seed, &step.name, step.attempt, "session"),
                allowance,
                step,
            };
            let name = name.clone();
            let completed = agent.ask(request).await;
            add(&mut self.asked, &completed, said.len());
            match completed {
                Ok(reply) => return Ok(reply),
                Err(error) => {
                    self.interruption()?;
                    self.last_failure = format!("{name} gave no answer: {}", error.message);
                    self.agents.remove(0);
                    inquiry.forget_answer();
                }
            }
        }
        Err(Unanswered::Failed(self.last_failure.clone()))
    }

    /// What the next call may consume, whose prompt has about `prompt_tokens`.
    fn allowance(&self, prompt_tokens: u64) -> Result<Allowance, Unanswered> {
        let (budget, asked) = (self.budget, self.asked);
        if let Some(most) = budget.max_calls.filter(|most| asked.calls >= *most) {
            return Err(used_up(&plural(most as usize, "call", "calls")));
        }
        if let Some(most) = budget.max_cost.filter(|_| asked.calls_without_cost > 0) {
            return Err(Unanswered::Limit(format!(
                "the cost of a call is unknown, so the limit of ${most} cannot be kept"
            )));
        }
        let cost = |most: Usd| most.micro().saturating_sub(asked.cost_micro_usd);
        let tokens = |most: NonZeroU64| most.get().saturating_sub(asked.tokens);
        let (cost, tokens) = (budget.max_cost.map(cost), budget.max_tokens.map(tokens));
        match (budget.max_cost, budget.max_tokens) {
            (Some(most), _) if cost == Some(0) => Err(used_up(&format!("${most}"))),
            (_, Some(most)) if tokens <= Some(prompt_tokens) => {
                Err(used_up(&format!("{most} tokens")))
            }
            _ => Ok(Allowance {
                cost: cost.map(Usd::from_micro),
                tokens,
            }),
        }
    }

    fn interruption(&self) -> Result<(), Unanswered> {
        match self.context.interruption() {
            Some(Interruption::Stopped) => Err(Unanswered::Interrupted),
            Some(Interruption::RunTime) => Err(used_up("time")),
            None => Ok(()),
        }
    }
}

fn used_up(budget: &str) -> Unanswered {
    Unanswered::Limit(format!("the budget of {budget} is used up"))
}

/// Adds a call whose prompt has `said` bytes.
fn add(asked: &mut QuestionUsage, completed: &Result<AgentReply, AgentError>, said: usize) {
    let (usage, written, is_free) = match completed {
        Ok(reply) => (reply.usage, reply.text.len(), false),
        Err(error) => (error.usage, 0, error.is_free()),
    };
    let tokens = usage.map_or_else(|| estimated_tokens(said + written), |usage| usage.tokens());
    let cost = usage.and_then(|usage| usage.cost_micro_usd);
    asked.calls += 1;
    asked.tokens = asked.tokens.saturating_add(tokens);
    asked.cost_micro_usd = asked.cost_micro_usd.saturating_add(cost.unwrap_or(0));
    let is_unknown = cost.is_none() && !(is_free && usage.is_none());
    asked.calls_without_cost += u32::from(is_unknown);
}

/// The call of a name.
fn step(name: String, said: &str) -> Step {
    Step {
        name: StepName::new("review", 0, name),
        key: hash_bytes(said.as_bytes()),
        attempt: 1,
        was_stopped: false,
    }
}
