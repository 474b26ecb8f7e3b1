//! The review loop as a pure machine.
//!
//! ```text
//! Start ─► review ─► read: pass ───────────────────────────────► Passed
//!            ▲ ▲      │
//!            │ └──────┼─ malformed, tries left
//!            │        ├─ needs_revision, rounds left ─► apply ─┐
//!            │        └─ otherwise ───────────────────────────► Blocked
//!            └───────────────────────────────────────────────┘
//! ```

use std::sync::Arc;

use review_criteria::{BelowMinimum, Criteria};
use review_events::MachineName;
use review_types::{
    AgentError, BlockCode, ConfigError, Failure, Hash, ReviewConfig, Verdict, plural,
};
use serde::{Deserialize, Serialize};

use super::notice::{ReviewNotice, Round};
use super::op::{BaseState, RetryOf, ReviewChanges, ReviewDone, ReviewOp, ReviewOut};
use crate::engine::{Cmd, Input, Machine, Stamped, StepName, Turn};

/// What a loop is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its name, such as a unit id.
    pub feature: String,
    /// Path of the requirements.
    pub prd_path: String,
    /// Path of the specs under review.
    pub specs_path: String,
    /// What a person can do when it is blocked, in order.
    pub recovery_actions: Vec<String>,
}

/// What a pass with a score below its minimum becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BelowMinimumPolicy {
    /// The missing points become feedback.
    #[default]
    Revise,
    /// The loop is blocked.
    Block,
    /// It passes all the same.
    Accept,
}

/// How one loop runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopConfig {
    /// What it is about.
    pub subject: Arc<Subject>,
    /// What is scored, and from where on it is good.
    pub criteria: Criteria,
    /// Rounds of review before the loop ends blocked. At least 1.
    pub max_iterations: u32,
    /// How often a malformed answer is asked for again within a round.
    pub retry_on_malformed: u32,
    /// What a pass with a score below its minimum becomes.
    pub below_minimum: BelowMinimumPolicy,
    /// Calls of reviewer and applier, malformed and failed ones included.
    pub max_calls: Option<u32>,
    /// Whether feedback is applied. Without it a revision ends the loop.
    pub applies: bool,
    /// Whether an apply that changes nothing ends the loop: true for a
    /// reviewer that would say the same again.
    pub stop_on_no_change: bool,
    /// The artifact at the start; `None` where nobody looks.
    pub base: Option<BaseState>,
}

impl LoopConfig {
    /// The bare loop about `subject`: the four default criteria, three rounds,
    /// one retry.
    #[must_use]
    pub fn new(subject: Subject) -> Self {
        let defaults = ReviewConfig::default();
        Self {
            subject: Arc::new(subject),
            criteria: Criteria::default(),
            max_iterations: defaults.max_iterations,
            retry_on_malformed: defaults.retry_on_malformed,
            below_minimum: BelowMinimumPolicy::default(),
            max_calls: None,
            applies: true,
            stop_on_no_change: false,
            base: None,
        }
    }

    /// The part of the configuration that a session records.
    #[must_use]
    pub fn review_config(&self) -> ReviewConfig {
        ReviewConfig {
            max_iterations: self.max_iterations,
            criteria: self.criteria.names(),
            retry_on_malformed: self.retry_on_malformed,
        }
    }
}

/// What a machine waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Answer,
    Application,
    Nothing,
}

/// What comes next, also after the loop had ended and goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    Review,
    Apply(Vec<BelowMinimum>),
}

/// The machine of one review loop.
#[derive(Clone, Debug)]
pub struct ReviewMachine {
    config: LoopConfig,
    /// Rounds allowed in all; grows when a changed artifact is resumed.
    allowed: u32,
    waiting: Waiting,
    next: Next,
    rounds: Vec<Round>,
    malformed: u32,
    calls: u32,
    resume: u32,
    notices: Vec<ReviewNotice>,
}

type Asked = Cmd<ReviewOp, ReviewDone>;

