//! The machine's handling of a review.

use review_events::{AnswerRemark, Event, FeedbackUnacknowledged, ReviewPassed};
use review_flow::StepRecord;
use review_schema::Dialect;
use review_types::criteria::BelowMinimum;
use review_types::{BlockCode, Failure, FindingId, Hash, Scores, Verdict, plural};

use super::{AskedAlone, Next, NextStep, ReviewMachine};
use crate::ledger::RoundFindings;
use crate::memory::FeedbackMemory;
use crate::pass::{self, PassDoubt, RoundFacts, Ruling};
use crate::progress::{self, Rank, RoundProgress};
use crate::review_loop::config::ChainLink;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{ReadReview, RetryOf, ReviewDone, ReviewOut};
use crate::review_loop::round::Round;

/// What follows a round.
enum Judgement {
    Pass,
    /// These users approved it.
    Approved(String),
    /// A user decides: the feedback is not applied.
    Decide(BlockCode, String),
    /// The loop ends before the feedback is applied.
    Block(BlockCode, String),
    /// The reviewer is asked once for what blocks a pass.
    AskForBlocking,
    Apply,
}

impl ReviewMachine {
    /// Handles a parsed answer. Its reviewer is asked once to reword items that violate a
    /// wording rule; otherwise they are reported.
    pub(super) fn on_answer(&mut self, mut answer: StepRecord<ReadReview>) -> NextStep {
        self.attempts.remarks.append(&mut answer.out.remarks);
        if let Ruling::AskAgain(doubt) = self.ruling(self.attempts.reviewer, &answer.out)
            && let Some(hash) = answer.out.answer
        {
            return self.ask_for_proof(doubt, hash);
        }
        let vague = answer.out.vague.clone();
        if let Some(vague) = vague.filter(|_| self.config.wording_rules) {
            let may_call = self.consumed.exhausted(&self.config.budget).is_none();
            let asked_again = self.attempts.to_reword.is_none() && self.may_retry() && may_call;
            self.attempts.remarks.push(AnswerRemark::Vague {
                items: vague.items,
                asked_again,
            });
            if asked_again {
                self.attempts.retry = Some(vague.request);
                self.attempts.to_reword = Some(answer);
                return self.ask();
            }
        }
        self.accept(answer)
    }

    /// Goes on with the answer that was to be reworded, if the reworded one cannot be
    /// used.
    pub(super) fn without_rewording(&mut self, out: &ReviewOut) -> Option<NextStep> {
        let is_lost = match out {
            ReviewOut::Failed(error) => !matches!(error.failure, Failure::WroteFiles { .. }),
            ReviewOut::Malformed { .. } | ReviewOut::Cut(_) => true,
            ReviewOut::Read(read) => read.verdict == Verdict::Pass && read.doubt.is_some(),
            _ => false,
        };
        let first = self.attempts.to_reword.take_if(|_| is_lost)?;
        let vague = first.out.vague.clone();
        self.attempts.remarks.push(AnswerRemark::Vague {
            items: vague.map(|vague| vague.items).unwrap_or_default(),
            asked_again: false,
        });
        Some(self.accept(first))
    }

    /// Makes an answer the round.
    fn accept(&mut self, answer: StepRecord<ReadReview>) -> NextStep {
        self.attempts.to_reword = None;
        let iteration = self.iteration();
        let (read, record) = answer.split();
        if !read.acks.is_none() {
            self.tell(Event::FeedbackUnacknowledged(FeedbackUnacknowledged {
                iteration,
                difference: read.acks,
            }));
        }
        let reviewer = self.attempts.reviewer;
        let round = Round {
            iteration,
            progress: RoundProgress {
                rank: Rank::of(read.items, &read, &self.config.criteria),
                first_choice: reviewer == 0,
                closed: 0,
            },
            // A round was asked for proof before.
            read: ReadReview {
                doubt: None,
                ..read
            },
            reviewer,
            artifact: self.config.base,
            by: record.by,
            at: record.at,
            decided: None,
            settled: false,
            ledger: None,
            conversation: self.answered_in(record.session),
        };
        self.on_read(round)
    }

