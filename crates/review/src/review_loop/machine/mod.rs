//! The review loop as a pure machine.
//!
//! ```text
//! Start ─► review ─► read: pass ───────────────────────────────► Passed
//!            ▲ ▲      ├─ no answer ─► retry, fallback, or Blocked
//!            │ └──────┼─ malformed, retries left
//!            │        ├─ needs_revision, rounds left ─► apply ─┐
//!            │        └─ otherwise ───────────────────────────► Blocked
//!            └───────────────────────────────────────────────┘
//! ```
//!
//! With convergence, a stalled loop is blocked before its limit, and the artifact of
//! its best round is restored before it is Blocked.

mod applied;
mod calls;
mod ending;
mod failed;
mod ledger;
mod people;
mod read;

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use review_events::{AgentRole, AnswerRemark, Event, ReviewStarted};
use review_types::{AgentError, BlockCode, ConfigError, Failure, Hash, Usage};

use self::ending::Ending;
pub(crate) use self::read::describe_below;
use super::config::{LoopConfig, Subject};
use super::notice::ReviewNotice;
use super::op::{
    BaseState, PastReview, ReadComments, ReadReview, RetryOf, ReviewArgs, ReviewChanges,
    ReviewDone, ReviewOp, ReviewOut,
};
use super::retry::FailedCalls;
use super::round::Round;
use crate::budget::{Budget, Consumed};
use crate::count;
use crate::people::Cursor;
use crate::progress::{Convergence, FREE_ROUNDS, UNPROVED_ROUNDS};
use crate::wording::EarlierReview;
use review_flow::{Command, Input, Machine, StepName, StepRecord, Turn};

/// A request for the object of a pass alone, which a reviewer gets once in a round.
#[derive(Clone, Debug)]
struct AskedAlone {
    round: u32,
    reviewer: usize,
    request: RetryOf,
}

/// The next operation, also after the loop had ended and continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Review,
    /// Apply the feedback of the round at this position.
    Apply(usize),
}

/// The calls for the current step: a review, or the apply of its feedback.
#[derive(Clone, Debug, Default)]
struct Attempts {
    /// Position in the chain of the current reviewer.
    reviewer: usize,
    /// The number of calls.
    calls: u32,
    /// The failed calls of the current agent.
    failed: FailedCalls,
    /// The number of malformed answers of the current agent.
    malformed: u32,
    /// The number of these that are asked for again beside the retries.
    free_retries: u32,
    /// The last malformed answer.
    retry: Option<RetryOf>,
    /// Whether the session of the last round turned out to be gone.
    lost_session: bool,
    /// Whether new comments were read before it.
    has_read_comments: bool,
    /// What is remarkable about its answers.
    remarks: Vec<AnswerRemark>,
    /// The answer whose items the reviewer was asked to reword.
    to_reword: Option<StepRecord<ReadReview>>,
    /// Whether the applier was asked once more to change anything.
    asked_for_change: bool,
}

/// The machine of one review loop.
#[derive(Clone, Debug)]
pub struct ReviewMachine {
    config: LoopConfig,
    /// Maximum number of rounds; it grows when a changed artifact is resumed.
    allowed: u32,
    /// The open step.
    open: Option<StepName>,
    next: Next,
    attempts: Attempts,
    rounds: Vec<Round>,
    /// The usage of the calls of each session of a reviewer.
    usage_of_sessions: BTreeMap<String, Usage>,
    /// The first round that counts for progress: earlier ones led to an end from
    /// which the loop was resumed.
    since: usize,
    /// Hash of the ledger of findings.
    ledger: Option<Hash>,
    /// The comments of users that were read.
    comments: ReadComments,
    /// The number of comments that the ledger includes.
    noted_comments: u32,
    /// Whether the reviewer was asked once more for what blocks a pass.
    asked_for_blocking: bool,
    /// The last request for the object of a pass alone.
    asked_alone: Option<AskedAlone>,
    /// How the last call of the applier ended, if that is why the loop ends.
    applier_error: Option<AgentError>,
    /// The number of rounds that brought only new, unproved findings.
    unproved_rounds: u32,
    /// The first round since a user last changed the artifact: no earlier one is
    /// restored.
    base_since: usize,
    /// Whether a user changed the artifact since the ledger was made.
    rebased: bool,
    /// The end that follows once the best artifact is restored.
    ending: Option<Ending>,
    consumed: Consumed,
    resume: u32,
    /// The last end.
    done: Option<ReviewDone>,
    notices: Vec<ReviewNotice>,
}

/// The next step of the machine: it has one step open at a time.
enum NextStep {
    Open(Box<Command<ReviewOp>>),
    Done(ReviewDone),
}

