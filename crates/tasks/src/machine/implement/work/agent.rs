//! The checkout of an attempt, the calls of its agent, and what it made.

use std::time::Duration;

use review::events::AttemptCode;
use review::machine::{FailedCalls, Recovery};
use review_flow::{StepName, jitter};
use review_lane::{CommitId, TestsPolicy};
use review_types::{AgentError, FailedBy, Failure, ModelId};

use super::refusal::{Refusal, code_of, concerns_every_call, setup_failed};
use super::{Candidate, Ended, Stage, TaskWork, WorkContext, WorkNext, numbered};
use crate::machine::lane::{AgentClaim, LaneOp, Worked};
use crate::machine::op::Ran;

impl TaskWork {
    /// Begins an attempt with a new checkout of the tip.
    pub(super) fn begin(&mut self, context: &mut WorkContext<'_>) -> WorkNext {
        if !context.ledger.has_more() {
            return WorkNext::NotCalled;
        }
        self.attempt += 1;
        self.approval = None;
        self.held = None;
        self.retried = 0;
        self.agent = 0;
        self.failed = FailedCalls::default();
        self.beside = None;
        self.left_running = false;
        self.checkouts = 0;
        self.calls = 0;
        self.reviews = 0;
        self.check_out(context, context.tip.commit.clone())
    }

    pub(super) fn check_out(&mut self, context: &WorkContext<'_>, base: CommitId) -> WorkNext {
        self.checkouts += 1;
        if self.resolves.is_none() {
            let merged = self.change.clone();
            self.resolves = merged.filter(|change| change.base != base);
        }
        let op = LaneOp::Checkout {
            task: context.task.number,
            attempt: self.attempt,
            base: base.clone(),
            change: self.change.clone(),
            hidden: context.task.hidden.clone(),
        };
        self.stage = Stage::CheckingOut(base);
        WorkNext::Do(numbered("checkout", self.attempt, self.checkouts), op)
    }

    pub(super) fn on_setup_failed(
        &mut self,
        context: &mut WorkContext<'_>,
        base: CommitId,
        ran: Ran,
    ) -> WorkNext {
        let refusal = setup_failed(ran);
        if self.retried >= context.options.retries {
            return self.refuse(context, refusal);
        }
        self.retried += 1;
        self.tell(context, &refusal, Some(Duration::ZERO));
        self.check_out(context, base)
    }

    /// Calls the agent in the checkout.
    pub(super) fn call(&mut self, context: &mut WorkContext<'_>, base: CommitId) -> WorkNext {
        let Some(allowance) = context.ledger.reserve(context.task.number) else {
            if self.calls == 0 {
                self.attempt -= 1;
            }
            return WorkNext::NotCalled;
        };
        self.calls += 1;
        let op = LaneOp::Work {
            task: context.task.clone(),
            attempt: self.attempt,
            agent: self.agent,
            last: self.last.clone(),
            allowance,
        };
        self.stage = Stage::Working(base);
        WorkNext::Do(numbered("work", self.attempt, self.calls), op)
    }

    pub(super) fn on_worked(
        &mut self,
        context: &mut WorkContext<'_>,
        base: CommitId,
        worked: Worked,
        by: Option<ModelId>,
    ) -> WorkNext {
        let ended = match worked {
            Worked::Done {
                says,
                beside,
                left_running,
            } => {
                self.beside = beside.or(self.beside.take());
                self.left_running |= left_running;
                match says {
                    AgentClaim::Done => Ended::Done {
                        is_satisfied: false,
                    },
                    AgentClaim::AlreadySatisfied => Ended::Done { is_satisfied: true },
                    AgentClaim::Question { text } => Ended::Stopped {
                        code: AttemptCode::Question,
                        reason: text,
                    },
                    AgentClaim::Unusable { reason } => Ended::Stopped {
                        code: AttemptCode::AgentFailed,
                        reason,
                    },
                }
            }
            // Its files say what it did.
            Worked::Failed(error) if error.failure == FailedBy::Silence.into() => Ended::Done {
                is_satisfied: false,
            },
            Worked::Failed(error) => match self.recovery(context, &error) {
                (Recovery::Again(pause), _) => {
                    return self.call_again(context, base, (error, by), pause);
                }
                (Recovery::Elsewhere, Some(next)) => {
                    return self.replace(context, base, (error, by), &next);
                }
                (Recovery::Elsewhere | Recovery::End, _) => {
                    if concerns_every_call(&error.failure) {
                        context.ledger.close(context.task.number);
                    }
                    Ended::Stopped {
                        code: code_of(&error.failure),
                        reason: reason_of(error),
                    }
                }
            },
        };
        let op = LaneOp::Snapshot {
            task: context.task.clone(),
            attempt: self.attempt,
            base: base.clone(),
        };
        self.stage = Stage::TakingSnapshot(base, ended, by);
        WorkNext::Do(format!("snapshot.{}", self.attempt), op)
    }