    /// Asks the reviewer again whose pass is doubted: for the object alone beside the retries.
    fn ask_for_proof(&mut self, doubt: PassDoubt, answer: Hash) -> NextStep {
        let request = RetryOf {
            field: doubt.field().to_owned(),
            message: doubt.message().to_owned(),
            answer,
        };
        if doubt == PassDoubt::NotAlone {
            self.attempts.free_retries += 1;
            self.asked_alone = Some(AskedAlone {
                round: self.iteration(),
                reviewer: self.attempts.reviewer,
                request: request.clone(),
            });
        }
        self.on_malformed(request)
    }

    /// Returns the request for the object alone that the current reviewer got in this round.
    pub(super) fn request_alone(&self) -> Option<&RetryOf> {
        let asked = self.asked_alone.as_ref()?;
        let is_current =
            (asked.round, asked.reviewer) == (self.iteration(), self.attempts.reviewer);
        is_current.then_some(&asked.request)
    }

    /// Decides about a review of the reviewer at a position of the chain.
    fn ruling(&self, reviewer: usize, read: &ReadReview) -> Ruling {
        pass::ruling(RoundFacts {
            verdict: read.verdict,
            escalated: read.escalated,
            doubt: read.doubt,
            asked_alone: self.request_alone().is_some(),
            is_stand_in: self.stand_in(reviewer).is_some(),
            is_below: !self.short(reviewer, &read.scores).is_empty(),
            below_minimum: self.config.below_minimum,
        })
    }

    fn on_read(&mut self, round: Round) -> NextStep {
        let ruling = self.ruling(round.reviewer, &round.read);
        if let Some(stand_in) = self.stand_in(round.reviewer)
            && ruling == Ruling::NoVerdict
        {
            let reason = format!(
                "{} finds no fault, but is a fallback for a reviewer that gave no answer that counts, so its pass does not count",
                stand_in.name
            );
            self.go_to(Next::Review);
            return self.block(BlockCode::ReviewerFailed, reason);
        }
        let remarks = std::mem::take(&mut self.attempts.remarks);
        self.notices
            .push(ReviewNotice::Iteration(round.clone(), remarks));
        let update = self.update_ledger(&round);
        self.rounds.push(round);
        match update {
            Some(update) => update,
            None => self.decide(None),
        }
    }

    /// Goes on after the last round; `findings` are those of it, if there is a ledger.
    pub(super) fn decide(&mut self, findings: Option<&RoundFindings>) -> NextStep {
        let judgement = self.judgement(findings);
        let last = self.rounds.len().saturating_sub(1);
        self.go_to(match judgement {
            Judgement::Pass | Judgement::Approved(_) | Judgement::Decide(..) => Next::Review,
            Judgement::Block(..) | Judgement::AskForBlocking | Judgement::Apply => {
                Next::Apply(last)
            }
        });
        match judgement {
            Judgement::Pass => self.pass(),
            Judgement::Approved(by) => self.approve(by),
            Judgement::Decide(code, reason) | Judgement::Block(code, reason) => {
                self.block(code, reason)
            }
            Judgement::AskForBlocking => {
                self.asked_for_blocking = true;
                self.start(Next::Review)
            }
            Judgement::Apply => {
                self.asked_for_blocking = false;
                self.give_feedback(last)
            }
        }
    }

