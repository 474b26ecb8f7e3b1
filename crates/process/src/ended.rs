//! How a command ended.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::Captured;

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