impl ReviewMachine {
    /// A machine at the start of its loop.
    ///
    /// # Errors
    /// [`ConfigError`] when no round is allowed.
    pub fn new(config: LoopConfig) -> Result<Self, ConfigError> {
        config.review_config().validate()?;
        Ok(Self {
            allowed: config.max_iterations,
            config,
            waiting: Waiting::Nothing,
            next: Next::Review,
            rounds: Vec::new(),
            malformed: 0,
            calls: 0,
            resume: 0,
            notices: Vec::new(),
        })
    }

    /// The rounds that were read so far.
    #[must_use]
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// The artifact as the machine knows it.
    #[must_use]
    pub fn base(&self) -> Option<BaseState> {
        self.config.base
    }

    fn subject(&self) -> Arc<Subject> {
        Arc::clone(&self.config.subject)
    }

    fn iteration(&self) -> u32 {
        u32::try_from(self.rounds.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1)
    }

    fn ask(&mut self, retry: Option<RetryOf>) -> Asked {
        if let Some(blocked) = self.out_of_calls() {
            return blocked;
        }
        match self.next.clone() {
            Next::Review => {
                self.waiting = Waiting::Answer;
                let iteration = self.iteration();
                let name = format_args!("review-{iteration}.{}", self.malformed + 1);
                Cmd::Do {
                    step: StepName::new(MachineName::Review, self.resume, name),
                    op: ReviewOp::Review {
                        iteration,
                        retry,
                        base: self.config.base,
                    },
                }
            }
            Next::Apply(below) => match self.rounds.last() {
                Some(round) => {
                    self.waiting = Waiting::Application;
                    let name = format_args!("apply-{}", round.iteration);
                    Cmd::Do {
                        step: StepName::new(MachineName::Review, self.resume, name),
                        op: ReviewOp::Apply {
                            iteration: round.iteration,
                            review: round.review,
                            below,
                            base: self.config.base,
                        },
                    }
                }
                None => self.unexpected("an apply without a round"),
            },
        }
    }

    /// Counts a call, unless it would be one too many.
    fn out_of_calls(&mut self) -> Option<Asked> {
        match self.config.max_calls {
            Some(max) if self.calls >= max => {
                let calls = plural(max as usize, "call", "calls");
                Some(self.block(
                    BlockCode::Calls,
                    format!("all {calls} of the run are used up"),
                ))
            }
            _ => {
                self.calls += 1;
                None
            }
        }
    }

    fn block(&mut self, code: BlockCode, reason: String) -> Asked {
        self.waiting = Waiting::Nothing;
        self.notices.push(ReviewNotice::Blocked {
            subject: self.subject(),
            code,
            reason: reason.clone(),
            rounds: self.rounds.clone(),
        });
        Cmd::Done(ReviewDone::Blocked { code, reason })
    }

    fn unexpected(&mut self, what: &str) -> Asked {
        self.block(
            BlockCode::ReviewerFailed,
            format!("the loop was fed {what}, which it did not ask for"),
        )
    }

