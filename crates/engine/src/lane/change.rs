//! Has the change of a task reviewed: the task, the spec and the diff as one document, in a
//! folder that holds nothing else.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use review::machine::{BaseState, LoopExecutor, LoopParts, ReviewOp, ReviewOut, base_state};
use review::prompt::feedback_json;
use review::types::{AgentError, FeedbackItem, Manifest, ModelId};
use review::{Applier, ApplyReport, ApplyRequest, Artifact};
use review_agents::Checkout;
use review_flow::{ContentStore, Executed, Executor, Step, Stop};
use review_lane::{CommitId, Place, TreeId};
use review_store::{FileArtifact, LaneDir, Root, RootPath};
use review_tasks::{CHANGE_FILE, LaneOut, PlannedTask};
use review_types::{TaskNumber, excerpt};

use super::environment::Role;
use super::{LaneExecutor, stopped};
use crate::agents::Agents;
use crate::error::halted;

/// The folder of the lane with the documents for reviews.
const REVIEWS: &str = "reviews";

/// Maximum number of characters of an issue that a reason quotes.
const MAX_ISSUE: usize = 300;

impl LaneExecutor<'_> {
    /// Writes the document about a change, and stores it.
    pub(super) async fn write_change(
        &self,
        task: &PlannedTask,
        tip: &CommitId,
        tree: &TreeId,
        texts: &ContentStore,
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let diff = lane.diff(tip.as_str(), tree.as_str()).await;
        let diff = diff.map_err(stopped)?;
        let spec = self.run.settings.target.spec();
        let read = |path: &str| self.run.artifact.read(path).map_err(halted);
        let text = change_text(task, (spec, &read(spec)?), &read(&task.path)?, &diff);
        let root = self.review_root(task.number).await?;
        let path = RootPath::new(CHANGE_FILE).map_err(halted)?;
        match root.create(&path, &text).map_err(halted)? {
            true => {}
            false => root.replace(&path, &text).map_err(halted)?,
        }
        let snapshot = FileArtifact::file(root, path).snapshot(Some(texts));
        let base = base_state(&snapshot.map_err(halted)?, texts)?;
        Ok(LaneOut::ChangeWritten { base })
    }

    /// Carries out an operation of the review of a change.
    pub(super) async fn review(
        &self,
        step: Step,
        (task, attempt): (TaskNumber, u32),
        base: BaseState,
        op: ReviewOp,
        texts: &ContentStore,
    ) -> Result<Executed<LaneOut>, Stop> {
        let lane = self.lane().await?;
        let settings = &self.run.settings;
        let reviewers = settings.change_reviewer();
        let config = settings.change_loop(self.seed);
        let (Some(reviewers), Some(config)) = (reviewers, config) else {
            return Err(Stop::Broken(
                "changes are not reviewed in this run".to_owned(),
            ));
        };
        let root = self.review_root(task).await?;
        let place = Place {
            top: root.path().to_owned(),
            root: root.path().to_owned(),
        };
        let path = RootPath::new(CHANGE_FILE).map_err(halted)?;
        let artifact = Arc::new(FileArtifact::file(root, path));
        let is_there = artifact
            .snapshot(None)
            .is_ok_and(|now| now.hash == base.artifact);
        if !is_there {
            let manifest: Arc<Manifest> = texts.value(&base.manifest).map_err(halted)?;
            artifact.restore(&manifest, texts).map_err(halted)?;
        }
        let seat = self.seats.of(task)?;
        let doing = self.doing(&place, Role::Reviewer).of(task, &seat);
        let mut set = doing.at(attempt).variables(&self.run.project.env);
        set.push(("RALPH_SPEC".into(), CHANGE_FILE.into()));
        let mut folders: Vec<PathBuf> = Vec::new();
        for backend in reviewers.iter() {
            let client = self.client_state(lane, task, backend)?;
            folders.extend(client.folders);
            set.extend(client.database);
        }
        let caches = self.caches_of_agents(lane).await?;
        let confined = self
            .confine(lane, (&place, Role::Reviewer), &caches, &folders)
            .await?;
        set.extend(confined.variables.iter().cloned());
        let set = set.into_iter().map(|(name, value)| (name, Some(value)));
        let checkout = Checkout::new(
            Arc::clone(&artifact),
            self.run.dir.child_slot(),
            set.collect(),
        );
        let checkout = checkout.without_git().of_change();
        let checkout = Arc::new(checkout.within(confined.sandbox.clone()));
        let agents = Agents::new(settings, &self.context, &checkout);
        let reviewer = agents.reviewers(&reviewers).map_err(halted)?;
        let given = GivenFeedback::default();
        let parts = LoopParts {
            artifact: Some(&*artifact),
            ..LoopParts::default()
        };
        let executor = LoopExecutor::new(&config, self.seed, reviewer, &given, parts);
        let executed = executor.exec(step, op, texts).await?;
        if let Some(items) = given.take() {
            let first = items.first().map(|item| excerpt(item.issue(), MAX_ISSUE));
            return Ok(Executed::local(LaneOut::Feedback {
                text: texts.put(feedback_json(&items).into_bytes()),
                items: u32::try_from(items.len()).unwrap_or(u32::MAX),
                first: first.unwrap_or_default(),
            }));
        }
        if let ReviewOut::Failed(_) = &executed.out
            && let Some(cut) = self.cut()?
        {
            return Ok(executed.map(|_| cut));
        }
        Ok(executed.map(|out| match out {
            ReviewOut::Cut(cut) => LaneOut::Cut(cut),
            out => LaneOut::Reviewed(Box::new(out)),
        }))
    }

    /// The folder with the document about the change of a task.
    async fn review_root(&self, task: TaskNumber) -> Result<Root, Stop> {
        let lane = self.lane().await?;
        let folder = LaneDir::at(lane.path().join(REVIEWS));
        let folder = folder.create_folder(task.to_string()).map_err(halted)?;
        Root::open(&folder).map_err(halted)
    }
}

