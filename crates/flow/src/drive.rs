//! The embedded driver: a machine, its executor and a journal.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::{Pin, pin};

use futures_util::future::{AbortHandle, Abortable, Either, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::clock::Clock;
use crate::content::ContentStore;
use crate::executor::{Executed, Executor, NextSignal, Signal, Stop};
use crate::journal::SignalRecord;
use crate::log::{LogError, RunLog};
use crate::machine::{Input, Machine, Notice, Wire};
use crate::sink::Progress;
use crate::step::StepName;
use crate::steps::{OpenStep, Steps, Work};

/// An error that kept a machine from being driven to its end.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// A system signal stopped it. Everything up to then is in the journal.
    #[error("interrupted")]
    Interrupted,
    /// An internal failure. Everything before it is in the journal.
    #[error("{0}")]
    Broken(String),
    /// The journal cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The machine has no open step and has not ended.
    #[error("the run waits for nothing and has not ended; this is a bug in ralph")]
    Stuck,
}

/// Returns how an ended run continues; `None` when there is nothing to continue with.
pub type Resume<'a, M> =
    dyn Fn(&M) -> Result<Option<<M as Machine>::Changes>, DriveError> + Sync + 'a;

type EventOf<M> = <<M as Machine>::Notice as Notice>::Event;

/// Runs `machine` from its start: replays the journal, runs the rest, and continues
/// from a recorded end with what `resume` returns.
///
/// # Errors
/// [`DriveError`] when the run was stopped before its end; it can be resumed.
pub async fn run<M, E>(
    machine: &mut M,
    executor: &E,
    log: &mut RunLog<'_, EventOf<M>>,
    clock: &dyn Clock,
    resume: Option<&Resume<'_, M>>,
) -> Result<M::Done, DriveError>
where
    M: Machine,
    E: Executor<M>,
{
    let at = log.run().at;
    let mut done = drive(machine, executor, log, clock, Input::Start { at }).await?;
    loop {
        let resumed = match log.take_resumed() {
            Some(resumed) => resumed,
            None => {
                log.refuse_rest()?;
                let resume = resume.filter(|_| !log.is_live());
                let changes = match resume {
                    Some(resume) => resume(machine)?,
                    None => None,
                };
                let Some(changes) = changes else {
                    log.sync()?;
                    return Ok(done);
                };
                log.resume(&changes, clock.now())?
            }
        };
        let first = Input::Resumed {
            resume: log.resumes(),
            changes: resumed.parsed()?,
            at: resumed.at,
        };
        done = drive(machine, executor, log, clock, first).await?;
    }
}

/// Drives `machine` from `first` to its next end: recorded steps are replayed, all
/// others are run by `executor` and recorded.
///
/// A result and the starts that follow from it are one write and one sync;
/// events are emitted when the record before them is durable.
///
/// # Errors
/// [`DriveError`] when the run was stopped before its end; it can be resumed.
pub async fn drive<M, E>(
    machine: &mut M,
    executor: &E,
    log: &mut RunLog<'_, EventOf<M>>,
    clock: &dyn Clock,
    first: Input<M::Out, M::Changes>,
) -> Result<M::Done, DriveError>
where
    M: Machine,
    E: Executor<M>,
{
    let texts = log.texts();
    let mut steps = Steps::new();
    let mut running = Running::new(executor.signal());
    let mut input = first;
    loop {
        let at = input.at();
        let turn = machine.next(input);
        for notice in turn.notices {
            match notice.event(texts) {
                Ok(event) => log.queue(event, at),
                Err(missing) => {
                    log.sync()?;
                    return Err(LogError::from(missing).into());
                }
            }
        }
        if let Some(done) = turn.done {
            if !log.is_replaying() {
                log.sync()?;
            }
            return Ok(done);
        }
        for command in turn.commands {
            if let Some(cancelled) = steps.take::<M>(command)? {
                running.cancel(&cancelled);
            }
        }
        if let Some(recorded) = replayed(&mut steps, log)? {
            input = recorded;
            continue;
        }
        let next = match start::<M, E>(&mut steps, &mut running, executor, texts, log, clock) {
            Ok(()) => running.next(executor).await,
            Err(Failed::Stop(stop)) => Next::Stopped(stop),
            Err(Failed::Log(error)) => return Err(error.into()),
        };
        input = match next {
            Next::Finished(step, executed) => finish(&mut steps, step, executed, log, clock)?,
            Next::Waited(step) => {
                let at = clock.now();
                steps.close(&step);
                log.waited(&step, at)?;
                Input::Waited { step, at }
            }
            Next::Signal(Signal { name, value }) => {
                let at = clock.now();
                log.signal(SignalRecord {
                    name: name.clone(),
                    value: value.clone(),
                    at,
                })?;
                Input::Signal { name, value, at }
            }
            Next::Stopped(stop) => {
                let stop = settle(stop, &mut steps, running, log, clock).await?;
                log.end(&stop, clock.now())?;
                return Err(match stop {
                    Stop::Interrupted => DriveError::Interrupted,
                    Stop::Broken(message) => DriveError::Broken(message),
                });
            }
            Next::Nothing => {
                log.sync()?;
                return Err(DriveError::Stuck);
            }
        };
    }
}

