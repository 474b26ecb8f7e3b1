//! Runs commands in checkouts, and puts what passed on the lane.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use review::LimitReached;
use review::events::Approval;
use review_document::set_status;
use review_flow::{ContentStore, Step, Stop, hash_bytes};
use review_lane::{CommitId, Lane, LaneError, Place, Prepared, TreeId, named};
use review_tasks::{
    CommandFailure, FailureCause, GateCommand, GateKind, LaneOut, PlannedTask, Ran, run_command,
    run_setup,
};
use review_types::{Hash, TaskNumber, TaskStatus, one_line};

use super::caches::{CacheHome, GATES};
use super::environment::{Role, Work};
use super::seats::Seat;
use super::{LaneExecutor, stopped};
use crate::error::halted;

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
        let caches = self.caches_of_agents(self.lane().await?).await?;
        match self.prepare(step, doing, &caches, texts).await? {
            Some(Ok(ran)) if ran.failure.is_some() => Ok(LaneOut::SetupFailed(ran)),
            Some(Err(cut)) => Ok(LaneOut::Cut(cut)),
            Some(Ok(_)) | None => Ok(LaneOut::CheckedOut),
        }
    }

    /// Copies the files that a checkout needs and that git ignores, and runs the commands
    /// that prepare it; `None` without such commands.
    async fn prepare(
        &self,
        step: &Step,
        doing: Work<'_>,
        caches: &CacheHome,
        texts: &ContentStore,
    ) -> Result<Option<Result<Ran, LimitReached>>, Stop> {
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
                return Ok(Some(Ok(Ran {
                    failure,
                    ..Ran::default()
                })));
            }
            Err(error) => return Err(stopped(error)),
        }
        if self.table.setup.is_empty() {
            return Ok(None);
        }
        let confined = self
            .confine(lane, (place, doing.seen_by()), caches, &[])
            .await?;
        let context = self.task_context(place, doing, &confined)?;
        let setup: Vec<_> = self.table.setup.iter().map(ToString::to_string).collect();
        let ran = run_setup(&context, step, &setup, texts).await?;
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
                named(&left_out)
            );
        }
    }

    /// Runs a command on a tree, in the checkout that no agent is given.
    pub(super) async fn gate(
        &self,
        step: &Step,
        command: &GateCommand,
        (tree, kind, known): (&TreeId, GateKind, &[Hash]),
        texts: &ContentStore,
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let mut verify = self.verify.lock().await;
        let task = command.task().map(|task| task.number);
        let seat = self.seats.of(task)?;
        let ready = self
            .ready(step, verify.take(), (tree, kind), &seat, texts)
            .await?;
        let Ready {
            place,
            prepared,
            caches,
        } = match ready {
            Ok(ready) => ready,
            Err(out) => return Ok(out),
        };
        let doing = Work {
            task,
            seat: Some(&seat),
            ..self.doing(&place, Role::Gate)
        };
        let is_over = || self.context.interruption().is_some();
        let slot = self.slots.take(&doing.name(), is_over).await;
        let _slot = slot.map_err(halted)?;
        if let Some(cut) = self.cut()? {
            return Ok(cut);
        }
        let confined = self
            .confine(lane, (&place, Role::Gate), &caches, &[])
            .await?;
        let context = self.task_context(&place, doing, &confined)?;
        let steps = match command {
            GateCommand::Task(task) => &*task.commands,
            GateCommand::Check(command) => std::slice::from_ref(command),
        };
        let (built, follows) = (built_by(steps), BuiltFollows::of(kind));
        if let (Some(task), Ok(mut known)) = (task, self.built.lock()) {
            known.insert(task, built);
        }
        let own = (follows != BuiltFollows::Alone).then_some(&built);
        let has_built = lane.put_built(&prepared, own).map_err(stopped)?;
        let ran = match run_command(&context, step, command, (kind, known), texts).await? {
            Ok(ran) => ran,
            Err(cut) => return Ok(LaneOut::Cut(cut)),
        };
        // What is not kept is deleted before the next command.
        if ran.failure.is_none() {
            match follows {
                BuiltFollows::Kept => lane.keep_built(&prepared, &built),
                BuiltFollows::KeptIfAccepted => lane.set_built_aside(&prepared, &built),
                BuiltFollows::Forgotten | BuiltFollows::Alone => Ok(()),
            }
            .map_err(stopped)?;
        }
        let is_set_up = self.table.setup.is_empty() || prepared.of() == tree;
        *verify = Some(prepared);
        Ok(LaneOut::Gated(Ran {
            fresh: is_set_up && !has_built,
            ..ran
        }))
    }

    /// Gives the checkout of the gate the files of a tree and what the setup makes, and no
    /// other file; or what keeps a command from running in it.
    async fn ready(
        &self,
        step: &Step,
        known: Option<Prepared>,
        (tree, kind): (&TreeId, GateKind),
        seat: &Seat,
        texts: &ContentStore,
    ) -> Result<Result<Ready, LaneOut>, Stop> {
        let lane = self.lane().await?;
        let is_own = |prepared: &Prepared| self.table.setup.is_empty() || prepared.of() == tree;
        let needs_own = BuiltFollows::of(kind) == BuiltFollows::Alone;
        let known = known.filter(|known| !needs_own || is_own(known));
        if let Some(prepared) = known {
            let caches = CacheHome::of_gates(lane);
            match lane.reset_verify(prepared, tree).await {
                Ok(Some((place, prepared))) => {
                    return Ok(Ok(Ready {
                        place,
                        prepared,
                        caches,
                    }));
                }
                Ok(None) => {}
                Err(error) if error.is_stop() => return Err(Stop::Interrupted),
                Err(error) => tracing::debug!("the checkout of the gate is made again: {error}"),
            }
        }
        lane.drop_verify().map_err(stopped)?;
        let place = lane.verify(tree).await.map_err(stopped)?;
        let caches = self.make_caches(lane, tree, GATES).await?;
        // It prepares the checkout for all tasks.
        let doing = Work {
            seat: Some(seat),
            ..self.doing(&place, Role::Setup)
        };
        let is_set_up = match self.prepare(step, doing, &caches, texts).await? {
            Some(Err(cut)) => return Ok(Err(LaneOut::Cut(cut))),
            Some(Ok(ran)) if ran.failure.is_some() => {
                return Ok(Err(LaneOut::SetupFailed(ran)));
            }
            Some(Ok(_)) => true,
            None => false,
        };
        let prepared = lane.note_prepared(tree, caches.path()).await;
        let prepared = prepared.map_err(stopped)?;
        let (place, prepared) = match is_set_up {
            // The setup may have changed files of the tree.
            true => match lane.reset_verify(prepared, tree).await.map_err(stopped)? {
                Some(reset) => reset,
                None => {
                    let reason = "the checkout of the gate changes while no command runs in it";
                    return Err(Stop::Broken(reason.to_owned()));
                }
            },
            false => (place, prepared),
        };
        Ok(Ok(Ready {
            place,
            prepared,
            caches,
        }))
    }

    /// Appends a commit to the lane; the task is complete in it.
    pub(super) async fn advance(
        &self,
        task: &PlannedTask,
        (tip, tree): (&CommitId, &TreeId),
        approval: Option<&Approval>,
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let tree = self.completed(lane, task, tree).await?;
        let approved_by = approval.map_or_else(String::new, |approval| {
            format!("Approved-by: {}\n", one_line(&approval.by))
        });
        let message = format!(
            "{title}\n\nTask: {unit}/{number}\nRalph-Run: {run}\n{approved_by}",
            title = title(task),
            unit = self.unit,
            number = task.number,
            run = self.run.dir.id(),
        );
        let tip = lane.advance(tip, &tree, &message).await.map_err(stopped)?;
        let built = built_by(&task.commands);
        lane.accept_built(&built).map_err(stopped)?;
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(task.number);
        Ok(LaneOut::Advanced { tip, tree })
    }
}

