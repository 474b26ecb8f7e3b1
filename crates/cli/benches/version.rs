//! What a start of the binary costs over the least program there is:
//! `cargo bench -p ralph-review --bench version`.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench starts programs, prints what they cost"
)]

use std::path::Path;
use std::process::Command;

use review_test_support::measure::{Program, least_of_programs, milliseconds, ralph, report};

fn main() {
    let side = |command| Program {
        prepare: &|| {},
        command,
        status: 0,
    };
    let version = || {
        let mut command = ralph(env!("CARGO_BIN_EXE_ralph"), Path::new("."));
        command.arg("--version");
        command
    };
    let [ours, nothing] =
        least_of_programs(51, [side(&version), side(&|| Command::new("/bin/true"))]);
    let over = milliseconds(ours) - milliseconds(nothing);
    report("--version over /bin/true", over, 2.0, "ms");
}
