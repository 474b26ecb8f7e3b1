//! The system's clock and random source.

use std::time::Duration;

use review_flow::{Clock as _, Seed, SystemClock};
use review_types::Timestamp;

#[test]
fn two_random_seeds_differ() {
    assert_ne!(Seed::random().unwrap(), Seed::random().unwrap());
}

#[tokio::test(flavor = "current_thread", start_paused = true)]
async fn the_system_clock_returns_the_time_and_pauses() {
    let released: Timestamp = "2025-01-01T00:00:00Z".parse().unwrap();
    assert!(SystemClock.now() > released);
    let before = tokio::time::Instant::now();
    let pause = Duration::from_secs(86_400);
    assert_eq!(SystemClock.sleep(pause).await, Ok(()));
    assert_eq!(before.elapsed(), pause);
}
