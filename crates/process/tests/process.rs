//! Real programs under `review-process`: how they end, what is kept of what
//! they write, and that nothing of them is left. They are looked at through
//! handles that only Linux has.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the files and the processes that they need"
)]
#![allow(
    clippy::unwrap_used,
    reason = "clippy allows it in tests but not in what they share"
)]

#[path = "process/support.rs"]
mod support;

#[path = "process/cancel.rs"]
mod cancel;
#[path = "process/exits.rs"]
mod exits;
#[path = "process/groups.rs"]
mod groups;
#[path = "process/input.rs"]
mod input;
#[path = "process/limits.rs"]
mod limits;
#[path = "process/output.rs"]
mod output;
#[path = "process/patience.rs"]
mod patience;
#[path = "process/redaction.rs"]
mod redaction;
#[path = "process/shapes.rs"]
mod shapes;
#[path = "process/signals.rs"]
mod signals;
#[path = "process/spawn_errors.rs"]
mod spawn_errors;
#[path = "process/stale.rs"]
mod stale;

#[test]
fn every_test_file_is_a_module() {
    let this = include_str!("process.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/process");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(this.contains(&format!("process/{name}\"")), "{name}");
    }
}
