//! Carries out a step of a run that another computer leads.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use review::Artifact as _;
use review::events::{Envelope, LiveEvents};
use review_config::Config;
use review_flow::{Blobs, ContentStore, Executed, Stop, hash_bytes};
use review_lane::Lane;
use review_process::Stop as ProcessStop;
use review_store::{FileBlobs, HostDir, HostLock, LaneDir, Root, StateDir, read_file};
use review_tasks::{LaneOp, LaneOut, PlannedTask, TaskPlan};
use review_types::Hash;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::super::{LaneExecutor, open, stopped};
use super::{ALIVE, Bytes, FromStep, SILENCE, StepOrder, StepResult, ToStep};
use crate::error::halted;
use crate::inbox::guide_task;
use crate::project::Project;
use crate::prompts;
use crate::run::{Opened, artifact_of};

/// The folder of the lane with what steps of other computers need and leave.
pub(in crate::lane) const STEPS: &str = "steps";
/// The result of a step, in its folder.
const RESULT: &str = "result.json";
/// The most bytes of a log that are sent, the last ones.
const MAX_LOG: usize = 8 << 20;
/// How long after its last step a run is forgotten.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// What a host lets orders do.
#[derive(Clone, Debug)]
pub struct StepHost {
    /// Its own configuration: limits, sandbox and the variables that agents see are its.
    pub config: Config,
    /// How many steps it carries out at a time.
    pub slots: NonZeroU32,
    /// The agents that it has, by the names of their backends; `None` for all.
    pub clients: Option<Vec<String>>,
}

/// Carries out the step of an order, and sends its events and its result. It ends when
/// its input does, and after a minute without a line.
pub async fn carry_out_step(
    project: &Project<'_>,
    host: &StepHost,
    order: StepOrder,
    mut input: UnboundedReceiver<ToStep>,
    output: UnboundedSender<FromStep>,
) {
    let (stopper, stop) = watch::channel(ProcessStop::Run);
    let (sender, sent) = unbounded_channel();
    let mut signals = project.stop.clone();
    let project = Project {
        stop,
        ..project.clone()
    };
    let step = CarriedStep {
        project: &project,
        host,
        order,
        output: output.clone(),
    };
    let listen = async {
        loop {
            let message = tokio::select! {
                message = timeout(SILENCE, input.recv()) => message.ok().flatten(),
                _ = signals.wait_for(|stop| *stop != ProcessStop::Run) => None,
            };
            match message {
                Some(ToStep::Cancel) | None => break,
                // What is not waited for is not needed.
                Some(message) => drop(sender.send(message)),
            }
        }
        stopper.send_replace(ProcessStop::Stop);
        drop(sender);
        std::future::pending::<()>().await;
    };
    let says = async {
        let mut ticks = interval_at(Instant::now() + ALIVE, ALIVE);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            say(&output, FromStep::Alive);
        }
    };
    let ended = tokio::select! {
        ended = step.carry_out(sent) => ended,
        () = listen => return,
        () = says => return,
    };
    say(&output, FromStep::Done { ended });
}

/// Sends a message; where nobody reads any more the input ends as well.
fn say(output: &UnboundedSender<FromStep>, message: FromStep) {
    drop(output.send(message));
}

/// A step, and where it is carried out.
struct CarriedStep<'a> {
    project: &'a Project<'a>,
    host: &'a StepHost,
    order: StepOrder,
    output: UnboundedSender<FromStep>,
}

