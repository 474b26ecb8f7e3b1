//! The embedded driver: a machine, its executor and a journal, step by step.

use review_events::{EndReason, Event, RunEnded};

use super::log::{LogError, RunLog};
use super::machine::{Cmd, Executor, Halt, Input, Machine, Notice, Step, StepName};
use super::{Clock, hash_bytes};

/// Why a machine was not driven to its end.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// A signal asked to stop. What happened is in the journal.
    #[error("interrupted")]
    Interrupted,
    /// Something of our own failed. What happened before is in the journal.
    #[error("{0}")]
    Broken(String),
    /// The journal cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Drives `machine` from `first` to its end: steps that the journal knows are
/// replayed, all others carried out by `executor` and recorded.
///
/// The result of a step and the begin of the next are one write and one sync;
/// events are told when the record before them is durable. At the end the
/// journal is synced.
///
/// # Errors
/// [`DriveError`] when the run was stopped before its end; it can be resumed.
pub async fn drive<M, E>(
    machine: &mut M,
    executor: &E,
    log: &mut RunLog<'_>,
    clock: &dyn Clock,
    first: Input<M::Out, M::Changes>,
) -> Result<M::Done, DriveError>
where
    M: Machine,
    E: Executor<M>,
{
    let mut input = first;
    loop {
        let at = match &input {
            Input::Start { at } | Input::Waited { at } | Input::Resumed { at, .. } => *at,
            Input::Result(result) => result.at,
        };
        let turn = machine.next(input);
        for notice in turn.notices {
            let unit = log.run().unit.clone();
            let task = notice.task().map(|number| match unit {
                Some(unit) => format!("{unit}/{number}"),
                None => number.to_string(),
            });
            let event = notice.event(log.texts()).map_err(LogError::from)?;
            log.tell(event, task, at);
        }
        input = match turn.cmd {
            Cmd::Do { step, op } => take_step::<M, E>(executor, log, clock, step, op).await?,
            Cmd::Wait { step, delay } => {
                let until = match log.replayed_wait(&step)? {
                    Some((_, Some(at))) => {
                        input = Input::Waited { at };
                        continue;
                    }
                    Some((until, None)) => {
                        log.sync()?;
                        until
                    }
                    None => {
                        let until = clock.now().after(delay);
                        log.wait(&step, until)?;
                        until
                    }
                };
                if let Err(halt) = clock.sleep(until.since(clock.now())).await {
                    return Err(stop(log, clock, halt));
                }
                let at = clock.now();
                log.waited(&step, at)?;
                Input::Waited { at }
            }
            Cmd::Done(done) => {
                if !log.is_replaying() {
                    log.sync()?;
                }
                return Ok(done);
            }
        };
    }
}

async fn take_step<M, E>(
    executor: &E,
    log: &mut RunLog<'_>,
    clock: &dyn Clock,
    name: StepName,
    op: M::Op,
) -> Result<Input<M::Out, M::Changes>, DriveError>
where
    M: Machine,
    E: Executor<M>,
{
    let json = serde_json::to_vec(&op).map_err(|error| LogError::Value {
        step: name.to_string(),
        message: error.to_string(),
    })?;
    let key = hash_bytes(&[name.as_str().as_bytes(), b"\n", &json].concat());
    if let Some(result) = log.replayed(&name, key)? {
        return Ok(Input::Result(result));
    }
    let was_stopped = log.was_stopped();
    let found = match log.cut_off() {
        0 => None,
        _ if was_stopped => None,
        _ => match executor.left(&op, log.texts()) {
            Ok(found) => found,
            Err(halt) => return Err(stop(log, clock, halt)),
        },
    };
    let began = clock.now();
    let attempt = if M::is_local(&op) {
        1
    } else {
        log.begin(&name, key, M::base(&op), found, began)?
    };
    let step = Step {
        name: name.clone(),
        key,
        attempt,
        was_stopped,
    };
    match executor.exec(step, op, log.texts()).await {
        Ok(executed) => Ok(Input::Result(log.result(
            &name,
            executed,
            began,
            clock.now(),
        )?)),
        Err(halt) => Err(stop(log, clock, halt)),
    }
}

/// Records why the process stops, and tells it.
fn stop(log: &mut RunLog<'_>, clock: &dyn Clock, halt: Halt) -> DriveError {
    let at = clock.now();
    let reason = match halt {
        Halt::Interrupted => EndReason::Interrupted,
        Halt::Broken(_) => EndReason::Broken,
    };
    let message = halt.to_string();
    if let Err(error) = log.end(reason, message.clone(), at) {
        return error.into();
    }
    let ended = RunEnded {
        reason: message.clone(),
    };
    match halt {
        Halt::Interrupted => {
            log.tell_ephemeral(Event::RunInterrupted(ended), at);
            DriveError::Interrupted
        }
        Halt::Broken(_) => {
            log.tell_ephemeral(Event::RunBroken(ended), at);
            DriveError::Broken(message)
        }
    }
}
