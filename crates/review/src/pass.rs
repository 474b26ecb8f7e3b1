//! When a pass counts: the one place that decides it, for every way to review.
//!
//! A pass counts when all of these hold:
//!
//! 1. The call ended well, and nothing around the answer says that it failed.
//! 2. It is one verdict, read without a guess. Both are seen while the answer is read, by
//!    [`review_schema`].
//! 3. It is an answer to this prompt and nothing but an answer: [`PassDoubt`].
//! 4. No item, fact or check contradicts it ([`settle`]), and its scores reach their minimums.
//! 5. The whole prompt was taken: [`Undelivered`](crate::delivery::Undelivered).
//!
//! What fails 1 to 3 or 5 is asked for again; only a pass is doubted, never a revision. So are,
//! by the machine of the loop, a malformed answer and items that are vague or block nothing.

use review_events::AnswerRemark;
use review_schema::{Field, SchemaError};
use review_types::{FeedbackItem, Review, Severity, Verdict};
use serde::{Deserialize, Serialize};

use crate::count;
use crate::delivery::Receiver;
use crate::facts::Fact;
use crate::review_loop::BelowMinimumPolicy;

/// What a pass shows about where it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassProof {
    /// What received the prompt; `None` for a reviewer of the library.
    pub(crate) receiver: Option<Receiver>,
    /// Whether its form has fields for the ids.
    pub(crate) takes_ids: bool,
    /// Whether it names the `review_id` of its prompt.
    pub(crate) has_review_id: bool,
    /// Whether it names the `end_id` of its prompt.
    pub(crate) has_end_id: bool,
    /// Whether there is nothing beside it.
    pub(crate) is_alone: bool,
}

/// Why a pass is asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassDoubt {
    /// It does not name the `review_id` of its prompt.
    NoReviewId,
    /// It does not name the `end_id` of its prompt.
    NoEndId,
    /// Something else is beside it. It names both ids, so it counts the second time.
    NotAlone,
    /// Something else is beside it, and it does not name both ids.
    NeitherAloneNorNamed,
}

impl PassDoubt {
    /// Returns why a pass is not an answer to its prompt, or not an answer alone.
    pub(crate) const fn of(proof: PassProof) -> Option<Self> {
        let has_ids = proof.has_review_id && proof.has_end_id;
        match proof.receiver {
            Some(Receiver::Client | Receiver::Service) if proof.takes_ids => {
                if !proof.has_review_id {
                    Some(Self::NoReviewId)
                } else if !proof.has_end_id {
                    Some(Self::NoEndId)
                } else if !proof.is_alone {
                    Some(Self::NotAlone)
                } else {
                    None
                }
            }
            Some(_) | None if proof.is_alone || has_ids => None,
            Some(_) | None => Some(Self::NeitherAloneNorNamed),
        }
    }

    /// Returns it as an error of the answer.
    pub(crate) fn error(self) -> SchemaError {
        SchemaError::of(Field::json(), self.message())
    }

    /// The part of the answer that it is about.
    pub const fn field(self) -> &'static str {
        match self {
            Self::NoReviewId => "review_id",
            Self::NoEndId => "end_id",
            Self::NotAlone | Self::NeitherAloneNorNamed => "json",
        }
    }

    /// What the reviewer is to do.
    pub const fn message(self) -> &'static str {
        match self {
            Self::NoReviewId => "a pass must repeat the review_id of its prompt",
            Self::NoEndId => "a pass must repeat the end_id at the very end of its prompt",
            Self::NotAlone => "a pass must be the object alone, without text around it",
            Self::NeitherAloneNorNamed => {
                "a pass must be the object alone, or repeat review_id and end_id"
            }
        }
    }
}

/// Returns the first item at or above the fail level, which contradicts a pass.
fn contradiction(review: &Review, fail_level: Severity) -> Option<AnswerRemark> {
    let items = (0..).zip(review.feedback());
    let mut severities = items.filter_map(|(item, given)| Some((item, given.severity()?)));
    let (item, severity) = severities.find(|(_, severity)| *severity <= fail_level)?;
    (review.verdict() == Verdict::Pass).then_some(AnswerRemark::Contradicted { item, severity })
}