    /// Returns what follows a failed call, with the next agent, if there is one.
    fn recovery(
        &mut self,
        context: &WorkContext<'_>,
        error: &AgentError,
    ) -> (Recovery, Option<String>) {
        let options = context.options;
        let path = numbered("work", self.attempt, self.calls + 1);
        let path = format_args!("{}/{path}", context.task.number);
        let step = StepName::new("task", context.resume, path);
        let spread = jitter(&options.seed, &step);
        let recovery = self.failed.recovery(&error.failure, context.now, spread);
        let next = options.agents.get(self.agent + 1).cloned();
        // The next agent may have a connection, so this one is not waited for again.
        let is_left = matches!(error.failure, Failure::Offline { .. }) && next.is_some();
        let recovery = match recovery {
            Recovery::Again(_) if is_left || self.retried >= options.retries => Recovery::Elsewhere,
            recovery => recovery,
        };
        (recovery, next)
    }

    /// Calls the next agent, which goes on with the files of the one that failed.
    fn replace(
        &mut self,
        context: &mut WorkContext<'_>,
        base: CommitId,
        (error, by): (AgentError, Option<ModelId>),
        next: &str,
    ) -> WorkNext {
        let code = code_of(&error.failure);
        let reason = format!("{}; {next} is asked instead", reason_of(error).trim_end());
        let refusal = Refusal {
            by,
            ..Refusal::of(code, reason)
        };
        self.tell(context, &refusal, Some(Duration::ZERO));
        self.agent += 1;
        self.retried = 0;
        self.failed = FailedCalls::default();
        self.call(context, base)
    }

    fn call_again(
        &mut self,
        context: &mut WorkContext<'_>,
        base: CommitId,
        (error, by): (AgentError, Option<ModelId>),
        pause: Duration,
    ) -> WorkNext {
        self.retried += 1;
        let refusal = Refusal {
            by,
            ..Refusal::of(code_of(&error.failure), error.message)
        };
        self.tell(context, &refusal, Some(pause));
        if pause.is_zero() {
            return self.call(context, base);
        }
        self.stage = Stage::Pausing(base);
        WorkNext::Wait(numbered("work", self.attempt, self.calls + 1), pause)
    }

    pub(super) fn on_snapshot(
        &mut self,
        context: &mut WorkContext<'_>,
        candidate: Candidate,
        ended: Ended,
        fault: Option<Refusal>,
    ) -> WorkNext {
        let is_changed = candidate.files > 0;
        let is_restored = !candidate.restored.is_empty();
        self.change = is_changed.then(|| candidate.change.clone());
        let refusal = match (ended, fault) {
            (Ended::Stopped { code, reason }, _) => Refusal::of(code, reason),
            (Ended::Done { .. }, Some(fault)) => fault,
            (Ended::Done { .. }, None) if is_changed => return self.account(candidate),
            (Ended::Done { is_satisfied: true }, None) => match self.green.take() {
                Some(ran) => match self.turned_by.clone() {
                    Some(reason) if context.options.tests == TestsPolicy::Hold => Refusal {
                        ran,
                        ..Refusal::of(AttemptCode::RunnerChanged, reason)
                    },
                    _ => {
                        self.stage = Stage::Satisfied(ran);
                        return WorkNext::Queued;
                    }
                },
                None => Refusal::of(
                    AttemptCode::NoChange,
                    "the agent changed no file and says that none has to be changed, but the \
                     command of the task does not pass",
                ),
            },
            (
                Ended::Done {
                    is_satisfied: false,
                },
                None,
            ) => Refusal::of(
                AttemptCode::NoChange,
                match is_restored {
                    true => "the agent changed only files that it may not change",
                    false => "the agent changed no file",
                },
            ),
        };
        self.refuse(context, refusal.with(candidate))
    }
}

/// Returns why the agent failed, with the time from which on it can be called.
fn reason_of(error: AgentError) -> String {
    match error.failure {
        Failure::RateLimited {
            retry_at: Some(at), ..
        } => {
            format!("{}; it can be called again at {at}", error.message)
        }
        _ => error.message,
    }
}
