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
}

#[async_trait]
impl Clock for RunClock<'_> {
    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    async fn sleep(&self, duration: Duration) -> Result<(), Stop> {
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        self.inner
            .sleep(left.map_or(duration, |left| duration.min(left)))
            .await
    }
}
