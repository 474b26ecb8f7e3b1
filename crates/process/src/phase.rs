//! Where a running command stands, and which wait of it ends when.

use std::time::Duration;

use tokio::time::Instant;

use crate::{Cut, Limits};

/// Time between asking a group to end and killing it when the run is stopped.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(5);

/// Time for the system to bury what was killed.
const BURIAL: Duration = Duration::from_secs(5);

/// Time in which the output of a leader that has ended is read to its end.
const DRAIN: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The leader does its work.
    Running,
    /// The group was asked to end and is killed at this instant.
    Asked { kill_at: Instant },
    /// The group was killed; a leader that has not ended at this instant is
    /// given up.
    Killed { give_up_at: Instant },
    /// The leader has ended; what its output holds is read until this instant.
    Draining { until: Instant },
}

impl Phase {
    pub(crate) fn asked(now: Instant, grace: Duration) -> Self {
        Self::Asked {
            kill_at: later(now, grace),
        }
    }

    pub(crate) fn killed(now: Instant) -> Self {
        Self::Killed {
            give_up_at: later(now, BURIAL),
        }
    }

    pub(crate) fn draining(now: Instant) -> Self {
        Self::Draining {
            until: later(now, DRAIN),
        }
    }
}

/// The limits of a call as instants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
    last_output: Instant,
    wall: Option<Duration>,
    idle: Option<Duration>,
    dismissal: Option<Instant>,
}

impl Clock {
    pub(crate) fn start(limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            started: now,
            last_output: now,
            wall: limits.wall,
            idle: limits.idle,
            dismissal: None,
        }
    }

    pub(crate) fn heard(&mut self) {
        self.last_output = Instant::now();
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Lets the command go on as long as its other limits allow, or for `time`
    /// from when that was said first.
    pub(crate) fn linger(&mut self, time: Option<Duration>) {
        self.dismissal = time.map(|time| {
            let already = self.dismissal;
            already.unwrap_or_else(|| later(Instant::now(), time))
        });
    }

    /// The limit that has run out at `now`.
    pub(crate) fn cut(&self, now: Instant) -> Option<Cut> {
        let wall = self.wall.filter(|&wall| later(self.started, wall) <= now);
        let idle = self
            .idle
            .filter(|&idle| later(self.last_output, idle) <= now);
        let dismissed = self.dismissal.is_some_and(|instant| instant <= now);
        wall.map(Cut::Wall)
            .or_else(|| idle.map(Cut::Idle))
            .or_else(|| dismissed.then_some(Cut::Dismissed))
    }

    /// The instant at which something has to be done in this phase.
    pub(crate) fn deadline(&self, phase: Phase) -> Option<Instant> {
        match phase {
            Phase::Running => {
                let wall = self.wall.map(|wall| later(self.started, wall));
                let idle = self.idle.map(|idle| later(self.last_output, idle));
                wall.into_iter().chain(idle).chain(self.dismissal).min()
            }
            Phase::Asked { kill_at } => Some(kill_at),
            Phase::Killed { give_up_at } => Some(give_up_at),
            Phase::Draining { until } => Some(until),
        }
    }
}

/// An instant later than the clock can tell is as good as one in thirty years.
fn later(instant: Instant, duration: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(24 * 365 * 30);
    instant.checked_add(duration).unwrap_or(instant + FAR)
}
