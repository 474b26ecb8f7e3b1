//! The session in which a reviewer gets follow-ups.

use review_types::{FailedBy, Failure, Usage};

use super::ReviewMachine;
use crate::review_loop::op::Conversation;

/// The usage of the calls in one session.
#[derive(Clone, Debug)]
pub(super) struct SessionUsage {
    session: String,
    usage: Usage,
}

impl ReviewMachine {
    /// Returns the session to continue: that of the last round, if the current reviewer
    /// answered in it and everything that it raised is decided.
    pub(super) fn conversation(&self) -> Option<Conversation> {
        let last = self.last_conversation();
        let last = last.filter(|_| !self.lost_session)?.clone();
        let used = self.used.as_ref();
        let used = used.filter(|used| used.session == last.session);
        Some(Conversation {
            used: used.map(|used| used.usage),
            ..last
        })
    }

    fn last_conversation(&self) -> Option<&Conversation> {
        let last = self.rounds.last()?;
        let is_decided = !last.read.has_ids || last.settled || last.decided.is_some();
        let goes_on = last.reviewer == self.reviewer && is_decided;
        last.conversation.as_ref().filter(|_| goes_on)
    }

    /// Adds what a call of a reviewer consumed in its session.
    pub(super) fn count_in_session(&mut self, session: Option<&str>, usage: Option<&Usage>) {
        let (Some(session), Some(usage)) = (session, usage) else {
            return;
        };
        match &mut self.used {
            Some(used) if used.session == session => used.usage.add(usage),
            used => {
                *used = Some(SessionUsage {
                    session: session.to_owned(),
                    usage: *usage,
                });
            }
        }
    }

    /// Returns the session after an answer of the current reviewer, if it keeps one.
    pub(super) fn answered_in(&self, session: Option<String>) -> Option<Conversation> {
        let link = self.config.reviewers.get(self.reviewer)?;
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
        self.lost_session |= is_lost;
        is_lost
    }
}
