//! Decides by the comments of users what comes next.

use review_events::{Event, ReviewApproved};
use review_types::Hash;

use super::{Next, NextStep, ReviewMachine, Waiting};
use crate::people::Cursor;
use crate::review_loop::op::{NewComments, ReadCommentsArgs, ReviewDone, ReviewOp};
use review_flow::StepName;

/// The comments of users that were read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct People {
    /// How far they were read.
    pub(super) position: Cursor,
    /// Hash of the comments.
    pub(super) comments: Option<Hash>,
    /// The number of comments.
    pub(super) count: u32,
    /// The number of comments that the ledger includes.
    pub(super) noted: u32,
    /// Whether the inbox was read before the current step.
    pub(super) is_read: bool,
}

impl ReviewMachine {
    /// Reads the inbox before the first call of a round.
    pub(super) fn read_comments(&mut self) -> Option<NextStep> {
        let is_due = self.config.inbox && self.next == Next::Review && self.tried == 0;
        if !is_due || std::mem::replace(&mut self.people.is_read, true) {
            return None;
        }
        self.waiting = Waiting::Inbox;
        let step = format_args!("inbox-{}", self.iteration());
        Some(NextStep::Do {
            step: StepName::new("review", self.resume, step),
            op: Box::new(ReviewOp::Inbox(ReadCommentsArgs {
                heard: self.people.position,
                people: self.people.comments,
            })),
        })
    }

    pub(super) fn on_comments(&mut self, new: NewComments) -> NextStep {
        self.people.position = new.heard;
        self.people.comments = new.people;
        self.people.count = new.count;
        match new.approved_by {
            Some(by) => self.approve(by),
            None => self.ask(),
        }
    }

    /// Ends the loop as users decided.
    pub(super) fn approve(&mut self, by: String) -> NextStep {
        self.go_to(Next::Review);
        let approved = ReviewApproved {
            feature: self.feature(),
            by: by.clone(),
        };
        self.tell(Event::ReviewApproved(approved));
        NextStep::Done(ReviewDone::Approved { by })
    }
}
