//! The people of a loop: who reviews, who applies, who does a task.

use async_trait::async_trait;
use review_criteria::Criteria;
use review_schema::Dialect;
use review_types::{
    AgentError, AppliedFeedback, FeedbackItems, Finding, Iteration, MemoryKey, ModelId, PastRound,
    Review, Severity, Usage,
};

use crate::budget::Allowance;
use crate::facts::Fact;
use crate::review_loop::{Subject, tail};
use review_flow::{Step, StepName};

/// Bytes of a malformed answer that go back to its agent.
const RETRY_TAIL: usize = 2 * 1024;

/// What a reviewer is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReviewRequest {
    /// What the loop is about.
    pub feature: String,
    /// Path of the requirements.
    pub prd_path: String,
    /// Path of the specs.
    pub specs_path: String,
    /// What is scored.
    pub criteria: Criteria,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Position in the chain of the reviewer that is asked, from 0.
    pub reviewer: u32,
    /// The form of the answer.
    pub dialect: Dialect,
    /// The id that the answer must carry, so that no quoted or planted answer
    /// is taken for it.
    pub review_id: String,
    /// Random text for markers around the artifact.
    pub nonce: String,
    /// An id for the agent's own session, which no earlier call was given.
    pub session_id: String,
    /// The session to go on in, if the reviewer's last answer came from one.
    pub follow_up: Option<FollowUp>,
    /// Why the answer before was malformed, if it was.
    pub retry: Option<Retry>,
    /// What is known of the artifact without judging it.
    pub facts: Vec<Fact>,
    /// What the call may consume.
    pub allowance: Allowance,
    /// The last rounds before, in order, with what became of their feedback.
    pub history: Vec<PastRound>,
    /// The name of the field in which these rounds are told.
    pub memory_key: MemoryKey,
    /// What was raised in all rounds before and is not met, or does not count,
    /// those raised last first; at most 64.
    pub findings: Vec<Finding>,
    /// What persons want to be heeded, in order.
    pub guidance: Vec<String>,
    /// The lowest severity that asks for a revision.
    pub fail_level: Severity,
    /// How many more rounds may bring only new findings that nothing proves;
    /// `None` where this one does not count or there is no limit.
    pub unproved_left: Option<u32>,
    /// The step this call belongs to.
    pub step: Step,
}

impl ReviewRequest {
    /// A first request about `subject`, with nothing known and no limits, as a test
    /// of a reviewer needs it.
    #[must_use]
    pub fn new(subject: &Subject) -> Self {
        Self {
            feature: subject.feature.clone(),
            prd_path: subject.prd_path.clone(),
            specs_path: subject.specs_path.clone(),
            criteria: Criteria::default(),
            iteration: 1,
            reviewer: 0,
            dialect: Dialect::default(),
            review_id: "review".to_owned(),
            nonce: "nonce".to_owned(),
            session_id: "session".to_owned(),
            follow_up: None,
            retry: None,
            facts: Vec::new(),
            allowance: Allowance::default(),
            history: Vec::new(),
            memory_key: MemoryKey::default(),
            findings: Vec::new(),
            guidance: Vec::new(),
            fail_level: Severity::Major,
            unproved_left: None,
            step: Step::alone(StepName::new("review", 0, "review-1.1")),
        }
    }
}

/// A review that goes on in the session of the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUp {
    /// The agent's own session.
    pub session: String,
    /// Number of the request within the session.
    pub iteration: Iteration,
    /// What became of the feedback of the last answer, each item once.
    pub applied_feedback: AppliedFeedback,
    /// What the calls in this session consumed so far, as far as that is known.
    pub used: Option<Usage>,
}

/// What was wrong with a malformed answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The field that broke the schema.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// The end of the answer.
    pub tail: String,
}

impl Retry {
    /// What was wrong with an answer, with as much of its end as goes back.
    #[must_use]
    pub fn new(field: impl Into<String>, message: impl Into<String>, answer: &[u8]) -> Self {
        Self {
            field: field.into(),
            message: message.into(),
            tail: tail(answer, RETRY_TAIL),
        }
    }
}

/// What a reviewer answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReviewAnswer {
    /// The answer itself.
    pub content: AnswerContent,
    /// Who answered.
    pub by: ModelId,
    /// The agent's own session.
    pub session: Option<String>,
    /// What the call consumed, as far as the backend says.
    pub usage: Option<Usage>,
}

impl ReviewAnswer {
    /// An answer of the model `by`, in no session, of unknown cost.
    #[must_use]
    pub fn new(content: AnswerContent, by: ModelId) -> Self {
        Self {
            content,
            by,
            session: None,
            usage: None,
        }
    }

    /// Text that the loop reads and checks.
    #[must_use]
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self::new(AnswerContent::Text(text.into()), custom())
    }

    /// A review that was built, not written.
    #[must_use]
    pub fn review(review: Review) -> Self {
        Self::new(AnswerContent::Review(review), custom())
    }

    /// The same, given by the model `by`.
    #[must_use]
    pub fn with_model(self, by: ModelId) -> Self {
        Self { by, ..self }
    }

    /// The same, given in a session of the agent.
    #[must_use]
    pub fn with_session(self, session: impl Into<Option<String>>) -> Self {
        let session = session.into();
        Self { session, ..self }
    }

    /// The same, with what the call consumed.
    #[must_use]
    pub fn with_usage(self, usage: impl Into<Option<Usage>>) -> Self {
        let usage = usage.into();
        Self { usage, ..self }
    }
}

