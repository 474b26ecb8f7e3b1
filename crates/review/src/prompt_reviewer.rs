//! A reviewer that runs as a task of an agent.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use review_flow::{ContentStore, MemoryBlobs};
use review_types::{AgentError, Failure, ModelId};

use crate::agent::{AnswerContent, ReviewAnswer, ReviewRequest, Reviewer, TaskInvoker};
use crate::artifact::Artifact;
use crate::feedback::SUBAGENT_TYPE;
use crate::prompt;

/// Maximum number of bytes of an artifact in a prompt.
const MAX_ARTIFACT: usize = 1024 * 1024;

/// Sends the plain review prompt, with the content of an artifact, to a [`TaskInvoker`].
pub struct PromptReviewer<'a, I> {
    invoker: I,
    artifact: &'a dyn Artifact,
}

impl<'a, I: TaskInvoker> PromptReviewer<'a, I> {
    /// Returns a reviewer of `artifact` over `invoker`.
    #[must_use]
    pub fn new(invoker: I, artifact: &'a dyn Artifact) -> Self {
        Self { invoker, artifact }
    }

    /// Reads the files of the artifact, by path.
    fn files(&self) -> io::Result<Vec<(String, Arc<[u8]>)>> {
        let texts = ContentStore::new(Arc::new(MemoryBlobs::default()));
        let snapshot = self.artifact.snapshot(Some(&texts))?;
        let files = snapshot.manifest.files().iter().map(|file| {
            let bytes = texts.get(&file.hash).map_err(io::Error::other)?;
            Ok((file.path.clone(), bytes))
        });
        files.collect()
    }
}

#[async_trait]
impl<I: TaskInvoker> Reviewer for PromptReviewer<'_, I> {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let files = self.files().map_err(|error| {
            let failure = Failure::SetupFailed { missing: None };
            AgentError::new(failure, format!("the artifact cannot be read: {error}"))
        })?;
        let size: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        if size > MAX_ARTIFACT {
            let failure = Failure::ModelError { status: Some(413) };
            let message =
                format!("the artifact has {size} bytes, and a prompt holds {MAX_ARTIFACT}");
            return Err(AgentError::new(failure, message));
        }
        let prompt = prompt::review_specs(&request, &files);
        let text = self.invoker.invoke_task(&prompt, SUBAGENT_TYPE).await?;
        let content = AnswerContent::Text(text);
        Ok(ReviewAnswer::new(
            content,
            ModelId::of_backend(SUBAGENT_TYPE),
        ))
    }
}
