//! Decides by the ledger of findings what follows a round.

use review_criteria::BelowMinimum;
use review_events::UnprovedRounds;
use review_types::{BlockCode, Verdict, plural};

use super::{Next, NextStep, ReviewMachine, Waiting};
use crate::progress::Rank;
use crate::review_loop::config::BelowFailLevel;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{JoinArgs, Joined, ReviewOp};
use crate::review_loop::round::Round;
use review_flow::StepName;

impl ReviewMachine {
    /// Returns the operation that joins a new round with the earlier findings; `None` in
    /// a loop without convergence or artifact.
    pub(super) fn join_of(&mut self, round: &Round) -> Option<NextStep> {
        self.config.convergence?;
        let args = self.join_args(round)?;
        self.waiting = Waiting::Join;
        let step = format_args!("join-{}", round.iteration);
        Some(NextStep::Do {
            step: StepName::new("review", self.resume, step),
            op: Box::new(ReviewOp::Join(args)),
        })
    }

    /// Returns the arguments of the join of a new round; `None` without an artifact.
    pub(super) fn join_args(&self, round: &Round) -> Option<JoinArgs> {
        Some(JoinArgs {
            round: round.past(),
            passed: round.verdict == Verdict::Pass && self.below(round).is_empty(),
            before: self.rounds.last().map(Round::past),
            ledger: self.ledger,
            base: round.artifact?,
            people: self.people.said,
            proved: round.proved,
            checks: round.checks,
            scores_pass: self.short(round).is_empty(),
            rebased: self.rebased,
            noted: self.people.noted,
            unread: false,
        })
    }

    pub(super) fn on_joined(&mut self, joined: Joined) -> NextStep {
        if let Some(end) = self.unread.take() {
            return self.end_unread(&joined, &end);
        }
        self.ledger = Some(joined.ledger);
        self.has_confirmed = joined.confirmed > 0;
        self.people.noted = self.people.count;
        self.rebased = false;
        let raised_scores = self.raised_scores();
        if let Some(round) = self.rounds.last_mut() {
            round.ledger = Some(joined.ledger);
            round.settled = joined.settled;
            round.rank = Rank::new(joined.blocking, &round.scores, &self.config.criteria)
                .checked(round.passes_check());
            round.closed = joined.closed.saturating_add(raised_scores);
            round.below_fail_level = joined.below_fail_level;
        }
        self.unproved_rounds += u32::from(self.is_unproved(&joined));
        let unproved_rounds = self.spent_rounds();
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
        let still_short = self.short(last);
        let is_raised = |below: &BelowMinimum| {
            let mut short = still_short.iter();
            !short.any(|short| short.criterion == below.criterion)
        };
        let raised = self.below(before).into_iter().filter(is_raised).count();
        u32::try_from(raised).unwrap_or(u32::MAX)
    }

    /// Handles a revision without a blocking finding.
    pub(super) fn nothing_blocks(&mut self, joined: &Joined, is_last: bool) -> NextStep {
        let level = self.config.fail_level;
        let reviewer = self.rounds.last().map(|round| round.reviewer);
        let is_stand_in = reviewer.is_none_or(|reviewer| self.stand_in(reviewer).is_some());
        let policy = match joined.only_below {
            true => self.config.below_fail_level,
            false => BelowFailLevel::Confirm,
        };
        match policy {
            BelowFailLevel::Accept if !is_stand_in => self.pass(),
            BelowFailLevel::Block => self.block(
                BlockCode::NoBlockingFinding,
                format!(
                    "the reviewer asks for a revision and names nothing that is {level} or worse"
                ),
            ),
            BelowFailLevel::Accept | BelowFailLevel::Confirm if self.asked_once_more => {
                let reason = "the reviewer asks for a revision and names nothing that blocks a pass, \
                    also when asked again";
                self.block(BlockCode::NoBlockingFinding, reason.to_owned())
            }
            BelowFailLevel::Accept | BelowFailLevel::Confirm if is_last => self.exhausted(),
            BelowFailLevel::Accept | BelowFailLevel::Confirm => {
                self.asked_once_more = true;
                self.start(Next::Review)
            }
        }
    }

    /// Returns the number of rounds that brought only new, unproved findings, if there
    /// is a limit.
    pub(super) fn spent_rounds(&self) -> Option<UnprovedRounds> {
        let allowed = self.config.convergence?.unproved_rounds?;
        Some(UnprovedRounds {
            spent: self.unproved_rounds,
            allowed,
        })
    }

    /// Returns whether this is a late round whose blocking findings are all new and
    /// unproved.
    fn is_unproved(&self, joined: &Joined) -> bool {
        let all_new = joined.blocking > 0 && joined.unproved == joined.blocking;
        let round = self.rounds.last().zip(self.config.convergence);
        let counts = round.is_some_and(|(round, convergence)| {
            convergence.is_late(round.iteration) && !self.proves(round.reviewer)
        });
        all_new && counts
    }

    /// Returns why no further round may bring only new, unproved findings, if this
    /// round exceeded the limit.
    pub(super) fn overspent(&self, joined: &Joined) -> Option<String> {
        let convergence = self.config.convergence?;
        let allowed = convergence.unproved_rounds?;
        let spent = self.unproved_rounds;
        if !self.is_unproved(joined) || !convergence.is_overspent(spent) {
            return None;
        }
        let rounds = plural(spent as usize, "round", "rounds");
        let late = match convergence.free_rounds {
            0 => String::new(),
            1 => " after the first".to_owned(),
            free => format!(" after the first {free}"),
        };
        let open = plural(joined.blocking as usize, "finding is", "findings are");
        Some(format!(
            "{rounds}{late} brought only new findings that nothing proves, and \
             review.unproved_rounds allows {allowed}; {open} open: decide with ralph findings \
             uphold ID or waive ID, with --by NAME --why TEXT"
        ))
    }
}
