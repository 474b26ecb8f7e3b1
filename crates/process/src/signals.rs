//! SIGINT, SIGTERM and SIGHUP, heard on a thread of their own.
//!
//! The thread has its own runtime, so that a main thread that is busy reading,
//! hashing or parsing cannot keep a person waiting. The first signal asks
//! running commands to end; the second kills their groups and ends the process
//! through a closure, since exiting belongs to the binary. A hangup is never
//! that second signal: a terminal that closes sends several.

use std::io;
use std::sync::{Arc, OnceLock};

use rustix::process::Signal as SystemSignal;
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
    /// SIGHUP, as sent when a terminal closes.
    Hangup,
}

impl Interrupt {
    /// The exit status of a process that was interrupted so.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Int => 130,
            Self::Term => 143,
            Self::Hangup => 129,
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

/// Listens for SIGINT, SIGTERM and SIGHUP from now on, until the last clone of
/// what is returned and the last receiver are gone. A SIGHUP that the process
/// ignores (`nohup`) stays ignored on Linux; other systems do not say so.
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
        // Somebody has listened once and for all: a write beyond the largest size
        // of a file is an error and not the end. Programs that are started have
        // the default again.
        drop(signal(SignalKind::from_raw(SystemSignal::XFSZ.as_raw()))?);
        Listeners {
            int: signal(SignalKind::interrupt())?,
            term: signal(SignalKind::terminate())?,
            hangup: (!ignores_hangup())
                .then(|| signal(SignalKind::hangup()))
                .transpose()?,
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
    hangup: Option<Signal>,
}

impl Listeners {
    async fn first(&mut self, stopper: &watch::Sender<Stop>) -> Option<Interrupt> {
        let Self { int, term, hangup } = self;
        tokio::select! {
            biased;
            _ = int.recv() => Some(Interrupt::Int),
            _ = term.recv() => Some(Interrupt::Term),
            Some(_) = async { hangup.as_mut()?.recv().await } => Some(Interrupt::Hangup),
            () = stopper.closed() => None,
        }
    }

    async fn second(&mut self, stopper: &watch::Sender<Stop>) -> Option<Interrupt> {
        tokio::select! {
            biased;
            _ = self.int.recv() => Some(Interrupt::Int),
            _ = self.term.recv() => Some(Interrupt::Term),
            () = stopper.closed() => None,
        }
    }
}

/// Whether SIGHUP is ignored, where the system says so in `/proc`.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 != 0)
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
        let Some(interrupt) = listeners.first(stopper).await else {
            return;
        };
        let interrupt = *first.get_or_init(|| interrupt);
        stopper.send_replace(Stop::Stop);
        if listeners.second(stopper).await.is_some() {
            groups.kill_all_and(|| {
                stopper.send_replace(Stop::Kill);
                exit(interrupt);
            });
        }
    });
}
