//! The messages of calls that gave no answer.

use review::events::AgentRole;
use review_types::{FailedBy, Failure, plural};

use super::Client;
use crate::caller::{Caller, StderrTail, reader_wrote, what};
use crate::stream::{Fault, Observed};

/// The message of a failure, with what the client reported; `log_in` says how credentials
/// are given to it.
pub(crate) fn message(
    caller: Caller<'_>,
    log_in: &str,
    role: AgentRole,
    failure: &Failure,
    seen: &Observed,
) -> String {
    if let Failure::WroteFiles { paths } = failure {
        return reader_wrote(caller, role, paths.clone()).message;
    }
    let what = match failure {
        Failure::Failed {
            by: FailedBy::Silence,
        } if seen.unread_lines > 0 => {
            let lines = usize::try_from(seen.unread_lines).unwrap_or(usize::MAX);
            let lines = plural(lines, "line", "lines");
            format!(
                "ended without an answer that can be read: {lines} of its output had another form"
            )
        }
        failure => what(failure, log_in),
    };
    match &seen.error {
        Some(error) if error.fault == Fault::Protocol => {
            format!("{caller} {what}: {}", error.message)
        }
        Some(error) if !error.message.trim().is_empty() => {
            format!("{caller} {what}; it said: {}", error.message.trim())
        }
        Some(_) | None => format!("{caller} {what}{}", StderrTail(&seen.stderr_tail)),
    }
}

/// How credentials are given to a client.
pub(super) fn log_in(client: Client) -> String {
    let keys = client.row().variables.iter();
    let key = keys.copied().find(|name| name.ends_with("_KEY"));
    format!("log in with `{client}`, or set {}", key.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_another_form_is_told_apart_from_silence() {
        let caller = Caller {
            program: "opencode",
        };
        let failure = Failure::from(FailedBy::Silence);
        let of = |unread_lines| {
            let seen = Observed {
                unread_lines,
                ..Observed::default()
            };
            let role = AgentRole::Reviewer;
            message(caller, &log_in(Client::Opencode), role, &failure, &seen)
        };
        assert!(of(0).starts_with("`opencode` ended without an answer;"));
        let unread = "`opencode` ended without an answer that can be read: 1 line of its output \
                      had another form;";
        assert!(of(1).starts_with(unread), "{}", of(1));
    }
}
