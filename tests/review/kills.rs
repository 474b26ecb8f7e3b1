//! A loop that is killed at any time ends like an undisturbed one, with its best
//! round on disk.

use std::cmp::Reverse;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use proptest::prelude::*;
use review::CheckOutcome;
use review::config::LoopConfig;
use review::events::{BestRound, CheckReport, Envelope, Event};
use review::flow::{
    Blobs, ContentStore, DriveError, Input, Journal, LogError, ManualClock, MemoryBlobs,
    MemoryJournal, RunLog, Step, Stop, drive,
};
use review::machine::{BaseState, LoopExecutor, LoopParts, ReviewMachine, base_state, session_of};
use review::types::{
    AgentError, FinalVerdict, Finding, Hash, Manifest, Review, ReviewSession, Verdict,
};
use review::{
    Applier, ApplyReport, ApplyRequest, Artifact, Check, MemoryArtifact, MemorySink, ReviewAnswer,
    ReviewRequest, Reviewer, Snapshot,
};

use crate::looped::{SPEC, converging, report};
use crate::recovery::by_number;
use crate::support::{SEED, applied, block_on, envelopes, failure, item, record, reviewed, scores};

/// The other file of the artifact.
const NOTES: &str = "specs/NOTES.md";

/// The findings that a reviewer may raise, and their places.
const ISSUES: [(&str, &str); 4] = [
    (SPEC, "the zebra is striped"),
    (SPEC, "no one feeds the otter"),
    (NOTES, "giraffes are too tall"),
    ("Animals", "a walrus sings"),
];

/// The decisions that an applier may state on an item.
const DECISIONS: [Option<&str>; 4] = [None, Some("accepted"), Some("partial"), Some("rejected")];

/// The behaviour of the agents of a loop. Each answer depends on the step alone, so
/// that a repeated step gets the same.
#[derive(Clone, Debug)]
struct Script {
    /// For each round, the raised issues and the scores. The last round is repeated;
    /// without an issue it is a pass.
    said: Vec<([bool; 4], [i64; 4])>,
    /// The number of the content that each call of the applier writes; 0 is the first
    /// artifact. Others follow.
    left: Vec<usize>,
    /// Positions in the decisions, used in turn.
    decided: Vec<usize>,
    /// Whether the check of the project passes, round by round in turn.
    checks: Vec<bool>,
}

/// The state of a process at a point where it may be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Lived,
    /// It is killed now.
    Killed,
    /// It was killed before: its actions have no effect.
    Dead,
}

/// The number of points at which a process may still be killed.
struct Life(AtomicUsize);

impl Life {
    fn of(moments: usize) -> Self {
        Self(AtomicUsize::new(moments))
    }

    fn left(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn moment(&self) -> Moment {
        let left = self.left();
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        match left {
            0 => Moment::Dead,
            1 => Moment::Killed,
            _ => Moment::Lived,
        }
    }

    fn goes_on(&self) -> bool {
        self.moment() == Moment::Lived
    }
}

/// Writes text number `n` to both files.
fn write(artifact: &MemoryArtifact, n: usize) {
    artifact.write(SPEC, format!("spec {n}\n"));
    artifact.write(NOTES, format!("notes {n}\n"));
}

/// The agents of a script, for one process.
struct People<'a> {
    script: &'a Script,
    life: &'a Life,
    artifact: &'a MemoryArtifact,
}

#[async_trait]
impl Reviewer for People<'_> {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        if !self.life.goes_on() {
            return Err(failure("killed"));
        }
        let at = request.iteration as usize - 1;
        let (raised, values) = self.script.said[at.min(self.script.said.len() - 1)];
        let issues = ISSUES.iter().zip(raised).filter(|(_, raised)| *raised);
        let items: Vec<_> = issues
            .map(|((section, issue), _)| item(section, issue, "fix it"))
            .collect();
        let verdict = match items.is_empty() {
            true => Verdict::Pass,
            false => Verdict::NeedsRevision,
        };
        let review = Review::new(verdict, scores(values), items).unwrap();
        Ok(reviewed(review))
    }
}

#[async_trait]
impl Applier for People<'_> {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let is_again = request.step.name.as_str().ends_with(".2");
        let call = request.iteration as usize * 2 + usize::from(is_again) - 2;
        let left = self.script.left.get(call).copied().unwrap_or(100 + call);
        if !self.life.goes_on() {
            return Err(failure("killed"));
        }
        self.artifact.write(SPEC, "half of it");
        if !self.life.goes_on() {
            return Err(failure("killed"));
        }
        write(self.artifact, left);
        let decided = &self.script.decided;
        let decision = |item: usize| DECISIONS[decided[(call + item) % decided.len()]];
        Ok(applied(report(&request, decision).into_bytes()))
    }
}

