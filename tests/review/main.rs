//! Tests of the review loop, one module per topic.
//!
//! `cargo test -p review <topic>` runs every test of a topic; the tasks of the
//! unit `spec-review` name these filters.

mod criteria;
mod events;
mod feedback;
mod recovery;
mod review_loop;
mod schema;
mod support;
mod types;
mod unit;
