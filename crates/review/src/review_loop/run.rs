//! Runs a whole loop in one call.

use std::io;
use std::sync::Arc;

use review_flow::{
    Blobs, Clock, ContentStore, DriveError, Journal, LogError, MemoryBlobs, MemoryJournal,
    MissingContent, RunLog, RunRecord, Seed, Step, StepName, Stop,
};
use review_schema::SchemaError;
use review_types::{AgentError, ConfigError, FinalVerdict, IdError, Review, ReviewSession, RunId};
use serde::{Deserialize, Serialize};

use super::answer::{Expected, ParsedAnswer};
use super::builder::ReviewLoopBuilder;
use super::config::{Limits, LoopConfig, Subject};
use super::executor::{LoopExecutor, LoopParts, base_state};
use super::load::history;
use super::machine::ReviewMachine;
use super::op::{BaseState, ReviewArgs, ReviewChanges, ReviewDone};
use crate::agent::{AnswerContent, Applier, ReviewRequest, Reviewer};
use crate::pass::settle;
use crate::sink::{Envelopes, EventSink};

/// A review loop over any reviewer and applier.
///
/// Built by [`ReviewLoop::builder`]. Without a journal it is kept in memory.
///
/// ```
/// use review::flow::{Clock, Seed};
/// use review::{Applier, LoopError, ReviewLoop, Reviewer, Subject};
///
/// # async fn run(reviewer: impl Reviewer, applier: impl Applier, clock: &dyn Clock, seed: Seed) -> Result<(), LoopError> {
/// let session = ReviewLoop::builder(reviewer, applier)
///     .subject(Subject::new("search", "docs/PRD.md", "specs/"))
///     .build()?
///     .run(seed, clock)
///     .await?;
/// println!("{:?} after {} rounds", session.final_verdict, session.iterations.len());
/// # Ok(())
/// # }
/// ```
pub struct ReviewLoop<'a, R, A> {
    pub(super) config: LoopConfig,
    pub(super) reviewer: R,
    pub(super) applier: A,
    pub(super) parts: LoopParts<'a>,
    pub(super) events: &'a dyn EventSink,
    pub(super) journal: Option<(&'a mut dyn Journal, Arc<dyn Blobs>)>,
}

/// The input of a loop in the first record of its journal.
#[derive(Serialize, Deserialize)]
struct LoopInput {
    /// The artifact at the start; `None` for a loop without one.
    base: Option<BaseState>,
}

/// An error that kept a loop from running. A loop that ends without a pass is no
/// error; see its session.
#[derive(Debug, thiserror::Error)]
pub enum LoopError {
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The loop was stopped, or its journal cannot be used.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The id of the run is invalid.
    #[error(transparent)]
    Run(#[from] IdError),
}

/// An error that kept a single review from giving a result.
#[derive(Debug, thiserror::Error)]
pub enum ReviewSpecsError {
    /// The reviewer gave no answer.
    #[error("{}", .0.of_role("reviewer"))]
    Reviewer(#[from] AgentError),
    /// The answer is malformed.
    #[error("{error}")]
    Malformed {
        /// The error in the answer.
        error: SchemaError,
        /// The whole answer.
        raw_output: Vec<u8>,
    },
    /// No rule of the reviewer applied to any file.
    #[error("no rule applied to any file; the rules need: {needs}")]
    NothingChecked {
        /// The inputs that the rules need.
        needs: String,
    },
}

impl From<LogError> for LoopError {
    fn from(error: LogError) -> Self {
        Self::Drive(error.into())
    }
}

impl<'a, R: Reviewer, A: Applier> ReviewLoop<'a, R, A> {
    /// Returns a builder of a loop over `reviewer` and `applier`, with the four default
    /// criteria, three rounds and a journal in memory. Every other part is optional.
    pub fn builder(reviewer: R, applier: A) -> ReviewLoopBuilder<'a, R, A> {
        ReviewLoopBuilder::new(reviewer, applier)
    }

    /// Runs the loop to its end and returns its session, also when it is blocked.
    ///
    /// If the journal already has a run, its recorded steps are replayed and
    /// the others are run, with the recorded seed. The loop must have the same
    /// parts as before.
    ///
    /// # Errors
    /// [`LoopError`] when the run was stopped before its end, or its journal or
    /// artifact cannot be used.
    pub async fn run(self, seed: Seed, clock: &dyn Clock) -> Result<ReviewSession, LoopError> {
        self.drive(Some(seed), None, clock).await
    }