impl ReviewMachine {
    /// Returns a machine at the start of its loop.
    ///
    /// # Errors
    /// [`ConfigError`] when no round is allowed.
    pub fn new(config: LoopConfig) -> Result<Self, ConfigError> {
        config.review_config().validate()?;
        Ok(Self {
            allowed: config.max_iterations,
            config,
            open: None,
            next: Next::Review,
            attempts: Attempts::default(),
            rounds: Vec::new(),
            usage_of_sessions: BTreeMap::new(),
            since: 0,
            ledger: None,
            comments: ReadComments::default(),
            noted_comments: 0,
            asked_for_blocking: false,
            asked_alone: None,
            applier_error: None,
            unproved_rounds: 0,
            base_since: 0,
            rebased: false,
            ending: None,
            consumed: Consumed::default(),
            resume: 0,
            done: None,
            notices: Vec::new(),
        })
    }

    /// Returns the rounds so far.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// Returns how it ended; `None` while it runs.
    pub fn done(&self) -> Option<&ReviewDone> {
        self.done.as_ref()
    }

    /// Returns whether a blocked loop goes on with `changes`: one of them is about what
    /// ended it, or the call that failed is made again.
    #[must_use]
    pub fn goes_on_with(&self, changes: &ReviewChanges) -> bool {
        let is_news = changes.base.is_some() || changes.comments_until.is_some();
        let Some(ReviewDone::Blocked { code, .. }) = self.done else {
            return is_news;
        };
        let read = self.iteration() - 1;
        let has_rounds = changes.max_iterations.is_some_and(|max| max > read);
        let is_raised = match code {
            BlockCode::MaxIterations
            | BlockCode::BelowMinimum
            | BlockCode::NoChange
            | BlockCode::Oscillation
            | BlockCode::Disputed
            | BlockCode::NoBlockingFinding
            | BlockCode::UnprovedFindings
            | BlockCode::Escalated => has_rounds,
            BlockCode::Stagnated => has_rounds || changes.patience.is_some(),
            BlockCode::Budget => self.is_enough(changes),
            // The last call counts for nothing, so it is made again.
            BlockCode::Malformed
            | BlockCode::Unread
            | BlockCode::ReviewerFailed
            | BlockCode::ApplierFailed
            | BlockCode::RateLimited
            | BlockCode::ArtifactChanged => true,
            BlockCode::TaskFailed
            | BlockCode::Tampered
            | BlockCode::DiskFloor
            | BlockCode::RunTime => false,
        };
        is_news || is_raised
    }

    /// Returns whether new limits allow a further call.
    fn is_enough(&self, changes: &ReviewChanges) -> bool {
        let mut consumed = self.consumed;
        consumed.forgive();
        let raised = changes.budget;
        raised.is_some_and(|budget| consumed.exhausted(&budget).is_none())
    }

    /// Returns these limits, and those of the loop where they have none.
    pub(super) fn budget_with(&self, limits: Budget) -> Budget {
        limits.or(self.config.budget)
    }

    /// Returns the calls of the run, and what they consumed.
    pub const fn consumed(&self) -> Consumed {
        self.consumed
    }

    /// Takes in the calls of the run, with those that are not of the review.
    pub const fn set_consumed(&mut self, consumed: Consumed) {
        self.consumed = consumed;
    }

    /// Returns the position up to which it read comments.
    pub fn comments_until(&self) -> Cursor {
        self.comments.until
    }

    /// Returns the artifact as the machine knows it.
    pub fn base(&self) -> Option<BaseState> {
        self.config.base
    }

    fn tell(&mut self, event: Event) {
        self.notices.push(ReviewNotice::Event(event));
    }

    fn iteration(&self) -> u32 {
        count(self.rounds.len()).saturating_add(1)
    }

    /// Starts the next step, whichever agent was called before.
    fn start(&mut self, next: Next) -> NextStep {
        self.go_to(next);
        self.ask()
    }

    /// Makes `next` the current step, without any attempts.
    fn go_to(&mut self, next: Next) {
        self.next = next;
        self.attempts = Attempts::default();
    }

    /// Returns the role of the agent of the current step, and the number of its round.
    fn agent(&self) -> (AgentRole, u32) {
        match self.next {
            Next::Review => (AgentRole::Reviewer, self.iteration()),
            Next::Apply(_) => (AgentRole::Applier, self.iteration() - 1),
        }
    }

    /// Returns the name of the current step for its next call.
    fn step(&self) -> StepName {
        let call = self.attempts.calls + 1;
        let step = |name: fmt::Arguments<'_>| StepName::new("review", self.resume, name);
        match self.next {
            Next::Review => step(format_args!("review-{}.{call}", self.iteration())),
            Next::Apply(_) if call == 1 => step(format_args!("apply-{}", self.rounds.len())),
            Next::Apply(_) => step(format_args!("apply-{}.{call}", self.rounds.len())),
        }
    }

