//! The real clients of language models, against a scripted service.
//!
//! Each test installs what it needs into the target folder. Where that cannot
//! be done, it says `not run` and passes.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test writes files, starts programs and stops at the first surprise"
)]

mod bounds;
mod errors;
mod installed;
mod reviews;
mod world;

#[path = "../cli/support/mod.rs"]
#[allow(dead_code, reason = "other tests need more of it")]
mod support;
