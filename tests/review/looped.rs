//! Whole loops over an artifact in memory, and their ends.

use std::num::NonZeroU32;
use std::sync::Arc;

use review::config::{Convergence, Keep, LoopConfig};
use review::events::{BestRound, Event};
use review::flow::{ContentStore, Input, ManualClock, MemoryBlobs, MemoryJournal, RunLog, drive};
use review::machine::{LoopExecutor, LoopParts, ReviewMachine, base_state, session_of};
use review::types::{BlockCode, Finding, Manifest, ReviewSession};
use review::{Applier, ApplyRequest, Artifact, FactFinder, MemoryArtifact, MemorySink, Reviewer};

use crate::support::{SEED, block_on, config, envelopes, record};

/// The path of the only file.
pub(crate) const SPEC: &str = "specs/SEARCH.md";

/// The end of a loop.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) session: ReviewSession,
    pub(crate) best: Option<BestRound>,
    /// The content on disk.
    pub(crate) on_disk: String,
    /// All findings, as they were last reported.
    pub(crate) findings: Vec<Finding>,
    /// Findings that were reported as repeated.
    pub(crate) repeated: Vec<Finding>,
    /// The items that the applier was given.
    pub(crate) asked: Vec<ApplyRequest>,
}

impl Ended {
    pub(crate) fn code(&self) -> Option<BlockCode> {
        self.session.block_code
    }

    /// Returns the code, the number of rounds, and the best of them.
    pub(crate) fn summary(&self) -> (Option<BlockCode>, usize, Option<u32>) {
        let best = self.best.as_ref().map(|best| best.iteration);
        (self.code(), self.session.iterations.len(), best)
    }
}

/// Returns a configuration with ten rounds and convergence; with a patience of 0 the loop
/// never stagnates.
pub(crate) fn converging(patience: u32) -> LoopConfig {
    LoopConfig {
        max_iterations: 10,
        convergence: Some(Convergence {
            patience: NonZeroU32::new(patience).unwrap_or(NonZeroU32::MAX),
            keep: Keep::Best,
        }),
        ..config()
    }
}

/// Returns the artifact that every loop starts with.
pub(crate) fn first_artifact() -> Arc<MemoryArtifact> {
    let artifact = Arc::new(MemoryArtifact::default());
    artifact.write(SPEC, "at first");
    artifact
}

/// Runs a loop; the function runs before each snapshot of the artifact that stores
/// its contents: after an apply, and before a restore.
pub(crate) fn looped(
    config: &LoopConfig,
    artifact: &MemoryArtifact,
    reviewer: impl Reviewer,
    applier: impl Applier,
    meanwhile: &(dyn Fn(&MemoryArtifact) + Send + Sync),
) -> Ended {
    looped_with(config, artifact, reviewer, applier, meanwhile, None)
}

/// Like [`run`], with facts about the artifact.
pub(crate) fn looped_with(
    config: &LoopConfig,
    artifact: &MemoryArtifact,
    reviewer: impl Reviewer,
    applier: impl Applier,
    meanwhile: &(dyn Fn(&MemoryArtifact) + Send + Sync),
    facts: Option<&dyn FactFinder>,
) -> Ended {
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let now = artifact.snapshot(Some(&texts)).unwrap();
    let config = LoopConfig {
        base: Some(base_state(&now, &texts).unwrap()),
        ..config.clone()
    };
    let watched = Watched {
        inner: artifact,
        meanwhile,
    };
    let executor = LoopExecutor::new(
        &config,
        SEED,
        reviewer,
        applier,
        LoopParts {
            artifact: Some(&watched),
            facts,
            ..LoopParts::default()
        },
    );
    let mut machine = ReviewMachine::new(config.clone()).unwrap();
    let sink = MemorySink::default();
    let mut journal = MemoryJournal::default();
    let envelopes = envelopes(&sink);
    let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
    log.emit_to(&envelopes);
    let clock = ManualClock::default();
    let first = Input::Start { at: log.run().at };
    let done = block_on(drive(&mut machine, &executor, &mut log, &clock, first)).unwrap();
    let mut ended = Ended {
        session: session_of(&config, &machine, &done, &texts).unwrap(),
        best: None,
        on_disk: String::from_utf8(artifact.read(SPEC).unwrap()).unwrap(),
        findings: Vec::new(),
        repeated: Vec::new(),
        asked: Vec::new(),
    };
    for told in sink.events() {
        match told.event {
            Event::ReviewBlocked(blocked) => ended.best = blocked.best,
            Event::FindingsJoined(joined) => ended.findings = joined.findings,
            Event::RepeatedIssue(repeated) => ended.repeated.push(repeated.finding),
            _ => {}
        }
    }
    ended
}

/// An artifact with a callback before each stored snapshot.
struct Watched<'a> {
    inner: &'a MemoryArtifact,
    meanwhile: &'a (dyn Fn(&MemoryArtifact) + Send + Sync),
}

impl Artifact for Watched<'_> {
    fn snapshot(&self, texts: Option<&ContentStore>) -> std::io::Result<review::Snapshot> {
        if texts.is_some() {
            (self.meanwhile)(self.inner);
        }
        self.inner.snapshot(texts)
    }

    fn restore(&self, manifest: &Manifest, texts: &ContentStore) -> std::io::Result<()> {
        self.inner.restore(manifest, texts)
    }
}

/// Returns a report with the applier's decision on each item that it names, by its
/// position.
pub(crate) fn report<'a>(
    request: &ApplyRequest,
    status: impl Fn(usize) -> Option<&'a str>,
) -> String {
    let items = request.items.iter().enumerate();
    let items = items.filter_map(|(at, (id, _))| {
        let status = status(at)?;
        Some(format!(
            r#"{{"id": "{id}", "status": "{status}", "explanation": "it is meant so"}}"#
        ))
    });
    let items: Vec<_> = items.collect();
    format!(
        r#"{{"applied_feedback": {{"items": [{}]}}}}"#,
        items.join(", ")
    )
}
