//! Task 6, also: changes of the artifact by others while the loop runs.

use std::sync::Arc;

use review::config::LoopConfig;
use review::events::{Envelope, Event};
use review::flow::{
    Blobs, ContentStore, Executed, Executor, Input, ManualClock, MemoryBlobs, MemoryJournal,
    RunLog, Step, Stop, drive, hash_bytes,
};
use review::machine::{
    LoopExecutor, LoopParts, ReviewMachine, ReviewOp, ReviewOut, base_state, session_of,
};
use review::types::{AgentError, BlockCode, FinalVerdict, Hash, ReviewSession};
use review::{
    ApplyReport, Artifact, EventSink, Malformed, MemoryArtifact, MemorySink, NoSink,
    OutOfScopeChange,
};

use crate::support::{
    MockApplier, MockReviewer, SEED, answer, applied, block_on, config, envelopes, failure,
    needs_revision, pass, record,
};

pub(crate) const SPEC: &str = "specs/SEARCH.md";

/// A project with one spec, a journal and a content store.
pub(crate) struct World {
    pub(crate) artifact: Arc<MemoryArtifact>,
    journal: MemoryJournal,
    blobs: Arc<MemoryBlobs>,
    texts: ContentStore,
    pub(crate) config: LoopConfig,
    /// Hash of the artifact at the end of the last run, as its machine knows it.
    known: Option<Hash>,
    /// Whether a run emits the events that it replays.
    is_told_again: bool,
}

impl World {
    pub(crate) fn new() -> Self {
        let artifact = Arc::new(MemoryArtifact::default());
        artifact.write(SPEC, "# Search\n");
        let blobs = Arc::new(MemoryBlobs::default());
        let texts = ContentStore::new(Arc::<MemoryBlobs>::clone(&blobs));
        let now = artifact.snapshot(Some(&texts)).unwrap();
        let config = LoopConfig {
            base: Some(base_state(&now, &texts).unwrap()),
            ..config()
        };
        Self {
            artifact,
            journal: MemoryJournal::default(),
            blobs,
            texts,
            config,
            known: None,
            is_told_again: false,
        }
    }

    /// Returns a project in whose first apply the process was killed.
    fn cut_off_in_apply() -> Self {
        let mut world = Self::new();
        let nothing = || Ok(());
        world.run(
            reviewer(&[needs_revision(), pass()], || ()),
            applier(1, nothing),
        );
        world.cut_off_in("review/apply-1");
        world
    }

    fn spec(&self) -> String {
        String::from_utf8(self.artifact.read(SPEC).unwrap()).unwrap()
    }

    pub(crate) fn run(&mut self, reviewer: MockReviewer, applier: MockApplier) -> ReviewSession {
        self.run_telling(&NoSink, reviewer, applier)
    }

    pub(crate) fn run_telling(
        &mut self,
        sink: &dyn EventSink,
        reviewer: MockReviewer,
        applier: MockApplier,
    ) -> ReviewSession {
        let is_new = self.journal.bytes().is_empty();
        let artifact: &dyn Artifact = &*self.artifact;
        let executor = LoopExecutor::new(
            &self.config,
            SEED,
            reviewer,
            applier,
            LoopParts {
                artifact: Some(artifact),
                ..LoopParts::default()
            },
        );
        let mut machine = ReviewMachine::new(self.config.clone()).unwrap();
        let mut log = if is_new {
            RunLog::create(&mut self.journal, &self.texts, record())
        } else {
            RunLog::open(&mut self.journal, &self.texts)
        }
        .unwrap();
        let envelopes = envelopes(sink);
        log.emit_to(&envelopes);
        if self.is_told_again {
            log.emit_replayed();
        }
        let clock = ManualClock::default();
        let first = Input::Start { at: log.run().at };
        let driven = drive(&mut machine, &executor, &mut log, &clock, first);
        let done = block_on(driven).unwrap();
        self.known = machine.base().map(|base| base.artifact);
        session_of(&self.config, &machine, &done, &self.texts).unwrap()
    }

    /// Returns whether the store has a blob with this content.
    fn keeps(&self, text: &str) -> bool {
        let kept = self.blobs.get(&hash_bytes(text.as_bytes())).unwrap();
        kept.is_some_and(|kept| kept == text.as_bytes())
    }

