//! `ralph-worker`: takes steps of its queue, and has `ralph step` carry them out.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use temporalio_protos::temporal::api::activity::v1::activity_execution_outcome::Value;
use temporalio_protos::temporal::api::workflowservice::v1::PollActivityTaskQueueResponse as Task;
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::sleep;
use tonic::Status;

use crate::args::{EngineArgs, WorkArgs};
use crate::child::{Child, feed};
use crate::engine::{Activity, Engine, FOREVER, Failed, POLL, Pulse, unique};
use crate::list::Signature;
use crate::open_tasks::OpenTasks;
use crate::pieces::{pack, payloads, unpack};
use crate::step::{FromStep, Order, STEP, WANT};

/// After this silence another relay of the run answers what a step wants.
const ANSWERS: Duration = Duration::from_secs(30);

pub(crate) async fn work(args: WorkArgs, engine: EngineArgs) -> Result<(), String> {
    let root = fs::canonicalize(&args.root);
    let root = root.map_err(|error| format!("{}: {error}", args.root.display()))?;
    let folder = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let project = args
        .project
        .clone()
        .or(folder)
        .ok_or("expected --project")?;
    let host = || {
        rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned()
    };
    let name = args.name.clone().unwrap_or_else(host);
    let slots = args.slots.unwrap_or_else(processors);
    let signature = Signature {
        name: name.clone(),
        version: ralph_version().await?,
        slots: slots.get(),
        clients: args.clients.clone(),
    };
    let identity = serde_json::to_string(&signature).map_err(|error| error.to_string())?;
    let (open, left) = OpenTasks::open(&format!("{project}.{name}"))?;
    let engine = Engine::new(&engine, project, identity, FOREVER)?;
    engine.version().await.map_err(|failed| failed.why)?;
    for token in left {
        let lost = Failed::for_now("the worker was started again");
        let failed = engine.fail(&token, lost).await;
        failed.map_err(|status| engine.sentence(&status))?;
        open.remove(&token).map_err(|error| error.to_string())?;
    }
    let worker = Worker {
        queue: engine.queue_of(&name),
        engine,
        step: step_args(&root, slots, &args),
        slots: slots.get(),
        open,
    };
    worker.work().await
}

fn processors() -> NonZeroU32 {
    let processors = available_parallelism().ok();
    let processors = processors.and_then(|count| NonZeroU32::try_from(count).ok());
    processors.unwrap_or(NonZeroU32::MIN)
}

