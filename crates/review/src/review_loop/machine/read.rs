//! The machine's handling of a review.

use review_criteria::BelowMinimum;
use review_events::{AgentRole, AnswerRemark};
use review_types::{BlockCode, FindingId, Hash, Scores, Verdict, plural};

use super::reword::ReadAnswer;
use super::{AskedAlone, Next, NextStep, ReviewMachine};
use crate::memory::FeedbackMemory;
use crate::pass::{self, PassDoubt, RoundFacts, Ruling};
use crate::progress::{self, Rank, RoundProgress};
use crate::review_loop::config::ChainLink;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{Joined, ReadReview, RetryOf, ReviewDone};
use crate::review_loop::round::Round;

/// What a review says, before or after it is a round.
struct Said<'a> {
    verdict: Verdict,
    scores: &'a Scores,
    escalated: bool,
    doubt: Option<PassDoubt>,
}

impl<'a> Said<'a> {
    fn of_answer(read: &'a ReadReview) -> Self {
        Self {
            verdict: read.verdict,
            scores: &read.scores,
            escalated: read.escalated,
            doubt: read.doubt,
        }
    }

    /// A round was asked for proof before.
    fn of_round(round: &'a Round) -> Self {
        Self {
            verdict: round.verdict,
            scores: &round.scores,
            escalated: round.escalated,
            doubt: None,
        }
    }
}

impl ReviewMachine {
    /// Returns the rank of a round with this number of `items`.
    pub(super) fn rank(&self, items: u32, scores: &Scores) -> Rank {
        Rank::new(items, scores, &self.config.criteria)
    }

    /// Handles a parsed answer.
    pub(super) fn on_answer(&mut self, answer: ReadAnswer) -> NextStep {
        let read = &answer.read;
        if read.repairs > 0 {
            self.remarks.push(AnswerRemark::Repaired(read.repairs));
        }
        if read.overruled > 0 {
            self.remarks.push(AnswerRemark::Overruled(read.overruled));
        }
        if let Ruling::AskAgain(doubt) = self.ruling(self.reviewer, &Said::of_answer(read))
            && let Some(hash) = read.answer
        {
            return self.ask_for_proof(doubt, hash);
        }
        if let Some(contradiction) = &read.contradiction {
            self.remarks.push(AnswerRemark::Contradicted {
                item: contradiction.item,
                severity: contradiction.severity,
            });
        }
        match self.ask_to_reword(answer) {
            Ok(again) => again,
            Err(answer) => self.accept(*answer),
        }
    }

    /// Makes an answer the round.
    pub(super) fn accept(&mut self, answer: ReadAnswer) -> NextStep {
        let iteration = self.iteration();
        let ReadAnswer {
            read,
            by,
            session,
            at,
        } = answer;
        if !read.acks.is_none() {
            self.notices.push(ReviewNotice::Unacknowledged {
                iteration,
                difference: read.acks,
            });
        }
        let round = Round {
            iteration,
            review: read.review,
            verdict: read.verdict,
            rank: self
                .rank(read.items, &read.scores)
                .with_overall(read.overall)
                .checked(read.check.is_none_or(|check| check.passed)),
            check: read.check,
            proved: read.proved,
            closed: 0,
            below_fail_level: 0,
            left_unread: read.left_unread,
            scores: read.scores,
            overall: read.overall,
            reviewer: self.reviewer,
            artifact: self.config.base,
            escalated: read.escalated,
            document: read.document,
            by,
            at,
            has_ids: read.has_ids,
            decided: None,
            settled: false,
            ledger: None,
            conversation: self.answered_in(session),
        };
        self.on_read(round)
    }

    /// Asks the reviewer again whose pass is doubted: for the object alone beside the retries.
    fn ask_for_proof(&mut self, doubt: PassDoubt, answer: Hash) -> NextStep {
        let (field, message) = (doubt.field().to_owned(), doubt.message().to_owned());
        if doubt == PassDoubt::NotAlone {
            self.retries += 1;
            self.asked_alone = Some(AskedAlone {
                round: self.iteration(),
                reviewer: self.reviewer,
                request: RetryOf {
                    field: field.clone(),
                    message: message.clone(),
                    answer,
                },
            });
        }
        self.on_malformed(AgentRole::Reviewer, field, message, answer)
    }

    /// Returns the request for the object alone that the current reviewer got in this round.
    pub(super) fn request_alone(&self) -> Option<&RetryOf> {
        let asked = self.asked_alone.as_ref()?;
        let is_current = (asked.round, asked.reviewer) == (self.iteration(), self.reviewer);
        is_current.then_some(&asked.request)
    }

    /// Decides about a round of the reviewer at a position of the chain.
    fn ruling(&self, reviewer: usize, said: &Said<'_>) -> Ruling {
        pass::ruling(RoundFacts {
            verdict: said.verdict,
            escalated: said.escalated,
            doubt: said.doubt,
            asked_alone: self.request_alone().is_some(),
            is_stand_in: self.stand_in(reviewer).is_some(),
            is_below: !self.short(reviewer, said.scores).is_empty(),
            below_minimum: self.config.below_minimum,
        })
    }

    fn on_read(&mut self, round: Round) -> NextStep {
        let ruling = self.ruling(round.reviewer, &Said::of_round(&round));
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
        let remarks = std::mem::take(&mut self.remarks);
        let noted = ReviewNotice::Iteration(self.subject(), round.clone(), remarks);
        self.notices.push(noted);
        let join = self.join_of(&round);
        self.rounds.push(round);
        match join {
            Some(join) => join,
            None => self.decide(None),
        }
    }

