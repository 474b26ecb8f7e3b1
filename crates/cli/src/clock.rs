//! The time of the system.

use std::time::Duration;

use async_trait::async_trait;
use review_flow::{Clock, Stop as RunStop, SystemClock};
use review_process::Stop;
use review_types::Timestamp;
use tokio::sync::watch;

/// The present time.
pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}

/// The clock of the system. A pause ends early when the run is to stop.
pub(crate) struct StoppableClock {
    stop: watch::Receiver<Stop>,
}

impl StoppableClock {
    /// A clock whose pauses end when `stop` says so.
    pub(crate) fn new(stop: watch::Receiver<Stop>) -> Self {
        Self { stop }
    }
}

#[async_trait]
impl Clock for StoppableClock {
    fn now(&self) -> Timestamp {
        now()
    }

    async fn sleep(&self, duration: Duration) -> Result<(), RunStop> {
        let mut stop = self.stop.clone();
        let stopped = async {
            if stop.wait_for(|stop| *stop != Stop::Run).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = stopped => Err(RunStop::Interrupted),
            slept = SystemClock.sleep(duration) => slept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_when_the_run_is_to_stop() {
        let (stopper, stop) = watch::channel(Stop::Run);
        let clock = StoppableClock::new(stop);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        assert_eq!(runtime.block_on(clock.sleep(Duration::ZERO)), Ok(()));
        stopper.send_replace(Stop::Stop);
        let long = clock.sleep(Duration::from_secs(86_400));
        assert_eq!(runtime.block_on(long), Err(RunStop::Interrupted));
        assert!(clock.now() > Timestamp::UNIX_EPOCH);
    }
}
