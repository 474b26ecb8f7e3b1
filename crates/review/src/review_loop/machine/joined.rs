//! Decides by the ledger of findings what follows a round.

use review_criteria::BelowMinimum;
use review_events::UnprovedRounds;
use review_types::{BlockCode, Verdict, plural};

use super::{Next, NextStep, ReviewMachine, Waiting};
use crate::progress::{FREE_ROUNDS, Rank, UNPROVED_ROUNDS};
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{JoinArgs, Joined, ReviewOp};
use crate::review_loop::round::Round;
use review_flow::StepName;

impl ReviewMachine {
    /// Returns the operation that joins a new round with the earlier findings; `None` in
    /// a loop without convergence or artifact.
    pub(super) fn join_of(&mut self, round: &Round) -> Option<NextStep> {
        self.config.convergence?;
        let args = JoinArgs {
            round: round.past(),
            passed: round.verdict == Verdict::Pass && self.below(round).is_empty(),
            before: self.rounds.last().map(Round::past),
            ledger: self.ledger,
            base: round.artifact?,
            people: self.people.said,
            proved: round.proved,
            scores_pass: self.short(round.reviewer, &round.scores).is_empty(),
            rebased: self.rebased,
            noted: self.people.noted,
        };
        self.waiting = Waiting::Join;
        let step = format_args!("join-{}", round.iteration);
        Some(NextStep::Do {
            step: StepName::new("review", self.resume, step),
            op: Box::new(ReviewOp::Join(args)),
        })
    }

    pub(super) fn on_joined(&mut self, joined: Joined) -> NextStep {
        self.ledger = Some(joined.ledger);
        self.people.noted = self.people.count;
        self.rebased = false;
        let raised_scores = self.raised_scores();
        if let Some(round) = self.rounds.last_mut() {
            round.ledger = Some(joined.ledger);
            round.settled = joined.settled;
            round.rank = Rank::new(joined.blocking, &round.scores, &self.config.criteria)
                .with_overall(round.overall)
                .checked(round.passes_check());
            round.closed = joined.closed.saturating_add(raised_scores);
            round.below_fail_level = joined.below_fail_level;
        }
        self.unproved_rounds += u32::from(self.is_unproved(&joined));
        let unproved_rounds = UnprovedRounds {
            spent: self.unproved_rounds,
            allowed: UNPROVED_ROUNDS,
        };
        if let Some(round) = self.rounds.last() {
            let iteration = round.iteration;
            self.notices.push(ReviewNotice::Findings {
                iteration,
                ledger: joined.ledger,
                counts: joined.counts.clone(),
                repeated: joined.repeated.clone(),
                below_fail_level: joined.below_fail_level,
                quotes: joined.quotes,
                unproved_rounds,
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
        // Of a single round in which all of the artifact counts, the reviewer's verdict
        // stays: its findings are noted for users.
        let decides = self.config.applies || self.config.scope.is_some();
        self.decide(decides.then_some(&joined))
    }

    /// Returns the number of scores that alone blocked the previous round and are high
    /// enough now.
    fn raised_scores(&self) -> u32 {
        let [.., before, last] = self.rounds.as_slice() else {
            return 0;
        };
        let still_short = self.short(last.reviewer, &last.scores);
        let is_raised = |below: &BelowMinimum| {
            let mut short = still_short.iter();
            !short.any(|short| short.criterion == below.criterion)
        };
        let raised = self.below(before).into_iter().filter(is_raised).count();
        u32::try_from(raised).unwrap_or(u32::MAX)
    }

    /// Handles a revision without a blocking finding: the reviewer is asked once more, with
    /// the items that do not count.
    pub(super) fn nothing_blocks(&mut self, is_last: bool) -> NextStep {
        if self.asked_once_more {
            let reason = "the reviewer asks for a revision and names nothing that blocks a pass, \
                also when asked again";
            return self.block(BlockCode::NoBlockingFinding, reason.to_owned());
        }
        if is_last {
            return self.exhausted();
        }
        self.asked_once_more = true;
        self.start(Next::Review)
    }

    /// Returns whether this is a late round whose blocking findings are all new and
    /// unproved.
    fn is_unproved(&self, joined: &Joined) -> bool {
        let all_new = joined.blocking > 0 && joined.unproved == joined.blocking;
        let counts = self
            .rounds
            .last()
            .is_some_and(|round| round.iteration > FREE_ROUNDS && !self.proves(round.reviewer));
        all_new && counts
    }

    /// Returns why no further round may bring only new, unproved findings, if this
    /// round exceeded the limit.
    pub(super) fn overspent(&self, joined: &Joined) -> Option<String> {
        let spent = self.unproved_rounds;
        if !self.is_unproved(joined) || spent <= UNPROVED_ROUNDS {
            return None;
        }
        let rounds = plural(spent as usize, "round", "rounds");
        let open = plural(joined.blocking as usize, "finding is", "findings are");
        Some(format!(
            "{rounds} after the first {FREE_ROUNDS} brought only new findings that nothing proves; \
             {open} open: decide with ralph findings uphold ID or waive ID, with --by NAME --why TEXT"
        ))
    }
}
