//! The wording rules of actionable feedback, applied to the answers of reviewers.

use std::collections::BTreeSet;

use review_events::{VagueItem, WordingRule};
use review_schema::{Dialect, Field, ItemKey};
use review_text::Issue;
use review_text::wording::{Weight, Wording};
use review_types::{FeedbackItem, Hash, Review, Verdict, excerpt};
use serde::{Deserialize, Serialize};

use crate::review_loop::RetryOf;

/// Maximum number of violations that are recorded for one answer.
const MAX_KEPT: usize = 64;

/// Maximum number of items that are quoted to the reviewer.
const MAX_ASKED: usize = 5;

/// Maximum number of characters of a quoted text.
const MAX_QUOTED: usize = 200;

/// The items of an answer that violate a wording rule, and the request to reword them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VagueAnswer {
    /// The violations, at most 64.
    pub items: Vec<VagueItem>,
    /// The field of the first violation, as the reviewer's format names it, and the rules with
    /// the strings that violate them.
    pub request: RetryOf,
}

/// The answer that a reviewer was asked to reword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierReview {
    /// Hash of its review.
    pub review: Hash,
    /// The number of leading items that are facts, not the reviewer's.
    pub proved: u32,
}

impl VagueAnswer {
    /// Returns the violations in a review whose first `proved` items are not the
    /// reviewer's; `None` without violations.
    pub(crate) fn of(
        review: &Review,
        proved: usize,
        dialect: Dialect,
        answer: Hash,
    ) -> Option<Self> {
        let items = review.feedback().iter().enumerate().skip(proved);
        let found: Vec<_> = items
            .flat_map(|(at, item)| violations(item).map(move |found| (at, found)))
            .take(MAX_KEPT)
            .collect();
        let (first, violation) = found.first()?;
        let field = |at: usize, violation: &Violation<'_>| {
            Field::of_item(dialect, at - proved, violation.key()).to_string()
        };
        let first_field = field(*first, violation);
        let asked = found.iter().take(MAX_ASKED).map(|(at, violation)| {
            let said = violation.message();
            match field(*at, violation) {
                field if field == first_field => said,
                field => format!("{field} - {said}"),
            }
        });
        let asked: Vec<_> = asked.collect();
        let left_off = found.len().saturating_sub(MAX_ASKED);
        let more = match left_off {
            0 => String::new(),
            more => format!("; {more} more like these"),
        };
        Some(Self {
            request: RetryOf {
                message: format!("{}{more}. Keep all other items", asked.join("; ")),
                field: first_field,
                answer,
            },
            items: found
                .into_iter()
                .map(|(at, violation)| VagueItem {
                    item: u32::try_from(at).unwrap_or(u32::MAX),
                    rule: violation.rule,
                    phrase: violation.phrase.to_owned(),
                })
                .collect(),
        })
    }
}

/// A string of an item that violates a rule.
struct Violation<'a> {
    rule: WordingRule,
    phrase: &'static str,
    text: &'a str,
}

impl Violation<'_> {
    fn key(&self) -> ItemKey {
        match self.rule {
            WordingRule::IssueVague => ItemKey::Issue,
            WordingRule::ActionAdvisory => ItemKey::Suggestion,
        }
    }

    fn message(&self) -> String {
        let wording = match self.rule {
            WordingRule::IssueVague => Wording::Vague,
            WordingRule::ActionAdvisory => Wording::Advisory,
        };
        let quoted = excerpt(self.text, MAX_QUOTED);
        format!(
            "\"{}\" {} (rule {}), in {quoted:?}",
            self.phrase,
            wording.objection(),
            self.rule.as_str()
        )
    }
}

fn violations(item: &FeedbackItem) -> impl Iterator<Item = Violation<'_>> {
    let texts = [
        (WordingRule::IssueVague, Wording::Vague, item.issue()),
        (
            WordingRule::ActionAdvisory,
            Wording::Advisory,
            item.suggestion(),
        ),
    ];
    texts.into_iter().filter_map(|(rule, wording, text)| {
        let hit = wording.find(text)?;
        (hit.weight == Weight::Leading).then_some(Violation {
            rule,
            phrase: hit.phrase,
            text,
        })
    })
}

/// Returns a reworded review together with the items of the earlier one that it does not
/// repeat; a revision if either is one. So a request to reword loses no finding: any item
/// at the place of a vague one rewords it, while a clear one is repeated only by an item
/// about the same issue.
pub(crate) fn with_earlier(reworded: Review, earlier: &Review, proved: usize) -> Review {
    let own = earlier.feedback().get(proved..).unwrap_or_default();
    let mut open: BTreeSet<usize> = (0..reworded.feedback().len()).collect();
    let mut repeats = |is_repeat: &dyn Fn(&FeedbackItem) -> bool| {
        let found = open
            .iter()
            .copied()
            .find(|at| is_repeat(&reworded.feedback()[*at]));
        found.is_some_and(|at| open.remove(&at))
    };
    let mut kept: Vec<&FeedbackItem> = own.iter().collect();
    kept.retain(|item| !repeats(&|other| other.says_the_same(item)));
    kept.retain(|item| {
        !repeats(&|other| item.id().is_some() && other.id() == item.id())
            && !repeats(&|other| same_place(item, other) && same_text(item, other))
    });
    kept.retain(|item| !repeats(&|other| same_place(item, other) && same_issue(item, other)));
    kept.retain(|item| !is_vague(item) || !repeats(&|other| same_place(item, other)));
    let kept: Vec<_> = kept.into_iter().cloned().collect();
    let reworded = reworded.with_items(kept);
    match earlier.verdict() {
        Verdict::NeedsRevision => reworded.as_revision(),
        Verdict::Pass => reworded,
    }
}

