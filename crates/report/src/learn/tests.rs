//! Lessons, prompts and their versions, as users read them.

use std::num::NonZeroU32;

use review_learning::AgentName;
use review_learning::lesson::{Decision, Lesson};
use review_learning::measure::{Observation, Performance, Stats};
use review_learning::object::LearningObject as _;
use review_learning::prompt::{Change, ChangeCause, VersionChange};
use review_types::Timestamp;
use serde_json::json;

use super::*;
use crate::style::plain;

const ID: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a201";

fn at(time: &str) -> Timestamp {
    format!("2026-03-{time}T12:00:00Z").parse().unwrap()
}

fn now() -> Timestamp {
    at("20")
}

fn agent(name: &str) -> AgentName {
    name.into()
}

fn proposed() -> Lesson {
    let sources: Vec<_> = (0..7).map(|at| format!("0192f0c1-{at:04}")).collect();
    let lesson = json!({
        "id": ID, "agent": "reviewer", "lesson_text": "Limits came without a unit.",
        "constraint_update": "Name the unit of every limit.", "confidence": 0.75,
        "source_feedback": sources,
    });
    Lesson::read(&lesson).into_result().unwrap()
}

fn rolled_back() -> Lesson {
    Lesson {
        rolled_back_at: Some(at("10")),
        ..proposed()
    }
}

fn deferred() -> Lesson {
    let until = "2999-01-01T00:00:00Z".parse().unwrap();
    proposed().decided(Decision::Defer(until), "ann").unwrap()
}

fn status(lesson: Lesson) -> String {
    let status = LearnStatus {
        is_on: true,
        corrections: 1,
        candidates: Vec::new(),
        entries: 7,
        min_samples: 5,
        unread: None,
        lessons: vec![ListedLesson::of(lesson, now())],
        waiting: Vec::new(),
    };
    plain(&learn_status(&status))
}

#[test]
fn a_lesson_is_listed_with_its_state_and_since_or_until_when() {
    for (lesson, state) in [
        (proposed(), "proposed     reviewer 75 %"),
        (
            deferred(),
            "deferred     reviewer 75 % until 2999-01-01T00:00:00Z",
        ),
        (
            rolled_back(),
            "rolled_back  reviewer 75 % rolled back on 2026-03-10T12:00:00Z",
        ),
    ] {
        let line = format!("0192f0c1  {state}  Name the unit of every limit.\n");
        let list = LessonList {
            lessons: vec![ListedLesson::of(lesson.clone(), now())],
            waiting: Vec::new(),
        };
        assert_eq!(plain(&lessons(&list)), format!("{line}1 lesson\n"));
        let status = status(lesson);
        assert!(status.contains(&format!("\n  {line}")), "{status}");
    }
}

#[test]
fn a_lesson_that_was_rolled_back_is_to_be_rejected_or_worded_again() {
    let told = status(rolled_back());
    let next = "\nnext:\ndecide on the lesson that was rolled back: `ralph learn decide 0192f0c1 \
                --reject`, or with --text TEXT\n";
    assert!(told.ends_with(next), "{told}");
    let told = status(proposed());
    let next = "next:\ndecide on what is proposed:\nralph learn review\n";
    assert!(told.ends_with(next), "{told}");
}

fn proposal(lesson: Lesson) -> Proposal {
    Proposal {
        lesson,
        old_version: 1,
        new_version: 2,
        changes: Vec::new(),
        diff: String::new(),
        token_growth: 12,
        conflicts: Vec::new(),
    }
}

#[test]
fn the_box_of_a_lesson_that_was_rolled_back_says_so_and_asks_for_other_words() {
    let shown = plain(&boxed(&proposal(rolled_back()), false));
    for line in [
        "│ Rolled back: 2026-03-10T12:00:00Z ",
        "│ reject it, or put it into other words, by ",
        "│ ralph learn decide 0192f0c1 --text TEXT ",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.to_lowercase().contains("approve"), "{shown}");
    let with_keys = plain(&boxed(&proposal(rolled_back()), true));
    assert!(
        with_keys.contains("│ [r] Reject  [v] View Full  "),
        "{with_keys}"
    );
    let usual = plain(&boxed(&proposal(proposed()), true));
    assert!(usual.contains("│ [a] Approve  [r] Reject  "), "{usual}");
}

#[test]
fn a_proposal_lists_five_of_its_entries_and_counts_the_others() {
    let shown = plain(&details(&proposal(proposed()), &[]));
    assert_eq!(shown.matches("  0192f0c1-000").count(), 5, "{shown}");
    let more = "  and 2 more: `ralph learn show 0192f0c1` lists all\n";
    assert!(shown.contains(more), "{shown}");
}

