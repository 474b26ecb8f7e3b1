//! What became of a call that gave no answer, in words.

use std::time::Duration;

use review_types::Failure;

use super::Client;
use crate::caller::{self, Caller, Said};
use crate::no_answer::NoAnswer;
use crate::stream::Observed;

/// The message of a failure, with what the client said of it.
pub(super) fn message(
    caller: Caller<'_>,
    client: Client,
    failure: &Failure,
    seen: &Observed,
) -> String {
    if let Failure::ReviewerWrote { paths } = failure {
        return NoAnswer::reviewer_wrote(paths.clone()).message;
    }
    let what = what(failure, &log_in(client));
    match &seen.error {
        Some(error) if !error.message.trim().is_empty() => {
            format!("{caller} {what}; it said: {}", error.message.trim())
        }
        Some(_) | None => format!("{caller} {what}{}", Said(&seen.stderr_tail)),
    }
}

/// How credentials are given to a client.
fn log_in(client: Client) -> String {
    let keys = client.row().variables.iter();
    let key = keys.copied().find(|name| name.ends_with("_KEY"));
    format!("log in with `{client}`, or set {}", key.unwrap_or_default())
}

/// What became of a call, to be read after the name of who was called;
/// `log_in` says how credentials are given.
pub(crate) fn what(failure: &Failure, log_in: &str) -> String {
    match failure {
        Failure::RateLimited { .. } => "was asked by its model's service to wait".to_owned(),
        Failure::PermissionDenied => {
            "was not allowed to do what it tried, and gave no answer".to_owned()
        }
        Failure::AuthFailed => format!("is not logged in, or its key was refused: {log_in}"),
        Failure::ModelError {
            status: Some(status),
        } => {
            format!("was failed by its model's service with status {status}")
        }
        Failure::ModelError { status: None } => "was failed by its model's service".to_owned(),
        Failure::Refused => "got no answer of its model, which declined".to_owned(),
        Failure::Truncated => "reached the longest answer that its model gives".to_owned(),
        Failure::EmptyAnswer => "came to its end without a text".to_owned(),
        Failure::Failed { status } => format!("ended with exit status {status}"),
        Failure::Hung { limit, after_ms } => caller::hung(*limit, Duration::from_millis(*after_ms)),
        Failure::Killed { signal } => format!("was ended by signal {signal}"),
        Failure::SpawnFailed { .. } => "was not started".to_owned(),
        Failure::ProtocolError => "ended without the event that completes an answer".to_owned(),
        Failure::WrongAgent { asked, .. } => {
            format!(
                "does not know the agent \"{asked}\" and used another one; `ralph doctor` checks it"
            )
        }
        Failure::ReviewerWrote { .. } => "changed files".to_owned(),
        Failure::TooLarge { limit } => caller::too_large(*limit),
    }
}
