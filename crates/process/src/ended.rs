//! How a command ended.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::capture::Capture;
use crate::{Captured, Limits, Overflow, STDERR_CAPTURE};

/// Everything known of a command that has ended.
#[derive(Debug)]
#[must_use]
pub struct Ended {
    /// What the system says of the leader's end.
    pub exit: Exit,
    /// Why it was ended by us, if it was.
    pub cut: Option<Cut>,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// The time from before the spawn to the end of the output.
    pub took: Duration,
    /// Whether a process outside the group still holds an output open, so
    /// that the output was cut off after a second.
    pub held_open: bool,
    /// The first error of the sink; what came after it is in no log.
    pub spill_error: Option<io::Error>,
}

impl Ended {
    /// The end of a command that ran at another time and wrote these outputs,
    /// of which `limits` are kept as if it ran now.
    pub fn replayed(
        (exit, cut): (Exit, Option<Cut>),
        stdout: &[u8],
        stderr: &[u8],
        limits: &Limits,
    ) -> Self {
        Self {
            exit,
            cut,
            stdout: Capture::of(stdout, limits.capture, limits.overflow),
            stderr: Capture::of(stderr, STDERR_CAPTURE, Overflow::KeepTail),
            took: Duration::ZERO,
            held_open: false,
            spill_error: None,
        }
    }

    /// Whether the program ended by itself with status 0.
    #[must_use]
    pub fn success(&self) -> bool {
        self.cut.is_none() && self.exit == Exit::Code(0)
    }
}

/// How the leader of a group ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// It exited with this status.
    Code(i32),
    /// This signal ended it.
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

/// Why a command was ended by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// It ran longer than this limit.
    Wall(Duration),
    /// It was silent for longer than this limit.
    Idle(Duration),
    /// It wrote more bytes to standard output than this limit.
    TooLarge(u64),
    /// The sink had no patience left with it.
    Dismissed,
    /// The run was stopped.
    Stopped,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_another_time_are_kept_as_those_of_now() {
        let limits = Limits {
            capture: 4,
            overflow: Overflow::KeepTail,
            ..Limits::default()
        };
        let end = (Exit::Code(3), Some(Cut::Dismissed));
        let ended = Ended::replayed(end, b"abcdef", b"why", &limits);
        assert_eq!((ended.exit, ended.cut), end);
        assert_eq!(ended.stdout.parts(), (&b"a"[..], &b"def"[..]));
        assert_eq!(ended.stderr.complete(), Some(&b"why"[..]));
    }
}