/// A review with all that is known beside the word of its reviewer.
pub(crate) struct Settled {
    /// The review. If anything contradicts its pass it is a revision, whose first items are
    /// the failing check and the facts that block.
    pub(crate) review: Review,
    /// The facts, or the item of its own, that contradict its pass.
    pub(crate) contradicted: Option<AnswerRemark>,
    /// The number of its first items that are facts.
    pub(crate) proved: usize,
}

/// Adds to a review the facts that block and the item of a failing check, and turns a pass
/// that any of these, or an item of its own, contradicts into a revision.
pub(crate) fn settle(
    said: Review,
    fail_level: Severity,
    facts: &[Fact],
    failing: Option<&FeedbackItem>,
) -> Settled {
    let by_item = contradiction(&said, fail_level);
    let review = match by_item {
        Some(_) => said.as_revision(),
        None => said,
    };
    let blocking = facts.iter().filter(|fact| fact.blocks);
    let items: Vec<_> = blocking.map(|fact| fact.item.clone()).collect();
    let is_overruled = review.verdict() == Verdict::Pass && !items.is_empty();
    let by_facts = is_overruled.then(|| AnswerRemark::Overruled(count(items.len())));
    Settled {
        contradicted: by_facts.or(by_item),
        proved: items.len() + usize::from(failing.is_some()),
        review: review
            .revised(items)
            .revised(failing.cloned().into_iter().collect()),
    }
}

/// What decides about a review that was read and settled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundFacts {
    /// Its verdict.
    pub(crate) verdict: Verdict,
    /// Whether its reviewer leaves the decision to a human.
    pub(crate) escalated: bool,
    /// Why its pass is doubted.
    pub(crate) doubt: Option<PassDoubt>,
    /// Whether the object alone was already asked for.
    pub(crate) asked_alone: bool,
    /// Whether its reviewer stands in for one that gave no answer, so that its pass does not
    /// count.
    pub(crate) is_stand_in: bool,
    /// Whether a score is below its minimum.
    pub(crate) is_below: bool,
    /// The effect of such a score.
    pub(crate) below_minimum: BelowMinimumPolicy,
}

/// What follows a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// It passed.
    Pass,
    /// Its feedback, or its scores, ask for a revision.
    Revise,
    /// Its scores block it.
    BelowMinimum,
    /// The reviewer is asked again.
    AskAgain(PassDoubt),
    /// A human decides.
    Decide,
    /// It is the pass of a reviewer whose verdict does not count.
    NoVerdict,
}

/// Decides whether a pass counts.
pub(crate) const fn ruling(round: RoundFacts) -> Ruling {
    match (round.verdict, round.doubt) {
        _ if round.escalated => Ruling::Decide,
        (Verdict::NeedsRevision, _) => Ruling::Revise,
        (Verdict::Pass, Some(PassDoubt::NotAlone)) if !round.asked_alone => {
            Ruling::AskAgain(PassDoubt::NotAlone)
        }
        (
            Verdict::Pass,
            Some(
                doubt @ (PassDoubt::NoReviewId
                | PassDoubt::NoEndId
                | PassDoubt::NeitherAloneNorNamed),
            ),
        ) => Ruling::AskAgain(doubt),
        (Verdict::Pass, _) if round.is_stand_in => Ruling::NoVerdict,
        (Verdict::Pass, _) if round.is_below => match round.below_minimum {
            BelowMinimumPolicy::Accept => Ruling::Pass,
            BelowMinimumPolicy::Revise => Ruling::Revise,
            BelowMinimumPolicy::Block => Ruling::BelowMinimum,
        },
        (Verdict::Pass, _) => Ruling::Pass,
    }
}

#[cfg(test)]
mod tests {
    use review_types::{Score, Scores};

    use super::*;