    fn on_result(&mut self, result: Stamped<ReviewOut>) -> Asked {
        let waiting = std::mem::replace(&mut self.waiting, Waiting::Nothing);
        match (waiting, result.out) {
            (_, ReviewOut::Changed { found }) => {
                self.next = Next::Review;
                let files = found.join(", ");
                let reason = format!("somebody else changed the artifact during the run: {files}");
                self.block(BlockCode::ArtifactChanged, reason)
            }
            (_, ReviewOut::Cut(cut)) => {
                let code = cut.block_code();
                self.block(code, format!("the run's limit {code} is used up"))
            }
            (_, ReviewOut::Strayed { paths }) => {
                let files = paths.join(", ");
                let reason = format!("the applier changed files outside the artifact: {files}");
                self.block(BlockCode::ApplierStrayed, reason)
            }
            (Waiting::Answer, ReviewOut::NothingChecked { needs }) => self.block(
                BlockCode::NothingChecked,
                format!("no rule had anything to look at; needed: {needs}"),
            ),
            (
                Waiting::Answer,
                ReviewOut::Read {
                    verdict,
                    scores,
                    items: _,
                    review,
                    repairs,
                    overruled,
                },
            ) => {
                if repairs > 0 {
                    let iteration = self.iteration();
                    self.notices
                        .push(ReviewNotice::Repaired { iteration, repairs });
                }
                if overruled > 0 {
                    self.notices.push(ReviewNotice::Overruled {
                        iteration: self.iteration(),
                        facts: overruled,
                    });
                }
                let round = Round {
                    iteration: self.iteration(),
                    review,
                    scores,
                    at: result.at,
                };
                self.on_read(verdict, round)
            }
            (
                Waiting::Answer,
                ReviewOut::Malformed {
                    field,
                    message,
                    answer,
                },
            ) => self.on_malformed(field, message, answer),
            (Waiting::Answer, ReviewOut::Failed(error)) => self.on_reviewer_failed(error),
            (Waiting::Application, ReviewOut::Applied { after }) => self.on_applied(after),
            (Waiting::Application, ReviewOut::Failed(error)) => {
                let code = code_of(&error, BlockCode::ApplierFailed);
                self.block(code, format!("failed to apply feedback: {error}"))
            }
            (Waiting::Answer | Waiting::Application | Waiting::Nothing, _) => {
                self.unexpected("a result")
            }
        }
    }

    fn on_read(&mut self, verdict: Verdict, round: Round) -> Asked {
        self.malformed = 0;
        let below = self.config.criteria.below_minimum(&round.scores);
        self.notices
            .push(ReviewNotice::Iteration(self.subject(), round.clone()));
        self.rounds.push(round.clone());
        match verdict {
            Verdict::NeedsRevision => self.revise(round, Vec::new()),
            Verdict::Pass if below.is_empty() => self.pass(round),
            Verdict::Pass => match self.config.below_minimum {
                BelowMinimumPolicy::Accept => self.pass(round),
                BelowMinimumPolicy::Revise => self.revise(round, below),
                BelowMinimumPolicy::Block => {
                    let reason = below_reason(&below);
                    self.next = Next::Apply(below);
                    self.block(BlockCode::BelowMinimum, reason)
                }
            },
        }
    }

    fn pass(&mut self, round: Round) -> Asked {
        self.next = Next::Review;
        self.notices
            .push(ReviewNotice::Passed(self.subject(), round));
        Cmd::Done(ReviewDone::Passed)
    }

    fn revise(&mut self, round: Round, below: Vec<BelowMinimum>) -> Asked {
        let is_last = round.iteration >= self.allowed || !self.config.applies;
        let reason = below_reason(&below);
        let is_below = !below.is_empty();
        self.next = Next::Apply(below.clone());
        if is_last && is_below {
            return self.block(BlockCode::BelowMinimum, reason);
        }
        if is_last {
            return self.exhausted();
        }
        self.give_feedback(round, below)
    }

    fn give_feedback(&mut self, round: Round, below: Vec<BelowMinimum>) -> Asked {
        self.notices
            .push(ReviewNotice::Feedback(self.subject(), round, below));
        self.ask(None)
    }

    fn exhausted(&mut self) -> Asked {
        let reason = format!(
            "max iterations ({}) exhausted without passing review",
            self.allowed
        );
        self.block(BlockCode::MaxIterations, reason)
    }

    fn on_malformed(&mut self, field: String, message: String, answer: Hash) -> Asked {
        self.malformed += 1;
        let error = format!("schema validation failed: {field} - {message}");
        self.notices.push(ReviewNotice::Malformed {
            subject: self.subject(),
            answer,
            parse_error: error.clone(),
            retry_number: self.malformed,
        });
        if self.malformed > self.config.retry_on_malformed {
            self.malformed = 0;
            let retries = self.config.retry_on_malformed;
            let reason = format!("malformed output after {retries} retries: {error}");
            return self.block(BlockCode::Malformed, reason);
        }
        self.ask(Some(RetryOf {
            field,
            message,
            answer,
        }))
    }

