//! Carries out what the tasks of a run need of its lane: private checkouts, agents in
//! them, commands on merged trees, and landing.

pub(crate) mod away;
mod brief;
mod caches;
mod change;
mod disk;
mod environment;
mod failing;
mod gate;
mod judged;
mod land;
mod lock_files;
mod open;
mod pick;
mod protected;
pub(crate) mod runner_files;
mod sandbox;
mod seats;
mod slots;
mod watch;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError};

use review::LimitReached;
use review::events::AttemptCode;
use review_agents::{AgentContext, Chain, Checkout, Interruption, usual_variables};
use review_config::{HostName, LaneTable};
use review_document::set_status;
use review_flow::{ContentStore, Executed, Seed, Step, Stop};
use review_lane::{
    Built, Carried, ChangeFault, Lane, LaneError, Merge, Opens, Place, Prepared, Reused, Snapshot,
    SnapshotOf,
};
use review_lint::Glob;
use review_store::{FileArtifact, Root, RootPath};
use review_tasks::{Change, LaneOp, LaneOut, PlannedTask, SnapshotFault, TaskContext};
use review_types::{Hash, TaskNumber, TaskStatus, UnitId, excerpt};
use tokio::sync::{Mutex, OnceCell, Semaphore};
use tokio::time::Instant;

use crate::error::halted;
use crate::run::{Opened, artifact_of};

pub(crate) use away::{EngineState, Worker, Workers, find_workers};
pub(crate) use disk::refuse_without_room;
use land::Landed;
pub use open::lane_folder;
pub(crate) use open::{InspectedRepository, git, look, no_folder, of_run, refuse_several_jobs};
pub(crate) use sandbox::Probe;

/// Maximum number of entries of the account of a resolution that are reported.
const MAX_ENTRIES: usize = 10;

/// Maximum number of characters of such an entry.
const MAX_ENTRY: usize = 200;

/// Carries out operations on the lane of a run.
pub(crate) struct LaneExecutor<'a> {
    run: &'a Opened<'a>,
    /// Who implements the tasks.
    implementer: &'a Chain,
    table: &'a LaneTable,
    unit: UnitId,
    context: Arc<AgentContext>,
    seed: Seed,
    deadline: Option<Instant>,
    lane: OnceCell<Lane>,
    in_force: OnceCell<sandbox::InForce>,
    seats: seats::Seats,
    slots: slots::Slots,
    /// The work that frees space when it ends.
    running: disk::Running,
    /// The checkouts in which agents work, whatever the user does beside them.
    agents: std::sync::Mutex<BTreeSet<PathBuf>>,
    /// The links that are not copied to checkouts, which were reported to the user.
    links: std::sync::Mutex<BTreeSet<PathBuf>>,
    /// How many steps hosts get at a time, where that is limited.
    host_slots: BTreeMap<HostName, Semaphore>,
    /// The hosts that get no more steps.
    unreachable: std::sync::Mutex<BTreeSet<HostName>>,
    /// Warnings of hosts that were shown.
    complaints: std::sync::Mutex<BTreeSet<String>>,
    /// The home of the caches of agents.
    agents_caches: OnceCell<caches::CacheHome>,
    /// The files that no agent sees, once a task is worked at.
    hidden: OnceLock<Vec<Glob>>,
    /// The checkout of the gate, held by who uses it; `None` until it is set up in this
    /// process.
    verify: Mutex<Option<Prepared>>,
    /// The tasks whose work is on the lane and whose checkouts are of use for other tasks.
    free: std::sync::Mutex<Vec<TaskNumber>>,
    /// What the commands of tasks have built, by the task.
    built: std::sync::Mutex<BTreeMap<TaskNumber, Hash>>,
    /// What landed last, while its tasks are recorded.
    landed: Mutex<Option<Landed>>,
}

