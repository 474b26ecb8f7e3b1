//! Accounts for what the calls of a loop consume.

use review_events::{AgentRole, CallEnded, Event};

use super::{Next, ReviewMachine, Waiting};
use crate::review_loop::op::ReviewOut;
use review_flow::StepRecord;

impl ReviewMachine {
    /// Adds what a call consumed, and reports it.
    pub(super) fn account(&mut self, waiting: Waiting, result: &StepRecord<ReviewOut>) {
        let role = match waiting {
            Waiting::Answer => {
                self.count_in_session(result.session.as_deref(), result.usage.as_ref());
                AgentRole::Reviewer
            }
            Waiting::Application => AgentRole::Applier,
            Waiting::Pause
            | Waiting::Restoration
            | Waiting::Ledger
            | Waiting::Inbox
            | Waiting::Nothing => return,
        };
        let may_be_unknown = match &result.out {
            ReviewOut::Read(_)
            | ReviewOut::Malformed { .. }
            | ReviewOut::Applied { .. }
            | ReviewOut::NothingChecked { .. }
            | ReviewOut::OutOfScope { .. } => true,
            ReviewOut::Failed(error) => !error.is_free(),
            ReviewOut::Ledger(_)
            | ReviewOut::NewComments(_)
            | ReviewOut::Changed(_)
            | ReviewOut::Cut(_)
            | ReviewOut::Restored { .. } => false,
        };
        if result.usage.is_some() || may_be_unknown {
            self.consumed.settle(result.usage.as_ref());
        }
        let model = result.by.as_ref().and_then(|by| by.model.as_ref());
        let is_nothing = result.usage.is_none_or(|usage| usage.is_nothing());
        if is_nothing && model.is_none() {
            return;
        }
        let ended = CallEnded {
            role,
            task: None,
            iteration: match self.next {
                Next::Review => self.iteration(),
                Next::Apply(_) => self.iteration() - 1,
            },
            by: result.by.clone(),
            usage: result.usage,
            took_ms: result.took_ms,
        };
        self.tell(Event::CallEnded(ended));
    }
}
