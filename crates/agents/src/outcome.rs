//! From what happened to an outcome, in one order for all clients.

use review_types::{Failure, Timestamp};

use crate::ending::Ending;
use crate::stream::{Fault, Observed, ReportedError, StopReason};

/// Everything known of a call that has ended.
#[derive(Clone, Copy, Debug)]
pub struct CallEnd<'a> {
    /// How its process ended.
    pub ending: &'a Ending,
    /// What the client's output said.
    pub seen: &'a Observed,
    /// What the exit codes of the client mean.
    pub exits: ExitCodes,
    /// The files that a call changed which may change none.
    pub changed: &'a [String],
    /// When it ended, if that is known.
    pub at: Option<Timestamp>,
    /// Whether a part of the output was not recorded, so that the event which
    /// ends a call may be missing without being the client's fault.
    pub cut_recording: bool,
}

/// What the exit codes of a client mean beyond success and failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitCodes {
    /// Nothing.
    #[default]
    Plain,
    /// The status of the service's answer, modulo 256.
    HttpStatus,
}

impl ExitCodes {
    /// The HTTP status that an exit code stands for. The codes of 512 to 528
    /// and above 529 are not told from those that clients use otherwise.
    fn http_status(self, code: i32) -> Option<u16> {
        match (self, u16::try_from(code).ok()?) {
            (Self::HttpStatus, code @ 144..=255) => Some(256 + code),
            (Self::HttpStatus, 17) => Some(529),
            (Self::HttpStatus | Self::Plain, _) => None,
        }
    }
}

/// The ways in which a call ends without an answer; the first that matches is
/// the outcome.
const RULES: [fn(&CallEnd<'_>) -> Option<Failure>; 15] = [
    spawn_failed,
    hung,
    killed,
    reviewer_wrote,
    too_large,
    wrong_agent,
    auth_failed,
    rate_limited,
    permission_denied,
    model_error,
    truncated,
    refused,
    empty_answer,
    protocol_error,
    failed,
];

/// Tells an answer from every way in which there is none. The answer itself is
/// the text that was observed.
///
/// # Errors
///
/// The outcome, when it is no answer.
pub fn outcome(call: &CallEnd<'_>) -> Result<(), Failure> {
    RULES.iter().find_map(|rule| rule(call)).map_or(Ok(()), Err)
}

impl CallEnd<'_> {
    /// The HTTP status of the error that ended the call.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        let told = self.service_error().and_then(|error| error.status);
        match self.ending {
            Ending::Exited(code) if self.seen.terminal.is_none() => {
                told.or_else(|| self.exits.http_status(*code))
            }
            _ => told,
        }
    }

    fn service_error(&self) -> Option<&ReportedError> {
        let error = self.seen.error.as_ref()?;
        (error.fault == Fault::Service).then_some(error)
    }

    /// Whether the call came to its end in the client's own terms.
    fn has_terminal(&self) -> bool {
        let unrecorded =
            self.cut_recording && *self.ending == Ending::Exited(0) && self.seen.text.is_some();
        self.seen.terminal.is_some() || unrecorded
    }

    fn is_overloaded(&self) -> bool {
        let overloaded = |error: &ReportedError| {
            error.status.is_none_or(|status| status >= 500)
                && error.message.to_ascii_lowercase().contains("overloaded")
        };
        self.service_error().is_some_and(overloaded)
    }
}

fn spawn_failed(call: &CallEnd<'_>) -> Option<Failure> {
    match call.ending {
        Ending::NotStarted(program) => Some(Failure::SpawnFailed {
            program: program.clone(),
        }),
        _ => None,
    }
}

fn hung(call: &CallEnd<'_>) -> Option<Failure> {
    match call.ending {
        Ending::Limit { limit, after } if !call.seen.is_complete() => Some(Failure::Hung {
            limit: *limit,
            after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX),
        }),
        _ => None,
    }
}

fn killed(call: &CallEnd<'_>) -> Option<Failure> {
    match call.ending {
        Ending::Signalled(signal) if !call.seen.is_complete() => {
            Some(Failure::Killed { signal: *signal })
        }
        _ => None,
    }
}

fn reviewer_wrote(call: &CallEnd<'_>) -> Option<Failure> {
    (!call.changed.is_empty()).then(|| Failure::ReviewerWrote {
        paths: call.changed.to_vec(),
    })
}

