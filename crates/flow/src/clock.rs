//! Time, as an external input.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use review_types::Timestamp;

use crate::executor::Stop;

/// Returns the time and waits.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Waits for `duration`.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] when a signal ends the pause.
    async fn sleep(&self, duration: Duration) -> Result<(), Stop>;
}

/// A clock that only advances when asked to, for tests and replays.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// Returns a clock that shows `start`.
    #[must_use]
    pub fn new(start: Timestamp) -> Self {
        Self(Mutex::new(start))
    }

    /// Advances the clock.
    pub fn advance(&self, duration: Duration) {
        let mut now = self.lock();
        *now = now.after(duration);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Timestamp> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new(Timestamp::UNIX_EPOCH)
    }
}

/// The system clock. Its pauses need the timer of a tokio runtime, and nothing
/// ends them early.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only place that reads the time"
    )]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Timestamp::UNIX_EPOCH.after(since.unwrap_or_default())
    }

    async fn sleep(&self, duration: Duration) -> Result<(), Stop> {
        tokio::time::sleep(duration).await;
        Ok(())
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.lock()
    }

    async fn sleep(&self, duration: Duration) -> Result<(), Stop> {
        self.advance(duration);
        Ok(())
    }
}
