//! A stalled loop ends before its limit, and with its best round.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use proptest::prelude::*;
use review::config::{Convergence, Keep, LoopConfig};
use review::events::BestRound;
use review::types::{AgentError, BlockCode, Failure, FinalVerdict, Review, Verdict};
use review::{
    Applier, ApplyReport, ApplyRequest, MemoryArtifact, ReviewAnswer, ReviewRequest, Reviewer,
};

use crate::looped::{Ended, SPEC, converging, first_artifact, looped};
use crate::support::{applied, item, reviewed, scores};

/// The issues of a reviewer, in order.
const ISSUES: [&str; 4] = [
    "the zebra is striped",
    "no one feeds the otter",
    "giraffes are too tall",
    "a walrus sings",
];

/// One answer of a reviewer: its number of items, and its scores. Without
/// an item it passes.
#[derive(Clone, Copy, Debug)]
struct ScriptedAnswer {
    items: usize,
    scores: [i64; 4],
}

/// A reviewer with these answers in turn, of which the last one is repeated.
struct Scripted(Mutex<VecDeque<ScriptedAnswer>>);

#[async_trait]
impl Reviewer for Scripted {
    async fn review(&self, _: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let mut script = self.0.lock().unwrap();
        let said = match script.len() {
            1 => script[0],
            _ => script.pop_front().unwrap(),
        };
        let issues = ISSUES.iter().take(said.items);
        let items = issues.map(|issue| item("API", issue, "fix it"));
        let verdict = match said.items {
            0 => Verdict::Pass,
            _ => Verdict::NeedsRevision,
        };
        let review = Review::new(verdict, scores(said.scores), items.collect()).unwrap();
        Ok(reviewed(review))
    }
}

/// An applier that writes these contents in turn, and then new ones.
struct Writer {
    artifact: Arc<MemoryArtifact>,
    texts: Mutex<VecDeque<String>>,
    asked: Arc<Mutex<Vec<ApplyRequest>>>,
}

#[async_trait]
impl Applier for Writer {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let new = format!("after round {}", request.iteration);
        self.asked.lock().unwrap().push(request);
        let text = self.texts.lock().unwrap().pop_front().unwrap_or(new);
        self.artifact.write(SPEC, text);
        Ok(applied(""))
    }
}

fn run(config: LoopConfig, said: &[ScriptedAnswer], left: &[&str]) -> Ended {
    run_while(config, said, left, |_| {})
}

/// Runs a loop, and the function during it.
fn run_while(
    config: LoopConfig,
    said: &[ScriptedAnswer],
    left: &[&str],
    meanwhile: impl Fn(&MemoryArtifact) + Send + Sync,
) -> Ended {
    let artifact = first_artifact();
    let asked = Arc::default();
    let writer = Writer {
        artifact: Arc::clone(&artifact),
        texts: Mutex::new(left.iter().map(|text| (*text).to_owned()).collect()),
        asked: Arc::clone(&asked),
    };
    let reviewer = Scripted(Mutex::new(said.iter().copied().collect()));
    let mut ended = looped(&config, &artifact, reviewer, writer, &meanwhile);
    ended.asked.clone_from(&asked.lock().unwrap());
    ended
}

/// Returns answers with one item each, and these scores for all four criteria.
fn all(values: &[i64]) -> Vec<ScriptedAnswer> {
    let said = |value: &i64| ScriptedAnswer {
        items: 1,
        scores: [*value; 4],
    };
    values.iter().map(said).collect()
}

/// Runs a loop with these scores, the last of them repeated.
fn trace(values: &[i64]) -> Ended {
    run(converging(3), &all(values), &[])
}

const STAGNATED: Option<BlockCode> = Some(BlockCode::Stagnated);
const OSCILLATION: Option<BlockCode> = Some(BlockCode::Oscillation);

#[test]
fn a_finding_that_no_round_closes_ends_the_loop_whatever_the_scores() {
    let restored = |artifact: &str| artifact.to_owned();
    for (scores, best, on_disk) in [
        (&[0, 0, 0][..], 4, restored("after round 3")),
        (&[20, 20, 20], 4, restored("after round 3")),
        (&[20, 60, 60, 30], 3, restored("after round 2")),
        (&[60, 61, 62], 4, restored("after round 3")),
        (&[90, 89, 88], 1, restored("at first")),
        (&[50, 51, 52, 75], 4, restored("after round 3")),
        (&[36, 99, 36], 2, restored("after round 1")),
    ] {
        let ended = trace(scores);
        assert_eq!(ended.summary(), (STAGNATED, 4, Some(best)), "{scores:?}");
        assert_eq!(ended.on_disk, on_disk, "{scores:?}");
        assert_eq!(ended.session.final_verdict, FinalVerdict::Blocked);
        assert_eq!(
            ended.session.block_reason,
            "the last 3 rounds closed no blocking finding of the previous round"
        );
    }
}

