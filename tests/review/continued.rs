//! Loops with a journal: interrupted, ended, blocked, and resumed.

use std::sync::Arc;

use async_trait::async_trait;
use review::config::{Convergence, LoopConfig};
use review::flow::{DriveError, Journal as _, LogError, ManualClock, MemoryBlobs, MemoryJournal};
use review::types::{AgentError, BlockCode, FinalVerdict, ReviewSession};
use review::{
    Applier, ApplyReport, ApplyRequest, Limits, LoopError, MemoryArtifact, ReviewAnswer,
    ReviewLoop, ReviewLoopBuilder, ReviewRequest, Reviewer,
};

use crate::support::{
    MockApplier, MockReviewer, SEED, answer, applied, applier, block_on, config, needs_revision,
    pass, reviewer,
};

const DRAFT: &str = "draft.md";

/// Passes the draft once it has `why`, and writes that.
struct Author<'a>(&'a MemoryArtifact);

#[async_trait]
impl Reviewer for Author<'_> {
    async fn review(&self, _: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let is_good = self.0.read(DRAFT).is_some_and(|text| text == b"why");
        Ok(answer(if is_good { pass() } else { needs_revision() }))
    }
}

#[async_trait]
impl Applier for Author<'_> {
    async fn apply(&self, _: ApplyRequest) -> Result<ApplyReport, AgentError> {
        self.0.write(DRAFT, "why");
        Ok(applied("done"))
    }
}

/// Returns a loop over the draft that is recorded in `journal`.
fn drafting<'a>(
    draft: &'a MemoryArtifact,
    journal: &'a mut MemoryJournal,
) -> ReviewLoopBuilder<'a, Author<'a>, Author<'a>> {
    drafting_on(draft, journal, Arc::new(MemoryBlobs::default()))
}

/// The same, with these contents of files.
fn drafting_on<'a>(
    draft: &'a MemoryArtifact,
    journal: &'a mut MemoryJournal,
    blobs: Arc<MemoryBlobs>,
) -> ReviewLoopBuilder<'a, Author<'a>, Author<'a>> {
    ReviewLoop::builder(Author(draft), Author(draft))
        .artifact(draft)
        .journal(journal, blobs)
}

fn draft(text: &str) -> MemoryArtifact {
    let draft = MemoryArtifact::default();
    draft.write(DRAFT, text);
    draft
}

fn run<R: Reviewer, A: Applier>(builder: ReviewLoopBuilder<'_, R, A>) -> ReviewSession {
    let looped = builder.build().unwrap();
    block_on(looped.run(SEED, &ManualClock::default())).unwrap()
}

fn resume<R: Reviewer, A: Applier>(
    builder: ReviewLoopBuilder<'_, R, A>,
    limits: Limits,
) -> Result<ReviewSession, LoopError> {
    let looped = builder.build().unwrap();
    block_on(looped.resume(limits, &ManualClock::default()))
}

fn rounds(max_iterations: u32) -> Limits {
    Limits {
        max_iterations: Some(max_iterations),
        ..Limits::default()
    }
}

#[test]
fn a_loop_that_is_interrupted_after_any_record_ends_in_the_same_session() {
    let (mut journal, blobs) = (MemoryJournal::default(), Arc::new(MemoryBlobs::default()));
    let golden = run(drafting_on(&draft("what"), &mut journal, blobs.clone()));
    assert_eq!(golden.iterations.len(), 2);
    let whole = journal.bytes().to_vec();
    let ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    for end in ends.map(|(at, _)| at + 1) {
        let is_applied = String::from_utf8_lossy(&whole[..end]).contains("\"applied\"");
        let draft = draft(if is_applied { "why" } else { "what" });
        let mut cut = MemoryJournal::from_bytes(whole[..end].to_vec());
        let ended = run(drafting_on(&draft, &mut cut, blobs.clone()));
        assert_eq!(ended, golden, "cut at {end}");
        assert_eq!(draft.read(DRAFT).unwrap(), b"why", "cut at {end}");
    }
}

#[test]
fn an_ended_loop_is_replayed_without_a_call() {
    let mut journal = MemoryJournal::default();
    let golden = run(drafting(&draft("what"), &mut journal));
    let recorded = journal.bytes().to_vec();
    let replayed = ReviewLoop::builder(MockReviewer::new(), MockApplier::new())
        .journal(&mut journal, Arc::new(MemoryBlobs::default()));
    assert_eq!(run(replayed), golden);
    let resumed = resume(drafting(&draft("why"), &mut journal), rounds(9)).unwrap();
    assert_eq!(resumed, golden, "a loop that passed does not continue");
    assert_eq!(journal.read().unwrap(), recorded);
}

