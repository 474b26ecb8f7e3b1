//! The trait of machines, their inputs and commands.

use std::time::Duration;

use review_types::{Hash, ModelId, Timestamp, Usage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::content::{ContentStore, MissingContent};
use crate::journal::StepResult;
use crate::step::StepName;

/// A type that can be written to a journal.
pub trait Wire: Serialize + DeserializeOwned + Send + 'static {}

impl<T: Serialize + DeserializeOwned + Send + 'static> Wire for T {}

/// A state machine that decides what happens next.
///
/// It is pure, total and deterministic: it reads no clock, random number,
/// environment, file, or map order. Everything that it needs is an input. Its
/// operations and outcomes contain hashes and counts, never large content.
pub trait Machine {
    /// The operations that it requests.
    type Op: Wire;
    /// The outcomes of its operations.
    type Out: Wire;
    /// The notices that it reports.
    type Notice: Notice;
    /// The end of the machine.
    type Done;
    /// The changes with which an ended run continues.
    type Changes: Wire;

    /// Handles an input and returns what to do.
    fn next(&mut self, input: Input<Self::Out, Self::Changes>) -> Turn<Self>;

    /// Returns whether `op` makes no external call: it gets no start record and no sync
    /// of its own.
    fn is_local(_op: &Self::Op) -> bool {
        false
    }

    /// Returns the hash of the manifest before `op`, if it changes files.
    fn base(_op: &Self::Op) -> Option<Hash> {
        None
    }
}

/// An input of a machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<Out, Changes> {
    /// The run starts.
    Start {
        /// The time.
        at: Timestamp,
    },
    /// An open step finished.
    Finished {
        /// Its name.
        step: StepName,
        /// Its result.
        record: StepRecord<Out>,
    },
    /// A pause is over.
    Waited {
        /// Name of its step.
        step: StepName,
        /// The time.
        at: Timestamp,
    },
    /// An external signal arrived.
    Signal {
        /// Its name.
        name: String,
        /// Its payload.
        value: Value,
        /// The time.
        at: Timestamp,
    },
    /// The run had ended and continues.
    Resumed {
        /// Number of the resume, from 1.
        resume: u32,
        /// The changes since it ended.
        changes: Changes,
        /// The time.
        at: Timestamp,
    },
}

impl<Out, Changes> Input<Out, Changes> {
    /// Returns the time of the input.
    pub const fn at(&self) -> Timestamp {
        match self {
            Self::Start { at }
            | Self::Waited { at, .. }
            | Self::Signal { at, .. }
            | Self::Resumed { at, .. } => *at,
            Self::Finished { record, .. } => record.at,
        }
    }
}

/// The result of a step as recorded in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRecord<Out> {
    /// The outcome of the step.
    pub out: Out,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Its usage.
    pub usage: Option<Usage>,
    /// The model or program that ran it.
    pub by: Option<ModelId>,
    /// The agent's own session.
    pub session: Option<String>,
    /// Hashes of the manifests of the changes that were undone in any attempt of it.
    pub undone: Vec<Hash>,
}

impl<Out> From<StepResult<Out>> for StepRecord<Out> {
    fn from(result: StepResult<Out>) -> Self {
        Self {
            out: result.out,
            at: result.at,
            took_ms: result.took_ms,
            usage: result.usage,
            by: result.by,
            session: result.session,
            undone: result.undone,
        }
    }
}

impl<Out> StepRecord<Out> {
    /// Replaces the outcome.
    #[must_use]
    pub fn map<Other>(self, map: impl FnOnce(Out) -> Other) -> StepRecord<Other> {
        let (out, rest) = self.split();
        StepRecord {
            out: map(out),
            at: rest.at,
            took_ms: rest.took_ms,
            usage: rest.usage,
            by: rest.by,
            session: rest.session,
            undone: rest.undone,
        }
    }

    /// Returns the outcome, and the rest.
    pub fn split(self) -> (Out, StepRecord<()>) {
        let rest = StepRecord {
            out: (),
            at: self.at,
            took_ms: self.took_ms,
            usage: self.usage,
            by: self.by,
            session: self.session,
            undone: self.undone,
        };
        (self.out, rest)
    }
}

/// The notices and commands of a machine after an input.
pub struct Turn<M: Machine + ?Sized> {
    /// The notices, in order.
    pub notices: Vec<M::Notice>,
    /// The commands, in addition to the open steps.
    pub commands: Vec<Command<M::Op>>,
    /// The end, if it was reached; open steps are then cancelled.
    pub done: Option<M::Done>,
}

/// A command of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<Op> {
    /// Run an operation.
    Do {
        /// Name of the step.
        step: StepName,
        /// The operation.
        op: Op,
    },
    /// Pause.
    Wait {
        /// Name of the step.
        step: StepName,
        /// The duration.
        delay: Duration,
    },
    /// Drop an open step. Its effects so far remain.
    Cancel {
        /// Name of the step.
        step: StepName,
    },
}

impl<Op> Command<Op> {
    /// Returns the step of the command.
    pub const fn step(&self) -> &StepName {
        match self {
            Self::Do { step, .. } | Self::Wait { step, .. } | Self::Cancel { step } => step,
        }
    }

    /// Replaces the operation.
    #[must_use]
    pub fn map<Other>(self, map: impl FnOnce(Op) -> Other) -> Command<Other> {
        match self {
            Self::Do { step, op } => Command::Do { step, op: map(op) },
            Self::Wait { step, delay } => Command::Wait { step, delay },
            Self::Cancel { step } => Command::Cancel { step },
        }
    }
}

/// A notice of a machine, small enough for any journal.
pub trait Notice: Send {
    /// The event of the notice.
    type Event: Send;

    /// Converts the notice to an event, with its content filled in.
    ///
    /// # Errors
    /// [`MissingContent`] when content that it refers to is missing.
    fn event(self, texts: &ContentStore) -> Result<Self::Event, MissingContent>;
}
