//! A reviewer alone: one call, whose answer is parsed defensively.

use review::flow::Seed;
use review::types::{AgentError, Verdict};
use review::{ReviewAnswer, ReviewLoop, ReviewRequest, Reviewer, prompt};

/// Stands for a model: it gets the plain prompt with the document, and answers in prose.
struct Model;

#[async_trait::async_trait]
impl Reviewer for Model {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let prompt = prompt::review_specs(&request, &[("API.md", "# API\n")]);
        assert!(prompt.contains("COMPLETENESS"));
        let scores =
            r#"{"completeness": 90, "consistency": 90, "testability": 60, "architecture": 90}"#;
        let item = r#"{"section": "API", "issue": "no errors", "suggestion": "list them"}"#;
        Ok(ReviewAnswer::text(format!(
            r#"Nearly there. {{"verdict": "needs_revision", "score": {scores}, "feedback": [{item}]}}"#
        )))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let reviewer = ReviewLoop::review_only(Model).build()?;
    let review = reviewer.review_specs(Seed::random()?).await?;
    assert_eq!(review.verdict(), Verdict::NeedsRevision);
    assert_eq!(review.feedback()[0].issue(), "no errors");
    Ok(())
}
