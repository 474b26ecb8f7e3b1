//! What the engine decides, in one process: a call of a function in place of each call of
//! the command line.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test writes files and stops at the first surprise"
)]

mod blocked;
mod doctor;
mod documents;
mod findings;
mod gate;
mod learn;
mod learn_feedback;
mod learn_prompts;
mod learn_runs;
mod learn_writer;
mod lint;
mod lint_fix;
mod lint_formats;
mod must_pass;
mod plan;
mod provide;
mod roots;
mod support;
