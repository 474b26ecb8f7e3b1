//! How the process of a call ended.

use std::time::Duration;

use review_process::{Ended, EndedBy, Exit};
use review_types::{FailedBy, Failure, LimitKind, Missing, milliseconds};

/// The signal that asks a program to end.
pub(crate) const TERM: i32 = 15;

/// How the process of a call ended, and whose doing it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// This program could not be started.
    NotStarted(String),
    /// It exited with this status.
    Exited(i32),
    /// By a signal, whatever status it made of it.
    Signalled(i32),
    /// By us, since a limit of the call ran out.
    Limit {
        /// The limit.
        limit: LimitKind,
        /// Its length.
        after: Duration,
    },
    /// By us, since it only waited for the network for this long.
    Offline(Duration),
    /// By us, since it wrote more than this many bytes.
    TooLarge(u64),
    /// By us, since nothing it could still say would matter.
    Dismissed,
}

impl From<&Ended> for Ending {
    fn from(ended: &Ended) -> Self {
        let limit = |limit, after| Self::Limit { limit, after };
        match (ended.cut, ended.exit) {
            (Some(EndedBy::Wall(after)), _) => limit(LimitKind::Wall, after),
            (Some(EndedBy::Idle(after)), _) => limit(LimitKind::Idle, after),
            (Some(EndedBy::Offline(after)), _) => Self::Offline(after),
            (Some(EndedBy::TooLarge(limit)), _) => Self::TooLarge(limit),
            (Some(EndedBy::Dismissed), _) => Self::Dismissed,
            (Some(EndedBy::Stopped) | None, Exit::Signal(signal)) => Self::Signalled(signal),
            (Some(EndedBy::Stopped), Exit::Code(_)) => Self::Signalled(TERM),
            (None, Exit::Code(status)) => Self::Exited(status),
        }
    }
}

impl Ending {
    /// What an end is by which no answer can have come; `None` where the program
    /// exited with status 0.
    pub(crate) fn failure(&self) -> Option<Failure> {
        Some(match *self {
            Self::NotStarted(ref program) => Failure::SetupFailed {
                missing: Some(Missing::Program(program.clone())),
            },
            Self::Exited(0) => return None,
            Self::Exited(status) => FailedBy::Status(status).into(),
            Self::Signalled(signal) => FailedBy::Signal(signal).into(),
            Self::Limit { limit, after } => Failure::Hung {
                limit,
                after_ms: milliseconds(after),
            },
            Self::Offline(after) => Failure::Offline {
                after_ms: Some(milliseconds(after)),
            },
            Self::TooLarge(limit) => Failure::Truncated { limit: Some(limit) },
            Self::Dismissed => FailedBy::Signal(TERM).into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use review_process::Captured;

    use super::*;

    #[test]
    fn our_limit_comes_before_the_status_of_the_process() {
        let second = Duration::from_secs(1);
        let limit = |limit| Ending::Limit {
            limit,
            after: second,
        };
        let (code, signal) = (Exit::Code(1), Exit::Signal(9));
        for (cut, exit, expected) in [
            (None, code, Ending::Exited(1)),
            (None, signal, Ending::Signalled(9)),
            (Some(EndedBy::Stopped), signal, Ending::Signalled(9)),
            (Some(EndedBy::Stopped), code, Ending::Signalled(15)),
            (Some(EndedBy::Wall(second)), signal, limit(LimitKind::Wall)),
            (Some(EndedBy::Idle(second)), code, limit(LimitKind::Idle)),
            (
                Some(EndedBy::Offline(second)),
                signal,
                Ending::Offline(second),
            ),
            (Some(EndedBy::TooLarge(5)), signal, Ending::TooLarge(5)),
            (Some(EndedBy::Dismissed), signal, Ending::Dismissed),
            (Some(EndedBy::Dismissed), code, Ending::Dismissed),
        ] {
            let ended = Ended {
                exit,
                cut,
                input: None,
                stdout: Captured::default(),
                stderr: Captured::default(),
                took: second,
                left_running: false,
                spill_error: None,
            };
            assert_eq!(Ending::from(&ended), expected);
        }
    }
}