#[test]
fn a_blocked_loop_continues_with_more_rounds() {
    let (draft, mut journal) = (draft("what"), MemoryJournal::default());
    let blocked = run(drafting(&draft, &mut journal).limits(rounds(1)));
    assert_eq!(blocked.block_code, Some(BlockCode::MaxIterations));
    let limited = drafting(&draft, &mut journal).limits(rounds(1));
    let passed = resume(limited, rounds(2)).unwrap();
    assert_eq!(passed.final_verdict, FinalVerdict::Pass);
    assert_eq!(passed.iterations.len(), 2);
    let again = run(drafting(&draft, &mut journal).limits(rounds(1)));
    assert_eq!(again, passed);
}

#[test]
fn a_blocked_loop_continues_with_a_users_changes() {
    let (draft, mut journal) = (draft("what"), MemoryJournal::default());
    run(drafting(&draft, &mut journal).limits(rounds(1)));
    draft.write(DRAFT, "why");
    let limited = drafting(&draft, &mut journal).limits(rounds(1));
    let passed = resume(limited, Limits::default()).unwrap();
    assert_eq!(passed.final_verdict, FinalVerdict::Pass);
}

#[test]
fn a_journal_without_a_run_cannot_be_resumed() {
    let mut journal = MemoryJournal::default();
    let resumed = resume(drafting(&draft("what"), &mut journal), rounds(2));
    assert!(
        matches!(
            resumed,
            Err(LoopError::Drive(DriveError::Log(LogError::NoRun)))
        ),
        "{resumed:?}"
    );
}

#[test]
fn a_revision_ends_a_loop_without_an_applier() {
    let session = run(ReviewLoop::review_only(reviewer([Ok(needs_revision())])));
    assert_eq!(session.final_verdict, FinalVerdict::Blocked);
    assert_eq!(session.iterations.len(), 1);
    let session = run(ReviewLoop::builder(reviewer([Ok(pass())]), applier(0)));
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
}

/// A loop whose reviewer has another finding of this severity in each round, while the applier
/// writes the draft each time.
fn finding_more<'a>(
    severity: &'static str,
    draft: &'a Arc<MemoryArtifact>,
) -> ReviewLoopBuilder<'a, MockReviewer, MockApplier> {
    let mut reviewer = MockReviewer::new();
    reviewer.expect_review().returning(move |request| {
        Ok(answer(format!(
            r#"{{"verdict": "needs_revision",
                "score": {{"completeness": 95, "consistency": 95, "testability": 95, "architecture": 95}},
                "feedback": [{{"section": "API", "issue": "REQ-{} is not said",
                    "suggestion": "say it", "severity": "{severity}"}}]}}"#,
            request.iteration
        )))
    });
    let mut applier = MockApplier::new();
    let written = Arc::clone(draft);
    applier.expect_apply().returning(move |request| {
        written.write(DRAFT, format!("after round {}", request.iteration));
        Ok(applied(""))
    });
    ReviewLoop::builder(reviewer, applier).artifact(&**draft)
}

#[test]
fn a_resume_asks_once_more_and_starts_the_budget_for_new_findings_again() {
    for (severity, code, first, resumed) in [
        ("minor", BlockCode::NoBlockingFinding, 2, 4),
        ("major", BlockCode::UnprovedFindings, 6, 10),
    ] {
        let (draft, mut journal) = (Arc::new(draft("what")), MemoryJournal::default());
        let blobs = Arc::new(MemoryBlobs::default());
        let config = LoopConfig {
            max_iterations: 10,
            convergence: Some(Convergence::default()),
            ..config()
        };
        let looped = finding_more(severity, &draft).config(config.clone());
        let ended = run(looped.journal(&mut journal, blobs.clone()));
        let rounds_of = |ended: &ReviewSession| (ended.block_code, ended.iterations.len());
        assert_eq!(rounds_of(&ended), (Some(code), first));
        draft.write(DRAFT, "what a user wrote");
        let looped = finding_more(severity, &draft).config(config);
        let again = resume(looped.journal(&mut journal, blobs), rounds(20)).unwrap();
        assert_eq!(rounds_of(&again), (Some(code), resumed));
    }
}