async fn ralph_version() -> Result<String, String> {
    let output = Command::new("ralph").arg("--version").output().await;
    let output = output.map_err(|error| format!("ralph --version: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout);
    let version = version.trim();
    Ok(version.strip_prefix("ralph ").unwrap_or(version).to_owned())
}

fn step_args(root: &Path, slots: NonZeroU32, args: &WorkArgs) -> Vec<OsString> {
    let mut step: Vec<OsString> = vec!["step".into(), "--root".into(), root.into()];
    step.extend(["--slots".into(), slots.to_string().into()]);
    if let Some(clients) = &args.clients {
        step.extend(["--clients".into(), clients.join(",").into()]);
    }
    if let Some(sandbox) = &args.sandbox {
        step.extend(["--sandbox".into(), sandbox.into()]);
    }
    step
}

struct Worker {
    engine: Engine,
    queue: String,
    step: Vec<OsString>,
    slots: u32,
    open: OpenTasks,
}

/// What a step leaves.
enum Ended {
    /// Its result.
    Done(Vec<Vec<u8>>),
    /// What it says of its end, since it was cancelled.
    Cancelled(Vec<Vec<u8>>),
    /// No result, and why.
    Failed(Failed),
    /// Nothing that somebody waits for.
    Lost,
}

impl Worker {
    /// Takes steps until a signal comes, and carries out those that it has. A second signal
    /// ends them.
    async fn work(&self) -> Result<(), String> {
        let failed = |error: std::io::Error| error.to_string();
        let mut terminated = signal(SignalKind::terminate()).map_err(failed)?;
        let mut interrupted = signal(SignalKind::interrupt()).map_err(failed)?;
        let (stop, _) = watch::channel(false);
        // One poll at a time: what a frozen worker was given, nobody else has.
        let mut polls = FuturesUnordered::new();
        let mut steps = FuturesUnordered::new();
        let mut signs = Box::pin(self.sign());
        let mut drains = false;
        let mut ended = Ok(());
        loop {
            let is_free = steps.len() < usize::try_from(self.slots).unwrap_or(usize::MAX);
            if !drains && is_free && polls.is_empty() {
                polls.push(self.engine.poll(&self.queue, POLL));
            }
            if drains && polls.is_empty() && steps.is_empty() {
                return ended;
            }
            tokio::select! {
                Some(polled) = polls.next() => match polled {
                    Ok(Some(task)) => steps.push(self.answer(task, &stop, drains)),
                    Ok(None) => {}
                    Err(status) => {
                        drains = true;
                        ended = Err(self.engine.sentence(&status));
                    }
                },
                Some(()) = steps.next() => {}
                status = &mut signs, if !drains => {
                    drains = true;
                    ended = Err(self.engine.sentence(&status));
                }
                _ = async { tokio::select! { _ = terminated.recv() => {}, _ = interrupted.recv() => {} } } => {
                    if drains {
                        stop.send_replace(true);
                    }
                    drains = true;
                }
            }
        }
    }

    /// Keeps the worker on the roll.
    async fn sign(&self) -> Status {
        loop {
            if let Err(status) = self.engine.poll(&self.engine.roll(), POLL).await {
                return status;
            }
        }
    }

    /// Carries out a step, and hands in what becomes of it.
    async fn answer(&self, task: Task, stop: &watch::Sender<bool>, drains: bool) {
        let token = &task.task_token;
        let ended = match drains {
            true => Ended::Failed(Failed::for_now("the worker ends")),
            false => self.carry_out(&task, stop).await,
        };
        let handed_in = match ended {
            Ended::Done(lines) => match pack(&self.engine, &task.activity_id, lines).await {
                Ok(result) => self.engine.complete(token, result).await,
                Err(status) => Err(status),
            },
            Ended::Cancelled(lines) => self.engine.cancelled(token, payloads(lines)).await,
            Ended::Failed(failed) => self.engine.fail(token, failed).await,
            Ended::Lost => Ok(()),
        };
        if let Err(status) = handed_in {
            let why = self.engine.sentence(&status);
            eprintln!("{}: {why}", task.activity_id);
            drop(self.engine.fail(token, Failed::at_last(why)).await);
        }
        if let Err(error) = self.open.remove(token) {
            eprintln!("{error}");
        }
    }

    async fn carry_out(&self, task: &Task, stop: &watch::Sender<bool>) -> Ended {
        let kind = task.activity_type.as_ref().map(|kind| kind.name.as_str());
        let input = task.input.as_ref().and_then(|input| input.payloads.first());
        let order = input.and_then(|line| Order::read(&line.data));
        let (Some(order), Some(STEP)) = (order, kind) else {
            return Ended::Failed(Failed::at_last(format!("the worker knows {STEP} alone")));
        };
        // What was given to a frozen worker may be another one's by now.
        match self.engine.heartbeat(&task.task_token).await {
            Ok(Pulse::GoesOn) => {}
            Ok(Pulse::Cancelled) => return Ended::Cancelled(Vec::new()),
            Ok(Pulse::Lost) => return Ended::Lost,
            Err(status) => return Ended::Failed(Failed::at_last(self.engine.sentence(&status))),
        }
        let started = self.open.add(&task.task_token);
        let (child, stdin) = match started.and_then(|()| Child::start(&self.step)) {
            Ok(started) => started,
            Err(error) => return Ended::Failed(Failed::at_last(format!("ralph step: {error}"))),
        };
        let (to, lines) = unbounded_channel();
        let dialog = Dialog {
            engine: &self.engine,
            task,
            child,
            to,
            key: order.key.clone(),
            heard: Heard::default(),
            wanted: Vec::new(),
        };
        dialog.say(order.attempt(task.attempt));
        let (beats, pulse) = watch::channel(Pulse::GoesOn);
        tokio::select! {
            ended = dialog.ended(pulse, stop.subscribe()) => ended,
            never = self.beat(&task.task_token, beats) => match never {},
            never = feed(stdin, lines) => match never {},
        }
    }

    /// Says that a task goes on, for as long as it does.
    async fn beat(&self, token: &[u8], beats: watch::Sender<Pulse>) -> Infallible {
        loop {
            sleep(self.engine.pulse()).await;
            match self.engine.heartbeat(token).await {
                Ok(pulse) => drop(beats.send_replace(pulse)),
                Err(status) => eprintln!("{}", self.engine.sentence(&status)),
            }
        }
    }
}

/// What is said with a step.
struct Dialog<'a> {
    engine: &'a Engine,
    task: &'a Task,
    child: Child,
    to: UnboundedSender<Vec<u8>>,
    /// The key of the step.
    key: String,
    heard: Heard,
    /// The questions to its run that have no answer yet.
    wanted: Vec<String>,
}

impl Dialog<'_> {
    fn say(&self, line: Vec<u8>) {
        // A program that no longer listens is seen by what it prints.
        drop(self.to.send(line));
    }

    /// Hears the step to its end, or ends it when nobody waits for it any more.
    async fn ended(
        mut self,
        mut pulse: watch::Receiver<Pulse>,
        mut stop: watch::Receiver<bool>,
    ) -> Ended {
        let ended = tokio::select! {
            ended = self.hear() => ended,
            _ = pulse.wait_for(|pulse| *pulse != Pulse::GoesOn) => Ok(()),
            _ = stop.wait_for(|stop| *stop) => Err(Failed::for_now("the worker was stopped")),
        };
        if self.heard.has_result.is_none() {
            self.say(b"\"cancel\"".to_vec());
            let heard = &mut self.heard;
            let keep = |line| {
                // Nothing else is of interest any more.
                drop(heard.keep(line));
                heard.has_result.is_some()
            };
            self.child.end(keep).await;
        }
        self.child.finish().await;
        for id in &self.wanted {
            // It may have been answered meanwhile.
            drop(self.engine.terminate(id).await);
        }
        let pulse = *pulse.borrow();
        match (self.heard.has_result, ended) {
            (Some(true), _) => Ended::Done(self.heard.lines),
            (_, Err(failed)) => Ended::Failed(failed),
            _ if pulse == Pulse::Lost => Ended::Lost,
            _ if pulse == Pulse::Cancelled => Ended::Cancelled(self.heard.lines),
            _ => Ended::Failed(Failed {
                details: Some(payloads(self.heard.lines)),
                ..Failed::at_last("the step was stopped".to_owned())
            }),
        }
    }

    /// Hears the step until it says that it is done.
    async fn hear(&mut self) -> Result<(), Failed> {
        let (engine, task) = (self.engine, self.task);
        let queue = engine.queue_of_home(&self.key);
        let mut answers = FuturesUnordered::new();
        loop {
            let line = tokio::select! {
                line = self.child.next_line() => line,
                Some((id, answer)) = answers.next() => {
                    self.wanted.retain(|wanted| *wanted != id);
                    let answer: Result<Vec<Vec<u8>>, Status> = answer;
                    let why = |status| Failed::at_last(engine.sentence(&status));
                    for line in answer.map_err(why)? {
                        self.say(line);
                    }
                    continue;
                }
            };
            let Some(line) = line else {
                return Err(Failed::at_last(self.child.failure().await));
            };
            let wants = self.heard.keep(line);
            let wants = wants.map_err(|error| {
                Failed::at_last(format!("`ralph step` is of another version: {error}"))
            })?;
            if let Some(want) = wants {
                let id = format!("{}/want.{}", task.activity_id, unique());
                self.wanted.push(id.clone());
                answers.push(ask(engine, queue.clone(), id, want));
            }
            if self.heard.has_result.is_some() {
                return Ok(());
            }
        }
    }
}