fn same_place(one: &FeedbackItem, other: &FeedbackItem) -> bool {
    let place = |item: &FeedbackItem| item.section().trim().to_lowercase();
    place(one) == place(other)
}

fn is_vague(item: &FeedbackItem) -> bool {
    violations(item).next().is_some()
}

fn same_issue(one: &FeedbackItem, other: &FeedbackItem) -> bool {
    let issue = |item: &FeedbackItem| Issue::of(item.issue());
    issue(one).similarity(&issue(other)).is_some()
}

fn same_text(one: &FeedbackItem, other: &FeedbackItem) -> bool {
    one.issue() == other.issue() || one.suggestion() == other.suggestion()
}

#[cfg(test)]
mod tests {
    use review_types::Scores;

    use super::*;

    fn item(section: &str, issue: &str, suggestion: &str) -> FeedbackItem {
        FeedbackItem::new(section, issue, suggestion).unwrap()
    }

    fn review(verdict: Verdict, items: &[FeedbackItem]) -> Review {
        Review::new(verdict, Scores::default(), items.to_vec()).unwrap()
    }

    fn issues(review: &Review) -> Vec<&str> {
        review.feedback().iter().map(FeedbackItem::issue).collect()
    }

    #[test]
    fn the_rule_and_the_text_of_each_violation_are_quoted() {
        let review = review(
            Verdict::NeedsRevision,
            &[
                item("Links", "broken", "Consider it"),
                item("Goals", "No goal has a number", "Give each a number"),
                item("Limits", "It could be better", "Consider a limit"),
            ],
        );
        let hash = Hash::from_bytes([0; 32]);
        let found = VagueAnswer::of(&review, 1, Dialect::Verdict, hash).unwrap();
        assert_eq!(found.request.field, "feedback[1].issue");
        assert_eq!(
            found.request.message,
            "\"could be better\" is vague; say what is wrong, and what happens as a result \
             (rule issue.vague), in \"It could be better\"; feedback[1].suggestion - \"consider\" \
             is advice; say what to change (rule action.advisory), in \"Consider a limit\". \
             Keep all other items"
        );
        let items: Vec<_> = found.items.iter().map(|one| (one.item, one.rule)).collect();
        let expected = [
            (2, WordingRule::IssueVague),
            (2, WordingRule::ActionAdvisory),
        ];
        assert_eq!(items, expected);
        for (dialect, field) in [
            (
                Dialect::Afp,
                "feedback.areas_for_improvement[1].description",
            ),
            (Dialect::Actionable, "feedback_items[1].issue"),
        ] {
            let found = VagueAnswer::of(&review, 1, dialect, hash).unwrap();
            assert_eq!(found.request.field, field);
        }
    }

    #[test]
    fn a_phrase_inside_a_clause_is_no_violation() {
        let item = item("Parser", "a field is lost", "Handle what callers consider");
        let review = review(Verdict::NeedsRevision, &[item]);
        let hash = Hash::from_bytes([0; 32]);
        assert_eq!(VagueAnswer::of(&review, 0, Dialect::Verdict, hash), None);
    }

    #[test]
    fn a_reworded_review_loses_no_item_of_the_earlier_one() {
        let fact = item("Links", "broken", "fix");
        let vague = item("Goals", "could be better", "Consider it");
        let clear = item("Limits", "no limit", "Name it");
        let earlier = review(Verdict::NeedsRevision, &[fact, vague, clear.clone()]);
        let reworded = item("goals ", "no goal has a number", "Give each a number");
        for (verdict, items, expected) in [
            (
                Verdict::NeedsRevision,
                &[reworded.clone(), clear.clone()][..],
                &["no goal has a number", "no limit"][..],
            ),
            (
                Verdict::NeedsRevision,
                &[reworded],
                &["no goal has a number", "no limit"],
            ),
            (Verdict::Pass, &[], &["could be better", "no limit"]),
            (Verdict::Pass, &[clear], &["no limit", "could be better"]),
            (
                Verdict::NeedsRevision,
                &[
                    item("Goals", "no goal has a number", "Give each a number"),
                    item(
                        "Limits",
                        "Errors of the parser are swallowed",
                        "Report them",
                    ),
                ],
                &[
                    "no goal has a number",
                    "Errors of the parser are swallowed",
                    "no limit",
                ],
            ),
        ] {
            let merged = with_earlier(review(verdict, items), &earlier, 1);
            assert_eq!(issues(&merged), expected);
            assert_eq!(merged.verdict(), Verdict::NeedsRevision);
        }
        let passed = review(
            Verdict::Pass,
            &[item("Goals", "could be better", "Number it")],
        );
        let merged = with_earlier(review(Verdict::Pass, &[]), &passed, 0);
        assert_eq!(merged, passed);
    }
}
