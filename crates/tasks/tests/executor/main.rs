//! Real commands in temporary folders.
#![allow(
    clippy::disallowed_methods,
    reason = "tests make folders and files of their own"
)]

mod commands;
mod limits;
mod records;
mod statuses;
mod support;