    /// Decides what follows the last round; `joined` is its result in the ledger, if
    /// there is one.
    pub(super) fn decide(&mut self, joined: Option<&Joined>) -> NextStep {
        let Some(round) = self.rounds.last() else {
            return self.unexpected("a ledger without a round");
        };
        let ruling = self.ruling(round.reviewer, &Said::of_round(round));
        let below = self.below(round);
        if let Some(by) = joined.and_then(|joined| self.all_waived(joined)) {
            return self.approve(by);
        }
        if ruling == Ruling::Decide {
            return self.escalate();
        }
        let upheld = joined.and_then(|joined| joined.upheld.first());
        if let Some(finding) = upheld {
            self.go_to(Next::Review);
            return self.block(BlockCode::Disputed, upheld_by_user(finding));
        }
        match ruling {
            Ruling::Pass => self.pass(),
            Ruling::Revise => self.revise(&below, joined),
            Ruling::BelowMinimum => {
                self.go_to(self.apply_last());
                self.block(BlockCode::BelowMinimum, below_reason(&below))
            }
            Ruling::AskAgain(_) | Ruling::Decide | Ruling::NoVerdict => {
                self.unexpected("a round that does not count")
            }
        }
    }

    /// Leaves the decision to a human: the feedback is not applied.
    fn escalate(&mut self) -> NextStep {
        self.go_to(Next::Review);
        let reason = "the reviewer leaves the decision to a human".to_owned();
        self.block(BlockCode::Escalated, reason)
    }

    /// Returns the users who waived everything that the last round names, if its scores
    /// are high enough to pass.
    fn all_waived(&self, joined: &Joined) -> Option<String> {
        let round = self.rounds.last()?;
        let passes = self.config.criteria.is_passing(&round.scores);
        (passes && !joined.waived_by.is_empty()).then(|| joined.waived_by.join(", "))
    }

    /// Returns the reviewer at a position of the chain, if its pass does not count.
    pub(super) fn stand_in(&self, reviewer: usize) -> Option<&ChainLink> {
        let link = self.config.reviewers.get(reviewer)?;
        (!link.pass_counts).then_some(link)
    }

    /// Returns the criteria that block a round whose reviewer passes it.
    pub(super) fn below(&self, round: &Round) -> Vec<BelowMinimum> {
        match round.verdict {
            Verdict::Pass => self.short(round.reviewer, &round.scores),
            Verdict::NeedsRevision => Vec::new(),
        }
    }

    /// Returns the criteria whose score in a round is too low; one without a score
    /// only where scores are required.
    pub(super) fn short(&self, reviewer: usize, scores: &Scores) -> Vec<BelowMinimum> {
        let needs_scores = self.config.reading(reviewer).requires_scores();
        let mut below = self.config.criteria.below_minimum(scores);
        below.retain(|below| needs_scores || below.score.is_some());
        below
    }

    /// Returns the step that applies the feedback of the last round.
    fn apply_last(&self) -> Next {
        Next::Apply(self.rounds.len().saturating_sub(1))
    }

    pub(super) fn pass(&mut self) -> NextStep {
        self.go_to(Next::Review);
        let passed = self.rounds.last().cloned();
        let passed = passed.map(|round| ReviewNotice::Passed(self.subject(), round));
        self.notices.extend(passed);
        NextStep::Done(ReviewDone::Passed)
    }

    fn revise(&mut self, below: &[BelowMinimum], joined: Option<&Joined>) -> NextStep {
        let last = self.rounds.len().saturating_sub(1);
        let is_last = self.iteration() > self.allowed || !self.config.applies;
        self.go_to(Next::Apply(last));
        if let Some(joined) = joined.filter(|joined| joined.blocking == 0 && below.is_empty())
            && joined.disputed.is_empty()
        {
            return self.nothing_blocks(is_last);
        }
        if is_last && !below.is_empty() {
            return self.block(BlockCode::BelowMinimum, below_reason(below));
        }
        if is_last {
            return self.exhausted();
        }
        if let Some(joined) = joined.filter(|joined| !joined.disputed.is_empty()) {
            let reason = disagreement(&joined.disputed, &self.config.memory);
            return self.block(BlockCode::Disputed, reason);
        }
        if let Some(reason) = joined.and_then(|joined| self.overspent(joined)) {
            return self.block(BlockCode::UnprovedFindings, reason);
        }
        if let Some(reason) = self.stagnates() {
            return self.block(BlockCode::Stagnated, reason);
        }
        self.asked_once_more = false;
        self.give_feedback(last)
    }

    pub(super) fn give_feedback(&mut self, at: usize) -> NextStep {
        let round = self.rounds.get(at).cloned();
        let extras = self.extras(at);
        let given = round.map(|round| ReviewNotice::Feedback(self.subject(), round, extras));
        self.notices.extend(given);
        self.ask()
    }

    pub(super) fn exhausted(&mut self) -> NextStep {
        let reason = match self.config.applies {
            true => format!(
                "max iterations ({}) exhausted without passing review",
                self.allowed
            ),
            false => "not passed in the only round: no feedback is applied".to_owned(),
        };
        self.block(BlockCode::MaxIterations, reason)
    }

    /// Returns the rounds since a user changed the artifact, as their progress.
    pub(super) fn attained(&self) -> Vec<RoundProgress> {
        let rounds = self.rounds.iter().skip(self.base_since);
        rounds.map(Round::attained).collect()
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
