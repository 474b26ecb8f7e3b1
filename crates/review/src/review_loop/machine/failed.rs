//! The machine's handling of failed calls.

use std::time::Duration;

use review_events::AgentRole;
use review_types::{AgentError, BlockCode, Failure, Hash, Timestamp, plural};

use super::{Next, NextStep, ReviewMachine, Waiting};
use crate::review_loop::notice::ReviewNotice;
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
        self.notices.push(ReviewNotice::Replaced {
            iteration: self.iteration(),
            error,
            by,
        });
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
        self.notices.push(ReviewNotice::Retried {
            role,
            iteration,
            error,
            pause,
        });
        if pause.is_zero() {
            return self.ask();
        }
        self.waiting = Waiting::Pause;
        let step = self.step();
        NextStep::Wait { step, delay: pause }
    }

    pub(super) fn on_malformed(
        &mut self,
        role: AgentRole,
        field: String,
        message: String,
        answer: Hash,
    ) -> NextStep {
        self.malformed += 1;
        let what = match role {
            AgentRole::Reviewer => "schema validation failed",
            AgentRole::Applier if field.starts_with("applied_feedback") => {
                "the decisions cannot be read"
            }
            AgentRole::Applier | AgentRole::Implementer => "the edits do not fit",
        };
        let error = format!("{what}: {field} - {message}");
        self.notices.push(ReviewNotice::Malformed {
            subject: self.subject(),
            answer,
            parse_error: error.clone(),
            retry_number: self.malformed,
        });
        let Some(left) = self.retries.checked_sub(1) else {
            let why = match (role, field.as_str()) {
                (AgentRole::Reviewer, "json") => message,
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
        self.retry = Some(RetryOf {
            field,
            message,
            answer,
        });
        self.ask()
    }

    pub(super) fn give_up(&mut self, role: AgentRole, error: AgentError) -> NextStep {
        match role {
            AgentRole::Reviewer => {
                let code = code_of(&error, BlockCode::ReviewerFailed);
                let reason = match error.failure {
                    Failure::Unread => error.message.clone(),
                    _ => error.of_role(role.as_str()),
                };
                self.notices.push(ReviewNotice::ReviewerFailed {
                    subject: self.subject(),
                    iteration: self.iteration(),
                    error,
                });
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