fn too_large(call: &CallEnd<'_>) -> Option<Failure> {
    let limit = match call.ending {
        Ending::TooLarge(limit) => Some(*limit),
        _ => call.seen.long_text,
    };
    limit.map(|limit| Failure::TooLarge { limit })
}

fn wrong_agent(call: &CallEnd<'_>) -> Option<Failure> {
    let wrong = call.seen.wrong_agent.as_ref()?;
    Some(Failure::WrongAgent {
        asked: wrong.asked.clone(),
        got: wrong.got.clone(),
    })
}

fn auth_failed(call: &CallEnd<'_>) -> Option<Failure> {
    matches!(call.status(), Some(401 | 403)).then_some(Failure::AuthFailed)
}

fn rate_limited(call: &CallEnd<'_>) -> Option<Failure> {
    let limited = matches!(call.status(), Some(429 | 529)) || call.is_overloaded();
    limited.then(|| {
        let error = call.service_error();
        let at = error.and_then(|error| error.at).or(call.at);
        let wait = error.and_then(|error| error.retry_after);
        Failure::RateLimited {
            retry_at: wait.and_then(|wait| wait.instant(at)),
        }
    })
}

fn permission_denied(call: &CallEnd<'_>) -> Option<Failure> {
    call.seen.denied.then_some(Failure::PermissionDenied)
}

fn model_error(call: &CallEnd<'_>) -> Option<Failure> {
    let status = call.status();
    let failed = status.is_some() || call.service_error().is_some() || call.seen.stuck;
    failed.then_some(Failure::ModelError { status })
}

fn truncated(call: &CallEnd<'_>) -> Option<Failure> {
    (call.seen.terminal == Some(StopReason::Length)).then_some(Failure::Truncated)
}

fn refused(call: &CallEnd<'_>) -> Option<Failure> {
    (call.seen.terminal == Some(StopReason::Refusal)).then_some(Failure::Refused)
}

fn empty_answer(call: &CallEnd<'_>) -> Option<Failure> {
    (call.has_terminal() && call.seen.is_blank()).then_some(Failure::EmptyAnswer)
}

/// Whatever is left without the event that ends a call; an error that is left
/// is the client's refusal of what it was asked.
fn protocol_error(call: &CallEnd<'_>) -> Option<Failure> {
    let broken = !call.has_terminal() || call.seen.error.is_some() || call.seen.long_line.is_some();
    broken.then_some(Failure::ProtocolError)
}

