//! The backends with real programs and real files.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make the files that they need, and their helpers are tests as well"
)]

mod support;

mod acp;
mod acp_support;
mod budgets;
mod builtin;
mod client_calls;
mod client_files;
mod client_outcomes;
mod client_recovery;
mod client_support;
mod client_writes;
mod cmd_environment;
mod cmd_files;
mod cmd_interruption;
mod cmd_outcomes;
mod completions;
mod conformance;
mod http_calls;
mod http_edits;
mod http_outcomes;
mod http_reply;
mod http_support;
mod implementing;

mod streams;
mod transcripts;

#[test]
fn every_test_file_is_a_module() {
    let this = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let is_there = this.contains(&format!("mod {module};")) || module == "main";
        assert!(is_there, "{name}");
    }
}
