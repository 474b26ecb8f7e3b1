//! Decides what follows a failed call: a retry, another agent, or the end.

use std::time::Duration;

use review_types::{FailedBy, Failure, Timestamp};

/// Maximum number of calls of one agent for one step.
const MAX_TRIES: usize = 4;

/// The pause after the first failure; each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest pause: what a service asks for beyond it is not waited for.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// The reaction to a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Retry with the same agent after this pause.
    Again(Duration),
    /// A retry with this agent would not help.
    Elsewhere,
    /// A retry with any agent would not help.
    End,
}

/// The kinds of failures by how they are handled.
enum Class {
    /// It is transient and over at this time, if that is known.
    Transient(Option<Timestamp>),
    /// It may be transient: each of these is retried once.
    Once(Unclear),
    /// It will happen again with this agent.
    Lasting,
    /// The step is over.
    Final,
}

/// A failure that says nothing of its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unclear {
    Hung,
    Killed,
    Silent,
    Truncated,
}

/// The failed calls of one agent for one step.
#[derive(Clone, Debug, Default)]
pub struct FailedCalls {
    count: usize,
    unclear: Vec<Unclear>,
}

impl FailedCalls {
    /// Records a failure at `at`, and returns what follows. `jitter` spreads
    /// the pauses of concurrent runs: 0 is the shortest, 255 the longest.
    #[must_use]
    pub fn recovery(&mut self, failure: &Failure, at: Timestamp, jitter: u8) -> Recovery {
        self.count += 1;
        let tries_left = self.count < MAX_TRIES;
        match class(failure) {
            Class::Transient(ready) if tries_left => {
                let pause = match ready {
                    Some(ready) => ready.since(at),
                    None => self.pause(jitter),
                };
                if pause <= MAX_WAIT {
                    Recovery::Again(pause)
                } else {
                    Recovery::Elsewhere
                }
            }
            Class::Once(unclear) if tries_left && !self.unclear.contains(&unclear) => {
                self.unclear.push(unclear);
                Recovery::Again(Duration::ZERO)
            }
            Class::Transient(_) | Class::Once(_) | Class::Lasting => Recovery::Elsewhere,
            Class::Final => Recovery::End,
        }
    }

    /// Returns a pause between half and all of the doubled pause.
    fn pause(&self, jitter: u8) -> Duration {
        let doublings = self.count.clamp(1, MAX_TRIES) - 1;
        let half = FIRST_PAUSE * (1 << doublings) / 2;
        half + half * u32::from(jitter) / u32::from(u8::MAX)
    }
}

fn class(failure: &Failure) -> Class {
    match failure {
        Failure::RateLimited {
            retry_at: None,
            of_plan: true,
        } => Class::Lasting,
        Failure::RateLimited { retry_at, .. } => Class::Transient(*retry_at),
        Failure::Offline { .. } => Class::Transient(None),
        Failure::ModelError { status } if status.is_none_or(|status| status >= 500) => {
            Class::Transient(None)
        }
        Failure::Hung { .. } => Class::Once(Unclear::Hung),
        Failure::Failed { by } => match by {
            FailedBy::Signal(_) => Class::Once(Unclear::Killed),
            FailedBy::Silence => Class::Once(Unclear::Silent),
            FailedBy::Status(_) | FailedBy::Protocol => Class::Lasting,
        },
        Failure::Truncated { limit: None } => Class::Once(Unclear::Truncated),
        Failure::ModelError { .. }
        | Failure::PermissionDenied
        | Failure::AuthFailed
        | Failure::Refused
        | Failure::SetupFailed { .. }
        | Failure::Unread => Class::Lasting,
        Failure::WroteFiles { .. } | Failure::Truncated { limit: Some(_) } => Class::Final,
    }
}

#[cfg(test)]
mod tests {
    use review_types::LimitKind;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_ms(seconds * 1000)
    }

    fn after(failures: &[Failure], jitter: u8) -> Vec<Recovery> {
        let mut failed = FailedCalls::default();
        failures
            .iter()
            .map(|failure| failed.recovery(failure, at(1000), jitter))
            .collect()
    }

    fn again(ms: u64) -> Recovery {
        Recovery::Again(Duration::from_millis(ms))
    }

    const OVERLOADED: Failure = Failure::ModelError { status: Some(500) };
    const CUT: Failure = Failure::ModelError { status: None };
    const BAD_REQUEST: Failure = Failure::ModelError { status: Some(499) };

    #[test]
    fn a_transient_failure_is_retried_up_to_four_calls_with_doubled_pauses() {
        let longest = [again(1000), again(2000), again(4000), Recovery::Elsewhere];
        assert_eq!(after(&[OVERLOADED, CUT, OVERLOADED, CUT], 255), longest);
        let shortest = [again(500), again(1000), again(2000), Recovery::Elsewhere];
        assert_eq!(after(&[CUT, CUT, CUT, CUT], 0), shortest);
    }

    #[test]
    fn a_rate_limit_pauses_until_its_reset_time() {
        let limited = |seconds| Failure::RateLimited {
            retry_at: Some(at(seconds)),
            of_plan: false,
        };
        assert_eq!(after(&[limited(1002)], 255), [again(2000)]);
        assert_eq!(after(&[limited(900)], 255), [again(0)]);
        assert_eq!(after(&[limited(1600)], 255), [again(600_000)]);
        assert_eq!(after(&[limited(1601)], 255), [Recovery::Elsewhere]);
        let unnamed = Failure::RateLimited {
            retry_at: None,
            of_plan: false,
        };
        assert_eq!(after(&[unnamed], 255), [again(1000)]);
    }

    #[test]
    fn each_kind_of_unclear_failure_is_retried_once() {
        let hung = Failure::Hung {
            limit: LimitKind::Idle,
            after_ms: 5,
        };
        let killed = FailedBy::Signal(9).into();
        let failures = [hung.clone(), killed, hung];
        assert_eq!(
            after(&failures, 0),
            [again(0), again(0), Recovery::Elsewhere]
        );
        let many = [
            FailedBy::Silence.into(),
            Failure::Truncated { limit: None },
            OVERLOADED,
            CUT,
        ];
        assert_eq!(
            after(&many, 255),
            [again(0), again(0), again(4000), Recovery::Elsewhere]
        );
    }

    #[test]
    fn a_permanent_failure_is_not_retried() {
        for failure in [
            BAD_REQUEST,
            Failure::AuthFailed,
            FailedBy::Status(1).into(),
            FailedBy::Protocol.into(),
            Failure::Refused,
            Failure::RateLimited {
                retry_at: None,
                of_plan: true,
            },
        ] {
            assert_eq!(after(&[failure], 0), [Recovery::Elsewhere]);
        }
        let wrote = Failure::WroteFiles { paths: Vec::new() };
        let large = Failure::Truncated { limit: Some(1) };
        assert_eq!(after(&[wrote], 0), [Recovery::End]);
        assert_eq!(after(&[large], 0), [Recovery::End]);
    }
}