    /// Decides what follows the last round.
    fn judgement(&self, findings: Option<&RoundFindings>) -> Judgement {
        let Some(round) = self.rounds.last() else {
            return Judgement::Block(
                BlockCode::ReviewerFailed,
                "the review has no round".to_owned(),
            );
        };
        let ruling = self.ruling(round.reviewer, &round.read);
        let below = self.below(round);
        if let Some(by) = findings.and_then(|findings| self.all_waived(findings)) {
            return Judgement::Approved(by);
        }
        if ruling == Ruling::Decide {
            let reason = "the reviewer leaves the decision to a human".to_owned();
            return Judgement::Decide(BlockCode::Escalated, reason);
        }
        if let Some(finding) = findings.and_then(|findings| findings.upheld.first()) {
            return Judgement::Decide(BlockCode::Disputed, upheld_by_user(finding));
        }
        match ruling {
            Ruling::Pass => return Judgement::Pass,
            Ruling::BelowMinimum => {
                return Judgement::Block(BlockCode::BelowMinimum, below_reason(&below));
            }
            Ruling::Revise => {}
            Ruling::AskAgain(_) | Ruling::Decide | Ruling::NoVerdict => {
                let reason = "a round does not count".to_owned();
                return Judgement::Block(BlockCode::ReviewerFailed, reason);
            }
        }
        let is_last = self.iteration() > self.allowed || !self.config.applies;
        let nothing_blocks = findings.is_some_and(|findings| {
            findings.blocking.is_empty() && findings.disputed.is_empty() && below.is_empty()
        });
        if nothing_blocks && self.asked_for_blocking {
            let reason = "the reviewer asks for a revision and names nothing that blocks a pass, \
                also when asked again";
            return Judgement::Block(BlockCode::NoBlockingFinding, reason.to_owned());
        }
        if is_last && !below.is_empty() {
            return Judgement::Block(BlockCode::BelowMinimum, below_reason(&below));
        }
        if is_last {
            return Judgement::Block(BlockCode::MaxIterations, self.exhausted());
        }
        if nothing_blocks {
            return Judgement::AskForBlocking;
        }
        if let Some(findings) = findings {
            if !findings.disputed.is_empty() {
                let reason = disagreement(&findings.disputed, &self.config.memory);
                return Judgement::Block(BlockCode::Disputed, reason);
            }
            if let Some(reason) = self.unproved_limit(findings) {
                return Judgement::Block(BlockCode::UnprovedFindings, reason);
            }
        }
        match self.stagnates() {
            Some(reason) => Judgement::Block(BlockCode::Stagnated, reason),
            None => Judgement::Apply,
        }
    }

    /// Returns the users who waived everything that the last round names, if its scores
    /// are high enough to pass.
    fn all_waived(&self, findings: &RoundFindings) -> Option<String> {
        let round = self.rounds.last()?;
        let passes = self.config.criteria.is_passing(&round.read.scores);
        (passes && !findings.waived_by.is_empty()).then(|| findings.waived_by.join(", "))
    }

    /// Returns the reviewer at a position of the chain, if its pass does not count.
    pub(super) fn stand_in(&self, reviewer: usize) -> Option<&ChainLink> {
        let link = self.config.reviewers.get(reviewer)?;
        (!link.pass_counts).then_some(link)
    }

    /// Returns the criteria that block a round whose reviewer passes it.
    pub(super) fn below(&self, round: &Round) -> Vec<BelowMinimum> {
        match round.read.verdict {
            Verdict::Pass => self.short(round.reviewer, &round.read.scores),
            Verdict::NeedsRevision => Vec::new(),
        }
    }

    /// Returns the criteria whose score in a round is too low; one without a score
    /// only where scores are required.
    pub(super) fn short(&self, reviewer: usize, scores: &Scores) -> Vec<BelowMinimum> {
        let needs_scores = self.config.dialect(reviewer) == Dialect::Verdict;
        let mut below = self.config.criteria.below_minimum(scores);
        below.retain(|below| needs_scores || below.score.is_some());
        below
    }

    fn pass(&mut self) -> NextStep {
        let (iterations, scores) = match self.rounds.last() {
            Some(round) => (round.iteration, round.read.scores.clone()),
            None => (0, Scores::default()),
        };
        self.tell(Event::ReviewPassed(ReviewPassed { iterations, scores }));
        NextStep::Done(ReviewDone::Passed)
    }

    pub(super) fn give_feedback(&mut self, at: usize) -> NextStep {
        if let Some(round) = self.rounds.get(at) {
            let given = ReviewNotice::Feedback(round.clone(), self.extras(at));
            self.notices.push(given);
        }
        self.ask()
    }

