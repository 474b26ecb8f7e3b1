//! What the process of a part costs, held against its limits.

#[path = "../../../cli/benches/measure/figure.rs"]
mod figure;

use std::process::Command;
use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};

pub(crate) use figure::{milliseconds, report};

use figure::processor_time;

/// The most memory that any part may hold, in MiB.
const PEAK: f64 = 32.0;

const MIB: f64 = 1024.0 * 1024.0;

/// Runs a part in a process of its own, which is told the part by `variables`.
pub(crate) fn in_a_process(part: &str, variables: &[(&str, &str)]) {
    let bench = std::env::current_exe().expect("this program");
    let mut process = Command::new(bench);
    let process = process.envs(variables.iter().copied());
    assert!(process.status().expect("a process").success(), "{part}");
}

/// Runs a part in this process, and says what memory that took.
pub(crate) fn run(what: &str, part: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(part);
    let what = format!("{what}: memory of the process at its peak");
    report(&what, peak_mib(), PEAK, "MiB");
}

/// The most memory that this process held so far, in MiB.
pub(crate) fn peak_mib() -> f64 {
    usage().max_rss() as f64 * 1024.0 / MIB
}

/// The processor time of this process so far, user and system, without that of
/// the programs that it called.
pub(crate) fn cpu() -> Duration {
    processor_time(&usage())
}

fn usage() -> Usage {
    getrusage(UsageWho::RUSAGE_SELF).expect("figures of this process")
}
