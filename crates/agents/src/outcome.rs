//! From what happened to an outcome, in one order for all clients.

use jiff::tz::TimeZone;
use review_types::{FailedBy, Failure, Missing, Timestamp};

use crate::ending::Ending;
use crate::stream::{
    Fault, Observed, ReportedError, StopReason, is_connection_error, is_limit, is_plan_limit,
    lasting_status, reset_time,
};

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
    /// and above 529 cannot be distinguished from those that clients use otherwise.
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
const RULES: [fn(&CallEnd<'_>) -> Option<Failure>; 14] = [
    cut_off,
    wrote_files,
    too_large,
    wrong_agent,
    auth_failed,
    offline,
    rate_limited,
    permission_denied,
    model_error,
    truncated,
    refused,
    empty_answer,
    protocol_error,
    failed,
];

/// Decides whether a call gave an answer, which is the observed text.
///
/// # Errors
///
/// The outcome, when it did not.
pub fn outcome(call: &CallEnd<'_>) -> Result<(), Failure> {
    RULES.iter().find_map(|rule| rule(call)).map_or(Ok(()), Err)
}

impl CallEnd<'_> {
    /// The HTTP status of the error that ended the call.
    pub fn status(&self) -> Option<u16> {
        let error = self.service_error();
        let told = error.and_then(|error| error.status);
        let lasting = error.and_then(|error| lasting_status(told, &error.message));
        let told = lasting.or(told);
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
        self.seen.terminal.is_some()
    }

    fn is_overloaded(&self) -> bool {
        let overloaded = |error: &ReportedError| {
            error.status.is_none_or(|status| status >= 500)
                && error.message.to_ascii_lowercase().contains("overloaded")
        };
        self.service_error().is_some_and(overloaded)
    }
}

/// A call that was not started, or cut off before its answer was complete.
fn cut_off(call: &CallEnd<'_>) -> Option<Failure> {
    let is_cut_off = match call.ending {
        Ending::NotStarted(_) => true,
        Ending::Limit { .. } | Ending::Offline(_) | Ending::Signalled(_) => {
            !call.seen.is_complete()
        }
        Ending::Exited(_) | Ending::TooLarge(_) | Ending::Dismissed => false,
    };
    call.ending.failure().filter(|_| is_cut_off)
}

fn wrote_files(call: &CallEnd<'_>) -> Option<Failure> {
    (!call.changed.is_empty()).then(|| Failure::WroteFiles {
        paths: call.changed.to_vec(),
    })
}

fn too_large(call: &CallEnd<'_>) -> Option<Failure> {
    let limit = match call.ending {
        Ending::TooLarge(limit) => Some(*limit),
        _ => call.seen.long_text,
    };
    limit.map(|limit| Failure::Truncated { limit: Some(limit) })
}

fn wrong_agent(call: &CallEnd<'_>) -> Option<Failure> {
    let asked = call.seen.wrong_agent.clone()?;
    Some(Failure::SetupFailed {
        missing: Some(Missing::Agent(asked)),
    })
}

fn auth_failed(call: &CallEnd<'_>) -> Option<Failure> {
    matches!(call.status(), Some(401 | 403)).then_some(Failure::AuthFailed)
}

/// A call that ended on its own, since no connection could be made.
fn offline(call: &CallEnd<'_>) -> Option<Failure> {
    let is_offline = call.status().is_none()
        && call
            .service_error()
            .is_some_and(|error| is_connection_error(&error.message));
    is_offline.then_some(Failure::Offline { after_ms: None })
}

fn rate_limited(call: &CallEnd<'_>) -> Option<Failure> {
    let status = call.status();
    let error = call.service_error();
    let message = error.map_or("", |error| &error.message);
    let is_told = status.is_none_or(|status| status == 400) && is_limit(message);
    if !matches!(status, Some(429 | 529)) && !call.is_overloaded() && !is_told {
        return None;
    }
    let at = error.and_then(|error| error.at).or(call.at);
    let wait = error.and_then(|error| error.retry_after);
    let said = || {
        reset_time(
            message,
            at?,
            &TimeZone::try_system().unwrap_or(TimeZone::UTC),
        )
    };
    Some(Failure::RateLimited {
        retry_at: wait.and_then(|wait| wait.instant(at)).or_else(said),
        of_plan: is_plan_limit(message),
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
    (call.seen.terminal == Some(StopReason::Length)).then_some(Failure::Truncated { limit: None })
}

fn refused(call: &CallEnd<'_>) -> Option<Failure> {
    (call.seen.terminal == Some(StopReason::Refusal)).then_some(Failure::Refused)
}

fn empty_answer(call: &CallEnd<'_>) -> Option<Failure> {
    (call.has_terminal() && call.seen.is_blank()).then_some(FailedBy::Silence.into())
}

/// Whatever is left without the event that ends a call; an error that is left
/// is the client's refusal of what it was asked.
fn protocol_error(call: &CallEnd<'_>) -> Option<Failure> {
    let broken = !call.has_terminal() || call.seen.error.is_some() || call.seen.long_line.is_some();
    broken.then_some(FailedBy::Protocol.into())
}

fn failed(call: &CallEnd<'_>) -> Option<Failure> {
    let has_exited = matches!(call.ending, Ending::Exited(_));
    call.ending.failure().filter(|_| has_exited)
}

#[cfg(test)]
mod tests;
