//! Real programs under `review-process`: their exits, their captured output, and that
//! they leave nothing behind. They are observed through handles that only Linux has.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests create the files and the processes that they need"
)]
#![allow(
    clippy::unwrap_used,
    reason = "clippy allows it in tests but not in their helpers"
)]

mod support;

mod cancel;
mod dialog;
mod exits;
mod groups;
mod input;
mod limits;
mod output;
mod patience;
mod redaction;
mod shapes;
mod signals;
mod spawn_errors;
mod stale;

#[test]
fn every_test_file_is_a_module() {
    let this = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/process");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let is_there = this.contains(&format!("mod {module};")) || module == "main";
        assert!(is_there, "{name}");
    }
}