impl<'a> LaneExecutor<'a> {
    /// Returns the executor of a run, if agents implement its tasks.
    pub(crate) fn of(
        run: &'a Opened<'a>,
        context: &Arc<AgentContext>,
        seed: Seed,
        deadline: Option<Instant>,
    ) -> Option<Self> {
        let (env, settings) = (&run.project.env, &run.settings);
        let jobs = usize::try_from(settings.config.task.jobs.get()).unwrap_or(usize::MAX);
        let host = open::host(env);
        Some(Self {
            slots: slots::Slots::new(host.clone(), env),
            seats: seats::Seats::new(host, jobs),
            run,
            implementer: settings.implementer()?,
            table: &settings.config.lane,
            unit: settings.target.unit()?.clone(),
            context: Arc::clone(context),
            seed,
            deadline,
            lane: OnceCell::new(),
            in_force: OnceCell::new(),
            running: disk::Running::default(),
            agents: std::sync::Mutex::default(),
            links: std::sync::Mutex::default(),
            host_slots: host_slots(run),
            unreachable: std::sync::Mutex::new(missing_workers(run)),
            complaints: std::sync::Mutex::default(),
            agents_caches: OnceCell::new(),
            hidden: OnceLock::new(),
            verify: Mutex::default(),
            free: std::sync::Mutex::default(),
            built: std::sync::Mutex::default(),
            landed: Mutex::default(),
        })
    }

    /// Carries out one operation.
    ///
    /// # Errors
    /// [`Stop`] when the process stops, or git or a file fails.
    pub(crate) async fn exec(
        &self,
        step: Step,
        op: LaneOp,
        texts: &ContentStore,
    ) -> Result<Executed<LaneOut>, Stop> {
        if let Some(cut) = self.cut()? {
            return Ok(Executed::local(cut));
        }
        if let Some(executed) = self.away(&step, &op, texts).await? {
            return Ok(executed);
        }
        let needs_room = matches!(
            op,
            LaneOp::Checkout { .. } | LaneOp::Work { .. } | LaneOp::Gate { .. }
        );
        let _running = match needs_room {
            true => match self.room().await? {
                Ok(running) => Some(running),
                Err(blocked) => return Ok(Executed::local(blocked)),
            },
            false => matches!(op, LaneOp::Review { .. }).then(|| self.running.start()),
        };
        let out = match op {
            LaneOp::Work {
                task,
                attempt,
                agent,
                last,
                allowance,
            } => {
                let asked = (agent, last, allowance);
                return self.work(step, &task, attempt, asked, texts).await;
            }
            LaneOp::Review {
                task,
                attempt,
                base,
                op,
            } => return self.review(step, (task, attempt), base, *op, texts).await,
            LaneOp::Pick { tasks, allowance } => return self.pick(step, &tasks, allowance).await,
            LaneOp::Open => self.open().await?,
            LaneOp::Checkout {
                task,
                attempt,
                base,
                change,
                hidden,
            } => {
                let lane = self.lane().await?;
                let (tree, conflicts) = match change {
                    None => (None, Vec::new()),
                    Some(change) => match merged(lane, &change, &base).await.map_err(stopped)? {
                        Merge::Clean(tree) => (Some(tree), Vec::new()),
                        Merge::Conflicts { tree, paths } => (Some(tree), paths),
                    },
                };
                let built = self.copy_built(lane, task).await;
                let free = self
                    .free
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pop();
                let reused = match (built, free) {
                    (Some(built), _) => Reused::Built(built),
                    (None, Some(free)) => Reused::Checkout(free),
                    (None, None) => Reused::Nothing,
                };
                let hidden = self.hidden(&hidden);
                let is_hidden = |path: &Path| protected::is_open(hidden, path);
                let hides: Opens<'_> = &is_hidden;
                let hides = (!hidden.is_empty()).then_some(hides);
                let place = lane
                    .check_out(task, tree.as_ref(), &base, reused, hides)
                    .await;
                let place = place.map_err(stopped)?;
                lane.note_conflicts(task, &conflicts).map_err(stopped)?;
                self.show_unit(&place)?;
                self.set_up(&step, &place, (task, attempt), texts).await?
            }
            LaneOp::Snapshot {
                task,
                attempt,
                base,
            } => self.snapshot(&task, attempt, &base).await?,
            LaneOp::Account {
                change,
                tip,
                resolved,
            } => self.account(&change, &tip, &resolved).await?,
            LaneOp::Merge {
                task,
                change,
                tip,
                had_tests,
            } => {
                let lane = self.lane().await?;
                match merged(lane, &change, &tip).await.map_err(stopped)? {
                    Merge::Clean(tree) => self.merged_trees((&task, had_tests), &tip, tree).await?,
                    Merge::Conflicts { paths, .. } => LaneOut::Conflicts {
                        paths: shown(paths),
                    },
                }
            }
            LaneOp::Gate {
                command,
                tree,
                kind,
                known,
            } => {
                self.gate(&step, &command, (&tree, kind, &known), texts)
                    .await?
            }
            LaneOp::WriteChange { task, tip, tree } => {
                self.write_change(&task, &tip, &tree, texts).await?
            }
            LaneOp::Advance {
                task,
                tip,
                tree,
                approval,
            } => {
                let change = (&tip, &tree);
                self.advance(&task, change, approval.as_ref()).await?
            }
            LaneOp::Complete {
                task,
                ran,
                tip,
                tree,
            } => self.complete(&task, &ran, (&tip, &tree)).await?,
            LaneOp::Carry { tip } => {
                let lane = self.lane().await?;
                let unit = self.run.artifact.paths().map_err(halted)?;
                let unit = unit.iter().map(|path| PathBuf::from(path.as_str()));
                let carried = lane.carry(&tip, &unit.collect(), self.table.land).await;
                match carried.map_err(stopped)? {
                    Carried::Fits { commit, tree } => {
                        // It is set up again, for the tree that lands.
                        *self.verify.lock().await = None;
                        LaneOut::Carried { commit, tree }
                    }
                    Carried::Conflicts(paths) => land::conflict(lane.source(), &shown(paths)),
                    Carried::NoTarget => land::no_target(lane.source()),
                    Carried::NotSigned(reason) => land::not_signed(&reason),
                }
            }
            LaneOp::Record {
                task,
                ran,
                commit,
                approval,
            } => {
                let proved = (&ran, approval.as_ref());
                self.record(&task, proved, &commit).await?
            }
            LaneOp::Land { commit, tasks } => self.land(&commit, &tasks).await?,
        };
        Ok(Executed::local(out))
    }