#[test]
fn the_best_round_is_reported_with_its_rank() {
    let best = BestRound {
        iteration: 2,
        standing: "1 open finding, lowest score 99, sum 396".to_owned(),
        restored: true,
        left: Vec::new(),
    };
    assert_eq!(trace(&[36, 99, 36]).best, Some(best));
}

#[test]
fn a_loop_whose_findings_are_closed_runs_until_it_passes() {
    let said = |items: &[usize]| -> Vec<ScriptedAnswer> {
        let said = |items: &usize| ScriptedAnswer {
            items: *items,
            scores: [80; 4],
        };
        items.iter().map(said).collect()
    };
    for items in [
        &[4, 3, 2, 1, 0][..],
        &[4, 2, 3, 2, 1, 0],
        &[4, 1, 1, 1, 0],
        &[1, 1, 1, 0],
    ] {
        let ended = run(converging(3), &said(items), &[]);
        let (code, rounds, _) = ended.summary();
        assert_eq!((code, rounds), (None, items.len()), "{items:?}");
    }
}

#[test]
fn an_unchanged_artifact_gets_one_reminder_and_then_ends_as_no_change() {
    let ended = run(converging(2), &all(&[50]), &["at first", "at first"]);
    assert_eq!(ended.summary(), (Some(BlockCode::NoChange), 1, Some(1)));
    let told: Vec<_> = ended
        .asked
        .iter()
        .map(|request| {
            (
                request.step.name.to_string(),
                request.items.as_slice().last().unwrap().issue().to_owned(),
            )
        })
        .collect();
    let again = "You were asked for them before, and every file is unchanged.";
    assert_eq!(
        told,
        [
            ("review/apply-1".to_owned(), ISSUES[0].to_owned()),
            ("review/apply-1.2".to_owned(), again.to_owned())
        ]
    );
    assert!(!ended.best.unwrap().restored);
}

#[test]
fn an_applier_that_follows_the_reminder_continues_and_may_be_reminded_again() {
    let left = ["at first", "b", "b", "c"];
    let ended = run(converging(3), &all(&[50, 60, 70]), &left);
    assert_eq!(ended.summary(), (STAGNATED, 4, Some(4)));
    assert_eq!(ended.on_disk, "after round 3");
}

#[test]
fn trace_a_b_a_is_an_oscillation_after_the_second_apply() {
    let ended = run(converging(2), &all(&[50, 60]), &["b", "at first"]);
    assert_eq!(ended.summary(), (OSCILLATION, 2, Some(2)));
    assert_eq!(
        ended.session.block_reason,
        "the applier brought back the artifact of round 1"
    );
    assert_eq!(ended.on_disk, "b");
}

#[test]
fn the_limit_in_the_same_round_takes_precedence() {
    let limited = LoopConfig {
        max_iterations: 3,
        ..converging(2)
    };
    let ended = run(limited, &all(&[20]), &[]);
    assert_eq!(
        ended.summary(),
        (Some(BlockCode::MaxIterations), 3, Some(3))
    );
    assert_eq!(ended.on_disk, "after round 2");
}

#[test]
fn fewer_findings_are_better_than_higher_scores() {
    let said = [(3, 90), (1, 40), (2, 95), (2, 96)].map(|(items, score)| ScriptedAnswer {
        items,
        scores: [score; 4],
    });
    let ended = run(converging(2), &said, &[]);
    assert_eq!(ended.summary(), (STAGNATED, 4, Some(2)));
}

#[test]
fn the_applier_is_given_the_scores_that_fell() {
    let said = [
        ScriptedAnswer {
            items: 1,
            scores: [60, 80, 70, 70],
        },
        ScriptedAnswer {
            items: 1,
            scores: [65, 50, 70, 69],
        },
    ];
    let ended = run(converging(2), &said, &[]);
    let asked = ended.asked[1].items.as_slice().iter();
    let asked: Vec<_> = asked.map(review::types::FeedbackItem::issue).collect();
    assert_eq!(
        asked,
        [
            ISSUES[0],
            "consistency fell from 80 to 50 with the last change",
            "architecture fell from 70 to 69 with the last change"
        ]
    );
    assert_eq!(ended.asked[0].items.len(), 1);
    let bare = run(
        LoopConfig {
            convergence: None,
            ..converging(2)
        },
        &said,
        &[],
    );
    assert_eq!(bare.asked[1].items.len(), 1);
}

#[test]
fn a_loop_without_convergence_runs_to_its_limit_and_restores_nothing() {
    let bare = LoopConfig {
        convergence: None,
        ..converging(2)
    };
    let ended = run(bare, &all(&[20]), &["at first", "b", "at first"]);
    assert_eq!(ended.summary(), (Some(BlockCode::MaxIterations), 10, None));
    assert_eq!(ended.on_disk, "after round 9");
}

#[test]
fn the_last_artifact_is_kept_on_request() {
    let config = LoopConfig {
        convergence: Some(Convergence {
            keep: Keep::Last,
            ..converging(2).convergence.unwrap()
        }),
        ..converging(2)
    };
    let ended = run(config, &all(&[50, 20]), &[]);
    assert_eq!(ended.summary(), (STAGNATED, 3, None));
    assert_eq!(ended.on_disk, "after round 2");
}

