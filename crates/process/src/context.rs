//! The context of a command: its stop signal, its output sink, and the listener for its
//! group.

use std::io;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;

use crate::{GroupId, Groups, Redactor};

/// The stop signal of running commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// No stop was requested.
    #[default]
    Run,
    /// Commands are terminated, and killed after five seconds.
    Stop,
    /// Commands are killed.
    Kill,
}

/// An output stream of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How long a program may continue, according to its output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Patience {
    /// As long as its limits allow.
    #[default]
    Limits,
    /// As long as its limits allow, as if it had written nothing: its output reports
    /// only that it tries again.
    Retrying,
    /// For the time that it may take to connect: its output reports only that it waits
    /// for the network.
    Connecting,
    /// For the grace period: its relevant output is complete.
    Grace,
    /// No longer: further output is irrelevant.
    Spent,
}

/// Receives the whole output as it arrives, with secrets already replaced.
pub trait Sink: Send {
    /// Receives the next bytes of a stream.
    ///
    /// # Errors
    ///
    /// After an error the sink is not written to again; the program continues, and
    /// [`Ended::spill_error`](crate::Ended::spill_error) holds the error.
    fn write(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()>;

    /// Returns how long the program may continue after its output so far. It is called
    /// after every piece of output.
    fn patience(&self) -> Patience {
        Patience::Limits
    }

    /// Returns what is sent to a program with a [`Dialog`](crate::Stdin::Dialog). It is
    /// called after every piece of output.
    fn reply(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Returns what is sent to a program with a [`Dialog`](crate::Stdin::Dialog) a second
    /// before it is terminated.
    fn farewell(&mut self) -> Vec<u8> {
        Vec::new()
    }
}

/// The context of a command.
pub struct Context<'a> {
    /// The stop signal. If its sender is dropped, the command is never stopped.
    pub stop: watch::Receiver<Stop>,
    /// The registry of live groups.
    pub groups: &'a Groups,
    /// The redactor of both outputs.
    pub redactor: &'a Redactor,
    /// The receiver of the whole output.
    pub sink: Option<&'a mut dyn Sink>,
    /// What is sent to a program with a [`Dialog`](crate::Stdin::Dialog) at any time. Its
    /// input ends when no sender is left.
    pub messages: Option<&'a mut UnboundedReceiver<Vec<u8>>>,
    /// The listener that is called with the group right after the spawn.
    pub started: Option<&'a mut (dyn FnMut(GroupId) + Send)>,
}

impl<'a> Context<'a> {
    /// Creates a context without a sink, messages and a listener.
    pub fn new(stop: watch::Receiver<Stop>, groups: &'a Groups, redactor: &'a Redactor) -> Self {
        Self {
            stop,
            groups,
            redactor,
            sink: None,
            messages: None,
            started: None,
        }
    }
}
