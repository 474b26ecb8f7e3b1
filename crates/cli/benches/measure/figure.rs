//! How a figure is told, and what the system says a process has cost.

use std::time::Duration;

use nix::sys::resource::Usage;
use nix::sys::time::TimeVal;

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

/// The processor time of a usage, user and system.
pub(crate) fn processor_time(usage: &Usage) -> Duration {
    time(usage.user_time()) + time(usage.system_time())
}

fn time(value: TimeVal) -> Duration {
    let seconds = u64::try_from(value.tv_sec()).unwrap_or(0);
    let micros = u64::try_from(value.tv_usec()).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}
