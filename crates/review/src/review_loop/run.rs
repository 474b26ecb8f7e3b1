//! A whole loop in one call, in memory.

use std::sync::Arc;

use review_flow::{RunRecord, Seed};
use review_schema::SchemaError;
use review_types::{AgentError, ConfigError, IdError, Review, ReviewSession, RunId};

use super::answer::Asked;
use super::config::{LoopConfig, Subject};
use super::executor::{LoopExecutor, Told};
use super::machine::ReviewMachine;
use super::op::{Contradiction, ToReview};
use super::session::session_of;
use crate::agent::{AnswerContent, Applier, Reviewer};
use crate::facts::{Checked, FactFinder};
use crate::sink::{Envelopes, EventSink};
use review_flow::{
    Clock, ContentStore, DriveError, Input, LogError, MemoryBlobs, MemoryJournal, RunLog, Step,
    StepName, drive, hash_bytes,
};

/// A review loop over any reviewer and applier, with its journal in memory.
///
/// ```
/// # use review::config::LoopConfig;
/// # use review::*;
/// # use review::flow::{ManualClock, Seed};
/// # async fn run(reviewer: impl Reviewer, applier: impl Applier) -> Result<(), LoopError> {
/// let subject = Subject::new("search", "docs/PRD.md", "specs/");
/// let session = ReviewLoop::new(LoopConfig::new(subject), reviewer, applier)
///     .run(Seed::from_bytes([7; 32]), &ManualClock::default(), &NoSink)
///     .await?;
/// println!("{:?} after {} rounds", session.final_verdict, session.iterations.len());
/// # Ok(())
/// # }
/// ```
pub struct ReviewLoop<R, A> {
    config: LoopConfig,
    reviewer: R,
    applier: A,
    facts: Option<Box<dyn FactFinder>>,
}

/// Why a loop could not be run at all. A loop that cannot pass is no error: its
/// session says so.
#[derive(Debug, thiserror::Error)]
pub enum LoopError {
    /// No loop can run with this configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The loop was stopped, or its journal cannot be used.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The id of the run is none.
    #[error(transparent)]
    Run(#[from] IdError),
}

/// Why a single review gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ReviewSpecsError {
    /// The reviewer gave no answer.
    #[error("failed to invoke reviewer: {0}")]
    Reviewer(#[from] AgentError),
    /// The answer could not be read.
    #[error("{error}")]
    Malformed {
        /// What is wrong with it.
        error: SchemaError,
        /// The whole answer.
        raw_output: Vec<u8>,
    },
    /// No rule of the reviewer had anything to look at.
    #[error("no rule had anything to look at; needed: {needs}")]
    NothingChecked {
        /// What would be needed.
        needs: String,
    },
}

impl<R: Reviewer, A: Applier> ReviewLoop<R, A> {
    /// A loop of `config` over `reviewer` and `applier`.
    #[must_use]
    pub fn new(config: LoopConfig, reviewer: R, applier: A) -> Self {
        Self {
            config,
            reviewer,
            applier,
            facts: None,
        }
    }

    /// Tells the reviewer what `facts` finds out, and counts no pass against a
    /// fact that blocks.
    #[must_use]
    pub fn with_facts(self, facts: impl FactFinder + 'static) -> Self {
        Self {
            facts: Some(Box::new(facts)),
            ..self
        }
    }

    /// Runs the loop to its end and returns its session, also when it is
    /// blocked.
    ///
    /// # Errors
    /// [`LoopError`] when the configuration allows no round or the clock
    /// interrupts a pause.
    pub async fn run(
        &self,
        seed: Seed,
        clock: &dyn Clock,
        sink: &dyn EventSink,
    ) -> Result<ReviewSession, LoopError> {
        let mut machine = ReviewMachine::new(LoopConfig {
            seed,
            ..self.config.clone()
        })?;
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let mut journal = MemoryJournal::default();
        let record = self.run_record(seed, clock)?;
        let envelopes = Envelopes::new(record.run.clone(), None, sink);
        let mut log = RunLog::create(&mut journal, &texts, record).map_err(DriveError::Log)?;
        log.emit_to(&envelopes);
        let executor = self.executor(seed);
        let first = Input::Start { at: clock.now() };
        let done = drive(&mut machine, &executor, &mut log, clock, first).await?;
        let session = session_of(&self.config, &machine, &done, &texts);
        Ok(session.map_err(|error| DriveError::Log(LogError::Text(error)))?)
    }

    /// Reviews once, without a loop around it. A pass that holds an item which its
    /// own reviewer calls grave is a revision.
    ///
    /// # Errors
    /// [`ReviewSpecsError`] when there is no review; a malformed answer comes
    /// with its text.
    pub async fn review_specs(&self, seed: Seed) -> Result<Review, ReviewSpecsError> {
        let executor = self.executor(seed);
        let name = StepName::new("review", 0, "review-1.1");
        let key = hash_bytes(name.as_str().as_bytes());
        let step = Step {
            name,
            key,
            attempt: 1,
            was_stopped: false,
        };
        let facts = executor.known().await?;
        let wanted = ToReview {
            iteration: 1,
            ..ToReview::default()
        };
        let told = Told {
            facts: facts.clone(),
            ..Told::default()
        };
        let request = executor.request(step, &wanted, told);
        let asked = Asked::of(&request);
        let review = match executor.ask(request).await?.content {
            AnswerContent::Review(review) => review,
            AnswerContent::NothingChecked { needs } => {
                return Err(ReviewSpecsError::NothingChecked { needs });
            }
            AnswerContent::Text(raw_output) => match executor.read(&raw_output, &asked) {
                Ok(answered) => answered.review,
                Err(error) => return Err(ReviewSpecsError::Malformed { error, raw_output }),
            },
        };
        let review = match Contradiction::of(&review, self.config.fail_level, None) {
            Some(_) => review.as_revision(),
            None => review,
        };
        Ok(Checked::new(review, &facts).review)
    }

    fn executor(&self, seed: Seed) -> LoopExecutor<'_, &R, &A> {
        LoopExecutor::new(&self.config, seed, &self.reviewer, &self.applier, None)
            .with_facts(self.facts.as_deref())
    }

    fn run_record(&self, seed: Seed, clock: &dyn Clock) -> Result<RunRecord, IdError> {
        Ok(RunRecord {
            run: RunId::new("memory")?,
            seed,
            at: clock.now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            input: serde_json::Value::Null,
            texts: Vec::new(),
        })
    }
}

impl Subject {
    /// A subject with the usual ways out of a block.
    #[must_use]
    pub fn new(
        feature: impl Into<String>,
        prd_path: impl Into<String>,
        specs_path: impl Into<String>,
    ) -> Self {
        let specs_path = specs_path.into();
        Self {
            feature: feature.into(),
            prd_path: prd_path.into(),
            recovery_actions: vec![
                "review the feedback of all iterations: ralph report latest".to_owned(),
                format!("edit {specs_path} by hand"),
                "go on: ralph resume latest".to_owned(),
            ],
            specs_path,
        }
    }
}