fn failed(call: &CallEnd<'_>) -> Option<Failure> {
    match *call.ending {
        Ending::Exited(status) if status != 0 => Some(Failure::Failed { status }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use review_types::LimitKind;

    use super::*;
    use crate::stream::RetryAfter;

    fn word(ending: &Ending, seen: &Observed, changed: &[String]) -> &'static str {
        let call = CallEnd {
            ending,
            seen,
            exits: ExitCodes::Plain,
            changed,
            at: None,
            cut_recording: false,
        };
        outcome(&call).map_or_else(|failure| failure.as_str(), |()| "answer")
    }

    #[test]
    fn of_all_that_went_wrong_the_first_rule_that_matches_is_told() {
        let exited = Ending::Exited(5);
        let changed = ["A.md".to_owned()];
        let mut seen = Observed {
            long_text: Some(1),
            long_line: Some(1),
            error: Some(ReportedError::new(Fault::Service, "").status(Some(401))),
            denied: true,
            stuck: true,
            terminal: Some(StopReason::Length),
            ..Observed::default()
        };
        seen.note_wrong_agent("a");
        let limit = Ending::Limit {
            limit: LimitKind::Wall,
            after: Duration::from_secs(1),
        };
        let not_started = Ending::NotStarted("p".to_owned());
        assert_eq!(word(&not_started, &seen, &changed), "spawn_failed");
        assert_eq!(word(&limit, &seen, &changed), "hung");
        assert_eq!(word(&Ending::Signalled(2), &seen, &changed), "killed");
        assert_eq!(word(&Ending::Dismissed, &seen, &changed), "reviewer_wrote");
        assert_eq!(word(&exited, &seen, &changed), "reviewer_wrote");
        let mut next = |change: fn(&mut Observed)| {
            change(&mut seen);
            word(&exited, &seen, &[])
        };
        assert_eq!(next(|_| {}), "too_large");
        assert_eq!(next(|seen| seen.long_text = None), "wrong_agent");
        assert_eq!(next(|seen| seen.wrong_agent = None), "auth_failed");
        assert_eq!(next(|seen| set_status(seen, 529)), "rate_limited");
        assert_eq!(next(|seen| set_status(seen, 500)), "permission_denied");
        assert_eq!(next(|seen| seen.denied = false), "model_error");
        assert_eq!(next(|seen| seen.error = None), "model_error");
        assert_eq!(next(|seen| seen.stuck = false), "truncated");
        assert_eq!(
            next(|seen| seen.terminal = Some(StopReason::Refusal)),
            "refused"
        );
        assert_eq!(
            next(|seen| seen.terminal = Some(StopReason::Stop)),
            "empty_answer"
        );
        assert_eq!(
            next(|seen| seen.text = Some("t".to_owned())),
            "protocol_error"
        );
        assert_eq!(next(|seen| seen.long_line = None), "failed");
        assert_eq!(word(&Ending::Exited(0), &seen, &[]), "answer");
    }

    fn set_status(seen: &mut Observed, status: u16) {
        seen.error.as_mut().unwrap().status = Some(status);
    }

    #[test]
    fn a_client_that_was_ended_after_its_answer_has_answered() {
        let complete = Observed {
            text: Some("t".to_owned()),
            terminal: Some(StopReason::Stop),
            ..Observed::default()
        };
        let limit = Ending::Limit {
            limit: LimitKind::Idle,
            after: Duration::from_secs(1),
        };
        for ending in [limit, Ending::Signalled(9), Ending::Dismissed] {
            assert_eq!(word(&ending, &complete, &[]), "answer");
        }
        let refused = Observed {
            error: Some(ReportedError::new(Fault::Request, "no such session")),
            ..complete
        };
        assert_eq!(word(&Ending::Signalled(9), &refused, &[]), "killed");
        assert_eq!(word(&Ending::Exited(0), &refused, &[]), "protocol_error");
    }

    #[test]
    fn the_size_of_an_output_that_we_ended_is_its_limit() {
        let seen = Observed::default();
        let call = CallEnd {
            ending: &Ending::TooLarge(7),
            seen: &seen,
            exits: ExitCodes::Plain,
            changed: &[],
            at: None,
            cut_recording: false,
        };
        assert_eq!(outcome(&call), Err(Failure::TooLarge { limit: 7 }));
    }

    #[test]
    fn a_wait_begins_when_it_is_asked_for_or_when_the_call_ended() {
        let (early, late) = (Timestamp::from_unix_ms(0), Timestamp::from_unix_ms(5_000));
        let wait = RetryAfter::In(Duration::from_secs(1));
        for (told, ended, expected) in [
            (Some(early), Some(late), Some(1_000)),
            (None, Some(late), Some(6_000)),
            (None, None, None),
        ] {
            let mut error = ReportedError::new(Fault::Service, "slow").status(Some(429));
            (error.retry_after, error.at) = (Some(wait), told);
            let seen = Observed {
                error: Some(error),
                ..Observed::default()
            };
            let call = CallEnd {
                ending: &Ending::Exited(1),
                seen: &seen,
                exits: ExitCodes::Plain,
                changed: &[],
                at: ended,
                cut_recording: false,
            };
            let retry_at = expected.map(Timestamp::from_unix_ms);
            assert_eq!(outcome(&call), Err(Failure::RateLimited { retry_at }));
        }
    }

    #[test]
    fn an_exit_code_stands_for_a_status_only_where_it_can() {
        for (code, status) in [
            (144, Some(400)),
            (255, Some(511)),
            (17, Some(529)),
            (143, None),
            (256, None),
            (16, None),
            (18, None),
            (0, None),
            (-112, None),
        ] {
            assert_eq!(ExitCodes::HttpStatus.http_status(code), status, "{code}");
            assert_eq!(ExitCodes::Plain.http_status(code), None, "{code}");
        }
        let answered = Observed {
            text: Some("t".to_owned()),
            terminal: Some(StopReason::Stop),
            ..Observed::default()
        };
        let call = CallEnd {
            ending: &Ending::Exited(145),
            seen: &answered,
            exits: ExitCodes::HttpStatus,
            changed: &[],
            at: None,
            cut_recording: false,
        };
        assert_eq!(outcome(&call), Err(Failure::Failed { status: 145 }));
    }
}
