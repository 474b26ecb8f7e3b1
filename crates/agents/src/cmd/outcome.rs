//! What the end of a program means.

use std::error::Error;
use std::fmt::{self, Display};

use review_process::{Cut, Ended, Exit, SpawnError};
use review_store::ConfineError;
use review_types::{Failure, LimitKind, plural};

use crate::cmd::Role;
use crate::no_answer::NoAnswer;

/// Bytes of standard error that an error quotes.
const QUOTED: usize = 2 * 1024;

/// The signal that asks a program to end.
const TERM: i32 = 15;

/// Names a call in messages: ``reviewer `./judge` ``.
#[derive(Clone, Copy)]
pub(super) struct Caller<'a> {
    pub(super) role: Role,
    pub(super) program: &'a str,
}

impl Display for Caller<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.role.as_str(), self.program)
    }
}

/// The complete output of a program that did its work, or why there is none.
/// What a program wrote before it failed or was cut off is no output.
pub(super) fn output(caller: Caller<'_>, ended: Ended) -> Result<Vec<u8>, NoAnswer> {
    let (failure, what) = match (ended.cut, ended.exit) {
        (Some(cut), exit) => of_cut(cut, exit),
        (None, Exit::Signal(signal)) => {
            let what = format!("was ended by signal {signal}");
            (Failure::Killed { signal }, what)
        }
        (None, Exit::Code(0)) => return complete(caller, ended),
        (None, Exit::Code(status)) => {
            let what = format!("ended with exit status {status}");
            (Failure::Failed { status }, what)
        }
    };
    let message = format!("{caller} {what}{}", Said(&ended.stderr.tail(QUOTED)));
    Err(NoAnswer { failure, message })
}

fn of_cut(cut: Cut, exit: Exit) -> (Failure, String) {
    let hung = |limit, after: std::time::Duration| Failure::Hung {
        limit,
        after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX),
    };
    match cut {
        Cut::Wall(after) => (
            hung(LimitKind::Wall, after),
            format!("was not done after {after:.0?} and was ended; --call-timeout gives it more"),
        ),
        Cut::Idle(after) => (
            hung(LimitKind::Idle, after),
            format!("said nothing for {after:.0?} and was ended; --idle-timeout gives it more"),
        ),
        Cut::TooLarge(limit) => (
            Failure::TooLarge { limit },
            format!("wrote more than {}, which is not read", bytes(limit)),
        ),
        Cut::Stopped => {
            let signal = match exit {
                Exit::Signal(signal) => signal,
                Exit::Code(_) => TERM,
            };
            (
                Failure::Killed { signal },
                "was stopped with the run".to_owned(),
            )
        }
    }
}

fn bytes(count: u64) -> String {
    plural(
        usize::try_from(count).unwrap_or(usize::MAX),
        "byte",
        "bytes",
    )
}

/// The last bytes of an output come when its program has ended, too late to be
/// cut off for their number.
fn complete(caller: Caller<'_>, ended: Ended) -> Result<Vec<u8>, NoAnswer> {
    let limit = ended.stdout.total() - ended.stdout.dropped();
    ended.stdout.into_complete().ok_or_else(|| {
        let (failure, what) = of_cut(Cut::TooLarge(limit), ended.exit);
        let message = format!("{caller} {what}");
        NoAnswer { failure, message }
    })
}

/// A program that the system did not start.
pub(super) fn not_started(caller: Caller<'_>, error: &SpawnError) -> NoAnswer {
    let cause = error.source().map(|cause| format!(": {cause}"));
    let role = caller.role.as_str();
    let message = format!("{role}: {error}{}", cause.unwrap_or_default());
    NoAnswer::not_started(caller.program, message)
}

/// A program that was not started, since there is nothing to show to it.
pub(super) fn no_prompt(caller: Caller<'_>, error: &ConfineError) -> NoAnswer {
    let message = format!("{caller} was not started: {error}");
    NoAnswer::not_started(caller.program, message)
}

/// What a program said of its failure, as the end of a message.
struct Said<'a>(&'a str);

impl Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.trim_end() {
            "" => f.write_str("; it wrote nothing to its standard error"),
            said => write!(f, "; its standard error ended with:\n{said}"),
        }
    }
}
