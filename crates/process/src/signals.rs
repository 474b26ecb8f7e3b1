//! Handling of SIGINT, SIGTERM and SIGHUP on a separate thread, and of SIGXFSZ.
//!
//! The thread has its own runtime, so that a busy main thread does not delay the
//! reaction to a signal. The first signal terminates running commands; the second kills
//! their groups and ends the process through a closure, since exiting is the
//! responsibility of the binary. SIGHUP never counts as the second signal: a closing
//! terminal sends several.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::process::Signal as SystemSignal;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::{Groups, Stop};

/// The number of listeners that have work to stop.
static WORKING: AtomicUsize = AtomicUsize::new(0);

/// The signal that interrupted a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interrupt {
    /// SIGINT, as sent by Ctrl-C.
    Int,
    /// SIGTERM.
    Term,
    /// SIGHUP, as sent when a terminal closes.
    Hangup,
}

/// The state of the signal thread.
#[derive(Clone, Debug)]
pub struct Signals {
    stop: watch::Receiver<Stop>,
    first: Arc<OnceLock<Interrupt>>,
}

impl Signals {
    /// A receiver for the context of a command.
    pub fn stop(&self) -> watch::Receiver<Stop> {
        self.stop.clone()
    }

    /// The signal that interrupted the run, if there is one.
    pub fn interrupt(&self) -> Option<Interrupt> {
        self.first.get().copied()
    }
}

/// Handles SIGINT, SIGTERM and SIGHUP. On Linux, a SIGHUP that the process ignores
/// (`nohup`) stays ignored; other systems do not report it.
///
/// `exit` is called on the signal thread with the first signal: after the second one, when
/// every group in `groups` is killed, or at once when the last clone of the result and the
/// last receiver of all listeners are dropped, since nothing is left that could stop.
///
/// # Errors
///
/// Returns an error when the system cannot create the thread or the handlers.
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
            hangup: (!ignores_hangup())
                .then(|| signal(SignalKind::hangup()))
                .transpose()?,
        }
    };
    WORKING.fetch_add(1, Ordering::Relaxed);
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

/// Makes a write above the file size limit an error of that write, which by default
/// ends the process with SIGXFSZ. Started programs have the default action again.
///
/// # Errors
///
/// Returns an error when the system cannot install the handler.
pub fn report_file_size_limit() -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let _inside = runtime.enter();
    drop(signal(SignalKind::from_raw(SystemSignal::XFSZ.as_raw()))?);
    Ok(())
}

struct Listeners {
    int: Signal,
    term: Signal,
    hangup: Option<Signal>,
}

impl Listeners {
    async fn next(&mut self) -> Interrupt {
        let Self { int, term, hangup } = self;
        tokio::select! {
            biased;
            _ = int.recv() => Interrupt::Int,
            _ = term.recv() => Interrupt::Term,
            Some(_) = async { hangup.as_mut()?.recv().await } => Interrupt::Hangup,
        }
    }

    /// Waits for the next signal that counts; `None` once nothing is left to stop.
    async fn next_of(
        &mut self,
        counts: impl Fn(Interrupt) -> bool,
        stopper: &watch::Sender<Stop>,
    ) -> Option<Interrupt> {
        loop {
            let interrupt = tokio::select! {
                biased;
                interrupt = self.next() => interrupt,
                () = stopper.closed() => return None,
            };
            if counts(interrupt) {
                return Some(interrupt);
            }
        }
    }
}

/// Whether SIGHUP is ignored, if the system reports it in `/proc`.
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
        if let Some(interrupt) = listeners.next_of(|_| true, stopper).await {
            let interrupt = *first.get_or_init(|| interrupt);
            stopper.send_replace(Stop::Stop);
            let counts = |interrupt| interrupt != Interrupt::Hangup;
            if listeners.next_of(counts, stopper).await.is_some() {
                return groups.kill_all_and(|| {
                    stopper.send_replace(Stop::Kill);
                    exit(interrupt);
                });
            }
        }
        WORKING.fetch_sub(1, Ordering::Relaxed);
        loop {
            let interrupt = listeners.next().await;
            if WORKING.load(Ordering::Relaxed) == 0 {
                return exit(interrupt);
            }
        }
    });
}