    /// Resumes the run until the applier is called and the process fails; returns the reason.
    fn halted_in_apply(&mut self, calls: usize) -> Option<String> {
        let artifact: &dyn Artifact = &*self.artifact;
        let (reviewer, applier) = (MockReviewer::new(), applier(calls, || Ok(())));
        let inner = LoopExecutor::new(
            &self.config,
            SEED,
            reviewer,
            applier,
            LoopParts {
                artifact: Some(artifact),
                ..LoopParts::default()
            },
        );
        let executor = CutOff(inner);
        let mut machine = ReviewMachine::new(self.config.clone()).unwrap();
        let mut log = RunLog::open(&mut self.journal, &self.texts).unwrap();
        let clock = ManualClock::default();
        let first = Input::Start { at: log.run().at };
        let driven = block_on(drive(&mut machine, &executor, &mut log, &clock, first));
        driven.err().map(|error| error.to_string())
    }

    /// Leaves the journal as it is when the process is killed in `step`.
    pub(crate) fn cut_off_in(&mut self, step: &str) {
        let journal = std::str::from_utf8(self.journal.bytes())
            .unwrap()
            .to_owned();
        let begin = format!("\"start\":{{\"step\":\"{step}\"");
        let mut kept = String::new();
        for line in journal.lines() {
            kept.push_str(line);
            kept.push('\n');
            if line.contains(&begin) {
                self.journal = MemoryJournal::from_bytes(kept.into_bytes());
                return;
            }
        }
        panic!("no start of {step} in {journal}");
    }
}

/// Runs steps, and fails before their results are recorded.
struct CutOff<E>(E);

impl<E: Executor<ReviewMachine>> Executor<ReviewMachine> for CutOff<E> {
    async fn exec(
        &self,
        step: Step,
        op: ReviewOp,
        texts: &ContentStore,
    ) -> Result<Executed<ReviewOut>, Stop> {
        self.0.exec(step, op, texts).await?;
        Err(Stop::Broken("interrupted".to_owned()))
    }

    fn left(&self, op: &ReviewOp, texts: &ContentStore) -> Result<Option<Hash>, Stop> {
        self.0.left(op, texts)
    }
}

/// Returns a reviewer with these answers in turn; before each answer the
/// function runs.
fn reviewer<const CALLS: usize>(
    answers: &[String; CALLS],
    meanwhile: impl Fn() + Send + Sync + 'static,
) -> MockReviewer {
    let mut mock = MockReviewer::new();
    let mut answers = answers.clone().into_iter();
    mock.expect_review().times(CALLS).returning(move |_| {
        meanwhile();
        Ok(answer(answers.next().expect("as many answers as calls")))
    });
    mock
}

/// Returns an applier that does `edit` with every item of feedback.
fn applier(
    times: usize,
    edit: impl Fn() -> Result<(), AgentError> + Send + Sync + 'static,
) -> MockApplier {
    let mut mock = MockApplier::new();
    mock.expect_apply()
        .times(times)
        .returning(move |_| edit().map(|()| applied("done")));
    mock
}

fn writes(artifact: &Arc<MemoryArtifact>, text: &'static str) -> impl Fn() + Send + Sync + use<> {
    let artifact = Arc::clone(artifact);
    move || artifact.write(SPEC, text)
}

#[test]
fn a_pass_does_not_count_if_the_artifact_changed_during_the_review() {
    let mut world = World::new();
    let meanwhile = writes(&world.artifact, "# Another\n");
    let session = world.run(reviewer(&[pass()], meanwhile), MockApplier::new());
    assert_eq!(session.block_code, Some(BlockCode::ArtifactChanged));
    let reason = "another process changed the artifact during the run: specs/SEARCH.md";
    assert_eq!(session.block_reason, reason);
    assert_eq!(session.iterations, []);
    assert_eq!(world.spec(), "# Another\n", "nothing is overwritten");
}

#[test]
fn new_and_deleted_files_are_changes_too() {
    for new in [true, false] {
        let mut world = World::new();
        let artifact = Arc::clone(&world.artifact);
        let meanwhile = move || match new {
            true => artifact.write("specs/NEW.md", ""),
            false => artifact.delete(SPEC),
        };
        let session = world.run(reviewer(&[pass()], meanwhile), MockApplier::new());
        let file = if new { "specs/NEW.md" } else { SPEC };
        assert!(
            session.block_reason.ends_with(file),
            "{}",
            session.block_reason
        );
    }
}

