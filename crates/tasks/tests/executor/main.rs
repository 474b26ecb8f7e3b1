//! Real commands in temporary folders.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "tests create files and folders of their own, and fail loudly"
)]

mod commands;
mod jobs;
mod limits;
mod records;
mod statuses;
mod support;
