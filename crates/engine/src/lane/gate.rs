//! Runs commands in checkouts, and puts what passed on the lane.

use std::path::Path;

use review_document::set_status;
use review_flow::{ContentStore, Step, Stop};
use review_lane::{CommitId, Lane, Place, TreeId};
use review_tasks::{CommandOutcome, GateKind, LaneOut, PlannedTask, run_command, run_setup};
use review_types::{Hash, TaskNumber, TaskStatus};

use super::environment::Role;
use super::{LaneExecutor, stopped};

impl LaneExecutor<'_> {
    /// Prepares the checkout of a task.
    pub(super) async fn set_up(
        &self,
        step: &Step,
        place: &Place,
        task: TaskNumber,
        texts: &ContentStore,
    ) -> Result<LaneOut, Stop> {
        match self.prepare(step, place, Some(task), texts).await? {
            Some(CommandOutcome::Ran(ran)) if ran.failure.is_some() => {
                Ok(LaneOut::SetupFailed(ran))
            }
            Some(CommandOutcome::Cut(cut)) => Ok(LaneOut::Cut(cut)),
            Some(CommandOutcome::Ran(_)) | None => Ok(LaneOut::CheckedOut),
        }
    }

    /// Copies the files that a checkout needs and that git ignores, and runs the commands
    /// that prepare it; `None` if there are none.
    async fn prepare(
        &self,
        step: &Step,
        place: &Place,
        task: Option<TaskNumber>,
        texts: &ContentStore,
    ) -> Result<Option<CommandOutcome>, Stop> {
        let lane = self.lane().await?;
        for path in lane.copy_included(place).await.map_err(stopped)? {
            tracing::warn!(
                "{} is not copied to checkouts, whatever `.worktreeinclude` says: it is a link, \
                 or a link is in place of its folder",
                path.display()
            );
        }
        if self.settings.setup.is_empty() {
            return Ok(None);
        }
        let confined = self.confine(lane, place, &[]).await?;
        let doing = self.doing(place, task, Role::Setup);
        let context = self.task_context(place, doing, &confined)?;
        let ran = run_setup(&context, step, &self.settings.setup, texts).await?;
        Ok(Some(ran))
    }

    /// Runs the command of a task on a tree, in the checkout that no agent is given.
    pub(super) async fn gate(
        &self,
        step: &Step,
        task: &PlannedTask,
        (tree, kind, known): (&TreeId, GateKind, &[Hash]),
        texts: &ContentStore,
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let mut landing = self.verify.lock().await;
        let is_again = kind == GateKind::Together && *landing == Some(task.number);
        // Nothing that the run before has left may make this one pass.
        if is_again || kind == GateKind::Protected {
            lane.drop_verify().map_err(stopped)?;
        }
        *landing = (kind == GateKind::Together).then_some(task.number);
        let place = lane.verify(tree).await.map_err(stopped)?;
        if !lane.is_prepared() {
            match self.prepare(step, &place, None, texts).await? {
                Some(CommandOutcome::Cut(cut)) => return Ok(LaneOut::Cut(cut)),
                Some(CommandOutcome::Ran(ran)) if ran.failure.is_some() => {
                    return Ok(LaneOut::SetupFailed(ran));
                }
                Some(CommandOutcome::Ran(_)) | None => lane.note_prepared().map_err(stopped)?,
            }
        }
        let doing = self.doing(&place, Some(task.number), Role::Gate);
        let confined = self.confine(lane, &place, &[]).await?;
        let context = self.task_context(&place, doing, &confined)?;
        let ran = run_command(&context, step, task, (kind, known), texts).await?;
        Ok(match ran {
            CommandOutcome::Ran(ran) => LaneOut::Gated(ran),
            CommandOutcome::Cut(cut) => LaneOut::Cut(cut),
        })
    }

    /// Appends a commit to the lane; the task is complete in it.
    pub(super) async fn advance(
        &self,
        task: &PlannedTask,
        tip: &CommitId,
        tree: &TreeId,
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let tree = self.completed(lane, task, tree).await?;
        let message = format!(
            "{title}\n\nTask: {unit}/{number}\nRalph-Run: {run}\n",
            title = title(task),
            unit = self.unit,
            number = task.number,
            run = self.run.dir.id(),
        );
        let tip = lane.advance(tip, &tree, &message).await.map_err(stopped)?;
        Ok(LaneOut::Advanced { tip, tree })
    }
}

impl LaneExecutor<'_> {
    /// The tree in which the file of a task says that it is complete. A file that the user
    /// has not committed, or changed since the run started, is left as it is: its status is
    /// written after the landing.
    async fn completed(
        &self,
        lane: &Lane,
        task: &PlannedTask,
        tree: &TreeId,
    ) -> Result<TreeId, Stop> {
        let path = Path::new(&task.path);
        let base = lane.source().base.as_str();
        let contents = lane.contents_at([tree.as_str(), base], path).await;
        let [here, committed] = contents.map_err(stopped)?;
        let users = self.run.artifact.read(&task.path).ok();
        let Some(here) = here.filter(|here| committed.as_ref() == Some(here)) else {
            return Ok(tree.clone());
        };
        if users.as_ref() != Some(&here) {
            return Ok(tree.clone());
        }
        match set_status(&here, TaskStatus::Complete) {
            Ok(after) if after != here => lane.with_file(tree, path, after).await.map_err(stopped),
            Ok(_) | Err(_) => Ok(tree.clone()),
        }
    }
}

fn title(task: &PlannedTask) -> String {
    match task.title.as_str() {
        "" => format!("Task {}", task.number),
        title => title.to_owned(),
    }
}