    /// Like [`ReviewLoop::run`], but also continues a run in the journal that ended
    /// blocked: with new limits, an artifact that a user changed, or new comments.
    /// Without any of these it ends as the run did. The limits of the builder stay
    /// those of the start of the run.
    ///
    /// # Errors
    /// Those of [`ReviewLoop::run`], and [`LogError::NoRun`] when the journal has
    /// no run.
    pub async fn resume(
        self,
        limits: Limits,
        clock: &dyn Clock,
    ) -> Result<ReviewSession, LoopError> {
        self.drive(None, Some(limits), clock).await
    }

    async fn drive(
        self,
        seed: Option<Seed>,
        resume: Option<Limits>,
        clock: &dyn Clock,
    ) -> Result<ReviewSession, LoopError> {
        let Self {
            config,
            reviewer,
            applier,
            parts,
            events,
            journal,
        } = self;
        let mut memory = MemoryJournal::default();
        let (journal, blobs): (&mut dyn Journal, Arc<dyn Blobs>) = match journal {
            Some(given) => given,
            None => (&mut memory, Arc::new(MemoryBlobs::default())),
        };
        let texts = ContentStore::new(blobs);
        let mut log = match (RunLog::open(&mut *journal, &texts), seed) {
            (Err(LogError::NoRun), Some(seed)) => {
                let record = parts.run_record(seed, clock, &texts)?;
                RunLog::create(journal, &texts, record)?
            }
            (log, _) => log?,
        };
        let input: LoopInput =
            serde_json::from_value(log.run().input.clone()).map_err(|error| LogError::Value {
                step: "run".to_owned(),
                message: error.to_string(),
            })?;
        let seed = log.run().seed;
        let config = LoopConfig {
            seed,
            base: input.base,
            ..config
        };
        let envelopes = Envelopes::new(log.run().run.clone(), None, events);
        log.emit_to(&envelopes);
        let mut machine = ReviewMachine::new(config.clone())?;
        let executor = LoopExecutor::new(&config, seed, &reviewer, &applier, parts);
        let changes = |machine: &ReviewMachine| match resume {
            Some(limits) => parts.changes(machine, limits, &texts),
            None => Ok(None),
        };
        let done =
            review_flow::run(&mut machine, &executor, &mut log, clock, Some(&changes)).await?;
        Ok(session_of(&config, &machine, &done, &texts).map_err(LogError::Text)?)
    }

    /// Runs a single review. A pass with an item at or above the fail level counts as a
    /// revision.
    ///
    /// # Errors
    /// [`ReviewSpecsError`] when the review fails; a malformed answer is included
    /// in the error.
    pub async fn review_specs(&self, seed: Seed) -> Result<Review, ReviewSpecsError> {
        let executor = LoopExecutor::new(
            &self.config,
            seed,
            &self.reviewer,
            &self.applier,
            self.parts,
        );
        let name = StepName::new("review", 0, "review-1.1");
        let step = Step::alone(name);
        let facts = executor.known().await?;
        let wanted = ReviewArgs {
            iteration: 1,
            ..ReviewArgs::default()
        };
        let request = ReviewRequest {
            history: Vec::new(),
            ..executor.request(step, &wanted, facts.clone())
        };
        let asked = Expected::of(&request, Vec::new());
        let answer = self.reviewer.review(request).await?;
        let receiver = answer.sent.map(|sent| sent.receiver);
        let review = match answer.content {
            AnswerContent::Review(review) => review,
            AnswerContent::NothingChecked { needs } => {
                return Err(ReviewSpecsError::NothingChecked { needs });
            }
            AnswerContent::Text(raw_output) => match asked.read(&raw_output, receiver) {
                Ok(ParsedAnswer {
                    doubt: Some(doubt), ..
                }) => {
                    let error = doubt.error();
                    return Err(ReviewSpecsError::Malformed { error, raw_output });
                }
                Ok(answered) => answered.review,
                Err(error) => return Err(ReviewSpecsError::Malformed { error, raw_output }),
            },
        };
        Ok(settle(review, self.config.fail_level, &facts, None).review)
    }
}

impl LoopParts<'_> {
    /// Returns the first record of a new run.
    fn run_record(
        &self,
        seed: Seed,
        clock: &dyn Clock,
        texts: &ContentStore,
    ) -> Result<RunRecord, LoopError> {
        let input = LoopInput {
            base: self.base(texts)?,
        };
        let input = serde_json::to_value(input).map_err(|error| LogError::Value {
            step: "run".to_owned(),
            message: error.to_string(),
        })?;
        Ok(RunRecord {
            run: RunId::new("memory")?,
            seed,
            at: clock.now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            input,
            texts: Vec::new(),
        })
    }