/// Runs a loop that restores the first artifact after two applies; just before the
/// restore, `path` is written.
fn while_restoring(path: &'static str) -> Ended {
    let looked = AtomicUsize::new(0);
    run_while(converging(2), &all(&[50, 20]), &[], move |artifact| {
        if looked.fetch_add(1, Ordering::Relaxed) == 2 {
            artifact.write(path, "mine");
        }
    })
}

#[test]
fn a_file_that_another_process_changed_is_not_restored_and_reported() {
    let beside = while_restoring("specs/NOTES.md");
    assert_eq!(beside.on_disk, "at first");
    assert_eq!(beside.best.unwrap().left, ["specs/NOTES.md"]);
    let itself = while_restoring(SPEC);
    assert_eq!(itself.on_disk, "mine");
    assert_eq!(itself.best.unwrap().left, [SPEC]);
}

/// A reviewer that cannot be asked once its answers are used up.
struct Gone(Mutex<VecDeque<ScriptedAnswer>>);

#[async_trait]
impl Reviewer for Gone {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let said = self.0.lock().unwrap().pop_front();
        let said = said.ok_or_else(|| AgentError::new(Failure::AuthFailed, "logged out"))?;
        Scripted(Mutex::new([said].into())).review(request).await
    }
}

#[test]
fn what_an_applier_did_is_kept_for_a_reviewer_that_cannot_be_asked() {
    let artifact = first_artifact();
    let writer = Writer {
        artifact: Arc::clone(&artifact),
        texts: Mutex::default(),
        asked: Arc::default(),
    };
    let gone = Gone(Mutex::new(all(&[50, 20]).into()));
    let ended = looped(&converging(3), &artifact, gone, writer, &|_| {});
    let code = Some(BlockCode::ReviewerFailed);
    assert_eq!(ended.summary(), (code, 2, None));
    assert_eq!(ended.on_disk, "after round 2");
}

#[test]
fn a_pass_leaves_the_artifact_that_passed() {
    let mut said = all(&[50, 60]);
    said.push(ScriptedAnswer {
        items: 0,
        scores: [90; 4],
    });
    let ended = run(converging(2), &said, &[]);
    assert_eq!(ended.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(ended.best, None);
    assert_eq!(ended.on_disk, "after round 2");
}

/// Returns an answer: without an item it is a pass, which counts only from 70 on.
fn any_answer() -> impl Strategy<Value = ScriptedAnswer> {
    let scores = prop::array::uniform4(0..=100_i64);
    let plateau = (0..=100_i64).prop_map(|score| [score; 4]);
    let scores = prop_oneof![scores, plateau];
    (0..4_usize, scores).prop_map(|(items, scores)| ScriptedAnswer { items, scores })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_loop_ends_and_never_succeeds_below_the_threshold_and_keeps_its_best(
        said in prop::collection::vec(any_answer(), 1..12),
        left in prop::collection::vec(0..6_usize, 0..14),
        patience in 0..4_u32,
        max_iterations in 1..12_u32,
    ) {
        let names: Vec<_> = (0..6).map(|n| format!("artifact {n}")).collect();
        let left: Vec<_> = left.iter().map(|n| names[*n].as_str()).collect();
        let config = LoopConfig { max_iterations, ..converging(patience) };
        let ended = run(config, &said, &left);
        let rounds = &ended.session.iterations;
        prop_assert!(rounds.len() <= max_iterations as usize);
        let of = |at: usize| said[at.min(said.len() - 1)];
        let worth = |at: usize| {
            let ScriptedAnswer { items, scores } = of(at);
            let lowest = scores.into_iter().min();
            (std::cmp::Reverse(items), lowest, scores.iter().sum::<i64>())
        };
        if ended.session.final_verdict == FinalVerdict::Pass {
            let last = of(rounds.len() - 1);
            prop_assert!(last.items == 0 && last.scores.iter().all(|score| *score >= 70));
        } else {
            let best = (0..rounds.len()).reduce(|best, at| if worth(at) >= worth(best) { at } else { best });
            let best = best.unwrap();
            prop_assert_eq!(ended.best.unwrap().iteration as usize, best + 1);
            let reviewed = ended_with(&ended.asked, &left, best);
            prop_assert_eq!(ended.on_disk, reviewed);
        }
    }
}

/// Returns the artifact that the round at `at` was about.
fn ended_with(asked: &[ApplyRequest], left: &[&str], at: usize) -> String {
    let mut calls = asked.iter().enumerate();
    let last = calls.rfind(|(_, request)| (request.iteration as usize) <= at);
    match last {
        None => "at first".to_owned(),
        Some((call, request)) => match left.get(call) {
            Some(text) => (*text).to_owned(),
            None => format!("after round {}", request.iteration),
        },
    }
}
