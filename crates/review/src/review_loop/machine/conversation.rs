//! The session in which a reviewer is asked again.

use review_schema::Dialect;
use review_types::Failure;

use super::ReviewMachine;
use crate::review_loop::op::Conversation;

impl ReviewMachine {
    /// The session to go on in: that of the last round, if the reviewer at hand
    /// answered in it, and everything that it asked for is decided on.
    pub(super) fn conversation(&self) -> Option<Conversation> {
        let last = self.rounds.last()?;
        let is_decided = last.areas.is_none() || last.decided.is_some();
        let goes_on = last.reviewer == self.reviewer && is_decided && !self.lost_session;
        last.conversation.clone().filter(|_| goes_on)
    }

    /// The session after an answer of the reviewer at hand. Only responses of
    /// the protocol are told what became of them.
    pub(super) fn answered_in(&self, session: Option<String>) -> Option<Conversation> {
        let link = self.config.reviewers.get(self.reviewer)?;
        let before = self.conversation();
        let before = before.map_or(0, |conversation| conversation.iteration);
        match link.dialect {
            Dialect::Afp => Some(Conversation {
                session: session?,
                iteration: before.saturating_add(1),
            }),
            Dialect::Verdict | Dialect::Actionable => None,
        }
    }

    /// Whether a call may have failed since its session is gone; it is not
    /// asked for again.
    pub(super) fn loses_session(&mut self, failure: &Failure) -> bool {
        let is_lost = *failure == Failure::ProtocolError && self.conversation().is_some();
        self.lost_session |= is_lost;
        is_lost
    }
}
