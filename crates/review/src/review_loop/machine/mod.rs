//! The review loop as a pure machine.
//!
//! ```text
//! Start ─► review ─► read: pass ───────────────────────────────► Passed
//!            ▲ ▲      ├─ no answer ─► the same again, another, or Blocked
//!            │ └──────┼─ malformed, tries left
//!            │        ├─ needs_revision, rounds left ─► apply ─┐
//!            │        └─ otherwise ───────────────────────────► Blocked
//!            └───────────────────────────────────────────────┘
//! ```

mod failed;

use std::sync::Arc;

use review_criteria::BelowMinimum;
use review_events::{AgentRole, MachineName};
use review_types::{BlockCode, ConfigError, Hash, Verdict, plural};

use super::config::{BelowMinimumPolicy, ChainLink, LoopConfig, Subject};
use super::notice::{ReviewNotice, Round};
use super::op::{BaseState, RetryOf, ReviewChanges, ReviewDone, ReviewOp, ReviewOut};
use super::retry::FailedCalls;
use crate::engine::{Cmd, Input, Machine, Stamped, StepName, Turn};

/// What a machine waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Answer,
    Application,
    Pause,
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
    /// Position in the chain of the reviewer that is asked.
    reviewer: usize,
    /// Calls for the present step so far.
    tried: u32,
    /// Those of them that the agent at hand failed.
    failed: FailedCalls,
    /// Malformed answers to the present step so far, and the last of them.
    malformed: u32,
    retry: Option<RetryOf>,
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
            reviewer: 0,
            tried: 0,
            failed: FailedCalls::default(),
            malformed: 0,
            retry: None,
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

    /// Takes up the next step, whoever was asked before.
    fn start(&mut self, next: Next) -> Asked {
        self.go_to(next);
        self.ask()
    }

    /// Makes `next` the step to take up, with nothing tried yet.
    fn go_to(&mut self, next: Next) {
        self.next = next;
        self.reviewer = 0;
        self.tried = 0;
        self.failed = FailedCalls::default();
        self.malformed = 0;
        self.retry = None;
    }

    /// The name of the step at hand for its next call.
    fn step(&self) -> StepName {
        let tried = self.tried + 1;
        let step =
            |name: std::fmt::Arguments<'_>| StepName::new(MachineName::Review, self.resume, name);
        match (&self.next, self.rounds.len()) {
            (Next::Review, _) => step(format_args!("review-{}.{tried}", self.iteration())),
            (Next::Apply(_), round) if tried == 1 => step(format_args!("apply-{round}")),
            (Next::Apply(_), round) => step(format_args!("apply-{round}.{tried}")),
        }
    }

    fn ask(&mut self) -> Asked {
        if let Some(blocked) = self.out_of_calls() {
            return blocked;
        }
        let step = self.step();
        let op = match (self.next.clone(), self.rounds.last()) {
            (Next::Review, _) => {
                self.waiting = Waiting::Answer;
                ReviewOp::Review {
                    iteration: self.iteration(),
                    retry: self.retry.clone(),
                    base: self.config.base,
                    reviewer: u32::try_from(self.reviewer).unwrap_or(u32::MAX),
                }
            }
            (Next::Apply(below), Some(round)) => {
                self.waiting = Waiting::Application;
                ReviewOp::Apply {
                    iteration: round.iteration,
                    review: round.review,
                    below,
                    base: self.config.base,
                }
            }
            (Next::Apply(_), None) => return self.unexpected("an apply without a round"),
        };
        self.tried += 1;
        Cmd::Do { step, op }
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
                self.go_to(Next::Review);
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
                    by: result.by,
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
            (Waiting::Answer, ReviewOut::Failed(error)) => {
                self.on_failed(AgentRole::Reviewer, error, result.at)
            }
            (Waiting::Application, ReviewOut::Applied { after }) => self.on_applied(after),
            (Waiting::Application, ReviewOut::Failed(error)) => {
                self.on_failed(AgentRole::Applier, error, result.at)
            }
            (Waiting::Answer | Waiting::Application | Waiting::Pause | Waiting::Nothing, _) => {
                self.unexpected("a result")
            }
        }
    }

    fn on_read(&mut self, verdict: Verdict, round: Round) -> Asked {
        if let Some(stand_in) = self.stand_in().filter(|_| verdict == Verdict::Pass) {
            let reason = format!(
                "{} finds no fault, but stands in for a reviewer that gave no answer, so its pass does not count",
                stand_in.name
            );
            self.go_to(Next::Review);
            return self.block(BlockCode::ReviewerFailed, reason);
        }
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
                    self.go_to(Next::Apply(below));
                    self.block(BlockCode::BelowMinimum, reason)
                }
            },
        }
    }

    /// The reviewer at hand, if a pass of it does not count.
    fn stand_in(&self) -> Option<&ChainLink> {
        let link = self.config.reviewers.get(self.reviewer)?;
        (!link.pass_counts).then_some(link)
    }

    fn pass(&mut self, round: Round) -> Asked {
        self.go_to(Next::Review);
        self.notices
            .push(ReviewNotice::Passed(self.subject(), round));
        Cmd::Done(ReviewDone::Passed)
    }

    fn revise(&mut self, round: Round, below: Vec<BelowMinimum>) -> Asked {
        let is_last = round.iteration >= self.allowed || !self.config.applies;
        let reason = below_reason(&below);
        let is_below = !below.is_empty();
        self.go_to(Next::Apply(below.clone()));
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
        self.ask()
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
            self.go_to(Next::Review);
            let retries = self.config.retry_on_malformed;
            let reason = format!("malformed output after {retries} retries: {error}");
            return self.block(BlockCode::Malformed, reason);
        }
        self.retry = Some(RetryOf {
            field,
            message,
            answer,
        });
        self.ask()
    }

    fn on_applied(&mut self, after: Option<BaseState>) -> Asked {
        let unchanged = match (self.config.base, after) {
            (Some(before), Some(after)) => before.artifact == after.artifact,
            _ => false,
        };
        self.config.base = after.or(self.config.base);
        if unchanged && self.config.stop_on_no_change {
            self.go_to(Next::Review);
            return self.block(
                BlockCode::NoChange,
                "the applier left the artifact as it was, so the reviewer would say the same again"
                    .to_owned(),
            );
        }
        self.start(Next::Review)
    }

    fn on_resumed(&mut self, resume: u32, changes: ReviewChanges) -> Asked {
        self.resume = resume;
        self.go_to(self.next.clone());
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
            _ => self.start(Next::Review),
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
                self.ask()
            }
            Input::Result(result) => self.on_result(result),
            Input::Waited { .. } if self.waiting == Waiting::Pause => self.ask(),
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
