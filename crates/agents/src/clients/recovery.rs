//! Answers that a client gave and did not print.

use std::time::Duration;

use review_process::{Ended, Limits, Stdin};
use review_types::{FailedBy, Failure};

use super::agent::ClientAgent;
use crate::AgentCall;
use crate::call::{CallLog, run_logged};
use crate::caller::{Caller, NoAnswer};
use crate::client::{Invocation, KeptAnswer};
use crate::ending::Ending;
use crate::stream::{Consumption, Observed, StopReason};
use crate::watch::Watch;

/// A call that gave no answer.
pub(super) struct FailedCall<'a> {
    pub(super) ended: &'a Ended,
    pub(super) seen: &'a Observed,
    pub(super) watch: &'a Watch<'a>,
    /// Whether it changed what it must not.
    pub(super) wrote: bool,
    /// What it came to.
    pub(super) error: NoAnswer,
}

impl ClientAgent {
    /// The call as if the client had printed the answer that it kept, since
    /// another one would be paid for again.
    ///
    /// # Errors
    /// What the call came to, when nothing was kept that answers it.
    pub(super) async fn recover(
        &self,
        call: &AgentCall<'_>,
        caller: Caller<'_>,
        failed: FailedCall<'_>,
    ) -> Result<Observed, NoAnswer> {
        let Some(kept) = self.kept(call, caller, &failed).await else {
            return Err(failed.error);
        };
        let changes = failed.watch.changes().await;
        let changes = changes.map_err(|error| caller.not_watched(&error))?;
        self.judge(call, caller, &Ending::Exited(0), &kept, changes.forbidden())?;
        tracing::warn!(
            "{caller} did not print its answer in step {}; it was recovered from session {}",
            call.step.name,
            kept.session.as_deref().unwrap_or_default(),
        );
        Ok(kept)
    }

    async fn kept(
        &self,
        call: &AgentCall<'_>,
        caller: Caller<'_>,
        failed: &FailedCall<'_>,
    ) -> Option<Observed> {
        let recovery = self.client.parts().recovery.as_ref()?;
        let request_id = call.request_id?;
        let FailedCall { ended, seen, .. } = *failed;
        if failed.wrote || !may_be_kept(&failed.error.failure, &Ending::from(ended), seen) {
            return None;
        }
        let mut spent = ended.took;
        let known = seen.session.as_deref();
        let known = known.or(call.follow_up.map(|follow_up| &*follow_up.session));
        let session = match known {
            Some(session) => session.to_owned(),
            None => {
                let list = self.printed(call, caller, (recovery.list)(), &mut spent);
                (recovery.session)(&list.await?, &self.title(call))?
            }
        };
        let export = (recovery.export)(&session);
        let export = self.printed(call, caller, export, &mut spent).await?;
        let KeptAnswer { text, usage } = (recovery.answer)(&export, request_id)?;
        Some(Observed {
            text: Some(text),
            session: Some(session),
            usage: usage.or(seen.usage).filter(Consumption::is_known),
            terminal: Some(StopReason::Stop),
            ..seen.clone()
        })
    }

    /// What the client prints, all being well, in the time that the call has
    /// left.
    async fn printed(
        &self,
        call: &AgentCall<'_>,
        caller: Caller<'_>,
        invocation: Invocation,
        spent: &mut Duration,
    ) -> Option<Vec<u8>> {
        let limits = self.context.limits_now();
        let limits = Limits {
            wall: time_left(self.context.limits.wall, *spent, limits.wall),
            ..limits
        };
        let command = self.command(call, caller, invocation, Stdin::Null, limits);
        let program = caller.program;
        let log = CallLog::beside(&self.context.run, call.step, "recovery");
        let ended = run_logged(&self.context, call, program, command.ok()?, None, log).await;
        let ended = ended.ok()?;
        *spent += ended.took;
        ended.success().then_some(ended)?.stdout.into_complete()
    }
}

/// What is left of the time of a call of which some is spent, and of `now`, the
/// time that a call which starts now would have.
fn time_left(call: Option<Duration>, spent: Duration, now: Option<Duration>) -> Option<Duration> {
    let left = call.map(|call| call.saturating_sub(spent));
    left.into_iter().chain(now).min()
}

