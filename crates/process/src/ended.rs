//! The result of a command.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::Captured;

/// The result of a command that has ended.
#[derive(Debug)]
#[must_use]
pub struct Ended {
    /// The exit of the leader, as reported by the system.
    pub exit: Exit,
    /// The reason why it was terminated, if it was.
    pub cut: Option<EndedBy>,
    /// How much of its standard input was read; `None` without one, and where the
    /// system does not say.
    pub input: Option<InputRead>,
    /// The captured standard output.
    pub stdout: Captured,
    /// The captured standard error.
    pub stderr: Captured,
    /// The time from before the spawn to the end of the output.
    pub took: Duration,
    /// Whether it ended on its own while processes that it had started still ran, of which
    /// these are found: those of its group, and those that left it if no other command of
    /// this process ran. A sandbox that has a process of its own is one of them.
    pub left_running: bool,
    /// The first error of the sink; later output is missing from the log.
    pub spill_error: Option<io::Error>,
}

impl Ended {
    /// Whether the program exited with status 0 and was not terminated.
    pub fn success(&self) -> bool {
        self.cut.is_none() && self.exit == Exit::Code(0)
    }
}

/// How much of a standard input was read: by the program, or by another process that
/// inherited it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputRead {
    /// The length of the input.
    pub bytes: u64,
    /// The number of bytes that were read until the leader ended.
    pub read: u64,
}

/// The exit of a group's leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// It exited with this status.
    Code(i32),
    /// It was killed by this signal.
    Signal(i32),
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit status {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// The reason why a command was terminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndedBy {
    /// It exceeded this duration.
    Wall(Duration),
    /// It had no output for this duration.
    Idle(Duration),
    /// It only waited for the network for this duration.
    Offline(Duration),
    /// It wrote more than this number of bytes to standard output.
    TooLarge(u64),
    /// The sink dismissed it.
    Dismissed,
    /// The run was stopped.
    Stopped,
}
