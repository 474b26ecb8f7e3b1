//! How many gates a user of this computer has running at a time, over all runs: commands
//! that share too few processors run out of time, or fail.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

use review_store::{FileError, HostDir, HostLock};

use super::environment::Role;

/// The processors of a gate.
const PROCESSORS: usize = 4;

/// The pause before another look for a free slot.
const PAUSE: Duration = Duration::from_millis(100);

/// The slots for gates.
#[derive(Debug)]
pub(super) struct Slots {
    host: HostDir,
    /// 0 where none is needed.
    count: usize,
    pause: Duration,
}

impl Slots {
    /// The slots of this computer; none for a run that is itself part of a gate, which has
    /// one.
    pub(super) fn new(host: HostDir, env: &BTreeMap<OsString, OsString>) -> Self {
        let processors = available_parallelism().map_or(1, NonZero::get);
        let role = env.get(OsStr::new("RALPH_ROLE"));
        let is_in_gate = role.is_some_and(|role| role == Role::Gate.as_str());
        Self {
            host,
            count: match is_in_gate {
                true => 0,
                false => (processors / PROCESSORS).max(1),
            },
            pause: PAUSE,
        }
    }

    /// Waits for a free slot, and holds it as long as the result lives; `None` if none is
    /// needed, or it is of no use any more.
    pub(super) async fn take(
        &self,
        is_over: impl Fn() -> bool,
    ) -> Result<Option<HostLock>, FileError> {
        let mut has_waited = false;
        while self.count > 0 && !is_over() {
            for slot in 0..self.count {
                if let Some(lock) = self.host.try_lock(format!("gates/{slot}"))? {
                    return Ok(Some(lock));
                }
            }
            if !std::mem::replace(&mut has_waited, true) {
                tracing::info!("waits for the command of another run to end");
            }
            tokio::time::sleep(self.pause).await;
        }
        Ok(None)
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
            pause: Duration::ZERO,
        }
    }

    #[tokio::test]
    async fn a_gate_waits_until_that_of_another_run_has_ended() {
        let folder = TempDir::new().expect("a folder");
        let (one, other) = (slots(&folder, 1), slots(&folder, 1));
        let held = one.take(|| false).await.expect("a file");
        let looks = Cell::new(0);
        let waits = other.take(|| {
            looks.set(looks.get() + 1);
            looks.get() > 3
        });
        assert!(waits.await.expect("a file").is_none());
        drop(held);
        assert!(other.take(|| false).await.expect("a file").is_some());
    }

    #[tokio::test]
    async fn as_many_gates_run_at_a_time_as_there_are_slots() {
        let folder = TempDir::new().expect("a folder");
        let two = slots(&folder, 2);
        let first = two.take(|| false).await.expect("a file");
        let second = two.take(|| false).await.expect("a file");
        assert!(first.is_some() && second.is_some());
    }

    #[tokio::test]
    async fn a_run_in_a_gate_needs_no_slot() {
        let folder = TempDir::new().expect("a folder");
        let held = slots(&folder, 1).take(|| false).await.expect("a file");
        assert!(held.is_some());
        let env = [("RALPH_ROLE".into(), "gate".into())];
        let host = HostDir::at(folder.path().join("host"));
        let nested = Slots::new(host, &BTreeMap::from(env));
        assert!(nested.take(|| false).await.expect("a file").is_none());
    }
}
