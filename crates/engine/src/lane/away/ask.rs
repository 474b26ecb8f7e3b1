//! Has another computer carry out a step.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use review::Artifact as _;
use review::events::{Event, RunEvent};
use review_config::HostName;
use review_flow::{ContentStore, Executed, Step, Stop};
use review_lane::CommitId;
use review_process::{
    Command, Context, Ended, EndedBy, Environment, GroupId, Limits, Overflow, Patience, Redactor,
    Sink, SpawnError, SpawnFault, Stdin, Stream, run,
};
use review_store::RUN_VARIABLE;
use review_tasks::{AwayStep, GateKind, LaneOp, LaneOut};
use review_types::{Hash, TaskNumber};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

use super::super::{LaneExecutor, stopped};
use super::connection::{Connection, Lost, variables};
use super::{Bytes, FromStep, MAX_STEP_MESSAGE, SILENCE, StepOrder, StepResult, ToStep, line};
use crate::error::halted;
use crate::inbox::task_guidance;
use crate::prompts;

/// How often the connection of a step may fail.
const FAILURES: u32 = 3;

/// The pause before a connection is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a step has after the end of the time of its run: to end its programs, and to
/// answer. One that waits for its turn on a host has no longer.
const END: Duration = Duration::from_secs(20);

/// How long a host may go on after its result.
const GRACE: Duration = Duration::from_secs(2);

/// Bytes of what the program or the host prints that are quoted.
const QUOTED: usize = 1024;

/// The most warnings of hosts that are passed on in a run.
const MAX_COMPLAINTS: usize = 20;

/// How ssh ends its message about a host whose key it does not know.
const UNKNOWN_KEY: &str = "Host key verification failed";

