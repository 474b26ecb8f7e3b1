//! Attempts that are not accepted, and what follows from them.

use std::time::Duration;

use review::events::{AttemptCode, TaskAttempted, TaskState};
use review_lane::AccountEntry;
use review_types::{BlockCode, Failure, Hash, ModelId, Outcome, milliseconds};

use super::{Candidate, TaskWork, WorkContext, WorkNext};
use crate::machine::lane::RejectedAttempt;
use crate::machine::notice::TaskNotice;
use crate::machine::op::Ran;

/// Maximum number of times that a task goes back because of the work of others.
const MAX_RETURNS: u32 = 2;

/// How an attempt is followed.
#[derive(Clone, Copy)]
pub(super) enum Follows {
    /// By another attempt, as long as some are left.
    Attempt,
    /// By another attempt, counted as a return because of the work of others.
    Return,
    /// By none.
    Nothing,
}

const fn follows(code: AttemptCode) -> Follows {
    match code {
        AttemptCode::GateRed
        | AttemptCode::NoChange
        | AttemptCode::FileRefused
        | AttemptCode::ChangeRejected
        | AttemptCode::AgentFailed => Follows::Attempt,
        AttemptCode::TextConflict | AttemptCode::SemanticConflict => Follows::Return,
        AttemptCode::AgentUnavailable
        | AttemptCode::Question
        | AttemptCode::SetupFailed
        | AttemptCode::TamperTest
        | AttemptCode::TestsGone
        | AttemptCode::TestsSkipped
        | AttemptCode::GateNotRed
        | AttemptCode::RunnerChanged
        | AttemptCode::BaselineRed
        | AttemptCode::ReviewFailed
        | AttemptCode::ResolutionDiffers => Follows::Nothing,
    }
}

/// Returns the code of an attempt whose agent failed: one that worked may do better
/// next time.
pub(super) const fn code_of(failure: &Failure) -> AttemptCode {
    match failure {
        Failure::Failed { .. } | Failure::Hung { .. } | Failure::Truncated { .. } => {
            AttemptCode::AgentFailed
        }
        Failure::RateLimited { .. }
        | Failure::PermissionDenied
        | Failure::Offline { .. }
        | Failure::AuthFailed
        | Failure::ModelError { .. }
        | Failure::Refused
        | Failure::SetupFailed { .. }
        | Failure::Unread
        | Failure::WroteFiles { .. } => AttemptCode::AgentUnavailable,
    }
}

/// Returns whether the agent would fail for any other task, too: what it was asked, and
/// what it tried, is not at fault.
pub(super) const fn concerns_every_call(failure: &Failure) -> bool {
    match failure {
        Failure::RateLimited { .. }
        | Failure::Offline { .. }
        | Failure::AuthFailed
        | Failure::SetupFailed { .. } => true,
        // A service that refuses the request itself may accept that of another task.
        Failure::ModelError { status } => !matches!(status, Some(400 | 413 | 422)),
        Failure::PermissionDenied
        | Failure::Refused
        | Failure::Truncated { .. }
        | Failure::Failed { .. }
        | Failure::Hung { .. }
        | Failure::Unread
        | Failure::WroteFiles { .. } => false,
    }
}

/// Returns the code of an attempt whose review ended without a pass.
pub(super) fn code_of_review(code: BlockCode) -> AttemptCode {
    // A review that broke is blocked as a task is.
    let is_rejected = code.outcome() == Outcome::NotPassed && code != BlockCode::TaskFailed;
    match is_rejected {
        true => AttemptCode::ChangeRejected,
        false => AttemptCode::ReviewFailed,
    }
}

/// An attempt whose checkout, or that of its gate, could not be prepared.
pub(super) fn setup_failed(ran: Ran) -> Refusal {
    let reason = not_prepared(&ran);
    Refusal {
        ran,
        ..Refusal::of(AttemptCode::SetupFailed, reason)
    }
}

/// Why a checkout could not be prepared.
pub(in crate::machine::implement) fn not_prepared(ran: &Ran) -> String {
    let failure = ran.failure.as_ref();
    let failure = failure.map_or_else(String::new, ToString::to_string);
    format!("the commands that prepare its checkout failed: {failure}")
}

/// An attempt that is not accepted.
pub(super) struct Refusal {
    pub(super) code: AttemptCode,
    pub(super) follows: Follows,
    pub(super) reason: String,
    /// The names of the first tests that the reason is about.
    pub(super) tests: Vec<String>,
    pub(super) files: u32,
    pub(super) by: Option<ModelId>,
    pub(super) ran: Ran,
    /// Hash of the feedback of a review, if there was one.
    pub(super) feedback: Option<Hash>,
    /// The snapshot that is refused, if there is one.
    pub(super) candidate: Option<Candidate>,
}