#[test]
fn a_lesson_counts_the_entries_that_are_not_kept_any_more() {
    let shown = plain(&lesson(&proposed(), &[], now()));
    let head = format!(
        "{ID}  proposed\n  Limits came without a unit.\n  -> Name the unit of every limit.\n"
    );
    assert!(shown.starts_with(&head), "{shown}");
    assert!(
        shown.ends_with("\n  7 entries are not kept any more\n"),
        "{shown}"
    );
}

#[test]
fn a_decision_says_who_took_it_once() {
    let rejected = proposed().decided(Decision::Reject, "bob").unwrap();
    let approved = proposed().decided(Decision::Approve, "bob").unwrap();
    for (lesson, expected) in [
        (rejected, "rejected by bob"),
        (approved, "approved"),
        (
            deferred(),
            "proposed, deferred by ann until 2999-01-01T00:00:00Z",
        ),
    ] {
        let decision = LessonDecision {
            lesson: &lesson,
            version: None,
        };
        let told = plain(&lesson_decision(&decision));
        assert_eq!(told, format!("{ID} {expected}\n"));
    }
}

#[test]
fn an_update_says_which_version_is_in_use_and_whether_anybody_was_asked() {
    let of = agent("reviewer");
    let change = Change {
        change_type: None,
        section: None,
        old_text: None,
        new_text: None,
    };
    for (changed, unasked, expected) in [
        (
            false,
            false,
            "stays at version 2: nothing is approved that is not in it",
        ),
        (true, false, "version 2 → 3, 1 change"),
        (
            true,
            true,
            "version 2 → 3, 1 change without asking: approval is not required",
        ),
    ] {
        let update = PromptUpdate {
            agent: &of,
            version: 3,
            previous: 2,
            changed,
            changes: std::slice::from_ref(&change),
            lessons: &[],
            unasked,
        };
        let told = plain(&prompt_update(&update));
        assert_eq!(told, format!("reviewer {expected}\n"));
    }
    for (from, lessons, expected) in [
        (1, 0, "stays at version 1"),
        (2, 0, "version 2 → 1"),
        (2, 1, "version 2 → 1, 1 lesson changed"),
    ] {
        let rollback = PromptRollback {
            agent: &of,
            from,
            to: 1,
            lessons: &vec![proposed(); lessons],
        };
        let told = plain(&prompt_rollback(&rollback));
        assert_eq!(told, format!("reviewer {expected}\n"));
    }
}

#[test]
fn a_history_tells_when_why_and_by_whom_versions_changed() {
    let of = agent("reviewer");
    let number = |number| NonZeroU32::new(number).unwrap();
    let change = VersionChange {
        at: at("10"),
        from: number(2),
        to: number(1),
        cause: ChangeCause::Rollback,
        by: Some("bob".to_owned()),
        reason: Some("too\nlong".to_owned()),
    };
    let history = PromptHistory {
        active: 1,
        changes: vec![change],
        ..PromptHistory::of_feedback(&of, Vec::new())
    };
    let told = plain(&prompt_history(&history));
    let changed = "changes:\n  - at: 2026-03-10T12:00:00Z\n    by: bob\n    cause: rollback\n    \
                   from: 2\n    reason: too\n      long\n    to: 1\n";
    assert!(told.starts_with("active: 1\n"), "{told}");
    assert!(told.contains(changed), "{told}");
}

#[test]
fn a_version_that_fails_more_often_is_told_to_be_worse() {
    let of = agent("applier");
    let used = |version: u32, errors: usize, runs: usize| {
        let mut known = Performance::new(&of, version);
        for run in 0..runs {
            known.record(Observation {
                run: format!("r-{version}-{run}"),
                task: "a".to_owned(),
                error: run < errors,
                quality: None,
                completed: run >= errors,
                rounds: 1,
            });
        }
        known
    };
    let mut all = Stats::default();
    all.add(&of, Some(2), None, &[used(1, 0, 6), used(2, 5, 5)]);
    let told = plain(&stats(&all));
    let rows = "applier\n  v1  6 runs  errors 0.0 %      passed 100.0 %\n  v2  5 runs  errors \
                100.0 %    passed 0.0 %    worse\n  active: 2\n";
    assert!(told.ends_with(rows), "{told}");
    let nothing = "lessons_applied_count: 0\nprompt_versions_count: 0\nrollback_frequency: 0.00\n";
    assert_eq!(plain(&stats(&Stats::default())), nothing);
}
