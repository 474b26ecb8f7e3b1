//! What a start of the binary costs over the least program there is:
//! `cargo bench -p ralph-review --bench version`.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    dead_code,
    reason = "a bench starts programs, prints what they cost, and uses a part of what benches share"
)]

mod measure;

use std::path::Path;
use std::process::Command;

use measure::{Side, least, milliseconds, ralph, report};

fn main() {
    let side = |command| Side {
        prepare: &|| {},
        command,
        status: 0,
    };
    let version = || {
        let mut command = ralph(Path::new("."));
        command.arg("--version");
        command
    };
    let [ours, nothing] = least(51, [side(&version), side(&|| Command::new("/bin/true"))]);
    let over = milliseconds(ours) - milliseconds(nothing);
    report("--version over /bin/true", over, 2.0, "ms");
}
