//! Who carries out what a machine asks for.

use std::future::Future;
use std::pin::Pin;

use review_types::{Hash, ModelId, Usage};
use serde_json::Value;

use crate::content::ContentStore;
use crate::machine::Machine;
use crate::step::Step;

/// What an executor brings back.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed<Out> {
    /// The outcome of the step. Its texts are in the [`ContentStore`].
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
    /// A result of our own, without an agent and with nothing consumed.
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

    /// The same with another outcome.
    #[must_use]
    pub fn map<Other>(self, map: impl FnOnce(Out) -> Other) -> Executed<Other> {
        Executed {
            out: map(self.out),
            by: self.by,
            session: self.session,
            usage: self.usage,
            undone: self.undone,
        }
    }
}

/// Why a process stops before its run has ended. A failing agent is not here:
/// that is an outcome, which the machine decides on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// A signal of the system asks to stop.
    #[error("interrupted")]
    Interrupted,
    /// Something of our own failed, such as a disk that is full.
    #[error("{0}")]
    Broken(String),
}

/// Something that reaches a run from outside while it goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// What it carries.
    pub value: Value,
}

/// A signal that has not come yet.
pub type NextSignal<'a> = Pin<Box<dyn Future<Output = Signal> + Send + 'a>>;

/// Carries out what a machine asks for.
pub trait Executor<M: Machine>: Sync {
    /// Carries out one operation; several may be carried out at a time.
    ///
    /// Steps are at-least-once: a step whose process was cut off is asked for
    /// again, with a higher attempt. A step that the machine cancels is dropped.
    fn exec(
        &self,
        step: Step,
        op: M::Op,
        texts: &ContentStore,
    ) -> impl Future<Output = Result<Executed<M::Out>, Stop>> + Send;

    /// What an attempt that was cut off left, as the hash of a manifest whose
    /// texts are durable, if the next attempt undoes it.
    ///
    /// # Errors
    /// [`Stop::Broken`] when it cannot be read or kept.
    fn left(&self, _op: &M::Op, _texts: &ContentStore) -> Result<Option<Hash>, Stop> {
        Ok(None)
    }

    /// The next signal from outside; `None` when there can be none.
    fn signal(&self) -> Option<NextSignal<'_>> {
        None
    }
}
