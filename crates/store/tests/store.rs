//! Real folders under `review-store`: what is written, what is refused, and
//! what is left when something is damaged.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "tests make the files and the processes that they need, and panic without them"
)]

#[path = "store/support.rs"]
mod support;

#[path = "store/artifact.rs"]
mod artifact;
#[path = "store/atomic.rs"]
mod atomic;
#[path = "store/blobs.rs"]
mod blobs;
#[path = "store/capture.rs"]
mod capture;
#[path = "store/child.rs"]
mod child;
#[path = "store/clusters.rs"]
mod clusters;
#[path = "store/confine.rs"]
mod confine;
#[path = "store/feedback_store.rs"]
mod feedback_store;
#[path = "store/journal.rs"]
mod journal;
#[path = "store/kept_records.rs"]
mod kept_records;
#[path = "store/learning_journal.rs"]
mod learning_journal;
#[path = "store/lines.rs"]
mod lines;
#[path = "store/lock.rs"]
mod lock;
#[path = "store/log.rs"]
mod log;
#[path = "store/performance.rs"]
mod performance;
#[path = "store/prompts.rs"]
mod prompts;
#[path = "store/records.rs"]
mod records;
#[path = "store/restore.rs"]
mod restore;
#[path = "store/runs.rs"]
mod runs;
#[path = "store/session.rs"]
mod session;
#[path = "store/state.rs"]
mod state;
#[path = "store/tree.rs"]
mod tree;
#[path = "store/workspace.rs"]
mod workspace;
