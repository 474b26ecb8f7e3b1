//! The executor of a machine's operations.

use std::future::Future;
use std::pin::Pin;

use review_types::{Hash, ModelId, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::ContentStore;
use crate::machine::Machine;
use crate::step::Step;

/// The result of an executor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Executed<Out> {
    /// The outcome of the step. Its content is in the [`ContentStore`].
    pub out: Out,
    /// The model or program that ran it.
    pub by: Option<ModelId>,
    /// The agent's own session.
    pub session: Option<String>,
    /// Its usage.
    pub usage: Option<Usage>,
    /// Hashes of the manifests of the changes that were undone in it.
    pub undone: Vec<Hash>,
}

impl<Out> Executed<Out> {
    /// Returns a local result, without an agent and usage.
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

    /// Replaces the outcome.
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

/// Why a process stops before its run has ended. The failure of an agent is not
/// included: it is an outcome, which the machine handles.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A system signal asks to stop.
    #[error("interrupted")]
    Interrupted,
    /// An internal failure, such as a full disk.
    #[error("{0}")]
    Broken(String),
}

/// An external signal to a running machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Its payload.
    pub value: Value,
}

/// A signal that has not arrived yet.
pub type NextSignal<'a> = Pin<Box<dyn Future<Output = Signal> + Send + 'a>>;

/// Runs the operations of a machine.
pub trait Executor<M: Machine>: Sync {
    /// Runs one operation; several may run at a time.
    ///
    /// Steps run at least once: an interrupted step runs again, with a higher
    /// attempt. A step that the machine cancels is dropped.
    fn exec(
        &self,
        step: Step,
        op: M::Op,
        texts: &ContentStore,
    ) -> impl Future<Output = Result<Executed<M::Out>, Stop>> + Send;

    /// Returns what an interrupted attempt left, as the hash of a manifest whose
    /// content is durable, if the next attempt undoes it.
    ///
    /// # Errors
    /// [`Stop::Broken`] when it cannot be read or stored.
    fn left(&self, _op: &M::Op, _texts: &ContentStore) -> Result<Option<Hash>, Stop> {
        Ok(None)
    }

    /// Returns the next external signal; `None` when there can be none.
    fn signal(&self) -> Option<NextSignal<'_>> {
        None
    }
}