    fn on_reviewer_failed(&mut self, error: AgentError) -> Asked {
        self.malformed = 0;
        let code = code_of(&error, BlockCode::ReviewerFailed);
        let reason = format!("failed to invoke reviewer: {error}");
        self.notices.push(ReviewNotice::ReviewerFailed {
            subject: self.subject(),
            iteration: self.iteration(),
            error,
        });
        self.block(code, reason)
    }

    fn on_applied(&mut self, after: Option<BaseState>) -> Asked {
        let unchanged = match (self.config.base, after) {
            (Some(before), Some(after)) => before.artifact == after.artifact,
            _ => false,
        };
        self.next = Next::Review;
        self.config.base = after.or(self.config.base);
        if unchanged && self.config.stop_on_no_change {
            return self.block(
                BlockCode::NoChange,
                "the applier left the artifact as it was, so the reviewer would say the same again"
                    .to_owned(),
            );
        }
        self.ask(None)
    }

    fn on_resumed(&mut self, resume: u32, changes: ReviewChanges) -> Asked {
        self.resume = resume;
        self.malformed = 0;
        let read = self.iteration() - 1;
        if let Some(base) = changes.base {
            self.config.base = Some(base);
            self.next = Next::Review;
            self.allowed = read.saturating_add(self.config.max_iterations);
        }
        if let Some(max) = changes.max_iterations {
            self.allowed = self.allowed.max(max);
        }
        if changes.max_calls.is_some() {
            self.config.max_calls = changes.max_calls;
        }
        if read >= self.allowed {
            return self.exhausted();
        }
        match (self.next.clone(), self.rounds.last().cloned()) {
            (Next::Apply(below), Some(round)) if self.config.applies => {
                self.give_feedback(round, below)
            }
            _ => {
                self.next = Next::Review;
                self.ask(None)
            }
        }
    }
}

impl Machine for ReviewMachine {
    type Op = ReviewOp;
    type Out = ReviewOut;
    type Notice = ReviewNotice;
    type Done = ReviewDone;
    type Changes = ReviewChanges;

    const NAME: MachineName = MachineName::Review;

    fn next(&mut self, input: Input<ReviewOut, ReviewChanges>) -> Turn<Self> {
        let cmd = match input {
            Input::Start { .. } => {
                self.notices.push(ReviewNotice::Started(self.subject()));
                self.ask(None)
            }
            Input::Result(result) => self.on_result(result),
            Input::Waited { .. } => self.unexpected("the end of a pause"),
            Input::Resumed {
                resume, changes, ..
            } => self.on_resumed(resume, changes),
        };
        Turn {
            notices: std::mem::take(&mut self.notices),
            cmd,
        }
    }

    fn base(op: &ReviewOp) -> Option<Hash> {
        match op {
            ReviewOp::Apply { base, .. } => base.map(|base| base.manifest),
            ReviewOp::Review { .. } => None,
        }
    }
}

fn code_of(error: &AgentError, otherwise: BlockCode) -> BlockCode {
    match error.failure {
        Failure::RateLimited { .. } => BlockCode::RateLimited,
        _ => otherwise,
    }
}

fn below_reason(below: &[BelowMinimum]) -> String {
    let criteria: Vec<_> = below.iter().map(describe_below).collect();
    format!("the reviewer says pass, but {}", criteria.join(" and "))
}

/// One criterion whose score is too low, in words.
pub(crate) fn describe_below(below: &BelowMinimum) -> String {
    let BelowMinimum {
        criterion,
        score,
        min_score,
    } = below;
    match score {
        Some(score) => format!("{criterion} {score} is below its minimum {min_score}"),
        None => format!("{criterion} has no score (minimum {min_score})"),
    }
}
