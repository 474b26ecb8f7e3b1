//! What persons say, as far as it decides what comes next.

use review_types::Hash;

use super::{Asked, Next, ReviewMachine, Waiting};
use crate::people::Heard;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{News, ReviewDone, ReviewOp, ToHear};
use review_flow::StepName;

/// What persons said, as far as it was heard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct People {
    pub(super) heard: Heard,
    /// Hash of it.
    pub(super) said: Option<Hash>,
    /// How many things it is.
    pub(super) count: u32,
    /// How many of them the ledger knows.
    pub(super) noted: u32,
    /// Whether it was looked for before the step at hand.
    pub(super) looked: bool,
}

impl ReviewMachine {
    /// Looks what persons said, before the first call of a round.
    pub(super) fn look(&mut self) -> Option<Asked> {
        let is_due = self.config.inbox && self.next == Next::Review && self.tried == 0;
        if !is_due || std::mem::replace(&mut self.people.looked, true) {
            return None;
        }
        self.waiting = Waiting::Inbox;
        let step = format_args!("inbox-{}", self.iteration());
        Some(Asked::Do {
            step: StepName::new("review", self.resume, step),
            op: Box::new(ReviewOp::Inbox(ToHear {
                heard: self.people.heard,
                people: self.people.said,
            })),
        })
    }

    pub(super) fn on_news(&mut self, news: News) -> Asked {
        self.people.heard = news.heard;
        self.people.said = news.people;
        self.people.count = news.count;
        match news.approved_by {
            Some(by) => self.approve(by),
            None => self.ask(),
        }
    }

    /// Ends the loop as persons decided.
    pub(super) fn approve(&mut self, by: String) -> Asked {
        self.go_to(Next::Review);
        self.notices.push(ReviewNotice::Approved {
            subject: self.subject(),
            by: by.clone(),
        });
        Asked::Done(ReviewDone::Approved { by })
    }
}
