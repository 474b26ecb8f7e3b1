//! Tests of `review-store` on real folders: writes, rejections, and recovery from
//! damage.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "tests create the files and the processes that they need, and panic without them"
)]

mod support;

mod artifact;
mod atomic;
mod blobs;
mod capture;
mod child;
mod clusters;
mod confine;
mod feedback_store;
mod journal;
mod kept_records;
mod learning_journal;
mod lines;
mod lock;
mod log;
mod performance;
mod prompts;
mod records;
mod restore;
mod runs;
mod session;
mod state;
mod tree;
mod workspace;
