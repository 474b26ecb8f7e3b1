//! What processes cost the processor and the memory, and what to print about it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// One program that is measured, from a clean start each time.
pub struct Program<'a> {
    /// Brings everything to where it is before a run; its cost does not count.
    pub prepare: &'a dyn Fn(),
    /// The program.
    pub command: &'a dyn Fn() -> Command,
    /// The status that it must end with.
    pub status: i32,
}

impl Program<'_> {
    fn run(&self) {
        let status = (self.command)()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("the program starts");
        assert_eq!(
            status.code(),
            Some(self.status),
            "the program ends as it should"
        );
    }
}

/// The binary at `path`, in the folder of a project and without what an outer
/// run or a user's configuration would change.
pub fn ralph(path: &str, folder: &Path) -> Command {
    let mut command = Command::new(path);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("RALPH_") {
            command.env_remove(name);
        }
    }
    command.current_dir(folder);
    command
}

/// The least processor time of each program in this many alternating runs,
/// user and system, children included.
///
/// # Panics
/// When a program ends otherwise than it must.
pub fn least_of_programs<const N: usize>(runs: usize, programs: [Program<'_>; N]) -> [Duration; N] {
    let mut least = [Duration::MAX; N];
    for _ in 0..runs {
        for (least, program) in least.iter_mut().zip(&programs) {
            (program.prepare)();
            *least = (*least).min(cost(UsageWho::RUSAGE_CHILDREN, || program.run()));
        }
    }
    least
}

/// The least processor time of each call in this many alternating runs, user
/// and system.
pub fn least_of_calls<const N: usize>(
    runs: usize,
    mut calls: [&mut dyn FnMut(); N],
) -> [Duration; N] {
    let mut least = [Duration::MAX; N];
    for _ in 0..runs {
        for (call, least) in calls.iter_mut().zip(&mut least) {
            *least = (*least).min(cost(UsageWho::RUSAGE_SELF, call));
        }
    }
    least
}

/// The largest memory that any child had so far, in bytes.
pub fn peak_memory_of_children() -> u64 {
    u64::try_from(usage(UsageWho::RUSAGE_CHILDREN).max_rss()).unwrap_or(u64::MAX) * 1024
}

/// Prints how a figure compares with its limit.
pub fn report(what: &str, figure: f64, limit: f64, unit: &str) {
    let ratio = figure / limit;
    let verdict = if ratio <= 1.0 { "met" } else { "MISSED" };
    println!("{what}: {figure:.3} {unit}, limit {limit} {unit}, ratio {ratio:.2}, {verdict}");
}

/// Prints how the ratio of two times compares with its limit.
pub fn report_ratio(what: &str, ours: Duration, theirs: Duration, limit: f64) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let verdict = if ratio <= limit { "met" } else { "MISSED" };
    println!("{ratio:6.2}  limit {limit:.1}  {verdict:6}  {what} ({ours:?} / {theirs:?})");
}

/// A time in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn cost(who: UsageWho, act: impl FnOnce()) -> Duration {
    let before = processor_time(who);
    act();
    processor_time(who).saturating_sub(before)
}

fn processor_time(who: UsageWho) -> Duration {
    let usage = usage(who);
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(micros.unsigned_abs())
}

fn usage(who: UsageWho) -> Usage {
    getrusage(who).expect("the system counts for processes")
}
