//! `ralph-worker`: takes steps of its queue, and has `ralph step` carry them out.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use serde_json::value::RawValue;
use temporalio_protos::temporal::api::common::v1::Payloads;
use temporalio_protos::temporal::api::workflowservice::v1::PollActivityTaskQueueResponse as Task;
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tonic::Status;

use crate::args::{EngineArgs, WorkArgs};
use crate::child::{Child, feed};
use crate::engine::{Engine, FOREVER, Failed, POLL, Pulse, unique};
use crate::list::Signature;
use crate::open_tasks::OpenTasks;
use crate::pieces::{pack, payloads, unpack};
use crate::step::{Asks, FromStep, Order, Report, STEP};

/// The pauses before another look for an answer, at first and at last.
const PAUSES: Range<Duration> = Duration::from_millis(50)..Duration::from_secs(5);

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
        if let Err(status) = engine.fail(&token, lost).await {
            eprintln!("{}", engine.sentence(&status));
        }
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
    Done(Payloads),
    /// What it says of its end, since it was cancelled.
    Cancelled(Payloads),
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
        let mut signalled = async || {
            tokio::select! {
                _ = terminated.recv() => {}
                _ = interrupted.recv() => {}
            }
        };
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
                () = signalled() => {
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
            Ended::Done(result) => self.engine.complete(token, result).await,
            Ended::Cancelled(lines) => self.engine.cancelled(token, lines).await,
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
        match self.engine.heartbeat(&task.task_token, None).await {
            Ok(Pulse::GoesOn) => {}
            Ok(Pulse::Cancelled) => return Ended::Cancelled(Payloads::default()),
            Ok(Pulse::Lost) => return Ended::Lost,
            Err(status) => return Ended::Failed(Failed::at_last(self.engine.sentence(&status))),
        }
        let started = self.open.add(&task.task_token);
        let (child, stdin) = match started.and_then(|()| Child::start(&self.step)) {
            Ok(started) => started,
            Err(error) => return Ended::Failed(Failed::at_last(format!("ralph step: {error}"))),
        };
        let (to, lines) = unbounded_channel();
        let (report, _) = watch::channel(Report::default());
        let dialog = Dialog {
            engine: &self.engine,
            task,
            child,
            to,
            heard: Heard::default(),
            report: &report,
        };
        dialog.say(order.attempt(task.attempt));
        let (beats, pulse) = watch::channel(Pulse::GoesOn);
        tokio::select! {
            ended = dialog.ended(pulse, stop.subscribe()) => ended,
            never = self.beat(&task.task_token, &report, beats) => match never {},
            never = feed(stdin, lines) => match never {},
        }
    }

    /// Says that a task goes on, for as long as it does.
    async fn beat(
        &self,
        token: &[u8],
        report: &watch::Sender<Report>,
        beats: watch::Sender<Pulse>,
    ) -> Infallible {
        let mut news = report.subscribe();
        loop {
            // What is new is said at once.
            drop(timeout(self.engine.pulse(), news.changed()).await);
            let details = serde_json::to_vec(&*news.borrow_and_update());
            let details = details.ok().map(|details| payloads(vec![details]));
            match self.engine.heartbeat(token, details).await {
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
    heard: Heard,
    report: &'a watch::Sender<Report>,
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
        let pulse = *pulse.borrow();
        match (self.heard.has_result, ended) {
            (Some(true), _) => {
                let id = &self.task.activity_id;
                match pack(self.engine, id, self.heard.lines).await {
                    Ok(result) => Ended::Done(result),
                    Err(status) => Ended::Failed(Failed::at_last(self.engine.sentence(&status))),
                }
            }
            (_, Err(failed)) => Ended::Failed(failed),
            _ if pulse == Pulse::Lost => Ended::Lost,
            _ if pulse == Pulse::Cancelled => Ended::Cancelled(payloads(self.heard.lines)),
            _ => Ended::Failed(Failed {
                details: Some(payloads(self.heard.lines)),
                ..Failed::at_last("the step was stopped".to_owned())
            }),
        }
    }

    /// Hears the step until it says that it is done.
    async fn hear(&mut self) -> Result<(), Failed> {
        let (engine, task) = (self.engine, self.task);
        let mut answers = FuturesUnordered::new();
        loop {
            let line = tokio::select! {
                line = self.child.next_line() => line,
                Some(answer) = answers.next() => {
                    self.report.send_replace(Report::default());
                    let answer: Result<Vec<Vec<u8>>, Failed> = answer;
                    for line in answer? {
                        self.say(line);
                    }
                    continue;
                }
            };
            let Some(line) = line else {
                return Err(Failed::at_last(self.child.failure().await));
            };
            let asks = self.heard.keep(line).map_err(|error| {
                Failed::at_last(format!("`ralph step` is of another version: {error}"))
            })?;
            if let Some(line) = asks {
                let answer = format!("{}/answer.{}", task.activity_id, unique());
                answers.push(answer_of(engine, answer.clone()));
                let asks = Some(Asks { line, answer });
                self.report.send_replace(Report { asks });
            }
            if self.heard.has_result.is_some() {
                return Ok(());
            }
        }
    }
}

/// Waits for the answer of the run. One that stays away has no use for a slot.
async fn answer_of(engine: &Engine, id: String) -> Result<Vec<Vec<u8>>, Failed> {
    let answer = async {
        let mut pause = PAUSES.start;
        loop {
            if let Some(answer) = engine.kept(&id).await? {
                return unpack(engine, answer).await;
            }
            sleep(pause).await;
            pause = PAUSES.end.min(pause * 2);
        }
    };
    match timeout(engine.timeouts.to_start, answer).await {
        Ok(answer) => answer.map_err(|status| Failed::at_last(engine.sentence(&status))),
        Err(_) => Err(Failed::at_last("its run does not answer".to_owned())),
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
    fn keep(&mut self, line: Vec<u8>) -> Result<Option<Box<RawValue>>, serde_json::Error> {
        match serde_json::from_slice(&line)? {
            FromStep::Want(_) => return serde_json::from_slice(&line).map(Some),
            // The run does not wait for what happens meanwhile.
            FromStep::Said(_) | FromStep::Alive => return Ok(None),
            FromStep::Content(_) | FromStep::Commits(_) => {}
            FromStep::Done(done) => self.has_result = Some(done.is_result()),
        }
        self.lines.push(line);
        Ok(None)
    }
}
