//! Runs of the real `ralph` whose steps the real server and workers carry, while each part
//! of that is killed, frozen or cut off. They need the program of the main workspace
//! (`target/debug/ralph`), and the server that TEMPORAL_SERVER names.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "what a test does not get fails it"
)]

mod cut_off;
mod ended;
mod killed;
mod large;
mod support;
