//! Decides by the comments of users what comes next.

use review_events::{Event, ReviewApproved};

use super::{Next, NextStep, ReviewMachine};
use crate::review_loop::op::{NewComments, ReviewDone, ReviewOp};

impl ReviewMachine {
    /// Reads the inbox before the first call of a round.
    pub(super) fn read_comments(&mut self) -> Option<NextStep> {
        let attempts = &mut self.attempts;
        let is_due = self.config.inbox && self.next == Next::Review && attempts.calls == 0;
        if !is_due || std::mem::replace(&mut attempts.has_read_comments, true) {
            return None;
        }
        let name = format_args!("inbox-{}", self.iteration());
        Some(self.open_step(name, ReviewOp::Inbox(self.comments)))
    }

    pub(super) fn on_comments(&mut self, new: NewComments) -> NextStep {
        self.comments = new.read;
        match new.approved_by {
            Some(by) => self.approve(by),
            None => self.ask(),
        }
    }

    /// Ends the loop as users decided.
    pub(super) fn approve(&mut self, by: String) -> NextStep {
        self.go_to(Next::Review);
        let approved = ReviewApproved { by: by.clone() };
        self.tell(Event::ReviewApproved(approved));
        NextStep::Done(ReviewDone::Approved { by })
    }
}