#[test]
fn the_next_review_sees_what_the_applier_left() {
    let mut world = World::new();
    let edit = writes(&world.artifact, "# Search, fixed\n");
    let applier = applier(1, move || {
        edit();
        Ok(())
    });
    let session = world.run(reviewer(&[needs_revision(), pass()], || ()), applier);
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    assert_eq!(world.spec(), "# Search, fixed\n");
    let now = world.artifact.snapshot(None).unwrap();
    assert_eq!(world.known, Some(now.hash));
}

#[test]
fn a_failed_apply_is_undone_and_its_changes_are_stored() {
    let mut world = World::new();
    let edit = writes(&world.artifact, "# Half");
    let applier = applier(1, move || {
        edit();
        Err(failure("exit status 1"))
    });
    let sink = MemorySink::default();
    let session = world.run_telling(&sink, reviewer(&[needs_revision()], || ()), applier);
    assert_eq!(session.block_code, Some(BlockCode::ApplierFailed));
    assert_eq!(world.spec(), "# Search\n");
    assert_eq!(undone(&sink), [left("# Half")]);
    assert!(world.keeps("# Half"));
}

/// Returns what was reported as undone: the round, and each file with its content.
fn undone(sink: &MemorySink) -> Vec<(u32, Vec<(String, Hash)>)> {
    let events = sink.events().into_iter();
    let undone = events.filter_map(|envelope| match envelope.event {
        Event::ArtifactUndone(undone) => {
            let files = undone.files.into_iter().map(|file| (file.path, file.text));
            Some((undone.iteration, files.collect()))
        }
        _ => None,
    });
    undone.collect()
}

/// The spec as the applier of round 1 left it.
fn left(text: &str) -> (u32, Vec<(String, Hash)>) {
    (1, vec![(SPEC.to_owned(), hash_bytes(text.as_bytes()))])
}

#[test]
fn an_interrupted_apply_is_undone_before_it_runs_again() {
    let mut world = World::cut_off_in_apply();
    world.artifact.write(SPEC, "# Half");
    let artifact = Arc::clone(&world.artifact);
    let applier = applier(1, move || {
        assert_eq!(artifact.read(SPEC).unwrap(), b"# Search\n");
        artifact.write(SPEC, "# Search, fixed\n");
        Ok(())
    });
    let sink = MemorySink::default();
    let session = world.run_telling(&sink, reviewer(&[pass()], || ()), applier);
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    assert_eq!(world.spec(), "# Search, fixed\n");
    assert_eq!(undone(&sink), [left("# Half")]);
    assert!(world.keeps("# Half"));
}

#[test]
fn an_apply_that_is_malformed_or_out_of_scope_is_undone_and_reported() {
    let out_of_scope = OutOfScopeChange {
        path: "src/lib.rs".to_owned(),
        is_put_back: true,
    };
    let malformed = Malformed {
        field: "edits".to_owned(),
        message: "does not fit".to_owned(),
    };
    let ends = [
        (vec![out_of_scope], None, 1),
        (Vec::new(), Some(malformed), 2),
    ];
    for (out_of_scope, malformed, calls) in ends {
        let mut world = World::new();
        let edit = writes(&world.artifact, "# Half");
        let mut mock = MockApplier::new();
        mock.expect_apply().times(calls).returning(move |_| {
            edit();
            Ok(ApplyReport {
                out_of_scope: out_of_scope.clone(),
                malformed: malformed.clone(),
                ..applied("done")
            })
        });
        let sink = MemorySink::default();
        let session = world.run_telling(&sink, reviewer(&[needs_revision()], || ()), mock);
        assert_eq!(session.block_code, Some(BlockCode::ApplierFailed));
        assert_eq!(world.spec(), "# Search\n");
        assert_eq!(undone(&sink), vec![left("# Half"); calls]);
    }
}

#[test]
fn everything_undone_is_reported_and_stored_however_often_an_apply_is_interrupted() {
    let mut world = World::cut_off_in_apply();
    for text in ["# Half", "# Half", "# Work of a user"] {
        world.artifact.write(SPEC, text);
        let halt = world.halted_in_apply(1);
        assert_eq!(halt, Some("interrupted".to_owned()));
        assert_eq!(world.spec(), "# Search\n");
    }
    let sink = MemorySink::default();
    let edit = writes(&world.artifact, "# Bad");
    let failing = applier(1, move || {
        edit();
        Err(failure("exit status 1"))
    });
    world.run_telling(&sink, reviewer(&[], || ()), failing);
    let all = ["# Half", "# Work of a user", "# Bad"];
    assert_eq!(undone(&sink), all.map(left));
    for text in all {
        assert!(world.keeps(text), "{text}");
    }
    let (again, unused) = (MemorySink::default(), MockApplier::new());
    world.is_told_again = true;
    world.run_telling(&again, reviewer(&[], || ()), unused);
    assert_eq!(undone(&again), all.map(left), "a replay reports the same");
}