    /// The result of an operation that the end of the run's time keeps from going on, if it
    /// does.
    fn cut(&self) -> Result<Option<LaneOut>, Stop> {
        match self.context.interruption() {
            Some(Interruption::Stopped) => Err(Stop::Interrupted),
            Some(Interruption::RunTime) => Ok(Some(LaneOut::Cut(LimitReached::RunTime))),
            None => Ok(None),
        }
    }

    /// Notes the files that no agent sees, which are the same for all tasks.
    fn hidden(&self, patterns: &[String]) -> &[Glob] {
        self.hidden.get_or_init(|| protected::opened(&[], patterns))
    }

    /// The lane, which was opened in this process or an earlier one.
    async fn lane(&self) -> Result<&Lane, Stop> {
        let find = async || {
            let dir = self.folder()?;
            let found = Lane::find(self.git(), dir.clone()).map_err(stopped)?;
            found.ok_or_else(|| {
                let path = dir.path().display();
                let gone =
                    format!("the folder {path} of the run was removed; what has landed is safe");
                Stop::Broken(gone)
            })
        };
        self.lane.get_or_try_init(find).await
    }

    /// Copies what the command of a task has built for a checkout, unless a command runs.
    async fn copy_built(&self, lane: &Lane, task: TaskNumber) -> Option<Built> {
        let _alone = self.verify.try_lock().ok()?;
        let command = self.built.lock().ok()?.get(&task).copied()?;
        let lane = lane.clone();
        let copied = tokio::task::spawn_blocking(move || lane.copy_built(task, &command)).await;
        copied.ok()?.unwrap_or_else(|error| {
            tracing::debug!("what the gate has built is not copied to task {task}: {error}");
            None
        })
    }

