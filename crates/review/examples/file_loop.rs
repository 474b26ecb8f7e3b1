//! A loop over a file, with the system clock and a journal on disk: it is blocked
//! after one round, and a second process resumes it.

use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::Arc;

use review::flow::{Seed, SystemClock};
use review::types::{AgentError, FailedBy, FinalVerdict, ReviewSession};
use review::{
    Applier, ApplyReport, ApplyRequest, Limits, ReviewAnswer, ReviewLoop, ReviewRequest, Reviewer,
    Subject,
};
use review_store::{FileArtifact, FileBlobs, FileJournal, Root, RootPath, replace_file};

const DRAFT: &str = "draft.md";

/// Asks for a reason in the draft, and writes one.
struct Author<'a>(&'a Path);

impl Author<'_> {
    fn draft(&self) -> io::Result<String> {
        std::fs::read_to_string(self.0.join(DRAFT))
    }
}

fn failed(error: impl Error) -> AgentError {
    AgentError::new(FailedBy::Status(1).into(), error.to_string())
}

#[async_trait::async_trait]
impl Reviewer for Author<'_> {
    async fn review(&self, _: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let (verdict, points) = match self.draft().map_err(failed)?.contains("because") {
            true => ("pass", 90),
            false => ("needs_revision", 60),
        };
        Ok(ReviewAnswer::text(format!(
            r#"{{"verdict": "{verdict}",
                 "score": {{"completeness": {points}, "consistency": 90, "testability": 90, "architecture": 90}},
                 "feedback": [{{"section": "all", "issue": "no reason", "suggestion": "because it works", "severity": "minor"}}]}}"#
        )))
    }
}

#[async_trait::async_trait]
impl Applier for Author<'_> {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let mut draft = self.draft().map_err(failed)?;
        for item in request.items.as_slice() {
            draft.push_str(item.suggestion());
        }
        replace_file(&self.0.join(DRAFT), draft.as_bytes()).map_err(failed)?;
        Ok(ApplyReport::done())
    }
}

/// Runs the loop in `folder` as one process does, or resumes it with more rounds.
async fn process(folder: &Path, more: Option<Limits>) -> Result<ReviewSession, Box<dyn Error>> {
    let artifact = FileArtifact::file(Root::open(folder)?, RootPath::new(DRAFT)?);
    let mut journal = FileJournal::open_or_create(&folder.join("journal.jsonl"))?;
    let blobs = Arc::new(FileBlobs::new(folder.join("blobs")));
    let looped = ReviewLoop::builder(Author(folder), Author(folder))
        .subject(Subject::new("style", "PRD.md", DRAFT))
        .limits(rounds(1))
        .artifact(&artifact)
        .journal(&mut journal, blobs)
        .build()?;
    Ok(match more {
        None => looped.run(Seed::random()?, &SystemClock).await?,
        Some(limits) => looped.resume(limits, &SystemClock).await?,
    })
}

fn rounds(max_iterations: u32) -> Limits {
    Limits {
        max_iterations: Some(max_iterations),
        ..Limits::default()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::Builder::new().tempdir()?;
    replace_file(&folder.path().join(DRAFT), b"Use tabs, ")?;
    let blocked = process(folder.path(), None).await?;
    assert_eq!(blocked.final_verdict, FinalVerdict::Blocked);
    let passed = process(folder.path(), Some(rounds(3))).await?;
    assert_eq!(passed.final_verdict, FinalVerdict::Pass);
    assert_eq!(passed.iterations.len(), 2);
    let draft = std::fs::read_to_string(folder.path().join(DRAFT))?;
    assert_eq!(draft, "Use tabs, because it works");
    Ok(())
}
