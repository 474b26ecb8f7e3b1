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
use review_tasks::{GateCommand, LaneOp, LaneOut, PlannedTask, StepPlace, TaskPlan};
use review_types::Hash;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::super::{open, stopped};
use super::{ALIVE, Bytes, Content, FromStep, SILENCE, StepDone, StepOrder, ToStep};
use crate::error::halted;
use crate::inbox::guide_task;
use crate::project::Project;
use crate::prompts;
use crate::run::{Opened, artifact_of};

/// The folder of the lane with what steps of other computers need and leave.
pub(in crate::lane) const STEPS: &str = "steps";
/// The result of a step, in its folder.
const DONE: &str = "done.json";
/// The most bytes of a log that are sent, the last ones.
const MAX_LOG: usize = 8 << 20;
/// The pause before another look at a lock.
const PAUSE: Duration = Duration::from_millis(100);

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

/// Carries out the step of an order, and sends what it says and its result. It ends when
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
    let key = order.step.key;
    let step = CarriedStep {
        project: &project,
        host,
        order,
        output: output.clone(),
    };
    let work = async {
        let done = step.carry_out(sent).await;
        done.unwrap_or_else(|stop| StepDone {
            key,
            ended: Err(stop),
            contents: Vec::new(),
            logs: BTreeMap::new(),
        })
    };
    let listen = async {
        loop {
            let message = tokio::select! {
                message = timeout(SILENCE, input.recv()) => message.ok().flatten(),
                _ = signals.wait_for(|stop| *stop != ProcessStop::Run) => None,
            };
            match message {
                Some(ToStep::Alive | ToStep::Order(_)) => {}
                Some(message @ (ToStep::Content(_) | ToStep::Commits(_))) => {
                    // What is not waited for is not needed.
                    drop(sender.send(message));
                }
                Some(ToStep::Cancel) | None => break,
            }
        }
        stopper.send_replace(ProcessStop::Stop);
        drop(sender);
        std::future::pending::<()>().await;
    };
    let says = async {
        loop {
            sleep(ALIVE).await;
            say(&output, FromStep::Alive);
        }
    };
    let done = tokio::select! {
        done = work => done,
        () = listen => return,
        () = says => return,
    };
    say(&output, FromStep::Done(done));
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
    async fn carry_out(&self, sent: UnboundedReceiver<ToStep>) -> Result<StepDone, Stop> {
        let (project, order) = (self.project, &self.order);
        self.refuse_what_is_not_here()?;
        let root = project.root.path();
        let dir = open::folder(root, &project.env, &order.run).map_err(halted)?;
        let locks = HostDir::at(dir.entry("locks"));
        let slots = open::host(&project.env);
        let slots_here = (0..self.host.slots.get()).map(|slot| format!("steps/{slot}"));
        let _slot = self.lock(&slots, &slots_here.collect::<Vec<_>>()).await?;
        let StepPlace::Away(away) = order.op.place() else {
            return Err(halted("this step is carried out where the run was started"));
        };
        let checkout = away
            .group
            .map_or("verify".to_owned(), |task| format!("task-{task}"));
        let _checkout = self.lock(&locks, &[checkout]).await?;
        let lane = {
            let _open = self.lock(&locks, &["open".to_owned()]).await?;
            let git = open::git(project);
            let place = (root, order.target.as_str());
            let lane = Lane::open_in_clone(&git, dir.clone(), &order.run, place).await;
            lane.map_err(stopped)?
        };
        let steps = dir.entry(STEPS);
        dir.create_folder(STEPS).map_err(halted)?;
        let blobs = Arc::new(StateDir::at(&steps).blobs());
        let folder = LaneDir::at(steps.join(order.step.key.to_string()));
        let done = match folder.read(DONE).map_err(halted)? {
            Some(done) => serde_json::from_slice(&done).map_err(halted)?,
            None => {
                self.want(&lane, &locks, &blobs, sent).await?;
                let texts = ContentStore::new(blobs.clone());
                let executed = self.execute(&lane, &folder, &texts).await?;
                let done = StepDone {
                    key: order.step.key,
                    ended: Ok(executed),
                    contents: texts.flush_to_blobs().map_err(halted)?,
                    logs: self.logs(&folder, &blobs).map_err(halted)?,
                };
                for name in ["unit", "state"] {
                    folder.remove(name).map_err(halted)?;
                }
                let json = serde_json::to_vec(&done).map_err(halted)?;
                folder.write(DONE, &json).map_err(halted)?;
                done
            }
        };
        self.send(&lane, &blobs, &done).await?;
        Ok(done)
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
        let implementers: Vec<_> = order.settings.implementers().collect();
        if let (LaneOp::Work { agent, .. }, Some(clients)) = (&order.op, &self.host.clients) {
            let agent = implementers.get(*agent).map(|agent| agent.name());
            let is_here = agent.is_some_and(|agent| clients.iter().any(|one| one == agent));
            if !is_here {
                let agent = agent.unwrap_or_default();
                return Err(Stop::Broken(format!("no agent `{agent}` is offered here")));
            }
        }
        Ok(())
    }

    /// Takes the first of some locks that is free, and waits until one is.
    async fn lock(&self, locks: &HostDir, names: &[String]) -> Result<HostLock, Stop> {
        loop {
            for name in names {
                if let Some(lock) = locks.try_lock(name).map_err(halted)? {
                    return Ok(lock);
                }
            }
            if *self.project.stop.borrow() != ProcessStop::Run {
                return Err(Stop::Interrupted);
            }
            sleep(PAUSE).await;
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
        let mut missing = BTreeSet::new();
        for hash in order.named() {
            // Content that is damaged is sent again.
            if !matches!(blobs.get(&hash), Ok(Some(_))) {
                missing.insert(hash);
            }
        }
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
                ToStep::Content(Content { hash, bytes }) => {
                    if hash_bytes(&bytes.0) != hash || !missing.remove(&hash) {
                        return Err(halted("content arrives that is not wanted, or is damaged"));
                    }
                    blobs.put(&hash, &bytes.0).map_err(halted)?;
                }
                ToStep::Commits(Bytes(pack)) => {
                    lane.unpack(pack).await.map_err(stopped)?;
                    tips = None;
                }
                ToStep::Order(_) | ToStep::Cancel | ToStep::Alive => {}
            }
        }
        let known = lane.known_commits(&order.commits).await.map_err(stopped)?;
        if known.len() < order.commits.len() {
            return Err(halted("the commits of the order did not arrive"));
        }
        let _open = self.lock(locks, &["open".to_owned()]).await?;
        lane.follow(&order.tip).await.map_err(stopped)
    }

    /// Carries out the operation as a run here would, with the files of the unit that were
    /// sent in place of those of the clone.
    async fn execute(
        &self,
        lane: &Lane,
        folder: &LaneDir,
        texts: &ContentStore,
    ) -> Result<Executed<LaneOut>, Stop> {
        let order = &self.order;
        let mut settings = order.settings.clone().at_host(&self.host.config);
        settings.prompts = prompts::pinned(&order.prompts, texts).map_err(halted)?;
        self.refuse_other_commands(lane, texts).await?;
        self.name_missing_files(lane).await?;
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
            project: &project,
            redactor: project.redactor(&settings),
            artifact: Arc::new(artifact),
            looked: None,
            settings,
            cwd: project.root.path().to_owned(),
            dir,
            live: self.live(),
            trace_parent: None,
            workers: None,
        };
        let left = order.time_left;
        let deadline = left.and_then(|left| Instant::now().checked_add(left));
        let context = opened.agent_context(deadline).await.map_err(halted)?;
        let executor = opened.lane_executor(&Arc::new(context), order.seed, deadline);
        let executor = executor.ok_or_else(|| halted("the run has no implementer"))?;
        let executed = Box::pin(executor.exec(order.step.clone(), order.op.clone(), texts));
        executed.await
    }

    /// Refuses commands that are neither those of the task's file in the commit of the order
    /// nor those that the user's file has now.
    async fn refuse_other_commands(&self, lane: &Lane, texts: &ContentStore) -> Result<(), Stop> {
        let order = &self.order;
        if let LaneOp::Gate {
            command: GateCommand::Check(command),
            ..
        } = &order.op
        {
            let check = order.settings.config.lane.check.as_ref();
            return match check.is_some_and(|check| check.as_str() == command) {
                true => Ok(()),
                false => Err(halted("the command is not that of `lane.check`")),
            };
        }
        let StepPlace::Away(away) = order.op.place() else {
            return Ok(());
        };
        let Some(task) = away.task else { return Ok(()) };
        let path = Path::new(&task.path);
        let committed = lane.file_at(order.tip.as_str(), path).await;
        let committed = committed.map_err(stopped)?;
        let users = order.unit.get(&task.path).map(|file| texts.get(&file.hash));
        let users = users.transpose().map_err(halted)?;
        let files = committed.as_deref().into_iter().chain(users.as_deref());
        match files
            .into_iter()
            .any(|file| has_commands(file, task, order))
        {
            true => Ok(()),
            false => Err(Stop::Broken(format!(
                "{} has other commands than the order",
                task.path
            ))),
        }
    }

    /// Says which of the files that checkouts need and git ignores this clone lacks, as far
    /// as `.worktreeinclude` names them one by one: those of another computer never arrive.
    async fn name_missing_files(&self, lane: &Lane) -> Result<(), Stop> {
        let list = Path::new(".worktreeinclude");
        let list = lane.file_at(self.order.tip.as_str(), list).await;
        let list = list.map_err(stopped)?.unwrap_or_default();
        let list = String::from_utf8_lossy(&list);
        let is_path =
            |line: &&str| !line.starts_with(['#', '!']) && !line.contains(['*', '?', '[']);
        let paths = list.lines().map(|line| line.trim().trim_matches('/'));
        let paths = paths.filter(|line| !line.is_empty()).filter(is_path);
        let root = self.project.root.path();
        let missing: Vec<_> = paths.filter(|path| !root.join(path).exists()).collect();
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

    /// Keeps the logs of the step.
    fn logs(&self, folder: &LaneDir, blobs: &FileBlobs) -> std::io::Result<BTreeMap<String, Hash>> {
        let logs = StateDir::at(folder.entry("state")).run(&self.order.run);
        let logs = logs.path().join("logs");
        let mut kept = BTreeMap::new();
        for entry in std::fs::read_dir(logs).into_iter().flatten().flatten() {
            let bytes = read_file(&entry.path())?;
            let last = &bytes[bytes.len().saturating_sub(MAX_LOG)..];
            let hash = hash_bytes(last);
            blobs.put(&hash, last)?;
            kept.insert(entry.file_name().to_string_lossy().into_owned(), hash);
        }
        Ok(kept)
    }

    /// Sends what a result names.
    async fn send(&self, lane: &Lane, blobs: &FileBlobs, done: &StepDone) -> Result<(), Stop> {
        for hash in done.contents.iter().chain(done.logs.values()) {
            let bytes = blobs.get(hash).map_err(halted)?.unwrap_or_default();
            let (hash, bytes) = (*hash, Bytes(bytes));
            say(&self.output, FromStep::Content(Content { hash, bytes }));
        }
        if let Ok(Executed {
            out: LaneOut::Snapshot { commit, .. },
            ..
        }) = &done.ended
        {
            let pack = lane
                .pack(std::slice::from_ref(commit), &self.order.commits)
                .await;
            let pack = Bytes(pack.map_err(stopped)?);
            say(&self.output, FromStep::Commits(pack));
        }
        Ok(())
    }
}

/// Whether the file of a task has its commands.
fn has_commands(file: &[u8], task: &PlannedTask, order: &StepOrder) -> bool {
    let target = &order.settings.target;
    let (Some(unit), Some(dir)) = (target.unit(), target.unit_dir()) else {
        return false;
    };
    let plan = TaskPlan::load(unit.clone(), dir, &[(&task.path, file)]);
    let mut tasks = plan.tasks().iter();
    tasks.any(|found| {
        found.number == task.number
            && found.commands == task.commands
            && found.must_pass == task.must_pass
            && found.timeout == task.timeout
    })
}