/// Returns the next input from the journal.
fn replayed<Op: Wire, Out: Wire, Changes, E>(
    steps: &mut Steps<Op>,
    log: &mut RunLog<'_, E>,
) -> Result<Option<Input<Out, Changes>>, LogError> {
    while let Some(body) = log.next_recorded() {
        if let Some(input) = steps.replay(body)? {
            return Ok(Some(input));
        }
    }
    Ok(None)
}

/// An error in starting steps.
enum Failed {
    Log(LogError),
    Stop(Stop),
}

impl From<LogError> for Failed {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

/// Records and starts every open step that is not running yet.
fn start<'a, M, E>(
    steps: &mut Steps<M::Op>,
    running: &mut Running<'a, M::Out>,
    executor: &'a E,
    texts: &'a ContentStore,
    log: &mut RunLog<'_, EventOf<M>>,
    clock: &'a dyn Clock,
) -> Result<(), Failed>
where
    M: Machine + 'a,
    E: Executor<M>,
{
    let mut started = Vec::new();
    for OpenStep { name, work } in steps.iter_mut() {
        match work {
            Work::Do(call) => {
                let Some(op) = call.op.take() else { continue };
                let found = match call.was_cut_off() {
                    true => executor.left(&op, texts).map_err(Failed::Stop)?,
                    false => None,
                };
                let at = clock.now();
                let step = call.start(name, found, at);
                if !call.is_local {
                    log.start(&step, call.base, found, at)?;
                    started.push(Progress::StepStarted {
                        step: step.name.clone(),
                        attempt: step.attempt,
                        at,
                    });
                }
                running.push(name, async move {
                    Ended::Executed(executor.exec(step, op, texts).await)
                });
            }
            Work::Wait(pause) => {
                if std::mem::replace(&mut pause.is_running, true) {
                    continue;
                }
                let until = match pause.until {
                    Some(until) => until,
                    None => {
                        let until = clock.now().after(pause.delay);
                        log.wait(name, until)?;
                        *pause.until.insert(until)
                    }
                };
                let delay = pause.delay;
                running.push(name, async move {
                    // A clock that was set back does not prolong a pause.
                    let left = until.since(clock.now()).min(delay);
                    Ended::Slept(clock.sleep(left).await)
                });
            }
        }
    }
    if steps.iter_mut().any(|step| step.is_durable()) {
        log.sync()?;
    }
    for progress in started {
        log.progress(&progress);
    }
    Ok(())
}

/// Records the outcome of a step.
fn finish<Op: Wire, Out: Wire, Changes, E>(
    steps: &mut Steps<Op>,
    name: StepName,
    executed: Executed<Out>,
    log: &mut RunLog<'_, E>,
    clock: &dyn Clock,
) -> Result<Input<Out, Changes>, LogError> {
    let at = clock.now();
    let closed = steps.close(&name);
    let mut call = closed.and_then(OpenStep::into_call);
    let started = call.as_ref().and_then(|call| call.started).unwrap_or(at);
    let mut record = log.result(&name, executed, started, at)?;
    if let Some(call) = &mut call {
        record.undone = call.undone(record.undone);
        if !call.is_local {
            log.progress(&Progress::StepFinished {
                step: name.clone(),
                at,
                took_ms: record.took_ms,
                by: record.by.clone(),
                usage: record.usage,
            });
        }
    }
    Ok(Input::Finished { step: name, record })
}