impl Refusal {
    pub(super) fn of(code: AttemptCode, reason: impl Into<String>) -> Self {
        Self {
            code,
            follows: follows(code),
            reason: reason.into(),
            tests: Vec::new(),
            files: 0,
            by: None,
            ran: Ran::default(),
            feedback: None,
            candidate: None,
        }
    }

    /// Names which files of the change were restored, so that the agent leaves them alone.
    fn naming_restored(self) -> Self {
        let restored = self.candidate.as_ref().map(|candidate| &candidate.restored);
        match restored.filter(|restored| !restored.is_empty()) {
            Some(restored) => Self {
                reason: format!(
                    "{}; restored, since it may not change them: {}",
                    self.reason,
                    restored.join(", ")
                ),
                ..self
            },
            None => self,
        }
    }

    /// Adds the snapshot that is refused.
    pub(super) fn with(self, candidate: Candidate) -> Self {
        Self {
            files: candidate.files,
            by: candidate.by.clone(),
            candidate: Some(candidate),
            ..self
        }
    }
}

/// Returns whether such an attempt made tests weaker.
pub(super) const fn tampers(code: AttemptCode) -> bool {
    matches!(
        code,
        AttemptCode::TamperTest
            | AttemptCode::TestsGone
            | AttemptCode::TestsSkipped
            | AttemptCode::GateNotRed
            | AttemptCode::RunnerChanged
    )
}

/// Returns whether a task with such an attempt is held until a user decides.
const fn holds(code: AttemptCode) -> bool {
    tampers(code) || matches!(code, AttemptCode::ResolutionDiffers)
}

/// Returns why a resolution is not accepted, if it is not: entries that are wrong send it
/// back to the agent, others are for a user.
pub(super) fn accounted(entries: &[AccountEntry], more: u32) -> Option<Refusal> {
    let first = entries.first()?;
    let code = match first.code.refuses() {
        true => AttemptCode::TextConflict,
        false => AttemptCode::ResolutionDiffers,
    };
    let entries = entries.iter();
    let named = entries.map(|entry| format!("{} `{}`", entry.code, entry.text));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let reason = format!("its resolution of a conflict is not accepted as it is: {named}{more}");
    Some(Refusal::of(code, reason))
}

impl TaskWork {
    /// Ends the attempt, and begins another if there is one left.
    pub(super) fn refuse(&mut self, context: &mut WorkContext<'_>, refusal: Refusal) -> WorkNext {
        let refusal = refusal.naming_restored();
        self.tell(context, &refusal, None);
        self.last = Some(RejectedAttempt {
            code: refusal.code,
            reason: refusal.reason.clone(),
            tail: refusal.feedback.or(refusal.ran.tail),
        });
        let options = context.options;
        let goes_on = match refusal.follows {
            Follows::Attempt => {
                self.rejected += 1;
                self.rejected < options.attempts.get()
            }
            Follows::Return => {
                self.returned += 1;
                self.returned <= MAX_RETURNS
            }
            Follows::Nothing => false,
        };
        if goes_on {
            self.gates = 0;
            return self.begin(context);
        }
        let state = match holds(refusal.code) {
            true => TaskState::Held,
            false => TaskState::Parked,
        };
        // What kept its command from running says nothing against a change that was approved.
        let is_unjudged = matches!(
            (refusal.code, refusal.follows),
            (
                AttemptCode::GateRed | AttemptCode::SetupFailed,
                Follows::Nothing
            )
        );
        let is_kept = holds(refusal.code) || (self.approval.is_some() && is_unjudged);
        self.held = refusal.candidate.filter(|_| is_kept);
        WorkNext::Parked {
            state,
            reason: format!("{}: {}", refusal.code, refusal.reason),
            ran: refusal.ran,
        }
    }

    /// Reports that the attempt is not accepted, or is repeated after a pause.
    pub(super) fn tell(
        &self,
        context: &mut WorkContext<'_>,
        refusal: &Refusal,
        retry_after: Option<Duration>,
    ) {
        let attempted = TaskAttempted {
            task: context.task.number,
            attempt: self.attempt,
            code: refusal.code,
            reason: refusal.reason.clone(),
            tests: refusal.tests.clone(),
            tail: String::new(),
            files: refusal.files,
            by: refusal.by.clone(),
            retry_in_ms: retry_after.map(milliseconds),
        };
        // The same output is not printed again.
        let previous = self.last.as_ref().filter(|_| self.attempt > 1);
        let printed = previous.and_then(|last| last.tail);
        let tail = refusal.ran.tail.filter(|tail| Some(*tail) != printed);
        let attempted = TaskNotice::Attempted(Box::new(attempted), tail);
        context.notices.push(attempted);
    }
}
