//! What the end of a program means.

use std::time::Duration;

use review_process::{Cut, Ended, Exit};
use review_types::{Failure, LimitKind};

use crate::caller::{self, Caller, Said};
use crate::no_answer::NoAnswer;

/// Bytes of standard error that an error quotes.
const QUOTED: usize = 2 * 1024;

/// The signal that asks a program to end.
const TERM: i32 = 15;

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
    match cut {
        Cut::Wall(after) => hung(LimitKind::Wall, after),
        Cut::Idle(after) => hung(LimitKind::Idle, after),
        Cut::TooLarge(limit) => (Failure::TooLarge { limit }, caller::too_large(limit)),
        Cut::Stopped | Cut::Dismissed => {
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

fn hung(limit: LimitKind, after: Duration) -> (Failure, String) {
    let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
    let failure = Failure::Hung { limit, after_ms };
    (failure, caller::hung(limit, after))
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
