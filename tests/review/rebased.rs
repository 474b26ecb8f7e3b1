//! A loop that continues after a user changed its artifact.

use std::sync::{Arc, Mutex};

use review::config::LoopConfig;
use review::flow::{
    ContentStore, Executed, Executor, Input, ManualClock, MemoryBlobs, MemoryJournal, RunLog, Step,
    Stop, drive,
};
use review::machine::{
    BaseState, LoopExecutor, LoopParts, ReviewChanges, ReviewMachine, ReviewOp, ReviewOut,
    base_state,
};
use review::types::{Review, Verdict};
use review::{Artifact as _, MemoryArtifact};

use crate::looped::{SPEC, converging, first_artifact};
use crate::support::{
    MockApplier, MockReviewer, SEED, applied, block_on, item, record, reviewed, scores,
};

/// Records the steps; before a round since the edit is restored, another process
/// writes a string.
struct Watched<'a, E> {
    inner: E,
    artifact: &'a MemoryArtifact,
    meanwhile: &'static str,
    /// Reviews and joins, and whether they treat the artifact as changed by a user.
    rebased: Mutex<Vec<(String, bool)>>,
}

impl<E: Executor<ReviewMachine>> Executor<ReviewMachine> for Watched<'_, E> {
    async fn exec(
        &self,
        step: Step,
        op: ReviewOp,
        texts: &ContentStore,
    ) -> Result<Executed<ReviewOut>, Stop> {
        let name = step.name.to_string();
        let rebased = match &op {
            ReviewOp::Review(asked) => Some(asked.rebased),
            ReviewOp::Ledger(asked) => Some(asked.rebased),
            ReviewOp::Restore(_) if name.ends_with("/restore-4") => {
                self.artifact.write(SPEC, self.meanwhile);
                None
            }
            ReviewOp::Apply(_) | ReviewOp::Restore(_) | ReviewOp::Inbox(_) => None,
        };
        if let Some(rebased) = rebased {
            self.rebased.lock().unwrap().push((name, rebased));
        }
        self.inner.exec(step, op, texts).await
    }
}

/// Returns a reviewer for which each second round is worse than the previous one.
fn reviewer() -> MockReviewer {
    let mut mock = MockReviewer::new();
    mock.expect_review().returning(|request| {
        let worse = request.iteration.is_multiple_of(2);
        let issues = ["the zebra is striped", "no one feeds the otter"];
        let issues = issues.iter().take(1 + usize::from(worse));
        let items = issues.map(|issue| item("Animals", issue, "fix it"));
        let review = Review::new(Verdict::NeedsRevision, scores([80; 4]), items.collect());
        Ok(reviewed(review.unwrap()))
    });
    mock
}

fn applier(artifact: &Arc<MemoryArtifact>) -> MockApplier {
    let mut mock = MockApplier::new();
    let written = Arc::clone(artifact);
    mock.expect_apply().returning(move |request| {
        written.write(SPEC, format!("after round {}", request.iteration));
        Ok(applied(""))
    });
    mock
}

fn now(artifact: &MemoryArtifact, texts: &ContentStore) -> BaseState {
    base_state(&artifact.snapshot(Some(texts)).unwrap(), texts).unwrap()
}

/// Runs two rounds, an edit of the user, and two more; returns the artifact on disk,
/// and which steps treated it as changed by a user.
fn edited_between(meanwhile: &'static str) -> (String, Vec<(String, bool)>) {
    let artifact = first_artifact();
    let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
    let config = LoopConfig {
        max_iterations: 2,
        base: Some(now(&artifact, &texts)),
        ..converging(0)
    };
    let (reviewer, applier) = (reviewer(), applier(&artifact));
    let executor = Watched {
        inner: LoopExecutor::new(
            &config,
            SEED,
            reviewer,
            applier,
            LoopParts {
                artifact: Some(&*artifact),
                ..LoopParts::default()
            },
        ),
        artifact: &artifact,
        meanwhile,
        rebased: Mutex::default(),
    };
    let mut machine = ReviewMachine::new(config.clone()).unwrap();
    let mut journal = MemoryJournal::default();
    let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
    let (clock, at) = (ManualClock::default(), log.run().at);
    let first = Input::Start { at };
    block_on(drive(&mut machine, &executor, &mut log, &clock, first)).unwrap();
    artifact.write(SPEC, "by the user");
    let changes = ReviewChanges {
        base: Some(now(&artifact, &texts)),
        ..ReviewChanges::default()
    };
    log.resume(&changes, at).unwrap();
    let resumed = Input::Resumed {
        resume: 1,
        changes,
        at,
    };
    block_on(drive(&mut machine, &executor, &mut log, &clock, resumed)).unwrap();
    let on_disk = String::from_utf8(artifact.read(SPEC).unwrap()).unwrap();
    (on_disk, executor.rebased.into_inner().unwrap())
}

#[test]
fn only_the_first_round_after_an_edit_treats_the_artifact_as_changed() {
    let (_, steps) = edited_between("after round 3");
    let steps: Vec<_> = steps
        .iter()
        .map(|(name, rebased)| (&**name, *rebased))
        .collect();
    assert_eq!(
        steps,
        [
            ("review/review-1.1", false),
            ("review/findings-1", false),
            ("review/review-2.1", false),
            ("review/findings-2", false),
            ("review~1/review-3.1", true),
            ("review~1/findings-3", true),
            ("review~1/review-4.1", false),
            ("review~1/findings-4", false),
        ]
    );
}

#[test]
fn a_restore_leaves_a_file_with_its_content_from_before_the_edit() {
    for (meanwhile, expected) in [
        ("after round 3", "by the user"),
        ("at first", "at first"),
        ("after round 1", "after round 1"),
        ("by another process", "by another process"),
    ] {
        assert_eq!(edited_between(meanwhile).0, expected);
    }
}