    async fn snapshot(
        &self,
        task: &PlannedTask,
        attempt: u32,
        base: &review_lane::CommitId,
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let snapshot = self.take_snapshot(task, attempt, base, None).await?;
        let mut restored = shown(snapshot.restored);
        restored.retain(|path| !self.is_users(path, &lane.task_place(task.number)));
        Ok(LaneOut::Snapshot {
            commit: snapshot.commit,
            tree: snapshot.tree,
            files: u32::try_from(snapshot.files).unwrap_or(u32::MAX),
            fault: snapshot.fault.as_ref().map(fault),
            restored,
        })
    }

    /// Takes what an agent left in its checkout, or `made`, the commit that another computer
    /// made of it.
    async fn take_snapshot(
        &self,
        task: &PlannedTask,
        attempt: u32,
        base: &review_lane::CommitId,
        made: Option<&review_lane::CommitId>,
    ) -> Result<Snapshot, Stop> {
        let lane = self.lane().await?;
        let unit = self.run.artifact.paths().map_err(halted)?;
        let opened = protected::opened(&self.table.may_change, &task.may_change);
        let opens = |path: &Path| protected::is_open(&opened, path);
        let hidden = self.hidden(&task.hidden);
        let hides = |path: &Path| protected::is_open(hidden, path);
        let reach = self.reach(lane, task, base).await;
        let unit = unit.iter().map(|path| path.as_str());
        let fixed = protected::fixed_files(unit, &reach.commands, &opens);
        let of_others = self.files_of_others(lane, task, base).await?;
        let of = SnapshotOf {
            task: task.number,
            attempt,
            base,
            fixed: &fixed,
            of_others: &of_others,
            opens: &opens,
            hides: &hides,
        };
        let snapshot = match made {
            Some(commit) => lane.accept(commit, of).await,
            None => lane.snapshot(of).await,
        };
        snapshot.map_err(stopped)
    }

    /// Accounts for the resolution of a conflict.
    async fn account(
        &self,
        change: &Change,
        tip: &review_lane::CommitId,
        resolved: &review_lane::CommitId,
    ) -> Result<LaneOut, Stop> {
        let lane = self.lane().await?;
        let conflict = (&change.base, &change.commit);
        let mut entries = lane
            .account(conflict, tip, resolved)
            .await
            .map_err(stopped)?;
        entries.sort_by_key(|entry| entry.code);
        let more = entries.len().saturating_sub(MAX_ENTRIES);
        entries.truncate(MAX_ENTRIES);
        for entry in &mut entries {
            entry.text = excerpt(&entry.text, MAX_ENTRY);
        }
        Ok(LaneOut::Accounted {
            entries,
            more: u32::try_from(more).unwrap_or(u32::MAX),
        })
    }

    /// Gives a checkout the spec, plan and tasks as the user's files have them now: the
    /// user may have answered a question there. They are not part of the change.
    fn show_unit(&self, place: &Place) -> Result<(), Stop> {
        for path in self.run.artifact.paths().map_err(halted)? {
            if let Some(text) = self
                .run
                .artifact
                .root()
                .read(path.as_str())
                .map_err(halted)?
            {
                show(place, &path, &text)?;
            }
        }
        Ok(())
    }

    /// Whether a file of a checkout is that of the user.
    fn is_users(&self, path: &str, place: &Place) -> bool {
        let content = |root: Root| {
            let file = FileArtifact::file(root, RootPath::new(path).ok()?);
            file.read(path).ok()
        };
        let user = content(self.run.artifact.root().clone());
        user.is_some() && user == Root::open(&place.root).ok().and_then(content)
    }

    /// What commands in a checkout share.
    fn task_context(
        &self,
        place: &Place,
        work: environment::Work<'_>,
        confined: &sandbox::Confined,
    ) -> Result<TaskContext, Stop> {
        let project = self.run.project;
        let mut environment = work.environment(&project.env, project.root.path());
        environment.extend(confined.variables.iter().cloned());
        let sandbox = confined.sandbox.clone();
        self.run
            .checkout_context(place, environment, sandbox, self.deadline)
    }

