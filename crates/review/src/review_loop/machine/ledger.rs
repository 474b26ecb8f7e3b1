//! The machine's handling of the ledger of findings.

use review_events::UnprovedRounds;
use review_types::criteria::BelowMinimum;
use review_types::{Verdict, plural};

use super::{NextStep, ReviewMachine};
use crate::count;
use crate::ledger::RoundFindings;
use crate::progress::{FREE_ROUNDS, Rank, RoundProgress, UNPROVED_ROUNDS};
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{LedgerArgs, LedgerUpdate, ReviewOp};
use crate::review_loop::round::Round;

impl ReviewMachine {
    /// Returns the step that matches a new round with the earlier findings; `None` in a
    /// loop without convergence or artifact.
    pub(super) fn update_ledger(&mut self, round: &Round) -> Option<NextStep> {
        self.config.convergence?;
        let args = LedgerArgs {
            round: round.past(),
            passed: round.read.verdict == Verdict::Pass && self.below(round).is_empty(),
            before: self.rounds.last().map(Round::past),
            ledger: self.ledger,
            base: round.artifact?,
            comments: self.comments.all,
            proved: round.read.proved,
            scores_pass: self.short(round.reviewer, &round.read.scores).is_empty(),
            rebased: self.rebased,
            noted: self.noted_comments,
        };
        let name = format_args!("findings-{}", round.iteration);
        Some(self.open_step(name, ReviewOp::Ledger(args)))
    }

    pub(super) fn on_ledger(&mut self, update: LedgerUpdate) -> NextStep {
        let findings = update.round.clone();
        self.ledger = Some(update.ledger);
        self.noted_comments = self.comments.count;
        self.rebased = false;
        let raised_scores = self.raised_scores();
        if let Some(round) = self.rounds.last_mut() {
            round.ledger = Some(update.ledger);
            round.settled = findings.settled;
            let blocking = findings.blocking.len();
            round.progress = RoundProgress {
                rank: Rank::of(count(blocking), &round.read, &self.config.criteria),
                closed: findings.closed.saturating_add(raised_scores),
                ..round.progress
            };
        }
        self.unproved_rounds += u32::from(self.is_unproved(&findings));
        let iteration = self.iteration() - 1;
        let alerts = findings.repeated.iter();
        let alerts = alerts.filter(|_| self.config.memory.alerts);
        let alerts = alerts.map(|finding| ReviewNotice::RepeatedIssue {
            iteration,
            ledger: update.ledger,
            finding: finding.clone(),
        });
        let alerts: Vec<_> = alerts.collect();
        self.notices.push(ReviewNotice::Findings {
            iteration,
            update,
            unproved_rounds: UnprovedRounds {
                spent: self.unproved_rounds,
                allowed: UNPROVED_ROUNDS,
            },
        });
        self.notices.extend(alerts);
        // Of a single round in which all of the artifact counts, the reviewer's verdict
        // stays: its findings are noted for users.
        let decides = self.config.applies || self.config.scope.is_some();
        self.decide(decides.then_some(&findings))
    }

    /// Returns the number of scores that alone blocked the previous round and are high
    /// enough now.
    fn raised_scores(&self) -> u32 {
        let [.., before, last] = self.rounds.as_slice() else {
            return 0;
        };
        let still_short = self.short(last.reviewer, &last.read.scores);
        let is_raised = |below: &BelowMinimum| {
            let mut short = still_short.iter();
            !short.any(|short| short.criterion == below.criterion)
        };
        let raised = self.below(before).into_iter().filter(is_raised).count();
        count(raised)
    }

    /// Returns whether this is a late round whose blocking findings are all new and
    /// unproved.
    fn is_unproved(&self, findings: &RoundFindings) -> bool {
        let blocking = findings.blocking.len();
        let all_new = blocking > 0 && findings.unproved as usize == blocking;
        let counts = self
            .rounds
            .last()
            .is_some_and(|round| round.iteration > FREE_ROUNDS && !self.proves(round.reviewer));
        all_new && counts
    }

    /// Returns why no further round may bring only new, unproved findings, if this
    /// round exceeded the limit.
    pub(super) fn unproved_limit(&self, findings: &RoundFindings) -> Option<String> {
        let spent = self.unproved_rounds;
        if !self.is_unproved(findings) || spent <= UNPROVED_ROUNDS {
            return None;
        }
        let rounds = plural(spent as usize, "round", "rounds");
        let open = plural(findings.blocking.len(), "finding is", "findings are");
        Some(format!(
            "{rounds} after the first {FREE_ROUNDS} brought only new findings that nothing proves; \
             {open} open: decide with ralph findings uphold ID or waive ID, with --by NAME --why TEXT"
        ))
    }
}
