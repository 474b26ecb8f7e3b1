//! Tests of the review loop, one module per topic.
//!
//! `cargo test --workspace --test review <topic>` runs every test of a topic; the tasks of
//! the unit `spec-review` name these filters.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::result_large_err,
    reason = "a test fails loudly, and its errors are those of the traits it scripts"
)]

mod artifact;
mod blocking;
mod budget;
mod by_hand;
mod continued;
mod convergence;
mod criteria;
mod decisions;
mod documents;
mod events;
mod facts;
mod fail_level;
mod feedback;
mod kills;
mod looped;
mod notices;
mod pass;
mod people;
mod protocol;
mod rebased;
mod recovery;
mod retry;
mod review_loop;
mod schema;
mod seed;
mod simulator;
mod stories;
mod support;
mod types;
mod unit;
mod wording;