    /// Returns the current artifact, with the contents of its files stored.
    fn base(&self, texts: &ContentStore) -> Result<Option<BaseState>, DriveError> {
        let Some(artifact) = self.artifact else {
            return Ok(None);
        };
        let now = artifact
            .snapshot(Some(texts))
            .map_err(|error| broken("artifact", &error))?;
        let base = base_state(&now, texts);
        base.map(Some)
            .map_err(|stop: Stop| DriveError::Broken(stop.to_string()))
    }

    /// Returns the changes with which a blocked loop continues; `None` for one that passed.
    fn changes(
        &self,
        machine: &ReviewMachine,
        limits: Limits,
        texts: &ContentStore,
    ) -> Result<Option<ReviewChanges>, DriveError> {
        if !matches!(machine.done(), Some(ReviewDone::Blocked { .. })) {
            return Ok(None);
        }
        let known = machine.base().map(|base| base.artifact);
        let now = self.base(texts)?;
        let comments = self.inbox.map(|inbox| inbox.read(machine.comments_until()));
        let comments = comments
            .transpose()
            .map_err(|error| broken("inbox", &error))?;
        Ok(Some(ReviewChanges {
            base: now.filter(|now| known.is_some_and(|known| known != now.artifact)),
            comments_until: comments.and_then(|(new, until)| (!new.is_empty()).then_some(until)),
            max_iterations: limits.max_iterations,
            budget: (limits.budget.is_any()).then(|| machine.budget_with(limits.budget)),
            ..ReviewChanges::default()
        }))
    }
}

/// Returns the record of a loop: its subject and configuration, its rounds, its end.
///
/// # Errors
/// [`MissingContent`] when the review of a round is missing.
pub fn session_of(
    config: &LoopConfig,
    machine: &ReviewMachine,
    done: &ReviewDone,
    texts: &ContentStore,
) -> Result<ReviewSession, MissingContent> {
    let Subject {
        feature,
        spec,
        path,
        ..
    } = config.subject.clone();
    let iterations = machine.rounds().iter().map(|round| history(texts, round));
    let mut session = ReviewSession {
        feature,
        spec,
        path,
        config: config.review_config(),
        iterations: iterations.collect::<Result<_, _>>()?,
        final_verdict: FinalVerdict::Running,
        block_reason: String::new(),
        block_code: None,
    };
    match done {
        ReviewDone::Passed => session.final_verdict = FinalVerdict::Pass,
        ReviewDone::Approved { by } => {
            session.final_verdict = FinalVerdict::Blocked;
            session.block_reason = format!("approved by {by}");
        }
        ReviewDone::Blocked { code, reason } => {
            session.final_verdict = FinalVerdict::Blocked;
            session.block_reason.clone_from(reason);
            session.block_code = Some(*code);
        }
    }
    Ok(session)
}

fn broken(part: &str, error: &io::Error) -> DriveError {
    DriveError::Broken(format!("the {part} cannot be read: {error}"))
}

impl Subject {
    /// Returns a subject with the usual recovery actions.
    #[must_use]
    pub fn new(
        feature: impl Into<String>,
        spec: impl Into<String>,
        path: impl Into<String>,
    ) -> Self {
        let path = path.into();
        Self {
            feature: feature.into(),
            spec: spec.into(),
            recovery_actions: vec![
                "review the feedback of all iterations: ralph report latest".to_owned(),
                format!("edit {path} by hand"),
                "continue: ralph resume latest".to_owned(),
            ],
            path,
        }
    }
}