impl LaneExecutor<'_> {
    /// Has a host of the run carry out an operation; `None` if it is carried out here. A
    /// task that passes before any work may be recorded because of it, so that is seen here.
    pub(in crate::lane) async fn away(
        &self,
        step: &Step,
        op: &LaneOp,
        texts: &ContentStore,
    ) -> Result<Option<Executed<LaneOut>>, Stop> {
        let Some(away) = op.away() else {
            return Ok(None);
        };
        if self.run.settings.hosts.is_empty() {
            return Ok(None);
        }
        let mut order = self.order(step, op, &away, texts).await?;
        let mut last = String::new();
        let executed = loop {
            let Some(host) = self.host_of(task_of(op)) else {
                return Err(Stop::Broken(format!("no host is left: {last}")));
            };
            let why = match self.carried_out_by(host, &mut order, texts).await? {
                Ok(executed) => break executed,
                Err(why) => why,
            };
            if let Some(cut) = self.cut()? {
                return Ok(Some(Executed::local(cut)));
            }
            tracing::warn!("host {host}: {why}; it gets no more steps of this run");
            last = format!("host {host}: {why}");
            self.unreachable_hosts().insert(host.clone());
        };
        let is_before = matches!(
            op,
            LaneOp::Gate { kind, .. } if *kind == GateKind::Before
        );
        let passed = matches!(&executed.out, LaneOut::Gated(ran) if ran.failure.is_none());
        Ok((!is_before || !passed).then_some(executed))
    }

    /// All steps of a task are carried out where its checkout is: by the host whose turn it
    /// is by the number of the task, or the next one that can be reached.
    fn host_of(&self, task: Option<TaskNumber>) -> Option<&HostName> {
        let hosts = &self.run.settings.hosts;
        let number = task.map_or(0, TaskNumber::get);
        let turn = usize::try_from(number).ok()?.checked_rem(hosts.len())?;
        let unreachable = self.unreachable_hosts();
        let mut from_turn = hosts.iter().cycle().skip(turn).take(hosts.len());
        from_turn.find(|host| !unreachable.contains(*host))
    }

    fn unreachable_hosts(&self) -> MutexGuard<'_, BTreeSet<HostName>> {
        let hosts = self.unreachable.lock();
        hosts.unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no host can be reached any more.
    pub(crate) fn has_no_host(&self) -> bool {
        !self.run.settings.hosts.is_empty() && self.host_of(None).is_none()
    }

    /// Has one host carry out a step; or why it cannot be reached, after some tries.
    async fn carried_out_by(
        &self,
        host: &HostName,
        order: &mut StepOrder,
        texts: &ContentStore,
    ) -> Result<Result<Executed<LaneOut>, String>, Stop> {
        let slots = self.host_slots.get(host);
        let slot = futures_util::future::OptionFuture::from(slots.map(Semaphore::acquire));
        let _slot = slot.await.transpose().map_err(halted)?;
        let named = self.run.settings.config.hosts.get(host);
        let root = named.and_then(|named| named.root.as_ref());
        order.folder = root.map_or_else(|| self.usual_clone(), |root| root.as_str().into());
        let connection = Connection::to(host, &self.run.settings, self.run.project.root.path());
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        let mut failures = 0;
        loop {
            order.time_left = self.deadline.map(left);
            let (lost, why) = match self.talk((host, &connection), order, texts).await? {
                Ok(executed) => return Ok(Ok(executed)),
                Err(lost) => lost,
            };
            order.step.attempt += 1;
            failures += 1;
            match lost {
                Lost::Connection if failures < FAILURES => {}
                Lost::Connection | Lost::Host => return Ok(Err(why)),
                Lost::Engine => {
                    let hosts = self.run.settings.hosts.iter().cloned();
                    self.unreachable_hosts().extend(hosts);
                    return Err(Stop::Broken(why));
                }
            }
            tracing::warn!("host {host}: {why}; the step is ordered again");
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// The clone of a host that names none: where the project is here, below the home folder.
    fn usual_clone(&self) -> PathBuf {
        let root = self.run.project.root.path();
        let home = self.run.project.env.get(std::ffi::OsStr::new("HOME"));
        let below_home = home.and_then(|home| root.strip_prefix(home).ok());
        below_home.unwrap_or(root).to_owned()
    }

    /// What the host shall do.
    async fn order(
        &self,
        step: &Step,
        op: &LaneOp,
        away: &AwayStep<'_>,
        texts: &ContentStore,
    ) -> Result<StepOrder, Stop> {
        let (run, lane) = (self.run, self.lane().await?);
        let tip = lane.tip().await.map_err(stopped)?;
        let mut commits: BTreeSet<CommitId> = away.commits.iter().map(|&one| one.clone()).collect();
        commits.insert(tip.clone());
        if let Some(tree) = away.tree {
            commits.insert(lane.commit_to_send(tree).await.map_err(stopped)?);
        }
        let unit = run.artifact.snapshot(Some(texts)).map_err(halted)?.manifest;
        let guidance = match op {
            LaneOp::Work { task, .. } => task_guidance(&run.dir, task.number).map_err(halted)?,
            _ => Vec::new(),
        };
        Ok(StepOrder {
            version: run.project.version.to_owned(),
            folder: self.usual_clone(),
            run: run.dir.id().clone(),
            seed: self.seed,
            settings: run.settings.to_send().map_err(halted)?,
            prompts: prompts::pin(run.settings.given_prompts(), texts),
            target: lane.source().target.clone(),
            step: step.clone(),
            op: op.clone(),
            tip,
            commits: commits.into_iter().collect(),
            unit,
            contents: away.wants.clone(),
            guidance,
            time_left: None,
        })
    }

    /// Talks with the host until it has carried out the step; or why the connection failed.
    async fn talk(
        &self,
        (host, connection): (&HostName, &Connection<'_>),
        order: &StepOrder,
        texts: &ContentStore,
    ) -> Result<Result<Executed<LaneOut>, (Lost, String)>, Stop> {
        let (to, mut messages) = unbounded_channel();
        let (heard, from) = unbounded_channel();
        let first = line(&ToStep::Order(Box::new(order.clone())))?;
        let runs = self.connect((host, connection), (order, first), &mut messages, heard);
        let converses = self.converse((connection, order), to, from, texts);
        let (ended, heard) = tokio::join!(runs, converses);
        let ended = match ended {
            Err(error) if matches!(error.cause, SpawnFault::Stopped) => {
                return Err(Stop::Interrupted);
            }
            ended => ended.map_err(halted)?,
        };
        let mut lost = Lost::Connection;
        let why = match heard? {
            Some(Ok(result)) => return self.take((host, order), result, texts).await.map(Ok),
            Some(Err(Stop::Broken(why))) => {
                return Err(Stop::Broken(format!("host {host}: {why}")));
            }
            Some(Err(Stop::Interrupted)) => "it was stopped there".to_owned(),
            None => {
                lost = connection.lost(ended.exit);
                let said = ended.stderr.tail(QUOTED);
                if let Connection::Ssh(ssh) = connection
                    && said.contains(UNKNOWN_KEY)
                {
                    return Err(Stop::Broken(format!(
                        "host {host}: ssh does not know its key; run `ssh {ssh}`, then resume"
                    )));
                }
                let error = said.lines().find_map(|line| line.strip_prefix("error: "));
                let last = error.or(said.lines().last());
                let last = last.map_or_else(String::new, |last| format!(": {last}"));
                format!("the connection ended with {}{last}", ended.exit)
            }
        };
        match ended.cut {
            Some(EndedBy::Stopped) => Err(Stop::Interrupted),
            Some(EndedBy::Idle(_)) => Ok(Err((
                Lost::Connection,
                "no line arrived for a minute".to_owned(),
            ))),
            // The time of the run is over.
            Some(EndedBy::Wall(_)) => Ok(Err((Lost::Host, why))),
            _ => Ok(Err((lost, why))),
        }
    }

    async fn connect(
        &self,
        (host, connection): (&HostName, &Connection<'_>),
        (order, first): (&StepOrder, Vec<u8>),
        messages: &mut UnboundedReceiver<Vec<u8>>,
        heard: UnboundedSender<Result<FromStep, String>>,
    ) -> Result<Ended, SpawnError> {
        let project = self.run.project;
        let (program, args) = connection.program();
        let mut env = variables(program, &project.env);
        // A resume ends what a kill leaves of it.
        env.push((RUN_VARIABLE.into(), self.run.dir.id().as_str().into()));
        let command = Command {
            env: Environment::Only(env),
            stdin: Stdin::Dialog(first),
            limits: Limits {
                // A step that has begun ends itself at the end of the run.
                wall: order.time_left.map(|left| left.saturating_add(END)),
                idle: Some(SILENCE),
                grace: GRACE,
                capture: 0,
                overflow: Overflow::KeepTail,
                ..Limits::default()
            },
            ..Command::new(program, project.root.path())
        };
        let command = command.args(args);
        let mut lines = Lines {
            heard,
            unfinished: Vec::new(),
            complaint: Vec::new(),
            is_alive: false,
            complains: &|complaint| self.complain(host, complaint),
        };
        // Declared before the call, so that a dropped call is killed first.
        let mut child = self.run.dir.child_slot().note();
        let mut started = |group: GroupId| child.write(group);
        let redactor = Redactor::none();
        let mut context = Context::new(project.stop.clone(), &project.groups, &redactor);
        context.sink = Some(&mut lines);
        context.messages = Some(messages);
        context.started = Some(&mut started);
        run(command, context).await
    }

    /// Answers what the step wants, until it has ended; `None` if the connection ends first.
    /// An engine may have the step by an order of a process that was killed, which named other
    /// content: that one is stopped.
    async fn converse(
        &self,
        (connection, order): (&Connection<'_>, &StepOrder),
        to: UnboundedSender<Vec<u8>>,
        mut from: UnboundedReceiver<Result<FromStep, String>>,
        texts: &ContentStore,
    ) -> Result<Option<Result<StepResult, Stop>>, Stop> {
        let lane = self.lane().await?;
        let named: BTreeSet<Hash> = order.named().collect();
        // Where nobody listens any more the connection has ended.
        let send = |message: ToStep| line(&message).map(|text| to.send(text).is_ok());
        while let Some(message) = from.recv().await {
            match message.map_err(|why| halted(format!("a line of a host: {why}")))? {
                FromStep::Want {
                    contents,
                    commits,
                    tips,
                } => {
                    let unnamed = contents.iter().find(|hash| !named.contains(hash));
                    let is_of_order = commits.iter().all(|one| order.commits.contains(one));
                    if unnamed.is_some() || !is_of_order {
                        if let Connection::Engine(..) = connection {
                            send(ToStep::Cancel)?;
                            let rest = async { while from.recv().await.is_some() {} };
                            // One that does not end is ended with its connection.
                            drop(tokio::time::timeout(SILENCE, rest).await);
                            return Ok(Some(Err(Stop::Interrupted)));
                        }
                        let name = unnamed.map_or("commits".to_owned(), |hash| {
                            format!("content {}", hash.short())
                        });
                        return Err(Stop::Broken(format!(
                            "a host wants {name} that its order does not name"
                        )));
                    }
                    for hash in contents {
                        let bytes = texts.get(&hash).map_err(halted)?;
                        send(ToStep::Content(Bytes(bytes.to_vec())))?;
                    }
                    if let Some(tips) = tips {
                        let pack = lane.pack(&order.commits, &tips).await.map_err(stopped)?;
                        send(ToStep::Commits(Bytes(pack)))?;
                    }
                }
                FromStep::Said(envelope) => self.pass_on(order, envelope.event),
                FromStep::Done { ended } => return Ok(Some(ended)),
                FromStep::Alive => {}
            }
        }
        Ok(None)
    }

    /// Reports what the step does, and nothing else that the host says.
    fn pass_on(&self, order: &StepOrder, event: Event) {
        let name = order.step.name.as_str();
        let is_of_step = match &event {
            Event::AgentActivity(activity) => activity.step == name,
            Event::StepOutput(output) => output.step == name,
            _ => false,
        };
        if is_of_step {
            let task = task_of(&order.op);
            self.run.live.report(|| RunEvent { task, event });
        }
    }

    /// Passes on what a host, or the program that leads to it, warns of, once.
    fn complain(&self, host: &HostName, line: &str) {
        let Some(complaint) = line.trim_end().strip_prefix("warning: ") else {
            return;
        };
        let complaints = self.complaints.lock();
        let mut complaints = complaints.unwrap_or_else(PoisonError::into_inner);
        if complaints.len() < MAX_COMPLAINTS && complaints.insert(complaint.to_owned()) {
            tracing::warn!("host {host}: {complaint}");
        }
    }
}

fn task_of(op: &LaneOp) -> Option<TaskNumber> {
    let away = op.away()?;
    away.group.or(away.task.map(|task| task.number))
}

/// Reads the lines of a step as they arrive.
struct Lines<'a> {
    heard: UnboundedSender<Result<FromStep, String>>,
    unfinished: Vec<u8>,
    /// The last line on standard error, as far as it has arrived.
    complaint: Vec<u8>,
    /// Whether the step has greeted, and waits for the same greeting.
    is_alive: bool,
    complains: &'a (dyn Fn(&str) + Sync),
}

impl Sink for Lines<'_> {
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if self.heard.is_closed() {
            return Ok(());
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = piece.ends_with(b"\n");
            if stream == Stream::Stderr {
                let room = QUOTED.saturating_sub(self.complaint.len());
                self.complaint.extend(piece.iter().take(room));
                if is_whole {
                    let complaint = std::mem::take(&mut self.complaint);
                    (self.complains)(&String::from_utf8_lossy(&complaint));
                }
                continue;
            }
            self.unfinished.extend_from_slice(piece);
            let is_too_long = self.unfinished.len() > MAX_STEP_MESSAGE;
            if !is_whole && !is_too_long {
                continue;
            }
            let line = std::mem::take(&mut self.unfinished);
            let message = match is_too_long {
                true => Err("too long".to_owned()),
                false => serde_json::from_slice(&line).map_err(|error| error.to_string()),
            };
            self.is_alive |= matches!(message, Ok(FromStep::Alive));
            // Where nobody listens any more the step has ended.
            drop(self.heard.send(message));
        }
        Ok(())
    }

    /// A host that says more than its result is not listened to.
    fn patience(&self) -> Patience {
        match self.heard.is_closed() {
            true => Patience::Grace,
            false => Patience::Limits,
        }
    }

    /// Says at once that the run goes on, whatever else it does for the step.
    fn reply(&mut self) -> Vec<u8> {
        match std::mem::take(&mut self.is_alive) {
            true => line(&ToStep::Alive).unwrap_or_default(),
            false => Vec::new(),
        }
    }

    fn farewell(&mut self) -> Vec<u8> {
        line(&ToStep::Cancel).unwrap_or_default()
    }
}
