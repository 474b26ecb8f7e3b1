//! What the process of a part costs, held against its limits.

use std::process::Command;
use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;

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

/// Says how a figure compares with its limit.
pub(crate) fn report(what: &str, figure: f64, limit: f64, unit: &str) {
    let ratio = figure / limit;
    let verdict = if ratio <= 1.0 { "met" } else { "MISSED" };
    println!("{what}: {figure:.3} {unit}, limit {limit} {unit}, ratio {ratio:.2}, {verdict}");
}

/// A time in milliseconds.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The most memory that this process held so far, in MiB.
pub(crate) fn peak_mib() -> f64 {
    usage().max_rss() as f64 * 1024.0 / MIB
}

/// The processor time of this process so far, user and system, without that of
/// the programs that it called.
pub(crate) fn cpu() -> Duration {
    let usage = usage();
    time(usage.user_time()) + time(usage.system_time())
}

fn usage() -> Usage {
    getrusage(UsageWho::RUSAGE_SELF).expect("figures of this process")
}

fn time(value: TimeVal) -> Duration {
    let micros = value.tv_sec() * 1_000_000 + value.tv_usec();
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}
