//! Shared parts of the tests of the kernel.

use std::sync::{Arc, Mutex};

use review_flow::{
    ContentStore, MemoryBlobs, MissingContent, Notice, Numbered, RunRecord, Seed, Sink, StepName,
};
use review_types::{RunId, Timestamp};

pub(crate) fn record() -> RunRecord {
    RunRecord {
        run: RunId::new("r1").unwrap(),
        seed: Seed::from_bytes([7; 32]),
        at: Timestamp::UNIX_EPOCH,
        version: "0.0.0".to_owned(),
        input: serde_json::Value::Null,
        texts: Vec::new(),
    }
}

pub(crate) fn texts() -> ContentStore {
    ContentStore::new(Arc::new(MemoryBlobs::default()))
}

pub(crate) fn step(path: impl std::fmt::Display) -> StepName {
    StepName::new("test", 0, path)
}

/// A notice of a machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fact(pub(crate) String);

impl Notice for Fact {
    type Event = Self;

    fn event(self, _: &ContentStore) -> Result<Self, MissingContent> {
        Ok(self)
    }
}

/// Collects every event.
#[derive(Default)]
pub(crate) struct Facts(Mutex<Vec<Numbered<Fact>>>);

impl Facts {
    pub(crate) fn all(&self) -> Vec<Numbered<Fact>> {
        self.0.lock().unwrap().clone()
    }
}

impl Sink<Fact> for Facts {
    fn emit(&self, event: Numbered<Fact>) {
        self.0.lock().unwrap().push(event);
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}
