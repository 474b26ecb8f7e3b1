//! The open steps, and their records in the journal.

use std::time::Duration;

use review_types::{Hash, Timestamp};

use crate::journal::{Body, EndReason, StepResult};
use crate::log::LogError;
use crate::machine::{Command, Input, Machine, StepRecord, Wire};
use crate::seed::hash_bytes;
use crate::step::{Step, StepName};

/// The steps of a machine that have no result yet, in the order in which they were
/// requested.
pub(crate) struct Steps<Op>(Vec<OpenStep<Op>>);

/// A step without a result.
pub(crate) struct OpenStep<Op> {
    pub(crate) name: StepName,
    pub(crate) work: Work<Op>,
}

/// The work of a step.
pub(crate) enum Work<Op> {
    Do(Call<Op>),
    Wait(Pause),
}

/// An operation to run.
pub(crate) struct Call<Op> {
    /// `None` while it runs.
    pub(crate) op: Option<Op>,
    pub(crate) key: Hash,
    pub(crate) is_local: bool,
    pub(crate) base: Option<Hash>,
    /// How often it was started so far.
    pub(crate) starts: u32,
    /// Whether a signal stopped the last attempt.
    was_stopped: bool,
    /// The changes of the previous attempt that each attempt found.
    found: Vec<Option<Hash>>,
    /// When this process started it.
    pub(crate) started: Option<Timestamp>,
}

pub(crate) struct Pause {
    pub(crate) delay: Duration,
    /// When it is over, once that is recorded.
    pub(crate) until: Option<Timestamp>,
    pub(crate) is_running: bool,
}

impl<Op: Wire> Steps<Op> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds the step of a command; returns the name of a step to cancel.
    pub(crate) fn take<M: Machine<Op = Op> + ?Sized>(
        &mut self,
        command: Command<Op>,
    ) -> Result<Option<StepName>, LogError> {
        let (name, work) = match command {
            Command::Do { step, op } => {
                let call = Call::new::<M>(&step, op)?;
                (step, Work::Do(call))
            }
            Command::Wait { step, delay } => {
                let pause = Pause {
                    delay,
                    until: None,
                    is_running: false,
                };
                (step, Work::Wait(pause))
            }
            Command::Cancel { step } => return Ok(self.close(&step).map(|closed| closed.name)),
        };
        if self.get(&name).is_some() {
            return Err(LogError::OpenTwice(name));
        }
        self.0.push(OpenStep { name, work });
        Ok(None)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut OpenStep<Op>> {
        self.0.iter_mut()
    }

    fn get(&mut self, name: &StepName) -> Option<&mut Work<Op>> {
        let mut open = self.0.iter_mut();
        let step = open.find(|step| step.name == *name);
        step.map(|step| &mut step.work)
    }

    /// Removes a step that is no longer open.
    pub(crate) fn close(&mut self, name: &StepName) -> Option<OpenStep<Op>> {
        let at = self.0.iter().position(|step| step.name == *name)?;
        Some(self.0.remove(at))
    }

    /// Handles a record; returns its input for the machine, if any.
    pub(crate) fn replay<Out: Wire, Changes>(
        &mut self,
        body: Body,
    ) -> Result<Option<Input<Out, Changes>>, LogError> {
        match body {
            Body::Start(start) => match self.get(&start.step) {
                Some(Work::Do(call)) if call.key == start.key => {
                    call.starts = start.attempt;
                    call.was_stopped = false;
                    call.found.push(start.found);
                    Ok(None)
                }
                _ => Err(self.unknown(&Body::Start(start))),
            },
            Body::Wait(wait) => match self.get(&wait.step) {
                Some(Work::Wait(pause)) => {
                    pause.until = Some(wait.until);
                    Ok(None)
                }
                _ => Err(self.unknown(&Body::Wait(wait))),
            },
            Body::Result(result) => match self.get(&result.step) {
                Some(Work::Do(call)) if call.is_local || call.starts > 0 => {
                    let undone = call.undone(result.undone.clone());
                    let step = result.step.clone();
                    self.close(&step);
                    let record = recorded(*result, undone)?;
                    Ok(Some(Input::Finished { step, record }))
                }
                _ => Err(self.unknown(&Body::Result(result))),
            },
            Body::Waited(waited) => match self.get(&waited.step) {
                Some(Work::Wait(Pause { until: Some(_), .. })) => {
                    self.close(&waited.step);
                    let (step, at) = (waited.step, waited.at);
                    Ok(Some(Input::Waited { step, at }))
                }
                _ => Err(self.unknown(&Body::Waited(waited))),
            },
            Body::Signal(signal) => Ok(Some(Input::Signal {
                name: signal.name,
                value: signal.value,
                at: signal.at,
            })),
            Body::End(end) => {
                for step in &mut self.0 {
                    if let Work::Do(call) = &mut step.work {
                        call.was_stopped |= call.starts > 0 && end.reason == EndReason::Interrupted;
                    }
                }
                Ok(None)
            }
            other @ (Body::Run(_) | Body::Resumed(_)) => Err(self.unknown(&other)),
        }
    }

    /// Returns the error for a record of a step that is not open.
    fn unknown(&self, found: &Body) -> LogError {
        let open: Vec<_> = self.0.iter().map(|step| step.name.as_str()).collect();
        LogError::AnotherVersion {
            expected: match &open[..] {
                [] => "no step".to_owned(),
                [one] => format!("step {one}"),
                several => format!("one of the steps {}", several.join(", ")),
            },
            found: found.to_string(),
        }
    }
}

