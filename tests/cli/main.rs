//! The binary `ralph`, as its users meet it.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test writes files, starts the binary and stops at the first surprise"
)]

mod help;
mod modules;
mod support;
