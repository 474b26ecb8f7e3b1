//! What a program and its children cost the processor, in runs that take turns.

mod figure;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};

pub(crate) use figure::{milliseconds, report};

use figure::processor_time;

/// One program that is measured, from a clean start each time.
pub(crate) struct Side<'a> {
    /// Brings everything to where it is before a run; its cost does not count.
    pub(crate) prepare: &'a dyn Fn(),
    /// The program.
    pub(crate) command: &'a dyn Fn() -> Command,
    /// The status that it must end with.
    pub(crate) status: i32,
}

/// The least processor time of each side in so many runs, user and system,
/// children included.
pub(crate) fn least<const N: usize>(runs: usize, sides: [Side<'_>; N]) -> [Duration; N] {
    let mut least = [Duration::MAX; N];
    for _ in 0..runs {
        for (least, side) in least.iter_mut().zip(&sides) {
            (side.prepare)();
            *least = (*least).min(cost(side));
        }
    }
    least
}

/// The largest memory that any child had so far, in bytes.
pub(crate) fn peak_memory() -> u64 {
    u64::try_from(children().max_rss()).unwrap_or(u64::MAX) * 1024
}

/// The binary, in the folder of a project and without what an outer run or a
/// user's configuration would change.
pub(crate) fn ralph(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
    let own = std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        name.starts_with("RALPH_")
    });
    for (name, _) in own {
        command.env_remove(name);
    }
    command.current_dir(folder);
    command
}

fn cost(side: &Side<'_>) -> Duration {
    let before = cpu();
    let status = (side.command)()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the program starts");
    assert_eq!(
        status.code(),
        Some(side.status),
        "the program ends as it should"
    );
    cpu() - before
}

fn cpu() -> Duration {
    processor_time(&children())
}

fn children() -> Usage {
    getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts for its children")
}
