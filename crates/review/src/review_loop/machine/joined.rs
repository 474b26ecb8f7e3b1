//! The ledger of findings, as far as it decides what comes next.

use review_events::MachineName;
use review_types::{BlockCode, Verdict};

use super::{Asked, Next, ReviewMachine, Waiting};
use crate::engine::{Cmd, StepName};
use crate::progress::Standing;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{Joined, ReviewOp, ToJoin};
use crate::review_loop::round::Round;

impl ReviewMachine {
    /// Asks for a round that was just read to be joined with the findings
    /// before; `None` in a loop without convergence or artifact, or of a single
    /// round in which all of the artifact counts.
    pub(super) fn join_of(&mut self, round: &Round) -> Option<Asked> {
        self.config.convergence?;
        let joins = self.config.applies || self.config.scope.is_some();
        let base = round.artifact.filter(|_| joins)?;
        self.waiting = Waiting::Join;
        let step = format_args!("join-{}", round.iteration);
        Some(Cmd::Do {
            step: StepName::new(MachineName::Review, self.resume, step),
            op: ReviewOp::Join(ToJoin {
                round: round.past(),
                passed: round.verdict == Verdict::Pass && self.below(round).is_empty(),
                before: self.rounds.last().map(Round::past),
                ledger: self.ledger,
                base,
                people: self.people.said,
                failed_check: round
                    .check
                    .filter(|check| !check.passed)
                    .map(|check| check.report),
                noted: self.people.noted,
            }),
        })
    }

    pub(super) fn on_joined(&mut self, joined: Joined) -> Asked {
        self.ledger = Some(joined.ledger);
        self.people.noted = self.people.count;
        if let Some(round) = self.rounds.last_mut() {
            round.ledger = Some(joined.ledger);
            let counting = joined.counts.counting();
            round.standing = Standing::new(counting, &round.scores, &self.config.criteria)
                .checked(round.passes_check());
            let iteration = round.iteration;
            self.notices.push(ReviewNotice::Findings {
                iteration,
                ledger: joined.ledger,
                counts: joined.counts.clone(),
                repeated: joined.repeated.clone(),
            });
            let alerts = joined.repeated.iter();
            let alerts = alerts.filter(|_| self.config.memory.alerts);
            self.notices
                .extend(alerts.map(|finding| ReviewNotice::RepeatedIssue {
                    iteration,
                    ledger: joined.ledger,
                    finding: finding.clone(),
                }));
        }
        self.decide(Some(&joined))
    }

    /// Asks for one more review, with the findings that do not count, when a
    /// reviewer wants a revision and names nothing else.
    pub(super) fn nothing_blocks(&mut self) -> Asked {
        if self.asked_once_more {
            let reason = "the reviewer wants a revision and names nothing that stands against a \
                          pass, also when it was told what does not count";
            return self.block(BlockCode::NoBlockingFinding, reason.to_owned());
        }
        self.asked_once_more = true;
        self.start(Next::Review)
    }
}
