//! Runs commands in checkouts, and puts what passed on the lane.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use review::LimitReached;
use review_agents::Interruption;
use review_document::set_status;
use review_flow::{ContentStore, Step, Stop};
use review_lane::{CommitId, Lane, LaneError, Place, TreeId};
use review_tasks::{
    CommandFailure, CommandOutcome, FailureCause, GateKind, GatedCommand, LaneOut, PlannedTask,
    Ran, run_command, run_setup,
};
use review_types::{Hash, TaskNumber, TaskStatus};

use super::environment::{Role, Work};
use super::{LaneExecutor, stopped};
use crate::error::halted;

/// Maximum number of paths that a warning names.
const MAX_NAMED: usize = 10;

impl LaneExecutor<'_> {
    /// Prepares the checkout of a task.
    pub(super) async fn set_up(
        &self,
        step: &Step,
        place: &Place,
        (task, attempt): (TaskNumber, u32),
        texts: &ContentStore,
    ) -> Result<LaneOut, Stop> {
        let seat = self.seats.of(task)?;
        let doing = self.doing(place, Role::Setup).of(task, &seat).at(attempt);
        match self.prepare(step, doing, texts).await? {
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
        doing: Work<'_>,
        texts: &ContentStore,
    ) -> Result<Option<CommandOutcome>, Stop> {
        let place = doing.place;
        let lane = self.lane().await?;
        let state = self.run.project.state.path();
        match lane.copy_included(place, state).await {
            Ok(left_out) => self.warn_of_links(left_out),
            Err(error @ LaneError::TooMuchIncluded { .. }) => {
                let message = error.to_string();
                let failure = Some(CommandFailure {
                    step: 1,
                    steps: 1,
                    cause: FailureCause::NotStarted { message },
                });
                return Ok(Some(CommandOutcome::Ran(Ran {
                    failure,
                    ..Ran::default()
                })));
            }
            Err(error) => return Err(stopped(error)),
        }
        if self.settings.setup.is_empty() {
            return Ok(None);
        }
        let confined = self.confine(lane, place, &[]).await?;
        let context = self.task_context(place, doing, &confined)?;
        let ran = run_setup(&context, step, &self.settings.setup, texts).await?;
        Ok(Some(ran))
    }

    /// Says once in a process which files are not copied.
    fn warn_of_links(&self, mut left_out: Vec<PathBuf>) {
        let mut warned = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        left_out.retain(|path| warned.insert(path.clone()));
        if !left_out.is_empty() {
            tracing::warn!(
                "not copied to checkouts, whatever `.worktreeinclude` says, since they are links \
                 or a link is in place of their folder: {}",
                first_names(left_out)
            );
        }
    }

    /// Runs a command on a tree, in the checkout that no agent is given.
    pub(super) async fn gate(
        &self,
        step: &Step,
        command: GatedCommand<'_>,
        (tree, kind, known): (&TreeId, GateKind, &[Hash]),
        texts: &ContentStore,
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let _alone = self.verify.lock().await;
        // Nothing that the run before has left may make this one pass.
        if matches!(kind, GateKind::Fresh | GateKind::Protected) {
            lane.drop_verify().map_err(stopped)?;
        }
        let place = lane.verify(tree).await.map_err(stopped)?;
        let seat = self.seats.of(command.task())?;
        if !lane.is_prepared() {
            // It prepares the checkout for all tasks.
            let doing = Work {
                seat: Some(&seat),
                ..self.doing(&place, Role::Setup)
            };
            match self.prepare(step, doing, texts).await? {
                Some(CommandOutcome::Cut(cut)) => return Ok(LaneOut::Cut(cut)),
                Some(CommandOutcome::Ran(ran)) if ran.failure.is_some() => {
                    return Ok(LaneOut::SetupFailed(ran));
                }
                Some(CommandOutcome::Ran(_)) | None => lane.note_prepared().map_err(stopped)?,
            }
        }
        let is_over = || self.context.interruption().is_some();
        let _slot = self.slots.take(is_over).await.map_err(halted)?;
        if let Some(interruption) = self.context.interruption() {
            return match interruption {
                Interruption::Stopped => Err(Stop::Interrupted),
                Interruption::RunTime => Ok(LaneOut::Cut(LimitReached::RunTime)),
            };
        }
        let doing = Work {
            task: command.task(),
            seat: Some(&seat),
            ..self.doing(&place, Role::Gate)
        };
        let confined = self.confine(lane, &place, &[]).await?;
        let context = self.task_context(&place, doing, &confined)?;
        let ran = run_command(&context, step, command, (kind, known), texts).await?;
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

/// The first of these paths, in words.
pub(super) fn first_names(paths: impl IntoIterator<Item = PathBuf>) -> String {
    let mut names: Vec<_> = paths
        .into_iter()
        .map(|path| path.display().to_string())
        .collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

fn title(task: &PlannedTask) -> String {
    match task.title.as_str() {
        "" => format!("Task {}", task.number),
        title => title.to_owned(),
    }
}
