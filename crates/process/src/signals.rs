//! SIGINT and SIGTERM, heard on a thread of their own.
//!
//! The thread has its own runtime, so that a main thread that is busy reading,
//! hashing or parsing cannot keep a person waiting. The first signal asks
//! running commands to end; the second kills their groups and ends the process
//! through a closure, since exiting belongs to the binary.

use std::io;
use std::sync::{Arc, OnceLock};

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::{Groups, Stop};

/// The signal that interrupts a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interrupt {
    /// SIGINT, as sent by Ctrl-C.
    Int,
    /// SIGTERM.
    Term,
}

impl Interrupt {
    /// The exit status of a process that was interrupted so.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Int => 130,
            Self::Term => 143,
        }
    }
}

/// What the listening thread tells everybody else.
#[derive(Clone, Debug)]
pub struct Signals {
    stop: watch::Receiver<Stop>,
    first: Arc<OnceLock<Interrupt>>,
}

impl Signals {
    /// A receiver for the context of a command.
    #[must_use]
    pub fn stop(&self) -> watch::Receiver<Stop> {
        self.stop.clone()
    }

    /// The signal that interrupted the run, if one has.
    #[must_use]
    pub fn interrupt(&self) -> Option<Interrupt> {
        self.first.get().copied()
    }
}

/// Listens for SIGINT and SIGTERM from now on, until the last clone of what is
/// returned and the last receiver are gone.
///
/// `exit` is called on the listening thread after the second signal, once
/// every group in `groups` is killed, with the signal that came first.
///
/// # Errors
///
/// When the system refuses the thread or the listeners.
pub fn listen(
    groups: Groups,
    exit: impl FnOnce(Interrupt) + Send + 'static,
) -> io::Result<Signals> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let listeners = {
        let _inside = runtime.enter();
        Listeners {
            int: signal(SignalKind::interrupt())?,
            term: signal(SignalKind::terminate())?,
        }
    };
    let (stopper, stop) = watch::channel(Stop::Run);
    let signals = Signals {
        stop,
        first: Arc::new(OnceLock::new()),
    };
    let first = Arc::clone(&signals.first);
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || watch_signals(&runtime, listeners, &stopper, &first, &groups, exit))?;
    Ok(signals)
}

struct Listeners {
    int: Signal,
    term: Signal,
}

impl Listeners {
    async fn next(&mut self, stopper: &watch::Sender<Stop>) -> Option<Interrupt> {
        tokio::select! {
            biased;
            _ = self.int.recv() => Some(Interrupt::Int),
            _ = self.term.recv() => Some(Interrupt::Term),
            () = stopper.closed() => None,
        }
    }
}

fn watch_signals(
    runtime: &Runtime,
    mut listeners: Listeners,
    stopper: &watch::Sender<Stop>,
    first: &OnceLock<Interrupt>,
    groups: &Groups,
    exit: impl FnOnce(Interrupt),
) {
    runtime.block_on(async {
        let Some(interrupt) = listeners.next(stopper).await else {
            return;
        };
        let interrupt = *first.get_or_init(|| interrupt);
        stopper.send_replace(Stop::Stop);
        if listeners.next(stopper).await.is_some() {
            groups.kill_all_and(|| {
                stopper.send_replace(Stop::Kill);
                exit(interrupt);
            });
        }
    });
}
