//! Runs the steps of the review machine with a reviewer and an applier.

mod apply;
mod artifact;
mod comments;
mod ledger;
mod review;

use std::sync::Mutex;

use review_events::CheckReport;
use review_flow::Seed;
use review_types::{AgentError, Hash, ModelId, Usage};
use serde::Serialize;

use super::config::LoopConfig;
use super::machine::ReviewMachine;
use super::op::{RetryOf, ReviewOp, ReviewOut};
use crate::agent::{Applier, Retry, Reviewer};
use crate::artifact::Artifact;
use crate::budget::Allowance;
use crate::check::Check;
use crate::facts::FactFinder;
use crate::people::Inbox;
use review_flow::{ContentStore, Executed, Executor, MissingContent, Step, Stop};

pub use artifact::base_state;

/// The optional parts of a loop, beside its reviewer and applier.
#[derive(Clone, Copy, Default)]
pub struct LoopParts<'a> {
    /// The artifact under review. Without one, its changes are not noticed.
    pub artifact: Option<&'a dyn Artifact>,
    /// Facts that the reviewer is given; a pass does not count while one blocks.
    pub facts: Option<&'a dyn FactFinder>,
    /// The check of the project, which runs once before the review of each round; no pass
    /// counts while it fails.
    pub check: Option<&'a dyn Check>,
    /// The comments of users.
    pub inbox: Option<&'a dyn Inbox>,
}

/// Runs the steps of one review loop.
pub struct LoopExecutor<'a, R, A> {
    reviewer: R,
    applier: A,
    config: LoopConfig,
    seed: Seed,
    parts: LoopParts<'a>,
    /// The result of the check before the review of this round.
    checked: Mutex<Option<(u32, CheckReport)>>,
}

impl<'a, R: Reviewer, A: Applier> LoopExecutor<'a, R, A> {
    /// Returns an executor for the loop of `config`, whose ids derive from `seed`.
    #[must_use]
    pub fn new(
        config: &LoopConfig,
        seed: Seed,
        reviewer: R,
        applier: A,
        parts: LoopParts<'a>,
    ) -> Self {
        Self {
            reviewer,
            applier,
            config: config.clone(),
            seed,
            parts,
            checked: Mutex::default(),
        }
    }
}

impl<R: Reviewer, A: Applier> Executor<ReviewMachine> for LoopExecutor<'_, R, A> {
    async fn exec(
        &self,
        step: Step,
        op: ReviewOp,
        texts: &ContentStore,
    ) -> Result<Executed<ReviewOut>, Stop> {
        match op {
            ReviewOp::Review(asked) => self.review(step, asked, texts).await,
            ReviewOp::Apply(asked) => self.apply(step, asked, texts).await,
            ReviewOp::Inbox(asked) => self.read_comments(asked, texts).map(Executed::local),
            ReviewOp::Ledger(asked) => self.update_ledger(&asked, texts).map(Executed::local),
            ReviewOp::Restore(asked) => self.restore(&asked, texts).map(Executed::local),
        }
    }

    fn left(&self, op: &ReviewOp, texts: &ContentStore) -> Result<Option<Hash>, Stop> {
        match op {
            ReviewOp::Apply(asked) => match asked.base {
                Some(base) => self.set_aside(base, texts),
                None => Ok(None),
            },
            ReviewOp::Review(_)
            | ReviewOp::Inbox(_)
            | ReviewOp::Ledger(_)
            | ReviewOp::Restore(_) => Ok(None),
        }
    }
}

/// Returns the malformed answer that a retry is about, with its end.
fn retry_with_tail(retry: &RetryOf, texts: &ContentStore) -> Result<Retry, MissingContent> {
    let answer = texts.get(&retry.answer)?;
    Ok(Retry::new(&retry.field, &retry.message, &answer))
}

fn executed(
    out: ReviewOut,
    by: ModelId,
    session: Option<String>,
    usage: Option<Usage>,
) -> Executed<ReviewOut> {
    Executed {
        out,
        by: Some(by),
        session,
        usage,
        undone: Vec::new(),
    }
}

/// Returns the result of a failed call; a limit of the run was reached if it
/// consumed more than its allowance.
fn failed_within(allowance: &Allowance, error: AgentError) -> Executed<ReviewOut> {
    let cut = error.usage.and_then(|usage| allowance.cut(&usage));
    let failed = failed(error);
    match cut {
        Some(cut) => Executed {
            out: ReviewOut::Cut(cut),
            ..failed
        },
        None => failed,
    }
}

/// Stores a value, and returns its hash.
fn put_json(texts: &ContentStore, value: &impl Serialize) -> Result<Hash, Stop> {
    Ok(texts.put(serde_json::to_vec(value).map_err(broken)?))
}

fn failed(error: AgentError) -> Executed<ReviewOut> {
    let (usage, session) = (error.usage, error.session.clone());
    Executed {
        out: ReviewOut::Failed(error),
        by: None,
        session,
        usage,
        undone: Vec::new(),
    }
}

fn broken(error: impl std::fmt::Display) -> Stop {
    Stop::Broken(error.to_string())
}