    /// The checkout of an agent with the unit, in a sandbox that holds for as long as the
    /// second value lives.
    async fn agent_checkout(
        &self,
        lane: &Lane,
        doing: environment::Work<'_>,
        client: work::ClientState,
    ) -> Result<(Arc<Checkout>, sandbox::Confined), Stop> {
        let project = self.run.project;
        let root = Root::open(&doing.place.root).map_err(halted)?;
        let artifact = artifact_of(root, &self.run.settings.target).map_err(halted)?;
        let caches = self.caches_of_agents(lane).await?;
        let by = (doing.place, doing.role);
        let confined = self.confine(lane, by, &caches, &client.folders).await?;
        let passed = usual_variables(&project.env, &self.context.pass_env);
        let set = doing.variables(&project.env).into_iter();
        let set = set.chain(doing.found_by(&passed, project.root.path()));
        let set = set.chain(client.database);
        let set = set.chain(confined.variables.iter().cloned());
        let set = set.map(|(name, value)| (name, Some(value))).collect();
        let checkout = Checkout::new(Arc::new(artifact), self.run.dir.child_slot(), set);
        let checkout = checkout.without_git().within(confined.sandbox.clone());
        Ok((Arc::new(checkout), confined))
    }

    fn doing<'s>(&'s self, place: &'s Place, role: environment::Role) -> environment::Work<'s> {
        environment::Work {
            place,
            run: self.run.dir.id(),
            unit: &self.unit,
            task: None,
            attempt: None,
            role,
            seat: None,
        }
    }
}

fn host_slots(run: &Opened<'_>) -> BTreeMap<HostName, Semaphore> {
    let of_config = run.settings.config.hosts.iter();
    let of_config = of_config.filter_map(|(name, host)| {
        let slots = usize::try_from(host.slots?.get()).ok()?;
        Some((name.clone(), slots))
    });
    let slots = run.workers.clone().unwrap_or_else(|| of_config.collect());
    let slots = slots.into_iter();
    slots
        .map(|(name, slots)| (name, Semaphore::new(slots)))
        .collect()
}

fn missing_workers(run: &Opened<'_>) -> BTreeSet<HostName> {
    let is_missing = |host: &&HostName| {
        let workers = run.workers.as_ref();
        workers.is_some_and(|workers| !workers.contains_key(*host))
    };
    run.settings
        .hosts
        .iter()
        .filter(is_missing)
        .cloned()
        .collect()
}

/// Gives a file of a checkout this content.
fn show(place: &Place, path: &RootPath, text: &[u8]) -> Result<(), Stop> {
    let checkout = Root::open(&place.root).map_err(halted)?;
    // What the lane calls complete is so, though the user's file says it once it landed.
    let completed = set_status(text, TaskStatus::Complete);
    let is_shown = |known: &[u8]| known == text || completed.as_deref().is_ok_and(|it| it == known);
    match checkout.read(path.as_str()) {
        Ok(Some(known)) if is_shown(&known) => Ok(()),
        Ok(Some(_)) => checkout.replace(path, text).map_err(halted),
        Ok(None) | Err(_) => checkout.create(path, text).map(|_| ()).map_err(halted),
    }
}

async fn merged(
    lane: &Lane,
    change: &Change,
    tip: &review_lane::CommitId,
) -> Result<Merge, LaneError> {
    lane.merge(&change.base, &change.commit, tip).await
}

/// An error of the lane, as a halt.
fn stopped(error: LaneError) -> Stop {
    match error.is_stop() {
        true => Stop::Interrupted,
        false => halted(error),
    }
}

fn shown(paths: Vec<PathBuf>) -> Vec<String> {
    let paths = paths.iter().map(|path| path.display().to_string());
    paths.collect()
}

fn fault(fault: &ChangeFault) -> SnapshotFault {
    SnapshotFault {
        code: code_of(fault),
        reason: fault.to_string(),
    }
}

const fn code_of(fault: &ChangeFault) -> AttemptCode {
    match fault {
        ChangeFault::Markers(_) => AttemptCode::TextConflict,
        ChangeFault::CheckoutGone => AttemptCode::NoChange,
        ChangeFault::NestedRepository(_)
        | ChangeFault::SubmoduleChanged(_)
        | ChangeFault::EscapingLink { .. }
        | ChangeFault::UnreadableFile(_)
        | ChangeFault::TooLarge { .. } => AttemptCode::FileRefused,
    }
}
