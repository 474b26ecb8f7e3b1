//! A run that another process carries out, as it goes on.

use std::time::{Duration, SystemTime};

use review::events::Envelope;
use review_report::run::Timeline;
use review_store::RunDir;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::error::EngineError;
use crate::live_file::{live_events, step_of};
use crate::run::{Replay, replay};

/// The time between two looks at a run, which are a few calls of the system.
const LOOK: Duration = Duration::from_millis(250);
/// A run is read so seldom that reading it takes at most one part in this many.
const SHARE: u32 = 10;

/// Reads a run again each time that it went on.
#[derive(Debug)]
pub struct Follower {
    dir: RunDir,
    /// The stamp of the run, and whether a process was at work on it.
    seen: Option<(Stamp, bool)>,
    pause: Duration,
}

type Stamp = (Option<u64>, Option<SystemTime>);

/// A run at a time.
pub struct Followed {
    /// Its journal.
    pub replay: Replay,
    /// What its open steps do: events that no journal holds.
    pub live: Vec<Envelope>,
    /// Whether a process is at work on it.
    pub is_live: bool,
}

impl Follower {
    /// Returns a reader of a run that has not looked at it yet.
    pub fn new(dir: RunDir) -> Self {
        Self {
            dir,
            seen: None,
            pause: LOOK,
        }
    }

    /// Waits until the run went on since the last call; the first returns at once.
    pub async fn changed(&mut self) {
        self.changed_from(Instant::now()).await;
    }

    async fn changed_from(&mut self, first: Instant) {
        let mut looks = interval_at(first, self.pause);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            let stamp = self.dir.stamp();
            let may_be_live = self
                .seen
                .is_none_or(|(before, was_live)| was_live || before != stamp);
            let now = (stamp, may_be_live && self.dir.is_live());
            let before = self.seen.replace(now);
            if before != Some(now) {
                return;
            }
        }
    }

    /// Waits until the run went on, and reads it.
    ///
    /// # Errors
    /// [`EngineError`] when its journal cannot be read.
    pub async fn next(&mut self) -> Result<Followed, EngineError> {
        let pause = self.seen.map(|_| self.pause).unwrap_or_default();
        self.changed_from(Instant::now() + pause).await;
        let is_live = self.seen.is_some_and(|(_, is_live)| is_live);
        let started = Instant::now();
        let (dir, runtime) = (self.dir.clone(), Handle::current());
        let read = spawn_blocking(move || {
            let replay = runtime.block_on(replay(&dir))?;
            Ok::<_, EngineError>((replay, live_events(&dir)))
        });
        let (replay, mut live) = match read.await {
            Ok(read) => read?,
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        };
        self.pause = LOOK.max(started.elapsed() * SHARE);
        let mut timeline = Timeline::default();
        replay.events.iter().for_each(|event| timeline.take(event));
        live.retain(|event| {
            let step = step_of(&event.event);
            is_live && timeline.open_steps().any(|open| step == Some(open))
        });
        Ok(Followed {
            replay,
            live,
            is_live,
        })
    }
}
