//! A loop of one's own: any reviewer, any applier, no files and no processes.
//!
//! Run it with `cargo run -p review --example custom_loop`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use review::flow::ManualClock;
use review::flow::Seed;
use review::types::{AgentError, ModelId};
use review::*;

/// A text that two people work on.
struct Draft(Mutex<String>);

impl Draft {
    fn text(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait::async_trait]
impl Reviewer for Draft {
    async fn review(&self, _: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let (verdict, points) = match self.text().contains("why") {
            true => ("pass", 90),
            false => ("needs_revision", 60),
        };
        let answer = format!(
            r#"{{"verdict": "{verdict}",
                 "score": {{"completeness": {points}, "consistency": 90, "testability": 90, "architecture": 90}},
                 "feedback": [{{"section": "all", "issue": "no reason", "suggestion": "say why"}}]}}"#
        );
        Ok(ReviewAnswer::text(answer).with_model(ModelId::of_backend("reader")))
    }
}

#[async_trait::async_trait]
impl Applier for Draft {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let mut draft = self.text();
        for item in request.items.as_slice() {
            draft.push_str(item.recommendation());
        }
        Ok(ApplyReport::done().with_model(ModelId::of_backend("writer")))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), LoopError> {
    let draft = Draft(Mutex::new("Use tabs. ".to_owned()));
    let session = ReviewLoop::builder(&draft, &draft)
        .subject(Subject::new("style", "PRD.md", "STYLE.md"))
        .build()?
        .run(Seed::from_bytes([7; 32]), &ManualClock::default())
        .await?;
    assert_eq!(session.iterations.len(), 2);
    Ok(())
}