    /// Opens a step that is none of an agent.
    fn open_step(&self, name: fmt::Arguments<'_>, op: ReviewOp) -> NextStep {
        let step = StepName::new("review", self.resume, name);
        NextStep::Open(Box::new(Command::Do { step, op }))
    }

    fn ask(&mut self) -> NextStep {
        if let Some(read) = self.read_comments() {
            return read;
        }
        if let Some((cut, reason)) = self.consumed.exhausted(&self.config.budget) {
            return self.block(cut.block_code(), reason);
        }
        self.consumed.start();
        let step = self.step();
        let earlier = self.attempts.to_reword.as_ref();
        let op = match self.next {
            Next::Review => ReviewOp::Review(ReviewArgs {
                iteration: self.iteration(),
                retry: self.attempts.retry.clone(),
                earlier: earlier.map(|answer| EarlierReview {
                    review: answer.out.review,
                    proved: answer.out.proved,
                }),
                base: self.config.base,
                reviewer: count(self.attempts.reviewer),
                history: self.history(),
                ledger: self.ledger,
                allowance: self.consumed.left(&self.config.budget),
                conversation: self.conversation(),
                comments: self.comments.all,
                rebased: self.rebased,
                unproved_left: self.unproved_left(),
            }),
            Next::Apply(at) => match self.application(at) {
                Some(op) => op,
                None => return self.unexpected("an apply without a round"),
            },
        };
        self.attempts.calls += 1;
        NextStep::Open(Box::new(Command::Do { step, op }))
    }

    /// Returns the number of further rounds that may bring only new, unproved findings,
    /// if the next one counts.
    fn unproved_left(&self) -> Option<u32> {
        self.config.convergence?;
        let counts = self.iteration() > FREE_ROUNDS && !self.proves(self.attempts.reviewer);
        counts.then(|| UNPROVED_ROUNDS.saturating_sub(self.unproved_rounds))
    }

    /// Returns whether everything that the reviewer at a position of the chain finds is proved.
    fn proves(&self, reviewer: usize) -> bool {
        let link = self.config.reviewers.get(reviewer);
        link.is_some_and(|link| link.proves)
    }

    /// Returns the most recent rounds.
    fn history(&self) -> Vec<PastReview> {
        let window = self.config.memory.window.get() as usize;
        let first = self.rounds.len().saturating_sub(window);
        self.rounds.iter().skip(first).map(Round::past).collect()
    }

    fn unexpected(&mut self, what: &str) -> NextStep {
        self.block(
            BlockCode::ReviewerFailed,
            format!("the loop received {what}, which it did not ask for"),
        )
    }

    fn on_result(&mut self, result: StepRecord<ReviewOut>) -> NextStep {
        self.account(&result);
        self.report_undone(&result);
        if let Some(next) = self.without_rewording(&result.out) {
            return next;
        }
        let (out, record) = result.split();
        match (self.next, out) {
            (_, ReviewOut::Changed(files)) => {
                self.go_to(Next::Review);
                let reason =
                    format!("another process changed the artifact during the run: {files}");
                self.block(BlockCode::ArtifactChanged, reason)
            }
            (_, ReviewOut::Cut(cut)) => {
                let code = cut.block_code();
                self.block(code, format!("the run's limit of {cut} is used up"))
            }
            (Next::Apply(_), ReviewOut::OutOfScope { paths, put_back }) => {
                let all = [&put_back[..], &paths[..]].concat();
                let files = [("restored", put_back), ("left unchanged", paths)];
                let files = files.into_iter().filter(|(_, paths)| !paths.is_empty());
                let files = files.map(|(what, paths)| format!("; {what}: {}", paths.join(", ")));
                let files: String = files.collect();
                let name = self.config.applier.as_ref();
                let name = name.map_or_else(String::new, |name| format!(" `{name}`"));
                let reason = format!("the applier{name} changed files outside the artifact{files}");
                let failure = Failure::WroteFiles { paths: all };
                self.give_up(AgentError::new(failure, reason))
            }
            (Next::Review, ReviewOut::NothingChecked { needs }) => self.block(
                BlockCode::ReviewerFailed,
                format!("no rule applied to any file; the rules need: {needs}"),
            ),
            (Next::Review, ReviewOut::Read(read)) => match read.answer.zip(read.undelivered) {
                Some((hash, undelivered)) => self.on_undelivered(undelivered, hash),
                None => self.on_answer(record.map(|()| read)),
            },
            (
                Next::Review,
                ReviewOut::Malformed {
                    answer,
                    undelivered: Some(undelivered),
                },
            ) => self.on_undelivered(undelivered, answer.answer),
            (_, ReviewOut::Malformed { answer, .. }) => self.on_malformed(answer),
            (_, ReviewOut::Failed(error)) => self.on_failed(error, record.at),
            (Next::Apply(at), ReviewOut::Applied { after, decided }) => {
                self.on_applied(at, after, decided)
            }
            (_, ReviewOut::NewComments(comments)) => self.on_comments(comments),
            (_, ReviewOut::Ledger(update)) => self.on_ledger(update),
            (_, ReviewOut::Restored { after, left }) => self.on_restored(after, left),
            (Next::Review, ReviewOut::Applied { .. } | ReviewOut::OutOfScope { .. })
            | (Next::Apply(_), ReviewOut::Read(_) | ReviewOut::NothingChecked { .. }) => {
                self.unexpected("a result")
            }
        }
    }

