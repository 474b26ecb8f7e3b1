//! The clock of a run.

use std::time::Duration;

use async_trait::async_trait;
use review_flow::{Clock, Stop};
use review_types::Timestamp;
use tokio::time::Instant;

/// A clock whose pauses end with the time of the run; the step after such a
/// pause is then cut.
pub(crate) struct RunClock<'a> {
    pub(crate) inner: &'a dyn Clock,
    pub(crate) deadline: Option<Instant>,
    /// Whether pauses take their time.
    pub(crate) pauses: bool,
}

#[async_trait]
impl Clock for RunClock<'_> {
    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    async fn sleep(&self, duration: Duration) -> Result<(), Stop> {
        if !self.pauses {
            return Ok(());
        }
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        self.inner
            .sleep(left.map_or(duration, |left| duration.min(left)))
            .await
    }
}

#[cfg(test)]
mod tests {
    use review_flow::ManualClock;

    use super::*;

    #[tokio::test]
    async fn a_pause_takes_its_time_unless_it_is_played() {
        for (pauses, expected) in [(true, 5), (false, 0)] {
            let inner = ManualClock::default();
            let clock = RunClock {
                inner: &inner,
                deadline: None,
                pauses,
            };
            clock.sleep(Duration::from_secs(5)).await.unwrap();
            let slept = clock.now().since(Timestamp::UNIX_EPOCH);
            assert_eq!(slept, Duration::from_secs(expected));
        }
    }
}
