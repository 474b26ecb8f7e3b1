//! A user edits files between the runs of a loop: the user's text is never lost.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use proptest::prelude::*;
use review::config::LoopConfig;
use review::flow::{ContentStore, Input, ManualClock, MemoryBlobs, MemoryJournal, RunLog, drive};
use review::machine::{
    BaseState, LoopExecutor, LoopParts, ReviewChanges, ReviewDone, ReviewMachine, base_state,
};
use review::types::{AgentError, Review, Verdict};
use review::{
    Applier, ApplyReport, ApplyRequest, Artifact as _, MemoryArtifact, ReviewAnswer, ReviewRequest,
    Reviewer,
};

use crate::looped::converging;
use crate::support::{SEED, applied, block_on, item, record, reviewed, scores};

const FILES: [&str; 2] = ["specs/A.md", "specs/B.md"];
/// The line that belongs to the applier; all others are the user's.
const APPLIERS: &str = "applier: ";

/// The answer of a reviewer in one round: the issues, and one score.
type ScriptedAnswer = (Vec<usize>, i64);

/// An edit of the user: a file, and whether its content is replaced or extended.
#[derive(Clone, Copy, Debug)]
struct Edit {
    file: usize,
    replaces: bool,
}

struct People {
    artifact: Arc<MemoryArtifact>,
    said: Vec<ScriptedAnswer>,
    /// The values that the applier writes to its line, by file and number.
    left: Vec<(usize, usize)>,
    calls: Mutex<(usize, usize)>,
}

#[async_trait]
impl Reviewer for &People {
    async fn review(&self, _: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let mut calls = self.calls.lock().unwrap();
        let (issues, score) = &self.said[calls.0 % self.said.len()];
        calls.0 += 1;
        let issues = issues.iter().map(|at| format!("`issue-{at}` is open"));
        let items: Vec<_> = issues.map(|issue| item("A", &issue, "close it")).collect();
        let verdict = match items.is_empty() {
            true => Verdict::Pass,
            false => Verdict::NeedsRevision,
        };
        let review = Review::new(verdict, scores([*score; 4]), items);
        Ok(reviewed(review.unwrap()))
    }
}

#[async_trait]
impl Applier for &People {
    async fn apply(&self, _: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let mut calls = self.calls.lock().unwrap();
        let (file, number) = self.left[calls.1 % self.left.len()];
        calls.1 += 1;
        let text = read(&self.artifact, file);
        let own = format!("{APPLIERS}{number}\n");
        let lines = text.lines().filter(|line| !line.starts_with(APPLIERS));
        let kept: String = lines.map(|line| format!("{line}\n")).collect();
        self.artifact.write(FILES[file], format!("{own}{kept}"));
        Ok(applied(""))
    }
}

fn read(artifact: &MemoryArtifact, file: usize) -> String {
    String::from_utf8(artifact.read(FILES[file]).unwrap()).unwrap()
}

/// Returns the lines of a file that the user wrote.
fn by_user(artifact: &MemoryArtifact, file: usize) -> Vec<String> {
    let text = read(artifact, file);
    let lines = text.lines().filter(|line| !line.starts_with(APPLIERS));
    lines.map(str::to_owned).collect()
}

fn now(artifact: &MemoryArtifact, texts: &ContentStore) -> BaseState {
    base_state(&artifact.snapshot(Some(texts)).unwrap(), texts).unwrap()
}

fn any_answer() -> impl Strategy<Value = ScriptedAnswer> {
    (prop::collection::vec(0..5_usize, 0..4), 0..=100_i64)
}

fn any_edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = (0..2_usize, any::<bool>()).prop_map(|(file, replaces)| Edit { file, replaces });
    prop::collection::vec(edit, 0..3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_that_a_user_writes_between_runs_is_on_disk_after_them(
        said in prop::collection::vec(any_answer(), 1..8),
        left in prop::collection::vec((0..2_usize, 0..3_usize), 1..8),
        edits in prop::collection::vec(any_edits(), 1..5),
        patience in 0..4_u32,
        max_iterations in 1..6_u32,
    ) {
        let artifact = Arc::new(MemoryArtifact::default());
        for path in FILES {
            artifact.write(path, format!("{APPLIERS}0\nuser: at first\n"));
        }
        let people = People { artifact: Arc::clone(&artifact), said, left, calls: Mutex::default() };
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let config = LoopConfig {
            max_iterations,
            base: Some(now(&artifact, &texts)),
            ..converging(patience)
        };
        let executor = LoopExecutor::new(&config, SEED, &people, &people, LoopParts { artifact: Some(&*artifact), ..LoopParts::default() });
        let mut machine = ReviewMachine::new(config.clone()).unwrap();
        let mut journal = MemoryJournal::default();
        let mut log = RunLog::create(&mut journal, &texts, record()).unwrap();
        let clock = ManualClock::default();
        let mut input = Input::Start { at: log.run().at };
        let mut written = 0;
        for (resume, edits) in (1..).zip(edits) {
            let before: Vec<_> = (0..FILES.len()).map(|file| by_user(&artifact, file)).collect();
            let done = block_on(drive(&mut machine, &executor, &mut log, &clock, input)).unwrap();
            for (file, before) in before.iter().enumerate() {
                prop_assert_eq!(&by_user(&artifact, file), before);
            }
            if done == ReviewDone::Passed {
                return Ok(());
            }
            for Edit { file, replaces } in edits {
                written += 1;
                let text = match replaces {
                    true => format!("user: new {written}\n"),
                    false => format!("{}user: more {written}\n", read(&artifact, file)),
                };
                artifact.write(FILES[file], text);
            }
            let base = now(&artifact, &texts);
            let is_changed = machine.base().unwrap().artifact != base.artifact;
            let changes = ReviewChanges {
                base: is_changed.then_some(base),
                max_iterations: Some(machine.rounds().len() as u32 + max_iterations),
                ..ReviewChanges::default()
            };
            let at = log.run().at;
            log.resume(&changes, at).unwrap();
            input = Input::Resumed { resume, changes, at };
        }
    }
}
