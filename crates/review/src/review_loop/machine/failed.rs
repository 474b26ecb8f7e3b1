//! The machine's handling of failed calls, and of answers that do not count.

use std::time::Duration;

use review_events::{
    AgentRole, CallRetried, Event, ReviewMalformed, ReviewerFailed, ReviewerReplaced,
};
use review_types::{AgentError, BlockCode, Failure, Hash, Timestamp, milliseconds, plural};

use super::{Next, NextStep, ReviewMachine, Waiting};
use crate::delivery::Undelivered;
use crate::review_loop::op::RetryOf;
use crate::review_loop::retry::Recovery;
use review_flow::jitter;

impl ReviewMachine {
    pub(super) fn on_failed(
        &mut self,
        role: AgentRole,
        error: AgentError,
        at: Timestamp,
    ) -> NextStep {
        if role == AgentRole::Reviewer && self.loses_session(&error.failure) {
            return self.pause(role, error, Duration::ZERO);
        }
        let spread = jitter(&self.config.seed, &self.step());
        let recovery = self.failed.recovery(&error.failure, at, spread);
        let next = self.config.reviewers.get(self.reviewer + 1);
        let recovery = match (&error.failure, role, next) {
            // The next reviewer may have a connection, so this one is not waited for again.
            (Failure::Offline { .. }, AgentRole::Reviewer, Some(_)) => Recovery::Elsewhere,
            _ => recovery,
        };
        match (recovery, role, next) {
            (Recovery::Again(pause), ..) => self.pause(role, error, pause),
            (Recovery::Elsewhere, AgentRole::Reviewer, Some(next)) => {
                let by = next.name.clone();
                self.replace(error, by)
            }
            (Recovery::Elsewhere | Recovery::End, ..) => self.give_up(role, error),
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
        self.reviewer += 1;
        self.forget_attempts();
        self.ask()
    }

    /// Calls the same agent again, after a pause if there is one.
    fn pause(&mut self, role: AgentRole, error: AgentError, pause: Duration) -> NextStep {
        let iteration = match role {
            AgentRole::Reviewer => self.iteration(),
            AgentRole::Applier | AgentRole::Implementer => self.iteration() - 1,
        };
        self.tell(Event::CallRetried(CallRetried {
            role,
            iteration,
            error,
            pause_ms: milliseconds(pause),
        }));
        if pause.is_zero() {
            return self.ask();
        }
        self.waiting = Waiting::Pause;
        let step = self.step();
        NextStep::Wait { step, delay: pause }
    }

    pub(super) fn on_malformed(&mut self, role: AgentRole, malformed: RetryOf) -> NextStep {
        let RetryOf {
            field,
            message,
            answer,
        } = &malformed;
        let what = match role {
            AgentRole::Reviewer => "schema validation failed",
            AgentRole::Applier if field.starts_with("applied_feedback") => {
                "the decisions cannot be read"
            }
            AgentRole::Applier | AgentRole::Implementer => "the edits do not fit",
        };
        self.report_malformed(format!("{what}: {field} - {message}"), *answer);
        let Some(left) = self.retries.checked_sub(1) else {
            let why = match (role, field.as_str()) {
                (AgentRole::Reviewer, "json") => message.clone(),
                (AgentRole::Reviewer, _) => format!("{field}: {message}"),
                (AgentRole::Applier | AgentRole::Implementer, _) => {
                    format!("{what}: {field}: {message}")
                }
            };
            let reason = match self.malformed.saturating_sub(1) as usize {
                0 => format!("no usable answer: {why}"),
                count => {
                    let retries = plural(count, "retry", "retries");
                    format!("no usable answer, also after {retries}: {why}")
                }
            };
            let (next, code, reason) = match role {
                AgentRole::Reviewer => (Next::Review, BlockCode::Malformed, reason),
                AgentRole::Applier | AgentRole::Implementer => (
                    self.next,
                    BlockCode::ApplierFailed,
                    format!("failed to apply feedback: {reason}"),
                ),
            };
            self.go_to(next);
            return self.block(code, reason);
        };
        self.retries = left;
        self.retry = Some(malformed);
        self.ask()
    }

    /// Reports an answer that does not count; its content is loaded by its hash.
    fn report_malformed(&mut self, parse_error: String, answer: Hash) {
        self.malformed += 1;
        let malformed = ReviewMalformed {
            feature: self.feature(),
            raw_output: String::new(),
            raw_output_hash: answer,
            parse_error,
            retry_number: self.malformed,
        };
        self.tell(Event::ReviewMalformed(malformed));
    }

    /// Handles an answer whose prompt did not arrive: asks the reviewer again within the
    /// retries of the round, then the next one of the chain, then ends the loop.
    pub(super) fn on_undelivered(&mut self, undelivered: Undelivered, answer: Hash) -> NextStep {
        let link = self.config.reviewers.get(self.reviewer);
        let why = undelivered.message(link.map_or("the reviewer", |link| &link.name));
        self.report_malformed(format!("the prompt did not arrive: {why}"), answer);
        if let Some(left) = self.retries.checked_sub(1) {
            self.retries = left;
            self.retry = Some(RetryOf {
                field: "prompt".to_owned(),
                message: format!("{why}; read all of it, to its last line, before you judge"),
                answer,
            });
            return self.ask();
        }
        if let Some(next) = self.config.reviewers.get(self.reviewer + 1) {
            let by = next.name.clone();
            return self.replace(AgentError::new(Failure::Unread, why), by);
        }
        let message = format!(
            "the reviewer did not receive the artifact that it judged, also when asked again: {why}"
        );
        let error = AgentError::new(Failure::Unread, message);
        self.give_up(AgentRole::Reviewer, error)
    }

    pub(super) fn give_up(&mut self, role: AgentRole, error: AgentError) -> NextStep {
        match role {
            AgentRole::Reviewer => {
                let code = code_of(&error, BlockCode::ReviewerFailed);
                let reason = match error.failure {
                    Failure::Unread => error.message.clone(),
                    _ => error.of_role(role.as_str()),
                };
                let failed = ReviewerFailed {
                    feature: self.feature(),
                    iteration: self.iteration(),
                    error,
                };
                self.tell(Event::ReviewerFailed(failed));
                self.go_to(Next::Review);
                self.block(code, reason)
            }
            AgentRole::Applier | AgentRole::Implementer => {
                let code = code_of(&error, BlockCode::ApplierFailed);
                let reason = match error.failure {
                    Failure::WroteFiles { .. } => error.message.clone(),
                    _ => format!("failed to apply feedback: {error}"),
                };
                self.applier_error = Some(error);
                self.go_to(self.next);
                self.block(code, reason)
            }
        }
    }
}

fn code_of(error: &AgentError, otherwise: BlockCode) -> BlockCode {
    match error.failure {
        Failure::RateLimited { .. } => BlockCode::RateLimited,
        Failure::Unread => BlockCode::Unread,
        _ => otherwise,
    }
}