#[async_trait]
impl Check for People<'_> {
    async fn check(&self, step: &Step) -> Result<CheckOutcome, Stop> {
        if !self.life.goes_on() {
            return Err(Stop::Interrupted);
        }
        let round = step.name.as_str().strip_prefix("review/review-").unwrap();
        let round: usize = round.split('.').next().unwrap().parse().unwrap();
        let checks = &self.script.checks;
        let failure = (!checks[round % checks.len()]).then(|| "exit status 1".to_owned());
        Ok(CheckOutcome::Ran(CheckReport {
            command: "make check".to_owned(),
            failure,
            output: format!("round {round}\n"),
        }))
    }
}

/// A journal whose process may be killed during an append.
struct MortalJournal<'a> {
    inner: &'a mut MemoryJournal,
    life: &'a Life,
    /// The share of the lines that is written then, from 0 to 1.
    torn: f64,
}

impl Journal for MortalJournal<'_> {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.inner.read()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.inner.truncate(len)
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let part = match self.life.moment() {
            Moment::Lived => return self.inner.append(lines),
            Moment::Killed => (lines.len() as f64 * self.torn) as usize,
            Moment::Dead => 0,
        };
        self.inner.append(&lines[..part])?;
        Err(io::Error::other("killed"))
    }
}

/// An artifact whose files are restored one after the other, by a process that
/// may be killed in between.
struct MortalArtifact<'a> {
    inner: &'a MemoryArtifact,
    life: &'a Life,
}

impl Artifact for MortalArtifact<'_> {
    fn snapshot(&self, texts: Option<&ContentStore>) -> io::Result<Snapshot> {
        self.inner.snapshot(texts)
    }

    fn restore(&self, manifest: &Manifest, texts: &ContentStore) -> io::Result<()> {
        for file in manifest.files() {
            if !self.life.goes_on() {
                return Err(io::Error::other("killed"));
            }
            let text = texts.get(&file.hash).map_err(io::Error::other)?;
            self.inner.write(&*file.path, &*text);
        }
        Ok(())
    }
}

/// The state that survives a process.
struct World {
    config: LoopConfig,
    artifact: MemoryArtifact,
    journal: MemoryJournal,
    blobs: Arc<dyn Blobs>,
    /// All events that were emitted, by all processes.
    told: Vec<Envelope>,
}

/// The end of a loop, and its result.
#[derive(Debug, PartialEq)]
struct End {
    session: ReviewSession,
    /// The emitted events, each once, without those about undone changes.
    told: Vec<Envelope>,
    /// Hash of the artifact that is on disk.
    on_disk: Hash,
}

impl World {
    fn new(patience: u32, max_iterations: u32) -> Self {
        let artifact = MemoryArtifact::default();
        write(&artifact, 0);
        Self {
            config: LoopConfig {
                max_iterations,
                ..converging(patience)
            },
            artifact,
            journal: MemoryJournal::default(),
            blobs: Arc::new(MemoryBlobs::default()),
            told: Vec::new(),
        }
    }

    /// Runs a process that continues after the killed ones; `None` if it is killed
    /// too, with the part `torn` of its last append.
    fn run(&mut self, script: &Script, life: &Life, torn: f64) -> Option<End> {
        let texts = ContentStore::new(Arc::clone(&self.blobs));
        let sink = MemorySink::default();
        let is_new = !self.journal.bytes().contains(&b'\n');
        if is_new {
            self.journal = MemoryJournal::default();
            self.config.base = Some(self.state(&texts));
        }
        let mut journal = MortalJournal {
            inner: &mut self.journal,
            life,
            torn,
        };
        let log = match is_new {
            true => RunLog::create(&mut journal, &texts, record()),
            false => RunLog::open(&mut journal, &texts),
        };
        let envelopes = envelopes(&sink);
        let mut log = log.unwrap();
        log.emit_to(&envelopes);
        let artifact = MortalArtifact {
            inner: &self.artifact,
            life,
        };
        let people = || People {
            script,
            life,
            artifact: &self.artifact,
        };
        let check = people();
        let executor = LoopExecutor::new(
            &self.config,
            SEED,
            people(),
            people(),
            LoopParts {
                artifact: Some(&artifact),
                check: Some(&check),
                ..LoopParts::default()
            },
        );
        let mut machine = ReviewMachine::new(self.config.clone()).unwrap();
        let first = Input::Start { at: log.run().at };
        let clock = ManualClock::default();
        let done = block_on(drive(&mut machine, &executor, &mut log, &clock, first));
        drop(log);
        self.told.extend(sink.events());
        match done {
            Ok(done) => Some(End {
                session: session_of(&self.config, &machine, &done, &texts).unwrap(),
                told: but_undone(by_number(self.told.clone())),
                on_disk: self.artifact.snapshot(None).unwrap().hash,
            }),
            Err(DriveError::Log(LogError::Io { .. })) if life.left() == 0 => None,
            Err(error) => panic!("{error:?}"),
        }
    }

