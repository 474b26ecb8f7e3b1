//! The phase of a running command, and its deadlines.

use std::time::Duration;

use tokio::time::Instant;

use crate::{EndedBy, Limits};

/// The time between SIGTERM and SIGKILL when the run is stopped.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(5);

/// The time between the farewell of a dialog and SIGTERM.
const FAREWELL: Duration = Duration::from_secs(1);

/// The time within which the system must end a killed process.
const REAP_TIMEOUT: Duration = Duration::from_secs(5);

/// The time for reading the rest of the output after the leader has ended.
const DRAIN: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The leader is running.
    Running,
    /// The farewell of a dialog was sent; the group receives SIGTERM at this time, and has
    /// this grace.
    Warned {
        terminate_at: Instant,
        grace: Duration,
    },
    /// The group received SIGTERM and is killed at this time.
    Asked { kill_at: Instant },
    /// The group was killed; a leader that has not ended at this time is abandoned.
    Killed { give_up_at: Instant },
    /// The leader has ended; the rest of its output is read until this time.
    Draining { until: Instant },
}

impl Phase {
    pub(crate) fn warned(now: Instant, grace: Duration) -> Self {
        Self::Warned {
            terminate_at: later(now, FAREWELL.min(grace)),
            grace,
        }
    }

    pub(crate) fn asked(now: Instant, grace: Duration) -> Self {
        Self::Asked {
            kill_at: later(now, grace),
        }
    }

    pub(crate) fn killed(now: Instant) -> Self {
        Self::Killed {
            give_up_at: later(now, REAP_TIMEOUT),
        }
    }

    pub(crate) fn draining(now: Instant) -> Self {
        Self::Draining {
            until: later(now, DRAIN),
        }
    }
}

/// The limits of a call as points in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
    last_output: Instant,
    wall: Option<Duration>,
    idle: Option<Duration>,
    connect: Option<Duration>,
    connecting: Option<Instant>,
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
            connect: limits.connect,
            connecting: None,
            dismissal: None,
        }
    }

    pub(crate) fn output_received(&mut self) {
        self.last_output = Instant::now();
        self.connecting = None;
    }

    /// The program reported that it tries again, which does not count as output.
    pub(crate) fn retries(&mut self) {
        self.connecting = None;
    }

    /// The program reported that it waits for the network, which does not count as output.
    pub(crate) fn connects(&mut self) {
        self.connecting.get_or_insert_with(Instant::now);
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Lets the command continue as long as its other limits allow, or for `time` from
    /// when it was first set.
    pub(crate) fn linger(&mut self, time: Option<Duration>) {
        self.dismissal = time.map(|time| {
            let already = self.dismissal;
            already.unwrap_or_else(|| later(Instant::now(), time))
        });
    }

    /// Returns the limit that is reached at `now`.
    pub(crate) fn reached(&self, now: Instant) -> Option<EndedBy> {
        let limits = self.limits().into_iter().flatten();
        let mut reached = limits.filter(|(deadline, _)| *deadline <= now);
        reached.next().map(|(_, ended)| ended)
    }

    /// When each limit of a running command is reached, the one that counts first first.
    fn limits(&self) -> [Option<(Instant, EndedBy)>; 3] {
        let silence = match self.connecting {
            Some(since) => self
                .connect
                .map(|connect| (since, connect, EndedBy::Offline(connect))),
            None => self
                .idle
                .map(|idle| (self.last_output, idle, EndedBy::Idle(idle))),
        };
        let wall = self
            .wall
            .map(|wall| (later(self.started, wall), EndedBy::Wall(wall)));
        let silence = silence.map(|(since, time, ended)| (later(since, time), ended));
        let dismissal = self.dismissal.map(|instant| (instant, EndedBy::Dismissed));
        [wall, silence, dismissal]
    }

    /// The time of the next action in this phase.
    pub(crate) fn deadline(&self, phase: Phase) -> Option<Instant> {
        match phase {
            Phase::Running => {
                let limits = self.limits().into_iter().flatten();
                limits.map(|(deadline, _)| deadline).min()
            }
            Phase::Warned { terminate_at, .. } => Some(terminate_at),
            Phase::Asked { kill_at } => Some(kill_at),
            Phase::Killed { give_up_at } => Some(give_up_at),
            Phase::Draining { until } => Some(until),
        }
    }
}

/// Adds a duration; the result is capped at thirty years.
fn later(instant: Instant, duration: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(24 * 365 * 30);
    instant.checked_add(duration).unwrap_or(instant + FAR)
}