impl<Op> OpenStep<Op> {
    /// Returns whether its result must be written without waiting for that of another step.
    pub(crate) const fn is_durable(&self) -> bool {
        match &self.work {
            Work::Do(call) => !call.is_local,
            Work::Wait(_) => true,
        }
    }

    pub(crate) fn into_call(self) -> Option<Call<Op>> {
        match self.work {
            Work::Do(call) => Some(call),
            Work::Wait(_) => None,
        }
    }
}

impl<Op: Wire> Call<Op> {
    fn new<M: Machine<Op = Op> + ?Sized>(name: &StepName, op: Op) -> Result<Self, LogError> {
        let json = serde_json::to_vec(&op).map_err(|error| LogError::Value {
            step: name.to_string(),
            message: error.to_string(),
        })?;
        Ok(Self {
            key: hash_bytes(&[name.as_str().as_bytes(), b"\n", &json].concat()),
            is_local: M::is_local(&op),
            base: M::base(&op),
            op: Some(op),
            starts: 0,
            was_stopped: false,
            found: Vec::new(),
            started: None,
        })
    }

    /// Returns whether an earlier attempt was interrupted and did not undo its changes.
    pub(crate) fn was_cut_off(&self) -> bool {
        self.starts > 0 && !self.was_stopped
    }

    /// Counts the attempt that starts now.
    pub(crate) fn start(&mut self, name: &StepName, found: Option<Hash>, at: Timestamp) -> Step {
        let was_stopped = self.was_stopped;
        self.started = Some(at);
        self.starts = self.starts.saturating_add(1);
        self.found.push(found);
        Step {
            name: name.clone(),
            key: self.key,
            attempt: self.starts,
            was_stopped,
        }
    }

    /// Returns the changes that were undone in this step: those that earlier attempts
    /// left, and those that the last result names.
    pub(crate) fn undone(&mut self, by_last: Vec<Hash>) -> Vec<Hash> {
        self.found.pop();
        let earlier = std::mem::take(&mut self.found).into_iter().flatten();
        let mut undone: Vec<_> = earlier.chain(by_last).collect();
        undone.dedup();
        undone
    }
}

fn recorded<Out: Wire>(result: StepResult, undone: Vec<Hash>) -> Result<StepRecord<Out>, LogError> {
    let step = result.step.to_string();
    let (out, rest) = StepRecord::from(result).split();
    let out = serde_json::from_value(out).map_err(|error| LogError::Value {
        step,
        message: format!("its recorded result does not match: {error}"),
    })?;
    Ok(StepRecord { undone, ..rest }.map(|()| out))
}
