//! Brings the commits of a lane to the user's branch.

use std::path::{Path, PathBuf};

use review::events::Approval;
use review_document::set_status;
use review_flow::Stop;
use review_lane::{CheckedOut, CommitId, LandCode, LandMode, NotLanded, Source, TreeId};
use review_store::RootPath;
use review_tasks::{LaneOut, PlannedTask, Ran, TaskExecutor};
use review_types::{TaskNumber, TaskStatus};

use super::open::ALWAYS_SEEN;
use super::{LaneExecutor, stopped};
use crate::error::halted;

/// A commit that landed.
pub(super) struct Landed {
    commit: CommitId,
    /// Whether the user's files are those of the commit, as git compares them.
    is_here: bool,
    /// Carries out commands in the user's files, and hashes these once.
    user: TaskExecutor,
}

impl LaneExecutor<'_> {
    pub(super) async fn land(
        &self,
        commit: &CommitId,
        tasks: &[TaskNumber],
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let (branch, landed) = match self.table.land {
            LandMode::Never => {
                let reason = "finished work lands only when you ask for it".to_owned();
                let code = LandCode::Never;
                return Ok(LaneOut::NotLanded { code, reason });
            }
            LandMode::Auto => (lane.source().target.clone(), lane.land(commit).await),
            LandMode::Branch => {
                let own = || format!("ralph/{}", self.unit);
                let branch = self.run.settings.branch.clone().unwrap_or_else(own);
                let landed = lane.land_on(&branch, commit).await;
                (
                    branch,
                    landed.map(|landed| landed.map(|()| CheckedOut::Elsewhere)),
                )
            }
        };
        match landed.map_err(stopped)? {
            Ok(checked_out) => {
                for task in tasks {
                    if let Err(error) = lane.drop_checkout(*task) {
                        tracing::warn!("the checkout of task {task} is still there: {error}");
                    }
                }
                Ok(LaneOut::Landed {
                    branch,
                    is_checked_out: checked_out == CheckedOut::Here,
                })
            }
            Err(NotLanded { code, reason }) => Ok(LaneOut::NotLanded { code, reason }),
        }
    }

    /// Records that a landed task is complete, if the user's files are those that its
    /// command passed on.
    pub(super) async fn record(
        &self,
        task: &PlannedTask,
        proved: (&Ran, Option<&Approval>),
        commit: &CommitId,
    ) -> Result<LaneOut, Stop> {
        // A run whose folder was removed has nothing to record in.
        if !self.run.dir.journal_path().exists() {
            return Ok(LaneOut::Recorded);
        }
        let mut known = self.landed.lock().await;
        let landed = match known.take().filter(|landed| landed.commit == *commit) {
            Some(landed) => landed,
            None => self.landed(commit).await?,
        };
        if landed.is_here {
            landed.user.record_landed(task, proved).await?;
        } else {
            tracing::debug!("task {} is not recorded: other files differ", task.number);
        }
        *known = Some(landed);
        self.warn_of_status(task, commit).await?;
        Ok(LaneOut::Recorded)
    }

    /// Appends a commit to the lane in which a task that passed without a change is complete,
    /// unless its status stays in the user's file, or it may have passed by what the user has
    /// not committed; then its record is all there is.
    pub(super) async fn complete(
        &self,
        task: &PlannedTask,
        ran: &Ran,
        (tip, tree): (&CommitId, &TreeId),
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let (base, committed) = (lane.base(), &lane.source().base);
        let is_clean = base == committed || self.landed(committed).await?.is_here;
        if is_clean && self.completed(lane, task, tree).await? != *tree {
            return self.advance(task, (tip, tree), None).await;
        }
        match is_clean && tip == base {
            true => self.record(task, (ran, None), committed).await,
            // It may have passed by the work of other tasks, or by what is not committed.
            false => Ok(LaneOut::Recorded),
        }
    }

    /// Warns of a commit that has the file of a task, and does not say that it is complete,
    /// where the user's file can say it: that had changes that are not committed.
    async fn warn_of_status(&self, task: &PlannedTask, commit: &CommitId) -> Result<(), Stop> {
        let lane = self.lane().await?;
        let content = lane.file_at(commit.as_str(), Path::new(&task.path)).await;
        let is_left = content.map_err(stopped)?.is_some_and(|content| {
            set_status(&content, TaskStatus::Complete).is_ok_and(|after| after != content)
        });
        let users = self.run.artifact.read(&task.path);
        let has_status = |users: Vec<u8>| set_status(&users, TaskStatus::Complete).is_ok();
        if is_left && users.is_ok_and(has_status) {
            tracing::warn!(
                "{} is complete in your working tree only: it had changes that are not committed",
                task.path
            );
        }
        Ok(())
    }

    /// Compares the user's files with a commit that landed, but for those that commands see
    /// as the user has them.
    async fn landed(&self, commit: &CommitId) -> Result<Landed, Stop> {
        let lane = self.lane().await?;
        let differing = lane.differing_files(commit).await.map_err(stopped)?;
        let unit = self.run.artifact.paths().map_err(halted)?;
        let is_seen = |path: &PathBuf| {
            let unit = unit.iter().map(RootPath::as_str);
            unit.chain(ALWAYS_SEEN).any(|seen| Path::new(seen) == path)
        };
        Ok(Landed {
            commit: commit.clone(),
            is_here: differing.iter().all(is_seen),
            user: self.run.tasks_of(self.unit.clone(), self.deadline),
        })
    }
}

/// The work does not fit the target.
pub(super) fn conflict(source: &Source, paths: &[String]) -> LaneOut {
    LaneOut::NotLanded {
        code: LandCode::Conflict,
        reason: format!(
            "branch {} got other changes of the same lines since the run started: {}",
            source.target,
            paths.join(", ")
        ),
    }
}

/// A commit could not be signed.
pub(super) fn not_signed(reason: &str) -> LaneOut {
    LaneOut::NotLanded {
        code: LandCode::SignFailed,
        reason: format!("a commit could not be signed: {reason}"),
    }
}

/// The target was deleted.
pub(super) fn no_target(source: &Source) -> LaneOut {
    LaneOut::NotLanded {
        code: LandCode::TargetMoved,
        reason: format!(
            "branch {} was deleted while the run was going on",
            source.target
        ),
    }
}