    #[test]
    fn a_pass_names_both_ids_and_is_alone_or_it_is_asked_for_again() {
        use PassDoubt::{NeitherAloneNorNamed, NoEndId, NoReviewId, NotAlone};
        use Receiver::{Client, Program, Service};
        let (here, gone) = (true, false);
        for (receiver, takes_ids, [has_review_id, has_end_id, is_alone], doubt) in [
            (Some(Client), true, [here, here, here], None),
            (Some(Client), true, [here, here, gone], Some(NotAlone)),
            (Some(Client), true, [here, gone, here], Some(NoEndId)),
            (Some(Client), true, [gone, here, here], Some(NoReviewId)),
            (Some(Client), true, [gone, gone, gone], Some(NoReviewId)),
            (Some(Service), true, [here, here, here], None),
            (Some(Service), true, [here, here, gone], Some(NotAlone)),
            (Some(Service), true, [here, gone, here], Some(NoEndId)),
            (Some(Service), true, [gone, here, here], Some(NoReviewId)),
            // A response of the protocol without `review` has no fields for ids.
            (Some(Client), false, [gone, gone, here], None),
            (
                Some(Client),
                false,
                [gone, gone, gone],
                Some(NeitherAloneNorNamed),
            ),
            (Some(Program), true, [gone, gone, here], None),
            (Some(Program), true, [here, here, gone], None),
            (
                Some(Program),
                true,
                [here, gone, gone],
                Some(NeitherAloneNorNamed),
            ),
            (
                Some(Program),
                true,
                [gone, here, gone],
                Some(NeitherAloneNorNamed),
            ),
            (
                Some(Program),
                true,
                [gone, gone, gone],
                Some(NeitherAloneNorNamed),
            ),
            (Some(Program), false, [gone, gone, here], None),
            (None, true, [gone, gone, here], None),
            (None, true, [here, here, gone], None),
            (None, true, [gone, gone, gone], Some(NeitherAloneNorNamed)),
        ] {
            let proof = PassProof {
                receiver,
                takes_ids,
                has_review_id,
                has_end_id,
                is_alone,
            };
            assert_eq!(PassDoubt::of(proof), doubt, "{proof:?}");
        }
    }

    #[test]
    fn each_doubt_says_what_the_reviewer_is_to_do() {
        for (doubt, field, message) in [
            (
                PassDoubt::NoReviewId,
                "review_id",
                "a pass must repeat the review_id of its prompt",
            ),
            (
                PassDoubt::NoEndId,
                "end_id",
                "a pass must repeat the end_id at the very end of its prompt",
            ),
            (
                PassDoubt::NotAlone,
                "json",
                "a pass must be the object alone, without text around it",
            ),
            (
                PassDoubt::NeitherAloneNorNamed,
                "json",
                "a pass must be the object alone, or repeat review_id and end_id",
            ),
        ] {
            assert_eq!((doubt.field(), doubt.message()), (field, message));
            assert_eq!(doubt.error().message, message);
        }
    }

    const PASS: RoundFacts = RoundFacts {
        verdict: Verdict::Pass,
        escalated: false,
        doubt: None,
        asked_alone: false,
        is_stand_in: false,
        is_below: false,
        below_minimum: BelowMinimumPolicy::Revise,
    };

    const REVISION: RoundFacts = RoundFacts {
        verdict: Verdict::NeedsRevision,
        ..PASS
    };

