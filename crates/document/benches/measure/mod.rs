//! What calls cost the processor, in runs that take turns, and what to say
//! about it. The bench of crate `lint` uses it as well.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// The least processor time of each side in so many runs, user and system.
pub(crate) fn least<const N: usize>(
    runs: usize,
    mut sides: [&mut dyn FnMut(); N],
) -> [Duration; N] {
    let mut least = [Duration::MAX; N];
    for _ in 0..runs {
        for (side, least) in sides.iter_mut().zip(&mut least) {
            let start = cpu();
            side();
            *least = (*least).min(cpu().saturating_sub(start));
        }
    }
    least
}

/// Says how a ratio of two times compares with its limit.
pub(crate) fn report(what: &str, ours: Duration, theirs: Duration, limit: f64) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let verdict = if ratio <= limit { "met" } else { "MISSED" };
    println!("{ratio:6.2}  limit {limit:.1}  {verdict:6}  {what} ({ours:?} / {theirs:?})");
}

fn cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the system counts for this process");
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(micros.unsigned_abs())
}
