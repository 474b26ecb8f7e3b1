//! What tests and benches share: a scripted HTTP server, a scripted mock of
//! the services of language models on top of it, a scripted agent, programs to run, and
//! what a bench measures.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test stops at the first surprise, a bench starts programs and prints figures, and nothing else uses this"
)]

pub mod acp_agent;
pub mod http_server;
pub mod measure;
pub mod model_server;
pub mod program;