/// What a step has said.
#[derive(Default)]
struct Heard {
    /// What its run is told.
    lines: Vec<Vec<u8>>,
    /// Whether these lines are a result, once they are all.
    has_result: Option<bool>,
}

impl Heard {
    /// Keeps a line if the run is to have it; returns one that is to be answered first.
    fn keep(&mut self, line: Vec<u8>) -> Result<Option<Vec<u8>>, serde_json::Error> {
        match serde_json::from_slice(&line)? {
            FromStep::Want(_) => return Ok(Some(line)),
            // The run does not wait for what happens meanwhile.
            FromStep::Said(_) | FromStep::Alive => return Ok(None),
            FromStep::Content(_) | FromStep::Commits(_) => {}
            FromStep::Done(done) => self.has_result = Some(done.is_result()),
        }
        self.lines.push(line);
        Ok(None)
    }
}

/// Asks the run for what a step wants, and waits for its answer. The run may be away.
async fn ask(
    engine: &Engine,
    queue: String,
    id: String,
    line: Vec<u8>,
) -> (String, Result<Vec<Vec<u8>>, Status>) {
    let answer = async {
        let activity = Activity {
            kind: WANT,
            id: &id,
            queue: &queue,
            input: payloads(vec![line]),
            to_start: None,
            heartbeat: ANSWERS.min(engine.timeouts.heartbeat),
            attempts: 0,
        };
        engine.start(activity).await?;
        match engine.outcome(&id).await?.value {
            Some(Value::Result(result)) => unpack(engine, result).await,
            _ => Err(Status::failed_precondition("the run does not answer")),
        }
    };
    let answer = answer.await;
    (id, answer)
}
