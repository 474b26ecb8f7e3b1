//! The agents of a loop: reviewer, applier and the invoker of tasks.

use std::num::NonZeroU32;

use async_trait::async_trait;
use review_schema::Dialect;
use review_types::criteria::Criteria;
use review_types::{
    AgentError, AppliedFeedback, FeedbackItems, Finding, MemoryKey, ModelId, PastRound, Review,
    Severity, Usage,
};

use crate::budget::Allowance;
use crate::delivery::PromptSent;
use crate::facts::Fact;
use crate::review_loop::{Subject, tail};
use review_flow::{Nonce, Step, StepName};

/// Maximum number of bytes of a malformed answer that are quoted in a retry.
const RETRY_TAIL: usize = 2 * 1024;

/// A request for one review.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReviewRequest {
    /// The subject of the loop.
    pub feature: String,
    /// Path of the spec.
    pub spec: String,
    /// Path of the file or folder under review.
    pub path: String,
    /// The criteria to score.
    pub criteria: Criteria,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Position in the chain of the reviewer that is called, from 0.
    pub reviewer: u32,
    /// The expected answer format.
    pub dialect: Dialect,
    /// The id of this review. An answer that carries another one is refused, which
    /// tells the answer apart from quoted or planted ones.
    pub review_id: String,
    /// The mark at the end of the prompt. An answer that repeats it shows that the end
    /// arrived.
    pub end_id: String,
    /// A random string for the markers around the artifact.
    pub nonce: Nonce,
    /// A new id for the agent's own session.
    pub session_id: String,
    /// The session to continue, if the reviewer's last answer came from one.
    pub follow_up: Option<FollowUp>,
    /// Why the previous answer was malformed, if it was.
    pub retry: Option<Retry>,
    /// Facts about the artifact that were found without a review.
    pub facts: Vec<Fact>,
    /// The allowance of the call.
    pub allowance: Allowance,
    /// The previous rounds, in order, with the outcome of their feedback.
    pub history: Vec<PastRound>,
    /// The name of the field that holds these rounds in the prompt.
    pub memory_key: MemoryKey,
    /// The findings of all previous rounds that are not fixed or do not count, the
    /// most recent first; at most 64.
    pub findings: Vec<Finding>,
    /// Guidance by users, in order.
    pub guidance: Vec<String>,
    /// The lowest severity that blocks a pass.
    pub fail_level: Severity,
    /// The number of further rounds that may bring only new, unproved findings;
    /// `None` where this round does not count or without a limit.
    pub unproved_left: Option<u32>,
    /// The step this call belongs to.
    pub step: Step,
}

impl ReviewRequest {
    /// Returns a first request about `subject` without facts and limits, for tests
    /// of a reviewer.
    #[must_use]
    pub fn new(subject: &Subject) -> Self {
        Self {
            feature: subject.feature.clone(),
            spec: subject.spec.clone(),
            path: subject.path.clone(),
            criteria: Criteria::default(),
            iteration: 1,
            reviewer: 0,
            dialect: Dialect::default(),
            review_id: "review".to_owned(),
            end_id: "end".to_owned(),
            nonce: Nonce::from("nonce"),
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

/// A review that continues the session of the previous one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUp {
    /// The agent's own session.
    pub session: String,
    /// Number of the request within the session.
    pub iteration: NonZeroU32,
    /// The outcome of the feedback of the last answer, each item once.
    pub applied_feedback: AppliedFeedback,
    /// The usage of the calls in this session, if known.
    pub used: Option<Usage>,
}

/// Why an answer was malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The field that violated the schema.
    pub field: String,
    /// The error message.
    pub message: String,
    /// The end of the answer.
    pub tail: String,
}

impl Retry {
    /// Returns the error of an answer with the end of its content.
    #[must_use]
    pub fn new(field: impl Into<String>, message: impl Into<String>, answer: &[u8]) -> Self {
        Self {
            field: field.into(),
            message: message.into(),
            tail: tail(answer, RETRY_TAIL),
        }
    }
}

/// The answer of a reviewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewAnswer {
    /// The answer itself.
    pub content: AnswerContent,
    /// The model that answered.
    pub by: ModelId,
    /// The agent's own session.
    pub session: Option<String>,
    /// The usage of the call, if the backend reports it.
    pub usage: Option<Usage>,
    /// How the prompt was sent, if one was.
    pub sent: Option<PromptSent>,
}