    /// Returns the reason that no round is left.
    pub(super) fn exhausted(&self) -> String {
        match self.config.applies {
            true => format!(
                "max iterations ({}) exhausted without passing review",
                self.allowed
            ),
            false => "not passed in the only round: no feedback is applied".to_owned(),
        }
    }

    /// Returns the rounds since a user changed the artifact, as their progress.
    pub(super) fn attained(&self) -> Vec<RoundProgress> {
        let rounds = self.rounds.iter().skip(self.base_since);
        rounds.map(|round| round.progress).collect()
    }

    /// Returns the reason that this number of rounds closed nothing: no finding, or no score.
    fn stagnation(&self, stalled: u32) -> String {
        let rounds = plural(stalled as usize, "round", "rounds");
        let below = self.rounds.last().map(|round| self.below(round));
        match below.filter(|below| !below.is_empty()) {
            Some(below) => format!(
                "the last {rounds} raised no score to its minimum: {}",
                below
                    .iter()
                    .map(describe_below)
                    .collect::<Vec<_>>()
                    .join(" and ")
            ),
            None => format!("the last {rounds} closed no blocking finding of the previous round"),
        }
    }

    /// Returns why further rounds would make no progress, if so.
    fn stagnates(&self) -> Option<String> {
        let patience = self.config.convergence?.patience.get();
        let since = self.since.saturating_sub(self.base_since);
        let stalled = progress::stalled(&self.attained(), since);
        (stalled >= patience).then(|| self.stagnation(stalled))
    }
}

/// Returns the reason that reviewer and applier cannot agree, and who can decide.
fn disagreement(disputed: &[FindingId], memory: &FeedbackMemory) -> String {
    let often = memory.often();
    let all: Vec<_> = disputed.iter().map(FindingId::as_str).collect();
    let (last, before) = all.split_last().unwrap_or((&"", &[]));
    let (named, was, it, id) = match before {
        [] => ((*last).to_owned(), "was", "it", *last),
        before => (
            format!("{} and {last}", before.join(", ")),
            "were",
            "each",
            "ID",
        ),
    };
    format!(
        "reviewer and applier disagree on {named}, which {was} raised {often}; settle {it} with \
         ralph findings waive {id} --why TEXT or ralph findings uphold {id} --why TEXT"
    )
}

/// Returns the reason that the reviewer passes what a user upheld.
fn upheld_by_user(finding: &FindingId) -> String {
    format!(
        "the reviewer passes the artifact, but a user upheld {finding} and its text is unchanged: \
         edit the text, or ralph findings waive {finding} --by NAME --why TEXT"
    )
}

fn below_reason(below: &[BelowMinimum]) -> String {
    let criteria: Vec<_> = below.iter().map(describe_below).collect();
    format!("the reviewer says pass, but {}", criteria.join(" and "))
}

/// Describes one criterion whose score is too low.
pub(crate) fn describe_below(below: &BelowMinimum) -> String {
    let BelowMinimum {
        criterion,
        score,
        min_score,
    } = below;
    match score {
        Some(score) => format!("{criterion} {score} is below its minimum {min_score}"),
        None => format!("{criterion} has no score (minimum {min_score})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_disputed_findings_are_named_at_once() {
        let ids = ["f-0123456789ab", "f-1123456789ab", "f-2123456789ab"];
        let ids = ids.map(|id| FindingId::new(id).unwrap());
        let reason = |count: usize| disagreement(&ids[..count], &FeedbackMemory::default());
        assert_eq!(
            reason(1),
            "reviewer and applier disagree on f-0123456789ab, which was raised at least 3 times \
             within 5 rounds; settle it with ralph findings waive f-0123456789ab --why TEXT or \
             ralph findings uphold f-0123456789ab --why TEXT"
        );
        assert!(reason(3).starts_with(
            "reviewer and applier disagree on f-0123456789ab, f-1123456789ab and f-2123456789ab, \
             which were raised at least 3 times within 5 rounds; settle each with ralph findings \
             waive ID"
        ));
    }
}