    #[test]
    fn a_pass_counts_only_if_nothing_speaks_against_it() {
        let doubted = |doubt| RoundFacts {
            doubt: Some(doubt),
            ..PASS
        };
        let asked_alone = |round| RoundFacts {
            asked_alone: true,
            ..round
        };
        let below = |below_minimum| RoundFacts {
            is_below: true,
            below_minimum,
            ..PASS
        };
        let stand_in = |round| RoundFacts {
            is_stand_in: true,
            ..round
        };
        let escalated = |round| RoundFacts {
            escalated: true,
            ..round
        };
        for (round, expected) in [
            (PASS, Ruling::Pass),
            (
                doubted(PassDoubt::NotAlone),
                Ruling::AskAgain(PassDoubt::NotAlone),
            ),
            (asked_alone(doubted(PassDoubt::NotAlone)), Ruling::Pass),
            (
                doubted(PassDoubt::NoReviewId),
                Ruling::AskAgain(PassDoubt::NoReviewId),
            ),
            (
                asked_alone(doubted(PassDoubt::NoReviewId)),
                Ruling::AskAgain(PassDoubt::NoReviewId),
            ),
            (
                asked_alone(doubted(PassDoubt::NoEndId)),
                Ruling::AskAgain(PassDoubt::NoEndId),
            ),
            (
                asked_alone(doubted(PassDoubt::NeitherAloneNorNamed)),
                Ruling::AskAgain(PassDoubt::NeitherAloneNorNamed),
            ),
            (stand_in(PASS), Ruling::NoVerdict),
            (
                stand_in(below(BelowMinimumPolicy::Revise)),
                Ruling::NoVerdict,
            ),
            (stand_in(REVISION), Ruling::Revise),
            (below(BelowMinimumPolicy::Revise), Ruling::Revise),
            (below(BelowMinimumPolicy::Block), Ruling::BelowMinimum),
            (below(BelowMinimumPolicy::Accept), Ruling::Pass),
            (escalated(PASS), Ruling::Decide),
            (escalated(REVISION), Ruling::Decide),
            (
                escalated(stand_in(doubted(PassDoubt::NoEndId))),
                Ruling::Decide,
            ),
            (REVISION, Ruling::Revise),
            (
                RoundFacts {
                    doubt: Some(PassDoubt::NoEndId),
                    ..REVISION
                },
                Ruling::Revise,
            ),
        ] {
            assert_eq!(ruling(round), expected, "{round:?}");
        }
    }

    fn item(severity: Option<Severity>) -> FeedbackItem {
        let item = FeedbackItem::new("Limits", "No limit is given.", "Name one.").unwrap();
        match severity {
            Some(severity) => item.with_severity(severity),
            None => item,
        }
    }

    fn review(verdict: Verdict, items: Vec<FeedbackItem>) -> Review {
        let name = "completeness".parse().unwrap();
        let scores = Scores::from_iter([(name, Score::new(90).unwrap())]);
        Review::new(verdict, scores, items).unwrap()
    }

    #[test]
    fn items_facts_and_the_check_turn_a_pass_into_a_revision() {
        let fact = |blocks| Fact {
            item: FeedbackItem::new("Links", "A link is dead.", "Mend it.").unwrap(),
            blocks,
        };
        let failing = FeedbackItem::new("check", "The check fails.", "Mend it.").unwrap();
        let major = || vec![item(None), item(Some(Severity::Major))];
        let at = |item| {
            let severity = Severity::Major;
            Some(AnswerRemark::Contradicted { item, severity })
        };
        let by_facts = |facts| Some(AnswerRemark::Overruled(facts));
        use Verdict::{NeedsRevision, Pass};
        for (said, items, facts, check, verdict, contradicted, proved, count) in [
            (Pass, vec![], vec![], None, Pass, None, 0, 0),
            (
                Pass,
                vec![item(Some(Severity::Minor))],
                vec![],
                None,
                Pass,
                None,
                0,
                1,
            ),
            (Pass, major(), vec![], None, NeedsRevision, at(1), 0, 2),
            (Pass, vec![], vec![fact(false)], None, Pass, None, 0, 0),
            (
                Pass,
                vec![],
                vec![fact(true)],
                None,
                NeedsRevision,
                by_facts(1),
                1,
                1,
            ),
            (
                Pass,
                major(),
                vec![fact(true)],
                None,
                NeedsRevision,
                at(1),
                1,
                3,
            ),
            (
                Pass,
                vec![],
                vec![],
                Some(&failing),
                NeedsRevision,
                None,
                1,
                1,
            ),
            (
                NeedsRevision,
                major(),
                vec![fact(true)],
                Some(&failing),
                NeedsRevision,
                None,
                2,
                4,
            ),
        ] {
            let settled = settle(review(said, items), Severity::Major, &facts, check);
            let feedback = settled.review.feedback();
            assert_eq!(
                (
                    settled.review.verdict(),
                    settled.contradicted,
                    settled.proved,
                    feedback.len()
                ),
                (verdict, contradicted, proved, count),
                "{said:?} {facts:?} {check:?}"
            );
            if check.is_some() {
                assert_eq!(feedback[0].section(), "check");
            }
        }
    }
}
