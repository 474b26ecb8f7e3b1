//! The backends with real programs and real files.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make the files that they need, and their helpers are tests as well"
)]

#[path = "agents/support.rs"]
mod support;

#[path = "agents/budgets.rs"]
mod budgets;
#[path = "agents/builtin.rs"]
mod builtin;
#[path = "agents/client_calls.rs"]
mod client_calls;
#[path = "agents/client_counts.rs"]
mod client_counts;
#[path = "agents/client_outcomes.rs"]
mod client_outcomes;
#[path = "agents/client_recovery.rs"]
mod client_recovery;
#[path = "agents/client_support.rs"]
mod client_support;
#[path = "agents/client_writes.rs"]
mod client_writes;
#[path = "agents/cmd_environment.rs"]
mod cmd_environment;
#[path = "agents/cmd_files.rs"]
mod cmd_files;
#[path = "agents/cmd_interruption.rs"]
mod cmd_interruption;
#[path = "agents/cmd_outcomes.rs"]
mod cmd_outcomes;
#[path = "agents/completions.rs"]
mod completions;
#[path = "agents/conformance.rs"]
mod conformance;
#[path = "agents/http_calls.rs"]
mod http_calls;
#[path = "agents/http_edits.rs"]
mod http_edits;
#[path = "agents/http_outcomes.rs"]
mod http_outcomes;
#[path = "agents/http_recording.rs"]
mod http_recording;
#[path = "agents/http_reply.rs"]
mod http_reply;
#[expect(dead_code, reason = "these tests use a part of what tests share")]
#[path = "../../../tests/support/http_server.rs"]
mod http_server;
#[path = "agents/http_support.rs"]
mod http_support;

#[path = "agents/streams.rs"]
mod streams;
#[path = "agents/transcripts.rs"]
mod transcripts;

#[test]
fn every_test_file_is_a_module() {
    let this = include_str!("agents.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(this.contains(&format!("agents/{name}\"")), "{name}");
    }
}
