//! The machine's handling of failed calls, and of answers that do not count.

use std::time::Duration;

use review_events::{
    AgentRole, CallRetried, Event, ReviewMalformed, ReviewerFailed, ReviewerReplaced,
};
use review_types::{AgentError, BlockCode, Failure, Hash, Timestamp, milliseconds, plural};

use super::{Attempts, Next, NextStep, ReviewMachine};
use crate::delivery::Undelivered;
use crate::review_loop::op::RetryOf;
use crate::review_loop::retry::{FailedCalls, Recovery};
use review_flow::{Command, jitter};

impl ReviewMachine {
    pub(super) fn on_failed(&mut self, error: AgentError, at: Timestamp) -> NextStep {
        let is_review = self.next == Next::Review;
        if is_review && self.loses_session(&error.failure) {
            return self.pause(error, Duration::ZERO);
        }
        let spread = jitter(&self.config.seed, &self.step());
        let recovery = self.attempts.failed.recovery(&error.failure, at, spread);
        let next = self.config.reviewers.get(self.attempts.reviewer + 1);
        let next = next.filter(|_| is_review).map(|next| next.name.clone());
        match (recovery, next) {
            // The next reviewer may have a connection, so this one is not waited for again.
            (Recovery::Again(_), Some(by)) if matches!(error.failure, Failure::Offline { .. }) => {
                self.replace(error, by)
            }
            (Recovery::Again(pause), _) => self.pause(error, pause),
            (Recovery::Elsewhere, Some(by)) => self.replace(error, by),
            (Recovery::Elsewhere | Recovery::End, _) => self.give_up(error),
        }
    }

    /// Calls the next reviewer of the chain.
    pub(super) fn replace(&mut self, error: AgentError, by: String) -> NextStep {
        let replaced = ReviewerReplaced {
            iteration: self.iteration(),
            error,
            by,
        };
        self.tell(Event::ReviewerReplaced(replaced));
        self.attempts = Attempts {
            reviewer: self.attempts.reviewer + 1,
            failed: FailedCalls::default(),
            malformed: 0,
            free_retries: 0,
            retry: None,
            ..std::mem::take(&mut self.attempts)
        };
        self.ask()
    }

    /// Calls the same agent again, after a pause if there is one.
    fn pause(&mut self, error: AgentError, pause: Duration) -> NextStep {
        let (role, iteration) = self.agent();
        self.tell(Event::CallRetried(CallRetried {
            role,
            iteration,
            error,
            pause_ms: milliseconds(pause),
        }));
        if pause.is_zero() {
            return self.ask();
        }
        NextStep::Open(Box::new(Command::Wait {
            step: self.step(),
            delay: pause,
        }))
    }

    pub(super) fn on_malformed(&mut self, malformed: RetryOf) -> NextStep {
        let RetryOf {
            field,
            message,
            answer,
        } = &malformed;
        let what = match self.next {
            Next::Review => "schema validation failed",
            Next::Apply(_) if field.starts_with("applied_feedback") => {
                "the decisions cannot be read"
            }
            Next::Apply(_) => "the edits do not fit",
        };
        let may_retry = self.may_retry();
        self.report_malformed(format!("{what}: {field} - {message}"), *answer);
        if !may_retry {
            let why = match (self.next, field.as_str()) {
                (Next::Review, "json") => message.clone(),
                (Next::Review, _) => format!("{field}: {message}"),
                (Next::Apply(_), _) => format!("{what}: {field}: {message}"),
            };
            let reason = match self.attempts.malformed.saturating_sub(1) as usize {
                0 => format!("no usable answer: {why}"),
                count => {
                    let retries = plural(count, "retry", "retries");
                    format!("no usable answer, also after {retries}: {why}")
                }
            };
            let (code, reason) = match self.next {
                Next::Review => (BlockCode::Malformed, reason),
                Next::Apply(_) => (
                    BlockCode::ApplierFailed,
                    format!("failed to apply feedback: {reason}"),
                ),
            };
            self.go_to(self.next);
            return self.block(code, reason);
        }
        self.attempts.retry = Some(malformed);
        self.ask()
    }

    /// Returns whether a malformed answer is asked for again.
    pub(super) fn may_retry(&self) -> bool {
        let retries = self.config.retry_on_malformed + self.attempts.free_retries;
        self.attempts.malformed < retries
    }

    /// Reports an answer that does not count; its content is loaded by its hash.
    fn report_malformed(&mut self, parse_error: String, answer: Hash) {
        self.attempts.malformed += 1;
        self.tell(Event::ReviewMalformed(ReviewMalformed {
            raw_output: String::new(),
            raw_output_hash: answer,
            parse_error,
            retry_number: self.attempts.malformed,
        }));
    }

    /// Handles an answer whose prompt did not arrive: asks the reviewer again within the
    /// retries of the round, then the next one of the chain, then ends the loop.
    pub(super) fn on_undelivered(&mut self, undelivered: Undelivered, answer: Hash) -> NextStep {
        let link = self.config.reviewers.get(self.attempts.reviewer);
        let why = undelivered.message(link.map_or("the reviewer", |link| &link.name));
        let may_retry = self.may_retry();
        self.report_malformed(format!("the prompt did not arrive: {why}"), answer);
        if may_retry {
            self.attempts.retry = Some(RetryOf {
                field: "prompt".to_owned(),
                message: format!("{why}; read all of it, to its last line, before you judge"),
                answer,
            });
            return self.ask();
        }
        if let Some(next) = self.config.reviewers.get(self.attempts.reviewer + 1) {
            let by = next.name.clone();
            return self.replace(AgentError::new(Failure::Unread, why), by);
        }
        let message = format!(
            "the reviewer did not receive the artifact that it judged, also when asked again: {why}"
        );
        let error = AgentError::new(Failure::Unread, message);
        self.give_up(error)
    }

    pub(super) fn give_up(&mut self, error: AgentError) -> NextStep {
        let (code, reason) = match self.next {
            Next::Review => {
                let code = code_of(&error, BlockCode::ReviewerFailed);
                let reason = match error.failure {
                    Failure::Unread => error.message.clone(),
                    _ => error.of_role(AgentRole::Reviewer.as_str()),
                };
                let iteration = self.iteration();
                self.tell(Event::ReviewerFailed(ReviewerFailed { iteration, error }));
                (code, reason)
            }
            Next::Apply(_) => {
                let code = code_of(&error, BlockCode::ApplierFailed);
                let reason = match error.failure {
                    Failure::WroteFiles { .. } => error.message.clone(),
                    _ => format!("failed to apply feedback: {error}"),
                };
                self.applier_error = Some(error);
                (code, reason)
            }
        };
        self.go_to(self.next);
        self.block(code, reason)
    }
}

fn code_of(error: &AgentError, otherwise: BlockCode) -> BlockCode {
    match error.failure {
        Failure::RateLimited { .. } => BlockCode::RateLimited,
        Failure::Unread => BlockCode::Unread,
        _ => otherwise,
    }
}
