//! What a command is run with: who can stop it, and who hears of it.

use std::fmt;
use std::io;

use tokio::sync::watch;

use crate::{GroupId, Groups, Redactor};

/// Whether running commands go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// They do.
    #[default]
    Run,
    /// They are asked to end, and killed after five seconds.
    Stop,
    /// They are killed.
    Kill,
}

/// One of the two outputs of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How long a program may go on, as far as its output tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Patience {
    /// As long as its limits allow.
    #[default]
    Limits,
    /// For the grace of its limits: it has said all that matters.
    Grace,
    /// No longer: nothing that it could still say matters.
    Spent,
}

/// Takes the whole output as it arrives, secrets already replaced.
pub trait Sink: Send {
    /// Takes the next bytes of one stream.
    ///
    /// # Errors
    ///
    /// After an error the sink is not written to again; the program goes on
    /// and [`Ended::spill_error`](crate::Ended::spill_error) holds the error.
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()>;

    /// How long the program may go on after what it wrote so far. It is asked
    /// after every piece of output.
    fn patience(&self) -> Patience {
        Patience::Limits
    }
}

/// What a command is run with.
pub struct Context<'a> {
    /// Whether the command goes on. A sender that is gone means that nobody
    /// will stop it.
    pub stop: watch::Receiver<Stop>,
    /// Where the live groups are listed.
    pub groups: &'a Groups,
    /// What replaces secrets in both outputs.
    pub redactor: &'a Redactor,
    /// Where the whole output goes.
    pub sink: Option<&'a mut dyn Sink>,
    /// Who is told of the group right after the spawn.
    pub started: Option<&'a mut (dyn FnMut(GroupId) + Send)>,
}

impl<'a> Context<'a> {
    /// A context that keeps no log and tells nobody of the group.
    #[must_use]
    pub fn new(stop: watch::Receiver<Stop>, groups: &'a Groups, redactor: &'a Redactor) -> Self {
        Self {
            stop,
            groups,
            redactor,
            sink: None,
            started: None,
        }
    }
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("stop", &self.stop)
            .field("groups", &self.groups)
            .finish_non_exhaustive()
    }
}