impl LaneExecutor<'_> {
    /// The tree in which the file of a task says that it is complete. A file that the user
    /// has not committed, or changed since the run started, is left as it is: its status is
    /// written after the landing.
    pub(super) async fn completed(
        &self,
        lane: &Lane,
        task: &PlannedTask,
        tree: &TreeId,
    ) -> Result<TreeId, Stop> {
        let path = Path::new(&task.path);
        let base = lane.source().base.as_str();
        let here = lane.file_at(tree.as_str(), path).await.map_err(stopped)?;
        let committed = lane.file_at(base, path).await.map_err(stopped)?;
        let users = self.run.artifact.read(&task.path).ok();
        let Some(here) = here.filter(|here| committed.as_ref() == Some(here)) else {
            return Ok(tree.clone());
        };
        let is_unchanged = match &users {
            Some(users) => lane
                .is_same_to_git(path, users, &here)
                .await
                .map_err(stopped)?,
            None => false,
        };
        if !is_unchanged {
            return Ok(tree.clone());
        }
        match set_status(&here, TaskStatus::Complete) {
            Ok(after) if after != here => lane.with_file(tree, path, after).await.map_err(stopped),
            Ok(_) | Err(_) => Ok(tree.clone()),
        }
    }
}

/// The checkout of the gate, ready for a command.
struct Ready {
    place: Place,
    prepared: Prepared,
    caches: CacheHome,
}

/// What follows for what a run of a command has built, if it passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BuiltFollows {
    /// Its next run starts from it: the tree is accepted.
    Kept,
    /// The same, once the tree is accepted.
    KeptIfAccepted,
    Forgotten,
    /// It is forgotten, and the run starts from nothing that an earlier one has built.
    Alone,
}

impl BuiltFollows {
    const fn of(kind: GateKind) -> Self {
        match kind {
            GateKind::Before | GateKind::Together | GateKind::Bisect => Self::Kept,
            GateKind::Merged | GateKind::Again => Self::KeptIfAccepted,
            GateKind::Alone
            | GateKind::Protected
            | GateKind::Configured
            | GateKind::Reverted
            | GateKind::Failing => Self::Forgotten,
            GateKind::Fresh | GateKind::Landing => Self::Alone,
        }
    }
}

/// The hash of a command, by which what it builds is kept.
fn built_by(steps: &[String]) -> Hash {
    hash_bytes(steps.join("\n").as_bytes())
}

fn title(task: &PlannedTask) -> String {
    match task.title.as_str() {
        "" => format!("Task {}", task.number),
        title => title.to_owned(),
    }
}
