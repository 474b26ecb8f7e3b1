//! The machine's request to reword vague items.

use review_events::{AnswerRemark, VagueItem};
use review_types::{Failure, ModelId, Timestamp, Verdict};

use super::{NextStep, ReviewMachine, Waiting};
use crate::review_loop::op::{ReadReview, ReviewOut};
use crate::wording::{EarlierReview, VagueAnswer};

/// A parsed answer.
#[derive(Clone, Debug)]
pub(super) struct ReadAnswer {
    pub(super) read: ReadReview,
    /// The model that answered.
    pub(super) by: Option<ModelId>,
    /// The session in which it answered.
    pub(super) session: Option<String>,
    /// When the answer was parsed.
    pub(super) at: Timestamp,
}

impl ReadAnswer {
    fn earlier(&self) -> EarlierReview {
        EarlierReview {
            review: self.read.review,
            proved: self.read.proved,
        }
    }
}

impl ReviewMachine {
    /// Asks a reviewer once to reword items that violate a wording rule. Otherwise
    /// reports them, and returns the answer.
    pub(super) fn ask_to_reword(
        &mut self,
        answer: ReadAnswer,
    ) -> Result<NextStep, Box<ReadAnswer>> {
        let Some(vague) = &answer.read.vague else {
            return Err(Box::new(answer));
        };
        if !self.config.wording_rules {
            return Err(Box::new(answer));
        }
        let asks = self.earlier.is_none() && self.retries > 0 && self.may_call();
        let VagueAnswer { items, request } = vague.clone();
        self.note_vague(items, asks);
        if !asks {
            return Err(Box::new(answer));
        }
        self.retry = Some(request);
        self.earlier = Some(answer.earlier());
        self.to_reword = Some(answer);
        Ok(self.ask())
    }

    fn note_vague(&mut self, items: Vec<VagueItem>, asked_again: bool) {
        self.remarks
            .push(AnswerRemark::Vague { items, asked_again });
    }

    /// Goes on with the answer that was to be reworded, if the reworded one cannot be
    /// used.
    pub(super) fn without_rewording(
        &mut self,
        waiting: Waiting,
        out: &ReviewOut,
    ) -> Option<NextStep> {
        let is_lost = match out {
            ReviewOut::Failed(error) => !matches!(error.failure, Failure::WroteFiles { .. }),
            ReviewOut::Malformed { .. } | ReviewOut::Cut(_) => true,
            ReviewOut::Read(read) => read.verdict == Verdict::Pass && read.doubt.is_some(),
            _ => false,
        };
        let is_reviewer = waiting == Waiting::Answer;
        let first = self.to_reword.take_if(|_| is_lost && is_reviewer)?;
        let items = first.read.vague.iter().flat_map(|vague| &vague.items);
        let items = items.cloned().collect();
        self.note_vague(items, false);
        Some(self.accept(first))
    }

    /// Returns whether the limits of the run allow one more call.
    fn may_call(&self) -> bool {
        self.consumed.exhausted(&self.config.budget).is_none()
    }
}
