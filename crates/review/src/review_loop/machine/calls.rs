//! What the calls of a loop consume, and the session in which a reviewer gets follow-ups.

use review_events::{AgentRole, CallEnded, Event};
use review_types::{FailedBy, Failure, Usage};

use super::ReviewMachine;
use crate::review_loop::op::{Conversation, ReviewOut};
use review_flow::StepRecord;

impl ReviewMachine {
    /// Adds what a call consumed, and reports it.
    pub(super) fn account(&mut self, result: &StepRecord<ReviewOut>) {
        let may_be_unknown = match &result.out {
            ReviewOut::Read(_)
            | ReviewOut::Malformed { .. }
            | ReviewOut::Applied { .. }
            | ReviewOut::NothingChecked { .. }
            | ReviewOut::OutOfScope { .. } => true,
            ReviewOut::Failed(error) => !error.is_free(),
            ReviewOut::Changed(_) | ReviewOut::Cut(_) => false,
            ReviewOut::Ledger(_) | ReviewOut::NewComments(_) | ReviewOut::Restored { .. } => return,
        };
        let (role, iteration) = self.agent();
        if role == AgentRole::Reviewer
            && let (Some(session), Some(usage)) = (&result.session, &result.usage)
        {
            let sessions = &mut self.usage_of_sessions;
            let used = sessions.entry(session.clone()).or_insert(Usage::NOTHING);
            used.add(usage);
        }
        if result.usage.is_some() || may_be_unknown {
            self.consumed.settle(result.usage.as_ref());
        }
        let model = result.by.as_ref().and_then(|by| by.model.as_ref());
        let is_nothing = result.usage.is_none_or(|usage| usage.is_nothing());
        if is_nothing && model.is_none() {
            return;
        }
        self.tell(Event::CallEnded(CallEnded {
            role,
            task: None,
            iteration,
            by: result.by.clone(),
            usage: result.usage,
            took_ms: result.took_ms,
        }));
    }

    /// Returns the session to continue: that of the last round, if the current reviewer
    /// answered in it and everything that it raised is decided.
    pub(super) fn conversation(&self) -> Option<Conversation> {
        let last = self.rounds.last()?;
        let is_decided = !last.read.has_ids || last.settled || last.decided.is_some();
        let is_current = last.reviewer == self.attempts.reviewer;
        if self.attempts.lost_session || !is_current || !is_decided {
            return None;
        }
        let last = last.conversation.clone()?;
        let used = self.usage_of_sessions.get(&last.session).copied();
        Some(Conversation { used, ..last })
    }

    /// Returns the session after an answer of the current reviewer, if it keeps one.
    pub(super) fn answered_in(&self, session: Option<String>) -> Option<Conversation> {
        let link = self.config.reviewers.get(self.attempts.reviewer)?;
        let before = self.conversation();
        let before = before.map_or(0, |conversation| conversation.iteration);
        let session = session.filter(|_| link.keeps_sessions)?;
        Some(Conversation {
            session,
            iteration: before.saturating_add(1),
            used: None,
        })
    }

    /// Returns whether a call may have failed because its session is gone; if so, the
    /// session is not used again.
    pub(super) fn loses_session(&mut self, failure: &Failure) -> bool {
        let is_lost = *failure == FailedBy::Protocol.into() && self.conversation().is_some();
        self.attempts.lost_session |= is_lost;
        is_lost
    }
}
