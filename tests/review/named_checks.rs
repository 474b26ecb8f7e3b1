//! The checks that a reviewer names as proof decide over its own verdict.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use proptest::prelude::*;
use review::checks::{CheckNames, NamedChecks, NamedOutcome};
use review::events::{Event, PassOverruled};
use review::flow::{ManualClock, Step, Stop};
use review::types::{AgentError, BlockCode, NamedCheck, Review, Severity, Verdict};
use review::{
    Applier, ApplyReport, ApplyRequest, MemoryArtifact, MemorySink, ReviewAnswer, ReviewRequest,
    Reviewer,
};

use crate::looped::{SPEC, converging, first_artifact};
use crate::support::{SEED, applied, block_on, builder, item, model, scores};

/// One round: what its reviewer says, and whether the check fails in it.
#[derive(Clone, Copy, Debug)]
struct ScriptedRound {
    passes: bool,
    names: bool,
    fails: bool,
}

struct World<'a> {
    rounds: &'a [ScriptedRound],
    artifact: &'a MemoryArtifact,
    given: Mutex<Vec<ApplyRequest>>,
    runs: AtomicUsize,
}

#[async_trait]
impl Reviewer for &World<'_> {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let round = self.rounds[request.iteration as usize - 1];
        let (verdict, other) = match round.passes {
            true => (Verdict::Pass, None),
            false => {
                let other = item("API", "nobody feeds the otter", "feed it");
                (
                    Verdict::NeedsRevision,
                    Some(other.with_severity(Severity::Major)),
                )
            }
        };
        let named = item("Goals", "the zebra is striped", "paint it");
        let named = named.with_severity(Severity::Minor).with_check(unit());
        let items = other.into_iter().chain(round.names.then_some(named));
        let review = Review::new(verdict, scores([90; 4]), items.collect()).unwrap();
        Ok(ReviewAnswer::review(review).with_model(model()))
    }
}

#[async_trait]
impl Applier for &World<'_> {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let text = format!("after round {}", request.iteration);
        self.artifact.write(SPEC, text);
        self.given.lock().unwrap().push(request);
        Ok(applied(""))
    }
}

#[async_trait]
impl NamedChecks for World<'_> {
    fn names(&self) -> Result<CheckNames, Stop> {
        Ok(CheckNames {
            checks: vec!["unit".to_owned()],
            tasks: Vec::new(),
        })
    }

    async fn run(&self, step: &Step, named: &NamedCheck) -> Result<NamedOutcome, Stop> {
        assert_eq!(*named, unit());
        self.runs.fetch_add(1, Ordering::Relaxed);
        let round = step.name.as_str().strip_prefix("review/check-").unwrap();
        let round: usize = round.parse().unwrap();
        Ok(match self.rounds[round - 1].fails {
            true => NamedOutcome::Fails("exit status 1".to_owned()),
            false => NamedOutcome::Passes,
        })
    }
}

fn unit() -> NamedCheck {
    NamedCheck::Check("unit".to_owned())
}

/// The number of rounds, the runs of the check, and the passes that it overrules, by what
/// the rounds are.
fn expected(rounds: &[ScriptedRound]) -> (usize, usize, usize, bool) {
    let (mut runs, mut overruled, mut is_open) = (0, 0, false);
    for (at, round) in rounds.iter().enumerate() {
        let is_run = round.names || is_open;
        runs += usize::from(is_run);
        is_open = is_run && round.fails;
        overruled += usize::from(is_open && round.passes);
        if round.passes && !is_open {
            return (at + 1, runs, overruled, true);
        }
    }
    (rounds.len(), runs, overruled, false)
}

proptest! {
    #[test]
    fn a_proved_finding_blocks_at_any_round_and_until_its_check_passes(
        rounds in proptest::collection::vec((any::<bool>(), any::<bool>(), any::<bool>()), 1..8)
    ) {
        let rounds: Vec<_> = rounds
            .into_iter()
            .map(|(passes, names, fails)| ScriptedRound { passes, names, fails })
            .collect();
        let artifact = first_artifact();
        let world = World {
            rounds: &rounds,
            artifact: &artifact,
            given: Mutex::default(),
            runs: AtomicUsize::new(0),
        };
        let sink = MemorySink::default();
        let mut config = converging(0);
        config.max_iterations = u32::try_from(rounds.len()).unwrap();
        let looped = builder(config, &world, &world)
            .artifact(&*artifact)
            .named_checks(&world)
            .events(&sink)
            .build()
            .unwrap();
        let session = block_on(looped.run(SEED, &ManualClock::default())).unwrap();
        let overruled = sink.events().into_iter().filter_map(|envelope| match envelope.event {
            Event::PassOverruled(PassOverruled { facts: 0, confirmed: 1, .. }) => Some(()),
            _ => None,
        });
        let found = (
            session.iterations.len(),
            world.runs.load(Ordering::Relaxed),
            overruled.count(),
            session.block_code.is_none(),
        );
        prop_assert_eq!(found, expected(&rounds));
        if let Some(code) = session.block_code {
            prop_assert_eq!(code, BlockCode::MaxIterations);
        }
        let given = world.given.lock().unwrap();
        for request in given.iter() {
            let named = request.items.as_slice().iter().filter(|item| item.check().is_some());
            prop_assert!(named.count() <= 1, "one item for one finding");
        }
    }
}

#[test]
fn a_loop_without_named_checks_notes_that_nothing_can_be_named() {
    let rounds = [ScriptedRound {
        passes: true,
        names: true,
        fails: true,
    }];
    let artifact = first_artifact();
    let world = World {
        rounds: &rounds,
        artifact: &artifact,
        given: Mutex::default(),
        runs: AtomicUsize::new(0),
    };
    let sink = MemorySink::default();
    let looped = builder(converging(0), &world, &world)
        .artifact(&*artifact)
        .events(&sink)
        .build()
        .unwrap();
    let session = block_on(looped.run(SEED, &ManualClock::default())).unwrap();
    assert_eq!(session.block_code, None);
    let notes = sink
        .events()
        .into_iter()
        .filter_map(|envelope| match envelope.event {
            Event::FindingsJoined(joined) => Some(joined.findings[0].check.clone()?.message),
            _ => None,
        });
    let notes: Vec<_> = notes.collect();
    assert_eq!(notes, ["no check can be named here"]);
}
