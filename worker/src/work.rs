//! `ralph-worker`: takes steps of its queue, and has `ralph step` carry them out.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::Path;
use std::process::Stdio;
use std::thread::available_parallelism;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use temporalio_protos::temporal::api::common::v1::Payloads;
use temporalio_protos::temporal::api::workflowservice::v1::PollActivityTaskQueueResponse as Task;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::activity_id::ActivityId;
use crate::args::{EngineArgs, WorkArgs, worker as named};
use crate::child::{Child, feed, ralph};
use crate::engine::{Engine, FOREVER, Failed, unique};
use crate::list::{FRESH, Signature, workers};
use crate::open_tasks::OpenTasks;
use crate::pieces::{pack, payloads, unpack};
use crate::step::{Asks, FromStep, Order, STEP};

/// The pauses before another look for an answer, at first and at last.
const PAUSES: Range<Duration> = Duration::from_millis(50)..Duration::from_secs(5);

/// Why a step whose run no longer waits for it has no result.
const STOPPED: &str = "the step was stopped";

pub(crate) async fn work(args: WorkArgs, engine: EngineArgs) -> Result<(), String> {
    let root = fs::canonicalize(&args.root);
    let root = root.map_err(|error| format!("{}: {error}", args.root.display()))?;
    let folder = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let project = args.project.clone().or(folder);
    let project = project.ok_or("expected --project")?;
    let host = || {
        rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned()
    };
    let name = args.name.clone().map_or_else(|| named(&host()), Ok);
    let name = name.map_err(|error| format!("{error}; help: --name"))?;
    let slots = args.slots.unwrap_or_else(processors);
    let (open, left) = OpenTasks::open(&project, &name)?;
    let signature = Signature {
        name: name.clone(),
        id: open.id.clone(),
        version: ralph_version().await?,
        slots: slots.get(),
        clients: args.clients.clone(),
    };
    let step = step_args(&root, slots, &args);
    try_options(&step).await?;
    let engine = Engine::new(&engine, project, signature.identity()?, FOREVER)?;
    engine.version().await.map_err(|failed| failed.why)?;
    for token in left {
        let lost = Failed::for_now("the worker was started again");
        if let Err(status) = engine.fail(&token, lost).await {
            eprintln!("{}", engine.sentence(&status));
        }
        open.remove(&token).map_err(|error| error.to_string())?;
    }
    let is_taken = async || {
        let workers = workers(&engine).await.map_err(|failed| failed.why)?;
        let mut others = workers.iter().filter(|other| other.id != signature.id);
        Ok::<_, String>(others.any(|other| other.name == name))
    };
    if is_taken().await? {
        // One that has ended is listed for a while.
        sleep(FRESH).await;
        if is_taken().await? {
            return Err(format!(
                "a worker {name} runs already on another host; help: --name"
            ));
        }
    }
    let worker = Worker {
        queue: engine.queue_of(&name),
        engine,
        signature,
        step,
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
    let output = ralph().arg("--version").output().await;
    let output = output.map_err(|error| format!("ralph --version: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout);
    let version = version.trim();
    Ok(version.strip_prefix("ralph ").unwrap_or(version).to_owned())
}

/// Refuses what `ralph step` does not take before a step is lost by it.
async fn try_options(step: &[OsString]) -> Result<(), String> {
    let output = ralph().args(step).stdin(Stdio::null()).output().await;
    let output = output.map_err(|error| format!("ralph step: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim().trim_start_matches("error: ");
    match said.starts_with("expected an order") {
        true => Ok(()),
        false => Err(format!("ralph step: {said}")),
    }
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
    signature: Signature,
    step: Vec<OsString>,
    open: OpenTasks,
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
            let is_free = steps.len() < usize::try_from(self.signature.slots).unwrap_or(usize::MAX);
            if !drains && is_free && polls.is_empty() {
                polls.push(self.engine.poll(&self.queue, &self.engine.identity));
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
                why = &mut signs, if !drains => {
                    drains = true;
                    ended = Err(why);
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

    /// Keeps the worker on the roll, with the version that its next step has.
    async fn sign(&self) -> String {
        let mut signature = self.signature.clone();
        loop {
            // One that is just replaced is there again next time.
            if let Ok(version) = ralph_version().await {
                signature.version = version;
            }
            let identity = match signature.identity() {
                Ok(identity) => identity,
                Err(error) => return error,
            };
            if let Err(status) = self.engine.poll(&self.engine.roll(), &identity).await {
                return self.engine.sentence(&status);
            }
        }
    }

    /// Carries out a step, and hands in what becomes of it.
    async fn answer(&self, task: Task, stop: &watch::Sender<bool>, drains: bool) {
        let token = &task.task_token;
        let ended = match drains {
            true => Err(Failed::for_now("the worker ends")),
            false => self.carry_out(&task, stop).await,
        };
        let handed_in = match ended {
            Ok(result) => self.engine.complete(token, result).await,
            Err(failed) => self.engine.fail(token, failed).await,
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

    async fn carry_out(&self, task: &Task, stop: &watch::Sender<bool>) -> Result<Payloads, Failed> {
        let engine = &self.engine;
        let kind = task.activity_type.as_ref().map(|kind| kind.name.as_str());
        let order = unpack(engine, task.input.clone().unwrap_or_default()).await;
        let order = order.map_err(|status| engine.failed(&status))?;
        let (Some(order), Some(STEP)) = (Order::read(&order), kind) else {
            return Err(Failed::at_last(format!("the worker knows {STEP} alone")));
        };
        // What was given to a frozen worker may be another one's by now.
        let goes_on = engine.heartbeat(&task.task_token, None).await;
        if !goes_on.map_err(|status| engine.failed(&status))? {
            return Err(Failed::at_last(STOPPED.to_owned()));
        }
        let started = self.open.add(&task.task_token);
        let started = started.and_then(|()| Child::start(&self.step));
        let (child, stdin) =
            started.map_err(|error| Failed::at_last(format!("ralph step: {error}")))?;
        let (to, lines) = unbounded_channel();
        let (asks, _) = watch::channel(None);
        let dialog = Dialog {
            engine,
            task,
            child,
            to,
            done: None,
            asks: &asks,
        };
        dialog.say(order.attempt(task.attempt));
        let (beats, goes_on) = watch::channel(true);
        tokio::select! {
            ended = dialog.ended(goes_on, stop.subscribe()) => ended,
            never = self.beat(&task.task_token, &asks, beats) => match never {},
            never = feed(stdin, lines) => match never {},
        }
    }

    /// Says that a task goes on, for as long as it does.
    async fn beat(
        &self,
        token: &[u8],
        asks: &watch::Sender<Option<Asks>>,
        beats: watch::Sender<bool>,
    ) -> Infallible {
        let mut news = asks.subscribe();
        loop {
            // What is new is said at once.
            drop(timeout(self.engine.pulse(), news.changed()).await);
            let details = serde_json::to_vec(&*news.borrow_and_update());
            let details = details.ok().map(|details| payloads(vec![details]));
            match self.engine.heartbeat(token, details).await {
                Ok(goes_on) => drop(beats.send_replace(goes_on)),
                Err(status) => eprintln!("{}", self.engine.sentence(&status)),
            }
        }
    }
}

/// The exchange of lines with a step.
struct Dialog<'a> {
    engine: &'a Engine,
    task: &'a Task,
    child: Child,
    to: UnboundedSender<Vec<u8>>,
    /// The last line of the step, and whether it has a result.
    done: Option<(Vec<u8>, bool)>,
    /// What its run is to answer, in the next heartbeat.
    asks: &'a watch::Sender<Option<Asks>>,
}

impl Dialog<'_> {
    fn say(&self, line: Vec<u8>) {
        // A program that no longer listens is seen by what it prints.
        drop(self.to.send(line));
    }

    /// Reads the lines of the step to its end, or ends it when its run no longer waits for it.
    async fn ended(
        mut self,
        mut goes_on: watch::Receiver<bool>,
        mut stop: watch::Receiver<bool>,
    ) -> Result<Payloads, Failed> {
        let ended = tokio::select! {
            ended = self.hear() => ended,
            _ = goes_on.wait_for(|goes_on| !goes_on) => Ok(()),
            _ = stop.wait_for(|stop| *stop) => Err(Failed::for_now("the worker was stopped")),
        };
        if self.done.is_none() {
            self.say(b"\"cancel\"".to_vec());
            let done = &mut self.done;
            let keep = |line: Vec<u8>| {
                // Nothing else is of interest any more.
                if let Ok(FromStep::Done(last)) = serde_json::from_slice(&line) {
                    *done = Some((line, last.is_result()));
                }
                done.is_some()
            };
            self.child.end(keep).await;
        }
        self.child.finish().await;
        let (lines, is_result) = match self.done {
            Some((line, is_result)) => (vec![line], is_result),
            None => (Vec::new(), false),
        };
        if is_result {
            let id = ActivityId(self.task.activity_id.clone());
            let packed = pack(self.engine, &id, lines).await;
            return packed.map_err(|status| self.engine.failed(&status));
        }
        ended?;
        Err(Failed {
            details: Some(payloads(lines)),
            ..Failed::at_last(STOPPED.to_owned())
        })
    }

    /// Reads lines of the step until it is done.
    async fn hear(&mut self) -> Result<(), Failed> {
        let (engine, task) = (self.engine, self.task);
        let mut answers = FuturesUnordered::new();
        loop {
            let line = tokio::select! {
                line = self.child.next_line() => line,
                Some(answer) = answers.next() => {
                    self.asks.send_replace(None);
                    self.say(answer?);
                    continue;
                }
            };
            let Some(line) = line else {
                return Err(self.child.failure().await);
            };
            match serde_json::from_slice(&line) {
                // The run does not wait for what happens meanwhile.
                Ok(FromStep::Said(_) | FromStep::Alive) => {}
                Ok(FromStep::Done(done)) => {
                    self.done = Some((line, done.is_result()));
                    return Ok(());
                }
                Ok(FromStep::Want(want)) => {
                    let step = ActivityId(task.activity_id.clone());
                    let answer = step.child(format_args!("answer.{}", unique()));
                    answers.push(answer_of(engine, answer.clone()));
                    self.asks.send_replace(Some(Asks { want, answer }));
                }
                // It was killed while it wrote.
                Err(error) if error.is_eof() => return Err(self.child.failure().await),
                Err(error) => {
                    let why = format!("`ralph step` is of another version: {error}");
                    return Err(Failed::at_last(why));
                }
            }
        }
    }
}

/// Waits for the answer of the run. One that stays away has no use for a slot.
async fn answer_of(engine: &Engine, id: ActivityId) -> Result<Vec<u8>, Failed> {
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
        Ok(answer) => answer.map_err(|status| engine.failed(&status)),
        Err(_) => Err(Failed::at_last("its run does not answer".to_owned())),
    }
}