impl ReviewAnswer {
    /// An answer of the model `by`, without a session and with unknown usage.
    #[must_use]
    pub fn new(content: AnswerContent, by: ModelId) -> Self {
        Self {
            content,
            by,
            session: None,
            usage: None,
            sent: None,
        }
    }

    /// Returns an answer whose text the loop parses and validates.
    #[must_use]
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self::new(AnswerContent::Text(text.into()), custom())
    }

    /// Returns an answer with a review that was built in code.
    #[must_use]
    pub fn review(review: Review) -> Self {
        Self::new(AnswerContent::Review(review), custom())
    }
}

/// The name of the reviewer or applier where none is set.
fn custom() -> ModelId {
    ModelId::of_backend("custom")
}

/// The content of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerContent {
    /// Text to parse and validate.
    Text(Vec<u8>),
    /// A review that was built in code.
    Review(Review),
    /// No rule applied to any file.
    NothingChecked {
        /// The inputs that the rules need.
        needs: String,
    },
}

/// Reviews artifacts.
#[async_trait]
pub trait Reviewer: Send + Sync {
    /// Reviews the artifact once.
    ///
    /// # Errors
    /// [`AgentError`] when the call ended without an answer. A malformed answer is
    /// returned as text, not as an error.
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError>;
}

/// A request to apply the feedback of one round.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApplyRequest {
    /// The subject of the loop.
    pub feature: String,
    /// Path of the spec.
    pub spec: String,
    /// Path of the file or folder under review.
    pub path: String,
    /// Number of the round that gave the feedback, from 1.
    pub iteration: u32,
    /// The items to apply. A report refers to each item by its id.
    pub items: FeedbackItems,
    /// A random string for the markers around the artifact.
    pub nonce: Nonce,
    /// A new id for the agent's own session.
    pub session_id: String,
    /// Why the previous answer was malformed, if it was.
    pub retry: Option<Retry>,
    /// The allowance of the call.
    pub allowance: Allowance,
    /// The step this call belongs to.
    pub step: Step,
}

impl ApplyRequest {
    /// Returns a request to apply `items` after the first round about `subject`,
    /// without limits, for tests of an applier.
    #[must_use]
    pub fn new(subject: &Subject, items: FeedbackItems) -> Self {
        Self {
            feature: subject.feature.clone(),
            spec: subject.spec.clone(),
            path: subject.path.clone(),
            iteration: 1,
            items,
            nonce: Nonce::from("nonce"),
            session_id: "session".to_owned(),
            retry: None,
            allowance: Allowance::default(),
            step: Step::alone(StepName::new("review", 0, "apply-1")),
        }
    }
}

/// The report of an applier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplyReport {
    /// The applier's own words.
    pub text: Vec<u8>,
    /// The files outside the artifact that it changed, where changes are tracked.
    pub out_of_scope: Vec<OutOfScopeChange>,
    /// Why the answer could not be used, in which case nothing was changed.
    pub malformed: Option<Malformed>,
    /// The model that applied the feedback.
    pub by: ModelId,
    /// The agent's own session.
    pub session: Option<String>,
    /// The usage of the call, if the backend reports it.
    pub usage: Option<Usage>,
}

impl ApplyReport {
    /// Returns a report that the feedback was applied.
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
}

/// A file outside the artifact that an applier changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfScopeChange {
    /// Its path, relative to the root.
    pub path: String,
    /// Whether the file was restored.
    pub is_put_back: bool,
}

/// An error in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The field that is wrong.
    pub field: String,
    /// The error message.
    pub message: String,
}

/// Changes the artifact by feedback.
#[async_trait]
pub trait Applier: Send + Sync {
    /// Applies the feedback of one round to the artifact.
    ///
    /// # Errors
    /// [`AgentError`] when the call did not complete.
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError>;
}

/// Runs one prompt as a task of an agent and returns its output.
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