/// Who answers where nothing else is said.
fn custom() -> ModelId {
    ModelId::of_backend("custom")
}

/// The forms of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerContent {
    /// Text that is still to be read and checked.
    Text(Vec<u8>),
    /// A review that was built, not written.
    Review(Review),
    /// No rule had anything to look at.
    NothingChecked {
        /// What would be needed.
        needs: String,
    },
}

/// Gives verdicts.
#[async_trait]
pub trait Reviewer: Send + Sync {
    /// Reviews the artifact once.
    ///
    /// # Errors
    /// [`AgentError`] when the call ended without an answer. An answer that
    /// cannot be read is no error here.
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError>;
}

/// What an applier is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApplyRequest {
    /// What the loop is about.
    pub feature: String,
    /// Path of the requirements.
    pub prd_path: String,
    /// Path of the specs.
    pub specs_path: String,
    /// Number of the round whose feedback it is, from 1.
    pub iteration: u32,
    /// What to change. A report names each item by its id.
    pub items: FeedbackItems,
    /// Random text for markers around the artifact.
    pub nonce: String,
    /// An id for the agent's own session, which no earlier call was given.
    pub session_id: String,
    /// Why the answer before was malformed, if it was.
    pub retry: Option<Retry>,
    /// What the call may consume.
    pub allowance: Allowance,
    /// The step this call belongs to.
    pub step: Step,
}

impl ApplyRequest {
    /// A request to apply `items` after the first round about `subject`, with no
    /// limits, as a test of an applier needs it.
    #[must_use]
    pub fn new(subject: &Subject, items: FeedbackItems) -> Self {
        Self {
            feature: subject.feature.clone(),
            prd_path: subject.prd_path.clone(),
            specs_path: subject.specs_path.clone(),
            iteration: 1,
            items,
            nonce: "nonce".to_owned(),
            session_id: "session".to_owned(),
            retry: None,
            allowance: Allowance::default(),
            step: Step::alone(StepName::new("review", 0, "apply-1")),
        }
    }
}

/// What an applier reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApplyReport {
    /// What it said, in its own words.
    pub text: Vec<u8>,
    /// The files that it changed and that are not the artifact's, as far as
    /// somebody looked.
    pub out_of_scope: Vec<OutOfScopeChange>,
    /// What is wrong with an answer that says what to change, so that nothing
    /// was changed.
    pub malformed: Option<Malformed>,
    /// Who applied.
    pub by: ModelId,
    /// The agent's own session.
    pub session: Option<String>,
    /// What the call consumed, as far as the backend says.
    pub usage: Option<Usage>,
}

impl ApplyReport {
    /// Feedback that was worked in, by an applier with nothing to say of it.
    #[must_use]
    pub fn done() -> Self {
        Self {
            text: Vec::new(),
            out_of_scope: Vec::new(),
            malformed: None,
            by: custom(),
            session: None,
            usage: None,
        }
    }

    /// The same, with the applier's own words.
    #[must_use]
    pub fn with_text(self, text: impl Into<Vec<u8>>) -> Self {
        let text = text.into();
        Self { text, ..self }
    }

    /// The same, with the files outside the artifact that were changed.
    #[must_use]
    pub fn with_out_of_scope(self, out_of_scope: Vec<OutOfScopeChange>) -> Self {
        Self {
            out_of_scope,
            ..self
        }
    }

    /// The same, with what made the answer useless.
    #[must_use]
    pub fn with_malformed(self, malformed: impl Into<Option<Malformed>>) -> Self {
        let malformed = malformed.into();
        Self { malformed, ..self }
    }

    /// The same, done by the model `by`.
    #[must_use]
    pub fn with_model(self, by: ModelId) -> Self {
        Self { by, ..self }
    }

    /// The same, done in a session of the agent.
    #[must_use]
    pub fn with_session(self, session: impl Into<Option<String>>) -> Self {
        let session = session.into();
        Self { session, ..self }
    }

    /// The same, with what the call consumed.
    #[must_use]
    pub fn with_usage(self, usage: impl Into<Option<Usage>>) -> Self {
        let usage = usage.into();
        Self { usage, ..self }
    }
}

/// A file that an applier changed and that is not the artifact's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfScopeChange {
    /// Its path, relative to the root.
    pub path: String,
    /// Whether it was made what it was before.
    pub is_put_back: bool,
}

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The field that is wrong.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

/// Changes the artifact by feedback.
#[async_trait]
pub trait Applier: Send + Sync {
    /// Applies the feedback of one round to the artifact.
    ///
    /// # Errors
    /// [`AgentError`] when the call did not come to its end.
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError>;
}

/// Runs one prompt as a task of an agent and returns what it printed.
#[async_trait]
pub trait TaskInvoker: Send + Sync {
    /// Runs `prompt` with the agent kind `subagent_type`.
    ///
    /// # Errors
    /// [`AgentError`] when the call ended without an answer.
    async fn invoke_task(&self, prompt: &str, subagent_type: &str) -> Result<Vec<u8>, AgentError>;
}

#[async_trait]
impl<T: Reviewer + ?Sized> Reviewer for &T {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        (**self).review(request).await
    }
}

#[async_trait]
impl<T: Reviewer + ?Sized> Reviewer for Box<T> {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        (**self).review(request).await
    }
}

#[async_trait]
impl<T: Applier + ?Sized> Applier for &T {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        (**self).apply(request).await
    }
}

#[async_trait]
impl<T: Applier + ?Sized> Applier for Box<T> {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        (**self).apply(request).await
    }
}
