//! Vague items go back to their reviewer once, and what stays vague is kept and reported.

use std::sync::{Arc, Mutex};

use review::config::LoopConfig;
use review::events::{AnswerRemark, Event, ReviewIteration};
use review::flow::ManualClock;
use review::types::{FinalVerdict, ReviewSession, Verdict};
use review::{Budget, MemorySink};

use crate::support::{MockApplier, MockReviewer, SEED, answer, block_on, builder, config};

const VAGUE: &str = r#"{"section":"B","issue":"Code could be better","suggestion":"Consider improving this","severity":"critical"}"#;
const CLEAR: &str = r#"{"section":"C","issue":"No limit is given","suggestion":"Name the limit"}"#;
const REWORDED: &str = r#"{"section":"B","issue":"The retry loop has no end","suggestion":"End it after 4 tries","severity":"critical"}"#;

fn answered(verdict: &str, items: &[&str]) -> String {
    let score = r#"{"completeness":90,"consistency":90,"testability":90,"architecture":90}"#;
    let items = items.join(",");
    format!(r#"{{"verdict":"{verdict}","score":{score},"feedback":[{items}]}}"#)
}

/// A review without an applier, and the requests for another answer that it made.
struct Reviewed {
    session: ReviewSession,
    round: ReviewIteration,
    /// The field and the message of each request.
    asked: Vec<(String, String)>,
    calls: usize,
}

impl Reviewed {
    fn issues(&self) -> Vec<&str> {
        let items = self.round.feedback.iter();
        items.map(|item| item.issue()).collect()
    }
}

/// Reviews with a reviewer that gives these answers, the last one again and again.
fn review(max_calls: Option<u32>, answers: Vec<String>) -> Reviewed {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let mut reviewer = MockReviewer::new();
    reviewer.expect_review().returning(move |request| {
        let mut asked = noted.lock().unwrap();
        asked.push(request.retry.map(|retry| (retry.field, retry.message)));
        let at = (asked.len() - 1).min(answers.len() - 1);
        Ok(answer(answers[at].clone()))
    });
    let config = LoopConfig {
        max_iterations: 1,
        applies: false,
        wording_rules: true,
        budget: Budget {
            max_calls,
            ..Budget::default()
        },
        ..config()
    };
    let sink = MemorySink::default();
    let looped = builder(config, reviewer, MockApplier::new()).events(&sink);
    let looped = looped.build().unwrap();
    let session = block_on(looped.run(SEED, &ManualClock::default())).unwrap();
    let rounds = sink.events().into_iter();
    let mut rounds = rounds.filter_map(|told| match told.event {
        Event::ReviewIteration(round) => Some(round),
        _ => None,
    });
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    Reviewed {
        session,
        round: rounds.next().unwrap(),
        calls: asked.len(),
        asked: asked.into_iter().flatten().collect(),
    }
}

#[test]
fn a_vague_answer_goes_back_once_and_what_stays_vague_is_kept_and_reported() {
    let reviewed = review(None, vec![answered("needs_revision", &[CLEAR, VAGUE])]);
    assert_eq!(reviewed.calls, 2);
    let (field, message) = &reviewed.asked[0];
    assert_eq!(field, "feedback[1].issue");
    for words in [
        "\"could be better\" is vague",
        "(rule issue.vague), in \"Code could be better\"",
        "(rule action.advisory), in \"Consider improving this\"",
        "Keep all other items",
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
    let expected = ["No limit is given", "Code could be better"];
    assert_eq!(reviewed.issues(), expected);
    let kept = reviewed.round.vague().iter();
    let kept: Vec<_> = kept
        .map(|one| (one.item, one.rule.as_str(), &*one.phrase))
        .collect();
    let expected = [
        (1, "issue.vague", "could be better"),
        (1, "action.advisory", "consider"),
    ];
    assert_eq!(kept, expected);
    assert_eq!(reviewed.round.sent_back(), 1);
}

#[test]
fn a_reworded_answer_loses_no_other_item() {
    let other = r#"{"section":"C","issue":"Errors of the parser are swallowed","suggestion":"Report them"}"#;
    for (second, expected) in [
        (
            vec![REWORDED],
            vec!["The retry loop has no end", "No limit is given"],
        ),
        (
            vec![REWORDED, other],
            vec![
                "The retry loop has no end",
                "Errors of the parser are swallowed",
                "No limit is given",
            ],
        ),
    ] {
        let first = answered("needs_revision", &[CLEAR, VAGUE]);
        let reviewed = review(None, vec![first, answered("needs_revision", &second)]);
        assert_eq!(reviewed.calls, 2);
        assert_eq!(reviewed.issues(), expected);
        assert_eq!(reviewed.round.vague(), []);
    }
}

#[test]
fn a_pass_in_the_place_of_vague_items_is_no_pass() {
    let first = answered("needs_revision", &[VAGUE]);
    let reviewed = review(None, vec![first, answered("pass", &[])]);
    assert_eq!(reviewed.issues(), ["Code could be better"]);
    assert_eq!(reviewed.round.verdict, Verdict::NeedsRevision);
}

#[test]
fn when_the_second_answer_cannot_be_used_or_asked_for_the_first_counts() {
    let first = || answered("needs_revision", &[VAGUE]);
    for (max_calls, second, calls) in [
        (None, "nothing", 2),
        (None, r#"{"verdict": "maybe"}"#, 2),
        (Some(1), "nothing", 1),
    ] {
        let reviewed = review(max_calls, vec![first(), second.to_owned()]);
        assert_eq!(reviewed.calls, calls, "{second}");
        assert_eq!(reviewed.issues(), ["Code could be better"], "{second}");
    }
}

#[test]
fn a_pass_with_vague_items_goes_back_too_and_stays_a_pass() {
    let taste = VAGUE.replace("critical", "suggestion");
    let reviewed = review(None, vec![answered("pass", &[&taste])]);
    assert_eq!(reviewed.calls, 2);
    assert_eq!(reviewed.session.final_verdict, FinalVerdict::Pass);
    let remarks = reviewed.round.remarks.iter();
    let asked: Vec<_> = remarks
        .filter_map(|remark| match remark {
            AnswerRemark::Vague { asked_again, .. } => Some(*asked_again),
            _ => None,
        })
        .collect();
    assert_eq!(asked, [true, false]);
}