/// Waits for the steps that a system signal also stops, and records those that
/// completed anyway. Failed ones are ignored.
async fn settle<Op: Wire, Out: Wire, E>(
    mut stop: Stop,
    steps: &mut Steps<Op>,
    mut running: Running<'_, Out>,
    log: &mut RunLog<'_, E>,
    clock: &dyn Clock,
) -> Result<Stop, LogError> {
    for OpenStep { name, work } in steps.iter_mut() {
        if let Work::Wait(_) = work {
            running.cancel(name);
        }
    }
    while stop == Stop::Interrupted
        && let Some((name, ended)) = running.ended().await
    {
        match ended {
            Ended::Executed(Ok(executed)) => {
                finish::<_, _, (), _>(steps, name, executed, log, clock)?;
            }
            Ended::Executed(Err(other)) | Ended::Slept(Err(other)) => stop = other,
            Ended::Slept(Ok(())) => {}
        }
    }
    Ok(stop)
}

/// How an operation or a pause ended.
enum Ended<Out> {
    Executed(Result<Executed<Out>, Stop>),
    Slept(Result<(), Stop>),
}

/// The next event of the driver.
enum Next<Out> {
    Finished(StepName, Executed<Out>),
    Waited(StepName),
    Signal(Signal),
    Stopped(Stop),
    /// No step is open, and no signal can arrive.
    Nothing,
}

type Boxed<'a, Out> = Pin<Box<dyn Future<Output = (StepName, Ended<Out>)> + Send + 'a>>;

/// The running steps, and the signal that may arrive in the meantime.
struct Running<'a, Out> {
    futures: FuturesUnordered<Abortable<Boxed<'a, Out>>>,
    handles: BTreeMap<StepName, AbortHandle>,
    signal: Option<NextSignal<'a>>,
}

impl<'a, Out: 'a> Running<'a, Out> {
    fn new(signal: Option<NextSignal<'a>>) -> Self {
        Self {
            futures: FuturesUnordered::new(),
            handles: BTreeMap::new(),
            signal,
        }
    }

    fn push(&mut self, name: &StepName, future: impl Future<Output = Ended<Out>> + Send + 'a) {
        let (handle, registration) = AbortHandle::new_pair();
        let ended = name.clone();
        let boxed: Boxed<'a, Out> = Box::pin(async move { (ended, future.await) });
        self.futures.push(Abortable::new(boxed, registration));
        self.handles.insert(name.clone(), handle);
    }

    fn cancel(&mut self, name: &StepName) {
        if let Some(handle) = self.handles.remove(name) {
            handle.abort();
        }
    }

    /// Returns the next step that ended; `None` when none is open.
    async fn ended(&mut self) -> Option<(StepName, Ended<Out>)> {
        loop {
            // A cancelled step is aborted.
            if let Ok((name, ended)) = self.futures.next().await? {
                self.handles.remove(&name);
                return Some((name, ended));
            }
        }
    }

    async fn next<M: Machine, E: Executor<M>>(&mut self, executor: &'a E) -> Next<Out> {
        if self.handles.is_empty() {
            // The rest was cancelled: it ends at once and is dropped.
            while self.futures.next().await.is_some() {}
        }
        let ended = match self.signal.take() {
            None => self.ended().await,
            Some(mut signal) => {
                let first = match self.handles.is_empty() {
                    true => Either::Right(signal.await),
                    false => match select(pin!(self.ended()), &mut signal).await {
                        Either::Left((ended, _)) => Either::Left((ended, signal)),
                        Either::Right((signal, _)) => Either::Right(signal),
                    },
                };
                match first {
                    Either::Left((ended, signal)) => {
                        self.signal = Some(signal);
                        ended
                    }
                    Either::Right(signal) => {
                        self.signal = executor.signal();
                        return Next::Signal(signal);
                    }
                }
            }
        };
        match ended {
            None => Next::Nothing,
            Some((_, Ended::Executed(Err(stop)) | Ended::Slept(Err(stop)))) => Next::Stopped(stop),
            Some((name, Ended::Executed(Ok(executed)))) => Next::Finished(name, executed),
            Some((name, Ended::Slept(Ok(())))) => Next::Waited(name),
        }
    }
}
