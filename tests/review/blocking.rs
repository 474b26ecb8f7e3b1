//! What may cost a round, and what passes: the rules as properties of whole loops with any
//! reviewer.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use async_trait::async_trait;
use proptest::prelude::*;
use review::config::{Convergence, Keep, LoopConfig};
use review::events::Event;
use review::flow::{ContentStore, Input, ManualClock, MemoryBlobs, MemoryJournal, RunLog, drive};
use review::machine::{LoopExecutor, LoopParts, ReviewMachine, base_state, session_of};
use review::types::Severity::{self, Critical, Major, Minor, Suggestion};
use review::types::{AgentError, BlockCode, ReviewSession};
use review::{
    Applier, ApplyReport, ApplyRequest, Artifact as _, Fact, FactFinder, MemoryArtifact,
    MemorySink, ReviewAnswer, ReviewRequest, Reviewer,
};
use serde_json::json;

use crate::looped::{SPEC, first_artifact, report};
use crate::support::{SEED, answer, applied, block_on, config, envelopes, item, record};

/// The answer of a reviewer in a round.
#[derive(Clone, Debug)]
struct ScriptedRound {
    /// Whether it says pass; without an item it does.
    passes: bool,
    /// The numbers of its findings, with their severities.
    items: BTreeMap<u32, Severity>,
    /// Whether a rule finds an error.
    has_error: bool,
}

impl ScriptedRound {
    fn says_pass(&self) -> bool {
        self.passes || self.items.is_empty()
    }

    fn grave(&self) -> impl Iterator<Item = &u32> {
        let grave = self
            .items
            .iter()
            .filter(|(_, severity)| **severity <= Major);
        grave.map(|(number, _)| number)
    }

    fn is_clean(&self) -> bool {
        self.grave().next().is_none() && !self.has_error
    }
}

/// The agents of a loop, which act by the number of the round.
struct World<'a> {
    rounds: &'a [ScriptedRound],
    artifact: &'a MemoryArtifact,
    /// The last round that was reviewed to its end.
    reviewed: AtomicU32,
    calls: AtomicUsize,
}

impl World<'_> {
    fn round(&self, iteration: u32) -> &ScriptedRound {
        let at = iteration as usize - 1;
        &self.rounds[at.min(self.rounds.len() - 1)]
    }
}

fn issue(number: u32) -> String {
    format!("`REQ-{number}` has no acceptance criterion")
}

#[async_trait]
impl Reviewer for &World<'_> {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let round = self.round(request.iteration);
        self.reviewed.store(request.iteration, Ordering::Relaxed);
        let items = round.items.iter().map(|(number, severity)| {
            json!({"section": "Animals", "issue": issue(*number), "suggestion": "write one",
                "severity": severity})
        });
        let said = json!({
            "verdict": if round.says_pass() { "pass" } else { "needs_revision" },
            "score": {"completeness": 90, "consistency": 90, "testability": 90, "architecture": 90},
            "feedback": items.collect::<Vec<_>>(),
        });
        Ok(answer(said.to_string()))
    }
}

#[async_trait]
impl Applier for &World<'_> {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let text = format!("after round {}", request.iteration);
        self.artifact.write(SPEC, text);
        Ok(applied(report(&request, |_| Some("accepted"))))
    }
}

#[async_trait]
impl FactFinder for &World<'_> {
    async fn facts(&self) -> Result<Vec<Fact>, AgentError> {
        let next = self.reviewed.load(Ordering::Relaxed) + 1;
        let fact = |_| Fact {
            item: item("Animals", &issue(99), "write one").with_severity(Critical),
            blocks: true,
        };
        let has_error = self.round(next).has_error;
        Ok(has_error.then_some(()).map(fact).into_iter().collect())
    }
}

/// The rounds of a loop that were spent on new, unproved findings, after each of its
/// rounds, and its session.
type Ran = (Vec<u32>, ReviewSession);

