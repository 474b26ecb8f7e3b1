//! How long a call is waited for.

use std::time::Duration;

use review_process::{Limits, Stop};
use review_types::LimitKind;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::ending::{Ending, TERM};

/// Later than any call lasts: a day.
const FAR: Duration = Duration::from_hours(24);

/// Waits for the parts of a call within its limits.
pub(super) struct Wait {
    stop: watch::Receiver<Stop>,
    wall: (Instant, Duration),
    idle: Duration,
}

impl Wait {
    /// The limits of a call that begins now.
    pub(super) fn new(limits: &Limits, stop: watch::Receiver<Stop>) -> Self {
        let wall = limits.wall.map_or(FAR, |wall| wall.min(FAR));
        Self {
            stop,
            wall: (Instant::now() + wall, wall),
            idle: limits.idle.map_or(FAR, |idle| idle.min(FAR)),
        }
    }

    /// Waits for the next part, which ends the silence before it.
    ///
    /// # Errors
    /// How the call ended, when a limit ran out or the run is stopped.
    pub(super) async fn part<T>(&mut self, part: impl Future<Output = T>) -> Result<T, Ending> {
        let silent = Instant::now() + self.idle;
        let (until, limit, after) = if self.wall.0 <= silent {
            (self.wall.0, LimitKind::Wall, self.wall.1)
        } else {
            (silent, LimitKind::Idle, self.idle)
        };
        let stop = &mut self.stop;
        let stopped = async {
            // Without a sender nobody will stop the run.
            if stop.wait_for(|stop| *stop != Stop::Run).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            () = stopped => Err(Ending::Signalled(TERM)),
            () = sleep_until(until) => Err(Ending::Limit { limit, after }),
            part = part => Ok(part),
        }
    }

    /// Waits no longer than `time` for all further parts together.
    pub(super) fn shorten(&mut self, time: Duration) {
        let end = Instant::now() + time;
        if end < self.wall.0 {
            self.wall = (end, time);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    const LIMITS: Limits = Limits {
        wall: Some(Duration::from_secs(10)),
        idle: Some(Duration::from_secs(4)),
        connect: None,
        grace: Duration::ZERO,
        capture: 0,
        overflow: review_process::Overflow::Stop,
    };

    fn limit(limit: LimitKind, seconds: u64) -> Result<(), Ending> {
        let after = Duration::from_secs(seconds);
        Err(Ending::Limit { limit, after })
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_with_each_part_and_the_call_with_the_first_limit() {
        let stopper = watch::Sender::new(Stop::Run);
        let mut wait = Wait::new(&LIMITS, stopper.subscribe());
        for _ in 0..2 {
            let part = tokio::time::advance(Duration::from_secs(3));
            assert_eq!(wait.part(part).await, Ok(()));
        }
        assert_eq!(wait.part(pending()).await, limit(LimitKind::Wall, 10));
        let mut wait = Wait::new(&LIMITS, stopper.subscribe());
        assert_eq!(wait.part(pending()).await, limit(LimitKind::Idle, 4));
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_ends_a_call_that_never_falls_silent() {
        let stopper = watch::Sender::new(Stop::Run);
        let mut wait = Wait::new(&LIMITS, stopper.subscribe());
        wait.shorten(Duration::from_secs(20));
        wait.shorten(Duration::from_secs(1));
        assert_eq!(wait.part(ready(())).await, Ok(()));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(wait.part(ready(())).await, limit(LimitKind::Wall, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stopped_run_ends_the_call_and_a_run_that_cannot_be_stopped_does_not() {
        let stopper = watch::Sender::new(Stop::Run);
        let mut wait = Wait::new(&LIMITS, stopper.subscribe());
        stopper.send_replace(Stop::Stop);
        assert_eq!(wait.part(ready(())).await, Err(Ending::Signalled(15)));
        stopper.send_replace(Stop::Run);
        drop(stopper);
        assert_eq!(wait.part(ready(())).await, Ok(()));
    }
}