/// Whether a client may have an answer although a call of it gave none. Where
/// it reported the reason, or was not read to its end, that outcome holds.
fn may_be_kept(failure: &Failure, ending: &Ending, seen: &Observed) -> bool {
    let said_why = seen.error.is_some()
        || seen.wrong_agent.is_some()
        || seen.denied
        || seen.long_line.is_some()
        || seen.long_text.is_some()
        || matches!(
            seen.terminal,
            Some(StopReason::Length | StopReason::Refusal)
        );
    let has_session = seen.session.is_some();
    !said_why
        && match failure {
            Failure::Failed { by } => match (by, ending) {
                (FailedBy::Silence, _) => true,
                (FailedBy::Protocol, Ending::Exited(status)) => *status == 0 || has_session,
                // Nothing is printed before the model answers.
                (FailedBy::Signal(_), _) => has_session,
                (FailedBy::Protocol | FailedBy::Status(_), _) => false,
            },
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use review_types::LimitKind;

    use super::*;
    use crate::stream::{Fault, ReportedError};

    const KILLED: Failure = Failure::Failed {
        by: FailedBy::Signal(9),
    };

    #[test]
    fn all_commands_of_a_call_share_its_time() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (call, spent, now, expected) in [
            (seconds(10), 3, seconds(10), seconds(7)),
            (seconds(10), 3, seconds(5), seconds(5)),
            (seconds(10), 11, seconds(5), seconds(0)),
            (None, 3, seconds(5), seconds(5)),
            (None, 3, None, None),
        ] {
            let left = time_left(call, Duration::from_secs(spent), now);
            assert_eq!(left, expected);
        }
    }

    #[test]
    fn an_answer_may_be_kept_where_no_reason_for_its_absence_is_reported() {
        let (exit, kill) = (Ending::Exited(0), Ending::Signalled(9));
        let fail = Ending::Exited(1);
        let limit = Ending::Limit {
            limit: LimitKind::Wall,
            after: Duration::from_secs(1),
        };
        let (empty, broken) = (FailedBy::Silence.into(), FailedBy::Protocol.into());
        let silent = Observed::default;
        let begun = || Observed {
            session: Some("ses_1".to_owned()),
            ..silent()
        };
        let error = ReportedError::new(Fault::Request, "Session not found");
        for (failure, ending, seen, expected) in [
            (&empty, &exit, begun(), true),
            (&empty, &Ending::Dismissed, begun(), true),
            (&broken, &exit, begun(), true),
            (&broken, &exit, silent(), true),
            (&broken, &fail, begun(), true),
            (&broken, &fail, silent(), false),
            (&broken, &Ending::Dismissed, begun(), false),
            (&KILLED, &kill, begun(), true),
            (&KILLED, &kill, silent(), false),
            (&Failure::AuthFailed, &fail, begun(), false),
            (
                &Failure::RateLimited {
                    retry_at: None,
                    of_plan: false,
                },
                &fail,
                begun(),
                false,
            ),
            (&Failure::Truncated { limit: None }, &exit, begun(), false),
            (&Failure::Refused, &exit, begun(), false),
            (&Failure::ModelError { status: None }, &fail, begun(), false),
            (&FailedBy::Status(1).into(), &fail, begun(), false),
            (
                &Failure::Hung {
                    limit: LimitKind::Wall,
                    after_ms: 1_000,
                },
                &limit,
                begun(),
                false,
            ),
        ] {
            assert_eq!(
                may_be_kept(failure, ending, &seen),
                expected,
                "{failure:?} {ending:?} {seen:?}"
            );
        }
        for seen in [
            Observed {
                error: Some(error),
                ..begun()
            },
            Observed {
                wrong_agent: Some("nope".to_owned()),
                ..begun()
            },
            Observed {
                denied: true,
                ..begun()
            },
            Observed {
                long_line: Some(1),
                ..begun()
            },
            Observed {
                long_text: Some(1),
                ..begun()
            },
            Observed {
                terminal: Some(StopReason::Length),
                ..begun()
            },
            Observed {
                terminal: Some(StopReason::Refusal),
                ..begun()
            },
        ] {
            assert!(!may_be_kept(&KILLED, &kill, &seen), "{seen:?}");
        }
        let stopped = Observed {
            terminal: Some(StopReason::Stop),
            ..begun()
        };
        assert!(may_be_kept(&KILLED, &kill, &stopped));
    }
}