impl CarriedStep<'_> {
    async fn carry_out(&self, sent: UnboundedReceiver<ToStep>) -> Result<StepResult, Stop> {
        let (project, order) = (self.project, &self.order);
        self.refuse_what_is_not_here()?;
        let root = project.root.path();
        let dir = open::folder(root, &project.env, &order.run).map_err(halted)?;
        let locks = HostDir::at(dir.entry("locks"));
        let slots = (0..self.host.slots.get()).map(|slot| format!("steps/{slot}"));
        let _slot = self.lock(&open::host(&project.env), slots).await?;
        let Some(away) = order.op.away() else {
            return Err(halted("this step is carried out where the run was started"));
        };
        let checkout = away
            .group
            .map_or("verify".to_owned(), |task| format!("task-{task}"));
        let _checkout = self.lock(&locks, [checkout]).await?;
        let lane = {
            let _open = self.lock(&locks, ["open".to_owned()]).await?;
            let git = open::git(project);
            let place = (root, order.target.as_str());
            let lane = Lane::open_in_clone(&git, dir.clone(), &order.run, place).await;
            lane.map_err(stopped)?
        };
        if !dir.entry(STEPS).exists() {
            self.forget_old_runs(&dir)?;
        }
        let steps = dir.create_folder(STEPS).map_err(halted)?;
        let folder = LaneDir::at(steps.join(order.step.key.to_string()));
        if let Some(result) = folder.read(RESULT).map_err(halted)? {
            return serde_json::from_slice(&result).map_err(halted);
        }
        let blobs = Arc::new(StateDir::at(&steps).blobs());
        self.want(&lane, &locks, &blobs, sent).await?;
        let texts = ContentStore::new(blobs);
        if let Some(task) = away.task {
            self.refuse_other_commands(task, &lane, &texts).await?;
        }
        self.name_missing_files(&lane).await?;
        let executed = self.execute(&folder, &texts).await?;
        let commits = match &executed.out {
            LaneOut::Snapshot { commit, .. } => {
                let made = std::slice::from_ref(commit);
                let pack = lane.pack(made, &order.commits).await;
                Some(Bytes(pack.map_err(stopped)?))
            }
            _ => None,
        };
        let mut contents = Vec::new();
        for hash in texts.flush_to_blobs().map_err(halted)? {
            contents.push(Bytes(texts.get(&hash).map_err(halted)?.to_vec()));
        }
        let result = StepResult {
            executed,
            contents,
            logs: self.logs(&folder).map_err(halted)?,
            commits,
        };
        for name in ["unit", "state"] {
            folder.remove(name).map_err(halted)?;
        }
        let json = serde_json::to_vec(&result).map_err(halted)?;
        folder.write(RESULT, &json).map_err(halted)?;
        Ok(result)
    }

    /// Removes what is left of the steps of other runs in this clone, unless they are led
    /// here as well.
    fn forget_old_runs(&self, dir: &LaneDir) -> Result<(), Stop> {
        let own = StateDir::at(self.project.root.path().join(&self.host.config.state_dir));
        let beside = dir.path().parent().map(std::fs::read_dir);
        for entry in beside.into_iter().flatten().flatten().flatten() {
            let last = entry.path().join(STEPS).metadata();
            let age = last.and_then(|last| last.modified()).map(|at| at.elapsed());
            let is_old = age.is_ok_and(|age| age.is_ok_and(|age| age > KEPT));
            if is_old && !own.path().join("runs").join(entry.file_name()).exists() {
                LaneDir::at(entry.path()).delete().map_err(halted)?;
            }
        }
        Ok(())
    }

    /// Refuses an order of another program, and one for an agent that the host does not have.
    fn refuse_what_is_not_here(&self) -> Result<(), Stop> {
        let (order, own) = (&self.order, self.project.version);
        if order.version != own {
            return Err(Stop::Broken(format!(
                "the run needs ralph {}, and this is ralph {own}",
                order.version
            )));
        }
        if let (LaneOp::Work { agent, .. }, Some(clients)) = (&order.op, &self.host.clients) {
            let agent = order.settings.implementers().nth(*agent);
            let agent = agent.map_or("", |agent| agent.name());
            if clients.iter().all(|one| one != agent) {
                return Err(Stop::Broken(format!("no agent `{agent}` is offered here")));
            }
        }
        Ok(())
    }

    /// Waits for the first of some locks. A thread that still waits for another one ends
    /// with this process.
    async fn lock(
        &self,
        locks: &HostDir,
        names: impl IntoIterator<Item = String>,
    ) -> Result<HostLock, Stop> {
        let (to, mut acquired) = unbounded_channel();
        for name in names {
            let (locks, to) = (locks.clone(), to.clone());
            std::thread::spawn(move || drop(to.send(locks.lock(name))));
        }
        let mut stop = self.project.stop.clone();
        tokio::select! {
            Some(lock) = acquired.recv() => lock.map_err(halted),
            _ = stop.wait_for(|stop| *stop != ProcessStop::Run) => Err(Stop::Interrupted),
        }
    }

    /// Gets what the order names and is not here.
    async fn want(
        &self,
        lane: &Lane,
        locks: &HostDir,
        blobs: &FileBlobs,
        mut sent: UnboundedReceiver<ToStep>,
    ) -> Result<(), Stop> {
        let order = &self.order;
        let mut missing: BTreeSet<Hash> = order.named().collect();
        // Content that is damaged is sent again.
        missing.retain(|hash| !matches!(blobs.get(hash), Ok(Some(_))));
        let known = lane.known_commits(&order.commits).await.map_err(stopped)?;
        let wanted = order.commits.iter().filter(|one| !known.contains(one));
        let commits: Vec<_> = wanted.cloned().collect();
        let mut tips = match commits.is_empty() {
            true => None,
            false => Some(lane.tips().await.map_err(stopped)?),
        };
        if !missing.is_empty() || tips.is_some() {
            let contents = missing.iter().copied().collect();
            let tips = tips.clone();
            let want = FromStep::Want {
                contents,
                commits,
                tips,
            };
            say(&self.output, want);
        }
        while !missing.is_empty() || tips.is_some() {
            match sent.recv().await.ok_or(Stop::Interrupted)? {
                ToStep::Content(Bytes(bytes)) => {
                    let hash = hash_bytes(&bytes);
                    if !missing.remove(&hash) {
                        return Err(halted("content arrives that is not wanted, or is damaged"));
                    }
                    blobs.put(&hash, &bytes).map_err(halted)?;
                }
                ToStep::Commits(Bytes(pack)) => {
                    lane.unpack(pack).await.map_err(stopped)?;
                    tips = None;
                }
                ToStep::Order(_) | ToStep::Cancel | ToStep::Alive => {}
            }
        }
        let _open = self.lock(locks, ["open".to_owned()]).await?;
        lane.follow(&order.tip).await.map_err(stopped)
    }

    /// Carries out the operation as a run here would, with the files of the unit that were
    /// sent in place of those of the clone.
    async fn execute(
        &self,
        folder: &LaneDir,
        texts: &ContentStore,
    ) -> Result<Executed<LaneOut>, Stop> {
        let order = &self.order;
        let mut settings = order.settings.clone().at_host(&self.host.config);
        settings.prompts = prompts::pinned(&order.prompts, texts).map_err(halted)?;
        let unit = folder.create_folder("unit").map_err(halted)?;
        let root = Root::open(&unit).map_err(halted)?;
        let artifact = artifact_of(root, &settings.target).map_err(halted)?;
        artifact.restore(&order.unit, texts).map_err(halted)?;
        let state = StateDir::open(&folder.entry("state")).map_err(halted)?;
        let project = Project {
            state: state.clone(),
            ..self.project.clone()
        };
        // That of a step that was cut off has logs of programs that are over.
        folder.remove("state/runs").map_err(halted)?;
        let dir = state.create_run(&order.run).map_err(halted)?;
        if let LaneOp::Work { task, .. } = &order.op {
            for text in &order.guidance {
                let now = project.clock.now();
                guide_task(&dir, task.number, text.clone(), now).map_err(halted)?;
            }
        }
        let opened = Opened {
            cwd: project.root.path().to_owned(),
            live: self.live(),
            ..Opened::new(&project, settings, artifact, dir)
        };
        let left = order.time_left;
        let deadline = left.and_then(|left| Instant::now().checked_add(left));
        let context = opened.agent_context(deadline).await.map_err(halted)?;
        let executor = LaneExecutor::of(&opened, &Arc::new(context), order.seed, deadline);
        let executor = executor.ok_or_else(|| halted("the run has no implementer"))?;
        let executed = Box::pin(executor.exec(order.step.clone(), order.op.clone(), texts));
        executed.await
    }

    /// Refuses commands that are neither those of the task's file in the commit of the order
    /// nor those that the user's file has now.
    async fn refuse_other_commands(
        &self,
        task: &PlannedTask,
        lane: &Lane,
        texts: &ContentStore,
    ) -> Result<(), Stop> {
        let (order, target) = (&self.order, &self.order.settings.target);
        let committed = lane.file_at(order.tip.as_str(), Path::new(&task.path));
        let mut files = Vec::from_iter(committed.await.map_err(stopped)?);
        if let Some(users) = order.unit.get(&task.path) {
            files.push(texts.get(&users.hash).map_err(halted)?.to_vec());
        }
        let is_same = |found: &PlannedTask| {
            found.number == task.number
                && found.commands == task.commands
                && found.must_pass == task.must_pass
                && found.timeout == task.timeout
        };
        if let Some((unit, dir)) = target.unit().zip(target.unit_dir()) {
            for file in files {
                let plan = TaskPlan::load(unit.clone(), dir, &[(&task.path, &file)]);
                if plan.tasks().iter().any(is_same) {
                    return Ok(());
                }
            }
        }
        let path = &task.path;
        Err(Stop::Broken(format!(
            "{path} has other commands than the order"
        )))
    }

    /// Says which of the files that checkouts need and git ignores this clone lacks, as far
    /// as `.worktreeinclude` names them one by one: those of another computer never arrive.
    async fn name_missing_files(&self, lane: &Lane) -> Result<(), Stop> {
        let list = Path::new(".worktreeinclude");
        let list = lane.file_at(self.order.tip.as_str(), list).await;
        let list = list.map_err(stopped)?.unwrap_or_default();
        let list = String::from_utf8_lossy(&list);
        let paths = list.lines().map(|line| line.trim().trim_matches('/'));
        let is_path = |line: &&str| !line.is_empty() && !line.contains(['#', '!', '*', '?', '[']);
        let root = self.project.root.path();
        let missing = paths
            .filter(is_path)
            .filter(|path| !root.join(path).exists());
        let missing: Vec<_> = missing.collect();
        if !missing.is_empty() {
            tracing::warn!(
                "the clone lacks files that `.worktreeinclude` names: {}",
                missing.join(", ")
            );
        }
        Ok(())
    }

    /// Sends what the step reports.
    fn live(&self) -> LiveEvents {
        let output = self.output.clone();
        let (run, clock) = (self.order.run.clone(), Arc::clone(&self.project.clock));
        LiveEvents::new(move |event| {
            let envelope = Envelope {
                run: run.clone(),
                seq: None,
                timestamp: clock.now(),
                unit: None,
                task: None,
                event: event.event,
            };
            say(&output, FromStep::Said(envelope));
        })
    }

    /// The ends of the logs of the step.
    fn logs(&self, folder: &LaneDir) -> std::io::Result<BTreeMap<String, Bytes>> {
        let run = StateDir::at(folder.entry("state")).run(&self.order.run);
        let mut logs = BTreeMap::new();
        let entries = std::fs::read_dir(run.path().join("logs"));
        for entry in entries.into_iter().flatten().flatten() {
            let mut log = read_file(&entry.path())?;
            log.drain(..log.len().saturating_sub(MAX_LOG));
            logs.insert(entry.file_name().to_string_lossy().into_owned(), Bytes(log));
        }
        Ok(logs)
    }
}
