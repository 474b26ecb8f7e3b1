//! Decides by the comments of users what comes next.

use review_types::Hash;

use super::{Next, NextStep, ReviewMachine, Waiting};
use crate::people::Cursor;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{NewComments, ReadCommentsArgs, ReviewDone, ReviewOp};
use review_flow::StepName;

/// The comments of users that were read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct People {
    pub(super) heard: Cursor,
    /// Hash of the comments.
    pub(super) said: Option<Hash>,
    /// The number of comments.
    pub(super) count: u32,
    /// The number of comments that the ledger includes.
    pub(super) noted: u32,
    /// Whether the inbox was read before the current step.
    pub(super) looked: bool,
}

impl ReviewMachine {
    /// Reads the inbox before the first call of a round.
    pub(super) fn look(&mut self) -> Option<NextStep> {
        let is_due = self.config.inbox && self.next == Next::Review && self.tried == 0;
        if !is_due || std::mem::replace(&mut self.people.looked, true) {
            return None;
        }
        self.waiting = Waiting::Inbox;
        let step = format_args!("inbox-{}", self.iteration());
        Some(NextStep::Do {
            step: StepName::new("review", self.resume, step),
            op: Box::new(ReviewOp::Inbox(ReadCommentsArgs {
                heard: self.people.heard,
                people: self.people.said,
            })),
        })
    }

    pub(super) fn on_news(&mut self, news: NewComments) -> NextStep {
        self.people.heard = news.heard;
        self.people.said = news.people;
        self.people.count = news.count;
        match news.approved_by {
            Some(by) => self.approve(by),
            None => self.ask(),
        }
    }

    /// Ends the loop as users decided.
    pub(super) fn approve(&mut self, by: String) -> NextStep {
        self.go_to(Next::Review);
        self.notices.push(ReviewNotice::Approved {
            subject: self.subject(),
            by: by.clone(),
        });
        NextStep::Done(ReviewDone::Approved { by })
    }
}
