//! How many gates a user of this computer has running at a time, over all runs: commands
//! that share too few processors run out of time, or fail.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

use review_store::{FileError, HostDir, HostLock};
use tokio::time::{MissedTickBehavior, interval};

use crate::judging::NAME_VARIABLE;

/// The processors of a gate.
const PROCESSORS: usize = 4;

/// The pause before another look for a free slot.
const PAUSE: Duration = Duration::from_millis(100);

/// The slots for gates.
#[derive(Debug)]
pub(super) struct Slots {
    host: HostDir,
    count: usize,
    /// The name of the program that this process is part of, if it is part of one.
    outer: Option<String>,
    pause: Duration,
}

impl Slots {
    /// The slots of this computer.
    pub(super) fn new(host: HostDir, env: &BTreeMap<OsString, OsString>) -> Self {
        let processors = available_parallelism().map_or(1, NonZero::get);
        let outer = env.get(OsStr::new(NAME_VARIABLE));
        Self {
            host,
            count: (processors / PROCESSORS).max(1),
            outer: outer.and_then(|name| Some(name.to_str()?.to_owned())),
            pause: PAUSE,
        }
    }

    /// Waits for a free slot for the programs of this name, and holds it as long as the
    /// result lives; `None` if none is needed, since the program that this process is part
    /// of holds one, or it is of no use any more.
    pub(super) async fn take(
        &self,
        name: &str,
        is_over: impl Fn() -> bool,
    ) -> Result<Option<HostLock>, FileError> {
        let mut has_waited = false;
        let mut looks = interval(self.pause);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            if is_over() {
                return Ok(None);
            }
            for slot in 0..self.count {
                let slot = format!("gates/{slot}");
                if let Some(lock) = self.host.try_lock_as(&slot, name)? {
                    return Ok(Some(lock));
                }
                if self.outer.is_some() && self.host.holder(&slot) == self.outer {
                    return Ok(None);
                }
            }
            if !std::mem::replace(&mut has_waited, true) {
                tracing::info!("waits for the command of another run to end");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tempfile::TempDir;

    use super::*;

    fn slots(folder: &TempDir, count: usize) -> Slots {
        Slots {
            host: HostDir::at(folder.path().join("host")),
            count,
            outer: None,
            pause: Duration::from_millis(1),
        }
    }

    #[tokio::test]
    async fn a_gate_waits_until_that_of_another_run_has_ended() {
        let folder = TempDir::new().expect("a folder");
        let (one, other) = (slots(&folder, 1), slots(&folder, 1));
        let held = one.take("one", || false).await.expect("a file");
        let looks = Cell::new(0);
        let waits = other.take("other", || {
            looks.set(looks.get() + 1);
            looks.get() > 3
        });
        assert!(waits.await.expect("a file").is_none());
        drop(held);
        assert!(
            other
                .take("other", || false)
                .await
                .expect("a file")
                .is_some()
        );
    }

    #[tokio::test]
    async fn as_many_gates_run_at_a_time_as_there_are_slots() {
        let folder = TempDir::new().expect("a folder");
        let two = slots(&folder, 2);
        let first = two.take("a", || false).await.expect("a file");
        let second = two.take("b", || false).await.expect("a file");
        assert!(first.is_some() && second.is_some());
    }

    #[tokio::test]
    async fn a_run_in_a_gate_needs_no_slot() {
        let folder = TempDir::new().expect("a folder");
        let outer = slots(&folder, 1);
        let held = outer
            .take("ralph-c0ffee-1", || false)
            .await
            .expect("a file");
        assert!(held.is_some());
        let nested = |name: &str| Slots {
            outer: Some(name.to_owned()),
            ..slots(&folder, 1)
        };
        let inner = nested("ralph-c0ffee-1");
        assert!(inner.take("b", || false).await.expect("a file").is_none());
        // A variable that is left of a gate that has ended says nothing.
        drop(held);
        assert!(inner.take("b", || false).await.expect("a file").is_some());
    }
}
