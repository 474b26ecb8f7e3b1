//! A machine that decides, and what it is fed.

use std::time::Duration;

use review_types::{Hash, ModelId, Timestamp, Usage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::content::{ContentStore, MissingText};
use crate::step::StepName;

/// What can travel through a journal.
pub trait Wire: Serialize + DeserializeOwned + Send + 'static {}

impl<T: Serialize + DeserializeOwned + Send + 'static> Wire for T {}

/// A state machine that decides what happens next.
///
/// It is pure, total and deterministic: it sees no clock, random number,
/// environment, file, or map order. Whatever it needs enters as an input. Its
/// operations and outcomes hold hashes and counts, never large texts.
pub trait Machine {
    /// What it asks the executor for.
    type Op: Wire;
    /// What the executor answers.
    type Out: Wire;
    /// What it reports.
    type Notice: Notice;
    /// How it ends.
    type Done;
    /// What may differ when an ended run goes on.
    type Changes: Wire;

    /// Takes what happened and says what to do.
    fn next(&mut self, input: Input<Self::Out, Self::Changes>) -> Turn<Self>;

    /// Whether `op` calls nothing outside: it gets no start record and no sync
    /// of its own.
    fn is_local(_op: &Self::Op) -> bool {
        false
    }

    /// The hash of the manifest that `op` starts from, where it changes files.
    fn base(_op: &Self::Op) -> Option<Hash> {
        None
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<Out, Changes> {
    /// The run starts.
    Start {
        /// When.
        at: Timestamp,
    },
    /// A step that was open was carried out.
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
        /// When.
        at: Timestamp,
    },
    /// Something came from outside.
    Signal {
        /// Its name.
        name: String,
        /// What it carries.
        value: Value,
        /// When.
        at: Timestamp,
    },
    /// The run had ended and goes on.
    Resumed {
        /// Number of the resume, from 1.
        resume: u32,
        /// What differs from where it ended.
        changes: Changes,
        /// When.
        at: Timestamp,
    },
}

impl<Out, Changes> Input<Out, Changes> {
    /// When it happened.
    #[must_use]
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

/// The result of a step as the journal has it.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRecord<Out> {
    /// The outcome of the step.
    pub out: Out,
    /// When it ended.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What it consumed.
    pub usage: Option<Usage>,
    /// Who carried it out.
    pub by: Option<ModelId>,
    /// The agent's own session.
    pub session: Option<String>,
    /// Hashes of the manifests of what was undone in any attempt of it.
    pub undone: Vec<Hash>,
}

impl<Out> StepRecord<Out> {
    /// The same with another outcome.
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

    /// The outcome, and the rest.
    #[must_use]
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

/// What a machine reports and asks for after an input.
pub struct Turn<M: Machine + ?Sized> {
    /// What it reports, in order.
    pub notices: Vec<M::Notice>,
    /// What it asks for, besides what is open.
    pub commands: Vec<Command<M::Op>>,
    /// How it ended, if it did; what is open then is cancelled.
    pub done: Option<M::Done>,
}

/// What a machine asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<Op> {
    /// Carry out an operation.
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
        /// For how long.
        delay: Duration,
    },
    /// Drop a step that is open. What it did so far stays as it is.
    Cancel {
        /// Name of the step.
        step: StepName,
    },
}

impl<Op> Command<Op> {
    /// The step that it is about.
    #[must_use]
    pub const fn step(&self) -> &StepName {
        match self {
            Self::Do { step, .. } | Self::Wait { step, .. } | Self::Cancel { step } => step,
        }
    }

    /// The same with another operation.
    #[must_use]
    pub fn map<Other>(self, map: impl FnOnce(Op) -> Other) -> Command<Other> {
        match self {
            Self::Do { step, op } => Command::Do { step, op: map(op) },
            Self::Wait { step, delay } => Command::Wait { step, delay },
            Self::Cancel { step } => Command::Cancel { step },
        }
    }
}

/// Something a machine reports, small enough for any journal.
pub trait Notice: Send {
    /// The event it becomes.
    type Event: Send;

    /// The event it becomes, with its texts filled in.
    ///
    /// # Errors
    /// [`MissingText`] when a text that it names is gone.
    fn event(self, texts: &ContentStore) -> Result<Self::Event, MissingText>;
}