    fn state(&self, texts: &ContentStore) -> BaseState {
        let now = self.artifact.snapshot(Some(texts)).unwrap();
        base_state(&now, texts).unwrap()
    }
}

/// Returns the events without those about undone changes: a kill causes more of them.
fn but_undone(mut told: Vec<Envelope>) -> Vec<Envelope> {
    told.retain(|envelope| !matches!(envelope.event, Event::ArtifactUndone(_)));
    for (seq, envelope) in (0..).zip(&mut told) {
        envelope.seq = Some(seq);
    }
    told
}

/// Returns the best round by the events, and its artifact: a check that passed, fewer
/// blocking findings, a higher lowest score, a higher sum; of equal ones the last.
fn best_reported(told: &[Envelope]) -> Option<(u32, Hash)> {
    let mut best = None;
    let mut last = None;
    for envelope in told {
        match &envelope.event {
            Event::ReviewIteration(round) => last = Some(round),
            Event::FindingsJoined(joined) => {
                let round = last.unwrap();
                assert_eq!(round.iteration, joined.iteration);
                let raised = |finding: &&Finding| finding.raised.last() == Some(&round.iteration);
                let raised = joined.findings.iter().filter(raised);
                let blocking = raised.filter(|finding| finding.blocks());
                let scores = || round.scores.iter().map(|(_, score)| u32::from(score.get()));
                let worth = (
                    round.check.as_ref().unwrap().passed(),
                    Reverse(blocking.count()),
                    scores().min(),
                    scores().sum::<u32>(),
                );
                if best.as_ref().is_none_or(|(most, _)| worth >= *most) {
                    best = Some((worth, (round.iteration, round.artifact.unwrap())));
                }
            }
            _ => {}
        }
    }
    best.map(|(_, round)| round)
}

/// Returns the round that a blocked loop reports as kept.
fn best_kept(told: &[Envelope]) -> Option<BestRound> {
    let kept = told.iter().find_map(|envelope| match &envelope.event {
        Event::ReviewBlocked(blocked) => Some(blocked.best.clone()),
        _ => None,
    });
    kept.flatten()
}

fn any_script() -> impl Strategy<Value = Script> {
    let scores = prop::array::uniform4(0..=100_i64);
    let plateau = (0..=100_i64).prop_map(|score| [score; 4]);
    let climb = (60..=75_i64).prop_map(|score| [score; 4]);
    let scores = prop_oneof![scores, plateau, climb];
    let issues = prop::array::uniform4(any::<bool>());
    (
        prop::collection::vec((issues, scores), 1..10),
        prop::collection::vec(0..8_usize, 0..16),
        prop::collection::vec(0..DECISIONS.len(), 1..8),
        prop_oneof![Just(vec![true]), prop::collection::vec(any::<bool>(), 1..8)],
    )
        .prop_map(|(said, left, decided, checks)| Script {
            said,
            left,
            decided,
            checks,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 320, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_loop_killed_at_any_moments_ends_as_one_that_nobody_disturbed_with_its_best_on_disk(
        script in any_script(),
        patience in 0..4_u32,
        max_iterations in 1..12_u32,
        kills in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 1..6),
    ) {
        let endless = Life::of(usize::MAX);
        let end = World::new(patience, max_iterations).run(&script, &endless, 0.0).unwrap();
        let rounds = &end.session.iterations;
        prop_assert!(rounds.len() <= max_iterations as usize);
        let kept = best_kept(&end.told);
        if end.session.final_verdict == FinalVerdict::Pass {
            let passed = rounds.last().unwrap().result.as_ref().unwrap();
            prop_assert!(passed.score().iter().all(|(_, score)| score.get() >= 70));
            prop_assert_eq!((passed.verdict(), kept), (Verdict::Pass, None));
        } else {
            prop_assert_eq!(end.session.final_verdict, FinalVerdict::Blocked);
            prop_assert_eq!(best_reported(&end.told), kept.map(|kept| (kept.iteration, end.on_disk)));
        }
        let moments = usize::MAX - endless.left();
        let mut world = World::new(patience, max_iterations);
        for (part, torn) in kills {
            let life = Life::of(1 + (moments as f64 * part) as usize);
            if let Some(ended) = world.run(&script, &life, torn) {
                prop_assert_eq!(&ended, &end);
            }
        }
        prop_assert_eq!(world.run(&script, &endless, 0.0), Some(end));
    }
}
