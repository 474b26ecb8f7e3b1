//! The reviewers of a project, asked questions of ours outside of any run.

use std::num::{NonZeroU32, NonZeroU64};
use std::sync::Arc;

use review::events::{MachineName, Seed};
use review::{Allowance, Step, StepName, hash_bytes, nonce, session_id};
use review_agents::{
    AgentContext, Completion, CompletionRequest, Interruption, LessonPrompt, estimated_tokens,
};
use review_types::{RunId, Usage, plural};
use tokio::time::Instant;

use crate::agents::{Agents, NamedCompleter};
use crate::error::EngineError;
use crate::project::Project;
use crate::recording::Recording;
use crate::run::{Opened, artifact_of, calls};
use crate::settings::RunSettings;

/// The most that the questions of a consultation may consume together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionBudget {
    /// Calls, failed ones included.
    pub calls: NonZeroU32,
    /// Tokens read and written; estimated where a backend does not count them.
    pub tokens: Option<NonZeroU64>,
}

/// What was asked so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Calls, failed ones included.
    pub calls: u32,
    /// Tokens read and written, estimated where nobody counted.
    pub tokens: u64,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// The process is to end.
    #[error("the analysis was interrupted")]
    Interrupted,
    /// There is no calling any more: the budget is used up.
    #[error("the budget of {0} is used up")]
    Budget(String),
    /// Nobody is left who gives answers; what the last one said.
    #[error("{0}")]
    Failed(String),
    /// A recording cannot be made, or does not fit.
    #[error("the recording cannot be used: {0}")]
    Recording(String),
}

/// Reviewers who are asked one question after another: the next one when the one
/// before gives no answer, who is then asked no more.
pub struct Consultation {
    context: Arc<AgentContext>,
    seed: Seed,
    completers: Vec<NamedCompleter>,
    budget: QuestionBudget,
    asked: Asked,
    last_failure: String,
}

impl Consultation {
    /// The reviewers of `settings`, within `budget`; their calls are logged in a
    /// folder of their own. `settings` name the folder that the questions are
    /// about as their target.
    ///
    /// # Errors
    /// [`EngineError`] when the folder cannot be made, or a reviewer has no
    /// profile.
    pub fn begin(
        project: &Project<'_>,
        settings: RunSettings,
        budget: QuestionBudget,
        recording: Recording,
    ) -> Result<Self, EngineError> {
        let (seed, calls) = calls(recording)?;
        let id = RunId::new(uuid::Uuid::now_v7().to_string())?;
        let opened = Opened {
            project,
            cwd: project.cwd.clone(),
            artifact: Arc::new(artifact_of(project.root.clone(), &settings.target)?),
            dir: project.state.create_analysis(&id)?,
            calls: Arc::new(calls),
            settings,
        };
        let deadline = opened.settings.max_time.map(|max| Instant::now() + max);
        let context = Arc::new(opened.agent_context(deadline));
        let completers = Agents::new(&opened.settings, &context).completers()?;
        Ok(Self {
            context,
            seed,
            completers,
            budget,
            asked: Asked::default(),
            last_failure: "there is no reviewer that can be asked".to_owned(),
        })
    }

    /// What was asked so far.
    #[must_use]
    pub const fn asked(&self) -> Asked {
        self.asked
    }

    /// Asks.
    ///
    /// # Errors
    /// [`Unanswered`] when nobody answers.
    pub async fn ask(&mut self, prompt: LessonPrompt<'_>) -> Result<Completion, Unanswered> {
        while let Some((name, completer)) = self.completers.first() {
            let size = prompt.feedback.to_string().len();
            let allowance = self.allowance(estimated_tokens(size))?;
            let number = self.asked.calls + 1;
            let step = step(number, prompt);
            let request = CompletionRequest {
                prompt,
                nonce: nonce(&self.seed, &step.name, "marker"),
                session_id: session_id(&self.seed, &step.name, step.attempt, "session"),
                allowance,
                step,
            };
            let name = name.clone();
            let completed = completer.complete(request).await;
            let (usage, written) = match &completed {
                Ok(completion) => (completion.usage, completion.text.len()),
                Err(error) => (error.usage, 0),
            };
            self.asked.calls = number;
            let tokens =
                usage.map_or_else(|| estimated_tokens(size + written), |usage| sum(&usage));
            self.asked.tokens = self.asked.tokens.saturating_add(tokens);
            if let Some(fault) = self.context.calls.fault() {
                return Err(Unanswered::Recording(fault));
            }
            match completed {
                Ok(completion) => return Ok(completion),
                Err(error) => {
                    self.interruption()?;
                    self.last_failure = format!("{name} gave no answer: {}", error.message);
                    self.completers.remove(0);
                }
            }
        }
        Err(Unanswered::Failed(self.last_failure.clone()))
    }

    /// What the next call may consume, whose prompt has about `tokens` tokens.
    fn allowance(&self, tokens: u64) -> Result<Allowance, Unanswered> {
        let calls = self.budget.calls.get();
        if self.asked.calls >= calls {
            let calls = usize::try_from(calls).unwrap_or(usize::MAX);
            return Err(Unanswered::Budget(plural(calls, "call", "calls")));
        }
        let Some(most) = self.budget.tokens else {
            return Ok(Allowance::default());
        };
        let left = most.get().saturating_sub(self.asked.tokens);
        if tokens >= left {
            return Err(Unanswered::Budget(format!("{most} tokens")));
        }
        Ok(Allowance {
            tokens: Some(left),
            cost: None,
        })
    }

    fn interruption(&self) -> Result<(), Unanswered> {
        match self.context.interruption() {
            Some(Interruption::Stopped) => Err(Unanswered::Interrupted),
            Some(Interruption::RunTime) => Err(Unanswered::Budget("time".to_owned())),
            None => Ok(()),
        }
    }
}

/// The call of a number.
fn step(number: u32, prompt: LessonPrompt<'_>) -> Step {
    let name = format!("lesson-{number}");
    Step {
        name: StepName::new(MachineName::Review, 0, name),
        key: hash_bytes(prompt.feedback.to_string().as_bytes()),
        attempt: 1,
    }
}

fn sum(usage: &Usage) -> u64 {
    usage.input_tokens.saturating_add(usage.output_tokens)
}