/// Runs a loop, and replays it.
fn run(config: LoopConfig, rounds: &[ScriptedRound]) -> Ran {
    let artifact = first_artifact();
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let now = artifact.snapshot(Some(&texts)).unwrap();
    let config = LoopConfig {
        base: Some(base_state(&now, &texts).unwrap()),
        ..config
    };
    let mut journal = MemoryJournal::default();
    let mut drive_once = |is_new: bool| {
        let world = World {
            rounds,
            artifact: &artifact,
            reviewed: AtomicU32::default(),
            calls: AtomicUsize::default(),
        };
        let facts = &world;
        let executor = LoopExecutor::new(
            &config,
            SEED,
            &world,
            &world,
            LoopParts {
                artifact: Some(&*artifact),
                facts: Some(&facts),
                ..LoopParts::default()
            },
        );
        let mut machine = ReviewMachine::new(config.clone()).unwrap();
        let sink = MemorySink::default();
        let envelopes = envelopes(&sink);
        let mut log = match is_new {
            true => RunLog::create(&mut journal, &texts, record()).unwrap(),
            false => RunLog::open(&mut journal, &texts).unwrap(),
        };
        log.emit_to(&envelopes);
        let first = Input::Start { at: log.run().at };
        let clock = ManualClock::default();
        let done = block_on(drive(&mut machine, &executor, &mut log, &clock, first)).unwrap();
        let spent = sink
            .events()
            .into_iter()
            .filter_map(|told| match told.event {
                Event::FindingsJoined(joined) => Some(joined.unproved_rounds.spent),
                _ => None,
            });
        let session = session_of(&config, &machine, &done, &texts).unwrap();
        ((spent.collect(), session), world.calls.into_inner())
    };
    let (ran, _) = drive_once(true);
    let ((_, replayed), calls) = drive_once(false);
    assert_eq!((&replayed, calls), (&ran.1, 0), "a replay asks nobody");
    ran
}

/// The rounds that are spent after each round: those after the first two whose blocking
/// findings are all new and unproved.
fn spent(rounds: &[ScriptedRound]) -> Vec<u32> {
    let mut known = BTreeSet::new();
    let mut spent = 0;
    let counted = (1..).zip(rounds).map(|(number, round)| {
        let is_new = round.grave().all(|finding| !known.contains(finding));
        let has_grave = round.grave().next().is_some();
        let costs = number > 2 && has_grave && is_new && !round.has_error;
        spent += u32::from(costs);
        known.extend(round.items.keys().copied());
        spent
    });
    counted.collect()
}

fn any_round() -> impl Strategy<Value = ScriptedRound> {
    let severity = prop::sample::select(vec![Critical, Major, Major, Minor, Suggestion]);
    let items = prop::collection::btree_map(0..9_u32, severity, 0..4);
    (any::<bool>(), items, prop::bool::weighted(0.2)).prop_map(|(passes, items, has_error)| {
        ScriptedRound {
            passes,
            items,
            has_error,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_new_unproved_findings_spend_the_budget_and_nothing_but_a_clean_pass_passes(
        rounds in prop::collection::vec(any_round(), 1..12),
        max_iterations in 1..12_u32,
    ) {
        let config = LoopConfig {
            max_iterations,
            convergence: Some(Convergence {
                patience: NonZeroU32::MAX,
                keep: Keep::Last,
            }),
            ..config()
        };
        let (counted, session) = run(config, &rounds);
        let last = rounds.len() - 1;
        let said: Vec<_> = (0..counted.len()).map(|at| rounds[at.min(last)].clone()).collect();
        prop_assert_eq!(&counted, &spent(&said));
        prop_assert!(counted.iter().all(|spent| *spent <= 4));
        let (end, before) = said.split_last().unwrap();
        let passes = |round: &ScriptedRound| round.is_clean() && round.says_pass();
        prop_assert!(!before.iter().any(passes), "a clean pass ends a loop");
        prop_assert_eq!(session.block_code.is_none(), passes(end), "{:?}", session.block_code);
        if session.block_code == Some(BlockCode::UnprovedFindings) {
            prop_assert_eq!(counted.last(), Some(&4));
        }
    }
}