/// Takes the feedback that is for the implementer, whose next attempt applies it.
#[derive(Default)]
struct GivenFeedback(Mutex<Option<Vec<FeedbackItem>>>);

impl GivenFeedback {
    fn take(&self) -> Option<Vec<FeedbackItem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[async_trait]
impl Applier for &GivenFeedback {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let items = request.items.into();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(items);
        Ok(ApplyReport {
            by: ModelId::of_backend("implementer"),
            ..ApplyReport::done()
        })
    }
}

/// The task, the spec and the change as one document.
fn change_text(
    task: &PlannedTask,
    (spec, spec_text): (&str, &[u8]),
    task_text: &[u8],
    diff: &[u8],
) -> Vec<u8> {
    let mut text = format!("# Task {}: {}\n", task.number, task.title).into_bytes();
    let parts = [
        (format!("## The task, {}", task.path), "markdown", task_text),
        (
            format!("## The specification, {spec}"),
            "markdown",
            spec_text,
        ),
        ("## The change".to_owned(), "diff", diff),
    ];
    for (heading, language, part) in parts {
        let fence = "`".repeat(longest_fence(part).max(2) + 1);
        text.extend_from_slice(format!("\n{heading}\n\n{fence}{language}\n").as_bytes());
        text.extend_from_slice(part);
        if !part.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend_from_slice(format!("{fence}\n").as_bytes());
    }
    text
}

/// The length of the longest run of backticks.
fn longest_fence(text: &[u8]) -> usize {
    let runs = text.split(|byte| *byte != b'`');
    runs.map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_the_text_ends_before_its_fence() {
        assert_eq!(longest_fence(b"a ```b`` ` c"), 3);
        assert_eq!(longest_fence(b"none"), 0);
    }
}
