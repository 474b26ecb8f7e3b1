//! The kernel over machines without reviews.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail loudly"
)]

mod cancel;
mod interrupted;
mod many_steps;
mod refused;
mod signals;
mod support;
mod system;
