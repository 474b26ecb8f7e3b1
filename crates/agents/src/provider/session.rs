//! What a provider remembers of a session.

use std::num::NonZeroU32;

use review::types::{FeedbackId, FeedbackItem, FeedbackItems, Hash, PastRound};
use serde::{Deserialize, Serialize};

/// The most rounds that are remembered of a session.
const MAX_ROUNDS: usize = 64;

/// A session after its last answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    iteration: NonZeroU32,
    /// Hash of the last request.
    request: Hash,
    /// The answer to it, to the byte.
    response: String,
    /// Every item that was given in this session, each id once.
    given: Vec<FeedbackItem>,
    /// Those of the last answer, in its order.
    last: Vec<FeedbackId>,
    /// Earlier rounds than that of the last answer, the newest ones.
    rounds: Vec<PastRound>,
}

/// How a request relates to the sessions that are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// It names no session.
    New,
    /// It names one that is not remembered.
    Unknown,
    /// It names this one.
    Known(Exchange),
}

impl SessionState {
    /// Whether an iteration has its turn, and else why not.
    pub(super) fn turn(&self, iteration: NonZeroU32) -> Result<(), String> {
        let is_first = iteration == NonZeroU32::MIN;
        match self {
            Self::New | Self::Unknown if is_first => Ok(()),
            Self::New => Err(format!(
                "iteration: {iteration} needs the session of the iterations before it"
            )),
            Self::Unknown => Err(format!(
                "iteration: {iteration} needs a session that is known here; start with iteration 1 \
                 and without a session"
            )),
            Self::Known(before) if before.iteration == iteration => Err(format!(
                "iteration: {iteration} was answered already, to another request"
            )),
            Self::Known(before) if before.iteration.checked_add(1) == Some(iteration) => Ok(()),
            Self::Known(before) => Err(match before.iteration.checked_add(1) {
                Some(next) => format!("iteration: must be {next}, got {iteration}"),
                None => format!(
                    "iteration: {} was the last of its session",
                    before.iteration
                ),
            }),
        }
    }

    pub(super) fn into_exchange(self) -> Option<Exchange> {
        match self {
            Self::New | Self::Unknown => None,
            Self::Known(exchange) => Some(exchange),
        }
    }
}

impl Exchange {
    /// The session after one more answer.
    pub(super) fn after(
        before: Option<Self>,
        iteration: NonZeroU32,
        request: Hash,
        response: String,
        items: &FeedbackItems,
        mut rounds: Vec<PastRound>,
    ) -> Self {
        let old = rounds.len().saturating_sub(MAX_ROUNDS);
        rounds.drain(..old);
        let mut given = before.map_or_else(Vec::new, |before| before.given);
        let last: Vec<_> = items.iter().map(|(id, _)| id.clone()).collect();
        given.retain(|item| item.id().is_some_and(|id| !last.contains(id)));
        given.extend(items.iter().map(|(_, item)| item.clone()));
        Self {
            iteration,
            request,
            response,
            given,
            last,
            rounds,
        }
    }

    pub(super) fn is_answer_to(&self, iteration: NonZeroU32, request: Hash) -> bool {
        self.iteration == iteration && self.request == request
    }

    pub(super) fn response(&self) -> &str {
        &self.response
    }

    pub(super) fn has_given(&self, id: &FeedbackId) -> bool {
        self.given.iter().any(|item| item.id() == Some(id))
    }

    /// The items that were given in this session.
    pub(super) fn given(&self) -> &[FeedbackItem] {
        &self.given
    }

    /// Earlier rounds than that of the last answer.
    pub(super) fn rounds(&self) -> &[PastRound] {
        &self.rounds
    }

    /// The ids of the last answer, in its order.
    pub(super) fn last(&self) -> &[FeedbackId] {
        &self.last
    }
}
