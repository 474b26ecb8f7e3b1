//! The binary `ralph`, as its users meet it.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test writes files, starts the binary and stops at the first surprise"
)]

mod completions;
mod config;
mod crash;
mod doctor;
mod explain;
mod fifo;
mod graph;
mod help;
mod house;
mod init;
mod lint;
mod modules;
mod schema;
mod scripted;
mod signals;
mod support;
mod verdict;