/// A disk that has room for nothing.
struct Full;

impl Blobs for Full {
    fn put(&self, _: &Hash, _: &[u8]) -> std::io::Result<()> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn get(&self, _: &Hash) -> std::io::Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

#[test]
fn changes_that_cannot_be_stored_are_not_undone() {
    let mut world = World::cut_off_in_apply();
    world.artifact.write(SPEC, "# Work of a user");
    world.texts = ContentStore::new(Arc::new(Full));
    let halt = world.halted_in_apply(0);
    let why = "cannot store the changes before they are undone: no storage space";
    assert_eq!(halt, Some(why.to_owned()));
    assert_eq!(world.spec(), "# Work of a user");
}

#[test]
fn an_interrupted_review_is_not_repeated_for_a_changed_artifact() {
    let mut world = World::new();
    world.run(reviewer(&[pass()], || ()), MockApplier::new());
    world.cut_off_in("review/review-1.1");
    world.artifact.write(SPEC, "# Another\n");
    let session = world.run(reviewer(&[], || ()), MockApplier::new());
    assert_eq!(session.block_code, Some(BlockCode::ArtifactChanged));
}

/// Changes the spec when the feedback is emitted, before the applier is
/// called.
struct Meddler(Arc<MemoryArtifact>);

impl EventSink for Meddler {
    fn emit(&self, envelope: &Envelope) {
        if let Event::ReviewFeedback(_) = &envelope.event {
            self.0.write(SPEC, "# Another\n");
        }
    }
}

#[test]
fn a_change_between_answer_and_apply_is_not_overwritten() {
    let mut world = World::new();
    let meddler = Meddler(Arc::clone(&world.artifact));
    let reviewer = reviewer(&[needs_revision()], || ());
    let session = world.run_telling(&meddler, reviewer, MockApplier::new());
    assert_eq!(session.block_code, Some(BlockCode::ArtifactChanged));
    assert_eq!(world.spec(), "# Another\n");
}

#[test]
fn an_artifact_in_memory_is_restored_exactly() {
    let world = World::new();
    let before = world.artifact.snapshot(Some(&world.texts)).unwrap();
    world.artifact.write(SPEC, b"\xff".as_slice());
    world.artifact.write("specs/NEW.md", "");
    let after = world.artifact.snapshot(None).unwrap();
    assert_ne!(after.hash, before.hash);
    let paths: Vec<_> = after
        .manifest
        .files()
        .iter()
        .map(|file| &*file.path)
        .collect();
    assert_eq!(paths, ["specs/NEW.md", SPEC]);
    world
        .artifact
        .restore(&before.manifest, &world.texts)
        .unwrap();
    assert_eq!(world.artifact.snapshot(None).unwrap(), before);
    world.artifact.delete(SPEC);
    assert_eq!(world.artifact.read(SPEC), None);
    let nowhere = ContentStore::new(Arc::new(MemoryBlobs::default()));
    assert!(world.artifact.restore(&before.manifest, &nowhere).is_err());
    assert_eq!(world.artifact.read(SPEC), None, "all or nothing");
}

#[test]
fn an_apply_that_changes_nothing_ends_a_loop_with_a_deterministic_reviewer() {
    for (stops, changes, expected) in [
        (true, false, Some(BlockCode::NoChange)),
        (true, true, None),
        (false, false, None),
    ] {
        let mut world = World::new();
        world.config.stop_on_no_change = stops;
        let edit = writes(&world.artifact, "# Search, fixed\n");
        let applier = applier(1, move || {
            if changes {
                edit();
            }
            Ok(())
        });
        let mut mock = MockReviewer::new();
        let mut answers = [needs_revision(), pass()].into_iter();
        mock.expect_review()
            .returning(move |_| Ok(answer(answers.next().expect("two answers at most"))));
        let session = world.run(mock, applier);
        assert_eq!(session.block_code, expected, "{stops} {changes}");
    }
}