    /// Returns the number of rounds that the loop may have once it is resumed with
    /// these changes.
    #[must_use]
    pub fn allowed_after(&self, changes: &ReviewChanges) -> u32 {
        let read = self.iteration() - 1;
        let anew = read.saturating_add(self.config.max_iterations);
        let allowed = match (&changes.base, &changes.comments_until) {
            (Some(_), _) => anew,
            (None, Some(_)) => self.allowed.max(anew),
            (None, None) => self.allowed,
        };
        let total = changes.max_iterations.filter(|max| *max > read);
        total.unwrap_or(allowed)
    }

    fn on_resumed(&mut self, resume: u32, changes: ReviewChanges) -> NextStep {
        self.resume = resume;
        self.since = self.rounds.len();
        self.allowed = self.allowed_after(&changes);
        self.go_to(self.next);
        let read = self.iteration() - 1;
        self.unproved_rounds = 0;
        self.asked_for_blocking = false;
        if let Some(base) = changes.base {
            self.config.base = Some(base);
            self.base_since = self.rounds.len();
            self.rebased = true;
            self.asked_alone = None;
            self.next = Next::Review;
        }
        if changes.comments_until.is_some() {
            self.next = Next::Review;
        }
        if let Some(patience) = changes.patience {
            let convergence = self.config.convergence.unwrap_or_default();
            self.config.convergence = NonZeroU32::new(patience).map(|patience| Convergence {
                patience,
                ..convergence
            });
        }
        if let Some(budget) = changes.budget {
            self.config.budget = budget;
            self.consumed.forgive();
        }
        if read >= self.allowed {
            return self.block(BlockCode::MaxIterations, self.exhausted());
        }
        match self.next {
            Next::Apply(at) if self.config.applies => self.give_feedback(at),
            Next::Apply(_) | Next::Review => {
                self.go_to(Next::Review);
                self.attempts.retry = self.request_alone().cloned();
                self.ask()
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

    fn next(&mut self, input: Input<ReviewOut, ReviewChanges>) -> Turn<Self> {
        let is_open = |machine: &Self, step: &StepName| machine.open.as_ref() == Some(step);
        let asked = match input {
            Input::Start { .. } => {
                let Subject {
                    feature,
                    spec,
                    path,
                    ..
                } = self.config.subject.clone();
                self.tell(Event::ReviewStarted(ReviewStarted {
                    feature,
                    spec,
                    path,
                    max_iterations: self.allowed,
                }));
                self.start(Next::Review)
            }
            Input::Finished { step, record } if is_open(self, &step) => self.on_result(record),
            Input::Waited { step, .. } if is_open(self, &step) => self.ask(),
            Input::Finished { step, .. } => self.unexpected(&format!("the result of {step}")),
            Input::Waited { step, .. } => self.unexpected(&format!("the end of the pause {step}")),
            Input::Signal { name, .. } => self.unexpected(&format!("the signal {name}")),
            Input::Resumed {
                resume, changes, ..
            } => self.on_resumed(resume, changes),
        };
        let (command, done) = match asked {
            NextStep::Open(command) => (Some(*command), None),
            NextStep::Done(done) => (None, Some(done)),
        };
        self.open = command.as_ref().map(|command| command.step().clone());
        self.done.clone_from(&done);
        Turn {
            notices: std::mem::take(&mut self.notices),
            commands: command.into_iter().collect(),
            done,
        }
    }

    fn base(op: &ReviewOp) -> Option<Hash> {
        match op {
            ReviewOp::Apply(asked) => asked.base.map(|base| base.manifest),
            ReviewOp::Restore(asked) => Some(asked.base.manifest),
            ReviewOp::Review(_) | ReviewOp::Inbox(_) | ReviewOp::Ledger(_) => None,
        }
    }

    fn is_local(op: &ReviewOp) -> bool {
        match op {
            ReviewOp::Inbox(_) | ReviewOp::Ledger(_) => true,
            ReviewOp::Review(_) | ReviewOp::Apply(_) | ReviewOp::Restore(_) => false,
        }
    }
}
