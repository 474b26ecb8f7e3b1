//! Reviewers that answer in actionable-feedback documents.

use std::sync::Arc;

use review::config::ChainLink;
use review::schema::Dialect;
use review::types::{BlockCode, FinalVerdict, ReviewSession};
use serde_json::json;

use crate::artifact::{SPEC, World};
use crate::support::{MockApplier, MockReviewer, answer, applied, pass};

/// An overall assessment, and the aspect and score of the only item.
struct Document {
    verdict: &'static str,
    score: f64,
    confidence: f64,
    item: (&'static str, f64),
}

const ACCEPT: Document = Document {
    verdict: "accept",
    score: 0.9,
    confidence: 0.9,
    item: ("completeness", 0.9),
};

const REFINE: Document = Document {
    verdict: "refine",
    score: 0.4,
    ..ACCEPT
};

const ESCALATE: Document = Document {
    verdict: "escalate",
    score: 0.4,
    ..ACCEPT
};

impl Document {
    fn text(&self) -> String {
        let (aspect, score) = self.item;
        json!({
            "id": "fb-1",
            "timestamp": "2026-03-01T12:30:05Z",
            "iteration": {"number": 1, "max": 3, "phase": "initial"},
            "target": {"type": "document", "path": SPEC},
            "feedback_items": [{
                "aspect": aspect,
                "severity": "minor",
                "score": score,
                "issue": "The search names no limit for its results.",
                "location": {"type": "section", "reference": "Search"},
                "suggestion": {
                    "action": "State how many results a page of the search shows",
                    "rationale": "Readers then know how long a page gets",
                },
            }],
            "overall_assessment": {
                "score": self.score,
                "verdict": self.verdict,
                "summary": "The search is sound, and the limit of its results is what is left.",
                "confidence": self.confidence,
            },
        })
        .to_string()
    }
}

fn link(name: &str, dialect: Dialect) -> ChainLink {
    ChainLink {
        name: name.to_owned(),
        pass_counts: true,
        dialect,
        keeps_sessions: false,
        proves: false,
    }
}

/// Returns a world whose reviewer answers in documents, with a fallback that
/// does not.
fn world() -> World {
    let mut world = World::new();
    world.config.reviewers = vec![
        link("documents", Dialect::Actionable),
        link("another", Dialect::Verdict),
    ];
    world
}

/// Runs a loop with a reviewer of documents that gives these answers in turn, and an
/// applier that is called this many `times`.
fn run<const CALLS: usize>(
    world: &mut World,
    said: [String; CALLS],
    times: usize,
) -> ReviewSession {
    let mut said = said.into_iter();
    let mut reviewer = MockReviewer::new();
    reviewer
        .expect_review()
        .times(CALLS)
        .returning(move |request| {
            assert_eq!(request.dialect, Dialect::Actionable);
            Ok(answer(said.next().expect("as many answers as calls")))
        });
    let mut applier = MockApplier::new();
    let artifact = Arc::clone(&world.artifact);
    applier
        .expect_apply()
        .times(times)
        .returning(move |request| {
            artifact.write(SPEC, format!("# Search {}\n", request.iteration));
            Ok(applied(""))
        });
    world.run(reviewer, applier)
}

#[test]
fn a_refine_verdict_is_applied_and_an_accept_verdict_passes() {
    let second = ACCEPT.text().replace("\"number\":1", "\"number\":2");
    let ended = run(&mut world(), [REFINE.text(), second], 1);
    assert_eq!(ended.final_verdict, FinalVerdict::Pass);
    assert_eq!(ended.iterations.len(), 2);
}

#[test]
fn an_escalated_or_unsure_document_is_left_to_a_human_and_not_applied() {
    let unsure = Document {
        confidence: 0.4,
        ..ACCEPT
    };
    for document in [ESCALATE, unsure] {
        let ended = run(&mut world(), [document.text()], 0);
        assert_eq!(ended.block_code, Some(BlockCode::Escalated));
        assert_eq!(
            ended.block_reason,
            "the reviewer leaves the decision to a human"
        );
        assert_eq!(ended.iterations.len(), 1);
    }
}

#[test]
fn a_decision_is_left_to_a_human_in_the_last_round_too() {
    let mut world = world();
    world.config.max_iterations = 1;
    let ended = run(&mut world, [ESCALATE.text()], 0);
    assert_eq!(ended.block_code, Some(BlockCode::Escalated));
}

#[test]
fn a_replay_of_an_escalated_run_reports_the_same() {
    let mut world = world();
    run(&mut world, [ESCALATE.text()], 0);
    world.cut_off_in("review/review-1.1");
    let ended = run(&mut world, [ESCALATE.text()], 0);
    assert_eq!(ended.block_code, Some(BlockCode::Escalated));
    let ended = run(&mut world, [], 0);
    assert_eq!(ended.block_code, Some(BlockCode::Escalated));
}

#[test]
fn criteria_without_a_scored_item_do_not_count() {
    let low = Document {
        item: ("completeness", 0.1),
        ..ACCEPT
    };
    let untold = Document {
        item: ("style", 0.1),
        ..ACCEPT
    };
    let below = Some(BlockCode::BelowMinimum);
    for (document, expected) in [(&ACCEPT, None), (&untold, None), (&low, below)] {
        let mut world = world();
        world.config.max_iterations = 1;
        world.config.retry_on_malformed = 0;
        let ended = run(&mut world, [document.text()], 0);
        assert_eq!(ended.block_code, expected, "{}", ended.block_reason);
    }
}

#[test]
fn a_reviewer_of_documents_must_answer_in_that_format() {
    let mut world = world();
    world.config.retry_on_malformed = 0;
    let ended = run(&mut world, [pass()], 0);
    assert_eq!(ended.block_code, Some(BlockCode::Malformed));
}
