//! The contract between a machine that decides and an executor that acts.

use std::fmt;
use std::time::Duration;

use review_events::{Event, MachineName};
use review_types::{Hash, ModelId, Timestamp, Usage};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::texts::{MissingText, Texts};

/// What can travel through a journal.
pub trait Wire: Serialize + DeserializeOwned + Send + 'static {}

impl<T: Serialize + DeserializeOwned + Send + 'static> Wire for T {}

/// A state machine that decides what happens next.
///
/// It is pure, total and deterministic: it sees no clock, random number,
/// environment, file, or map order. Whatever it needs enters as a result. Its
/// operations and outputs hold hashes and counts, never large texts.
pub trait Machine {
    /// What it asks the executor for.
    type Op: Wire;
    /// What the executor answers.
    type Out: Wire;
    /// What it tells.
    type Notice: Notice;
    /// What it comes to.
    type Done;
    /// What may differ when an ended run goes on.
    type Changes: Wire;

    /// Which machine it is.
    const NAME: MachineName;

    /// Takes what happened and says what to do.
    fn next(&mut self, input: Input<Self::Out, Self::Changes>) -> Turn<Self>;

    /// Whether `op` calls nothing outside: it gets no begin record and no sync
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
    /// The step that was asked for was carried out.
    Result(Stamped<Out>),
    /// The pause that was asked for is over.
    Waited {
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

/// A result with what the journal knows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stamped<Out> {
    /// What came of the step.
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

/// What a machine tells and asks for after an input.
pub struct Turn<M: Machine + ?Sized> {
    /// What it tells, in order.
    pub notices: Vec<M::Notice>,
    /// What it asks for.
    pub cmd: Cmd<M::Op, M::Done>,
}

/// What a machine asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cmd<Op, Done> {
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
    /// Nothing more to do.
    Done(Done),
}

/// The name of a step, unique within its run, such as `review/review-1.2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepName(String);

impl StepName {
    /// The step `step` of a machine, after `resume` resumes (0 for none).
    #[must_use]
    pub fn new(machine: MachineName, resume: u32, step: impl fmt::Display) -> Self {
        let machine = match machine {
            MachineName::Review => "review",
            MachineName::Task => "task",
        };
        Self(match resume {
            0 => format!("{machine}/{step}"),
            _ => format!("{machine}~{resume}/{step}"),
        })
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A step that is carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub name: StepName,
    /// Hash of its name and operation: the same step in every replay.
    pub key: Hash,
    /// How often it was begun, this time included. More than 1 means that an
    /// earlier attempt was cut off and may have left something behind.
    pub attempt: u32,
    /// Whether the attempt before was stopped by a signal, so that what it had
    /// done is already undone.
    pub was_stopped: bool,
}

/// What an executor brings back.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed<Out> {
    /// What came of the step. Its texts are in [`Texts`].
    pub out: Out,
    /// Who carried it out.
    pub by: Option<ModelId>,
    /// The agent's own session.
    pub session: Option<String>,
    /// What it consumed.
    pub usage: Option<Usage>,
    /// Hashes of the manifests of what was undone in it.
    pub undone: Vec<Hash>,
}

impl<Out> Executed<Out> {
    /// A result of our own, with nobody to name and nothing consumed.
    #[must_use]
    pub fn local(out: Out) -> Self {
        Self {
            out,
            by: None,
            session: None,
            usage: None,
            undone: Vec::new(),
        }
    }
}

/// Why a process stops before its run has ended. A failing agent is not here:
/// that is an output, which the machine decides on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// A signal asks to stop.
    #[error("interrupted")]
    Interrupted,
    /// Something of our own failed, such as a disk that is full.
    #[error("{0}")]
    Broken(String),
}

/// Carries out what a machine asks for.
pub trait Executor<M: Machine>: Sync {
    /// Carries out one operation.
    ///
    /// Steps are at-least-once: a step whose process was cut off is asked for
    /// again, with a higher attempt.
    fn exec(
        &self,
        step: Step,
        op: M::Op,
        texts: &Texts,
    ) -> impl Future<Output = Result<Executed<M::Out>, Halt>> + Send;

    /// What an attempt that was cut off left behind, as the hash of a manifest
    /// whose texts are durable, if the next attempt undoes it.
    ///
    /// # Errors
    /// [`Halt::Broken`] when it cannot be looked at or kept.
    fn left(&self, _op: &M::Op, _texts: &Texts) -> Result<Option<Hash>, Halt> {
        Ok(None)
    }
}

/// Something a machine tells, small enough for any journal.
pub trait Notice: Send {
    /// The event it becomes, with its texts filled in.
    ///
    /// # Errors
    /// [`MissingText`] when a text that it names is gone.
    fn event(self, texts: &Texts) -> Result<Event, MissingText>;

    /// Number of the task it is about.
    fn task(&self) -> Option<review_types::TaskNumber> {
        None
    }
}
