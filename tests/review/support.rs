//! Scripted agents, and short constructors for the values that the tests compare.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use review::config::LoopConfig;
use review::flow::{RunRecord, Seed};
use review::machine::Envelopes;
use review::prompt::TaskInvoker;
use review::types::{
    AgentError, CriterionName, FailedBy, FeedbackItem, ModelId, Review, RunId, Score, Scores,
    Timestamp, UnitId,
};
use review::{
    AnswerContent, Applier, ApplyReport, ApplyRequest, EventSink, Fact, FactFinder, ReviewAnswer,
    ReviewLoop, ReviewLoopBuilder, ReviewRequest, Reviewer, Subject,
};

mockall::mock! {
    pub Reviewer {}

    #[async_trait]
    impl Reviewer for Reviewer {
        async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError>;
    }
}

mockall::mock! {
    pub Applier {}

    #[async_trait]
    impl Applier for Applier {
        async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError>;
    }
}

mockall::mock! {
    pub FactFinder {}

    #[async_trait]
    impl FactFinder for FactFinder {
        async fn facts(&self) -> Result<Vec<Fact>, AgentError>;
    }
}

mockall::mock! {
    pub TaskInvoker {}

    #[async_trait]
    impl TaskInvoker for TaskInvoker {
        async fn invoke_task(
            &self,
            prompt: &str,
            subagent_type: &str,
        ) -> Result<Vec<u8>, AgentError>;
    }
}

pub(crate) const SEED: Seed = Seed::from_bytes([7; 32]);

/// Runs a future that never waits for anything external.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future: Pin<Box<dyn Future<Output = T>>> = Box::pin(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

pub(crate) fn subject() -> Subject {
    Subject::new("search", "docs/PRD.md", "specs/SEARCH.md")
}

pub(crate) fn config() -> LoopConfig {
    LoopConfig::new(subject())
}

/// Returns a builder of a loop with this configuration.
pub(crate) fn builder<'a, R: Reviewer, A: Applier>(
    config: LoopConfig,
    reviewer: R,
    applier: A,
) -> ReviewLoopBuilder<'a, R, A> {
    ReviewLoop::builder(reviewer, applier).config(config)
}

pub(crate) fn scores(values: [i64; 4]) -> Scores {
    ["completeness", "consistency", "testability", "architecture"]
        .into_iter()
        .zip(values)
        .map(|(name, value)| {
            (
                CriterionName::new(name).unwrap(),
                Score::new(value).unwrap(),
            )
        })
        .collect()
}

pub(crate) fn item(section: &str, issue: &str, suggestion: &str) -> FeedbackItem {
    FeedbackItem::new(section, issue, suggestion).unwrap()
}

pub(crate) fn pass_with(values: [i64; 4]) -> String {
    let [completeness, consistency, testability, architecture] = values;
    format!(
        r#"{{"verdict": "pass", "score": {{"completeness": {completeness}, "consistency": {consistency}, "testability": {testability}, "architecture": {architecture}}}, "feedback": []}}"#
    )
}

pub(crate) fn pass() -> String {
    pass_with([90, 85, 95, 80])
}

pub(crate) fn needs_revision() -> String {
    r#"{"verdict": "needs_revision",
        "score": {"completeness": 60, "consistency": 85, "testability": 70, "architecture": 80},
        "feedback": [{"section": "API", "issue": "no error codes", "suggestion": "list them"}]}"#
        .to_owned()
}

pub(crate) fn model() -> ModelId {
    ModelId {
        backend: "script".to_owned(),
        model: None,
        prompt: None,
    }
}

pub(crate) fn answer(text: impl Into<Vec<u8>>) -> ReviewAnswer {
    ReviewAnswer::new(AnswerContent::Text(text.into()), model())
}

pub(crate) fn reviewed(review: Review) -> ReviewAnswer {
    ReviewAnswer::new(AnswerContent::Review(review), model())
}

/// Returns the report of a successful applier.
pub(crate) fn applied(text: impl Into<Vec<u8>>) -> ApplyReport {
    ApplyReport {
        text: text.into(),
        by: model(),
        ..ApplyReport::done()
    }
}

pub(crate) fn failure(message: &str) -> AgentError {
    AgentError::new(FailedBy::Status(1).into(), message)
}

/// Returns a reviewer that gives its answers in order and then fails the test.
pub(crate) fn reviewer(
    answers: impl IntoIterator<Item = Result<String, AgentError>>,
) -> MockReviewer {
    let answers: VecDeque<_> = answers.into_iter().collect();
    let count = answers.len();
    let answers = Mutex::new(answers);
    let mut mock = MockReviewer::new();
    mock.expect_review().times(count).returning(move |_| {
        let next = answers.lock().unwrap().pop_front();
        next.expect("as many calls as answers").map(answer)
    });
    mock
}

/// Returns an applier that is called `times` times and always succeeds.
pub(crate) fn applier(times: usize) -> MockApplier {
    let mut mock = MockApplier::new();
    mock.expect_apply()
        .times(times)
        .returning(|_| Ok(applied("done")));
    mock
}

/// Returns the first record of every run.
pub(crate) fn record() -> RunRecord {
    RunRecord {
        run: RunId::new("r1").unwrap(),
        seed: SEED,
        at: Timestamp::UNIX_EPOCH,
        version: "0.0.0".to_owned(),
        input: serde_json::Value::Null,
        texts: Vec::new(),
    }
}

/// Returns a wrapper for the events of that run, for `sink`.
pub(crate) fn envelopes(sink: &dyn EventSink) -> Envelopes<'_> {
    let unit = UnitId::new("search").unwrap();
    Envelopes::new(record().run, Some(unit), sink)
}
