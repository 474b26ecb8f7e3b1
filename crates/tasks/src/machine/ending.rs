//! Ends a run of tasks.

use review::LimitReached;
use review::events::TaskState;
use review_types::{BlockCode, LandCode};

use super::decide::{NextStep, OpenStep, TaskMachine};
use super::done::{Blocked, TaskDone, blocked};
use super::implement::{LaneState, NoCalls};
use super::op::Ran;

impl TaskMachine {
    /// Ends the run because a limit was reached at a task, or at a step of the lane.
    pub(super) fn on_cut(&mut self, at: Option<usize>, cut: LimitReached) -> NextStep {
        let reason = format!("the run's limit of {cut} is used up");
        let code = cut.block_code();
        self.on_stop(at, Blocked { code, reason }, None)
    }

    /// Ends the run because it cannot go on as things are. A task whose agent is at
    /// fault is parked.
    pub(super) fn on_blocked(
        &mut self,
        at: Option<usize>,
        code: BlockCode,
        reason: String,
    ) -> NextStep {
        if let Some(at) = at.filter(|_| code == BlockCode::Tampered) {
            self.decide(at, TaskState::Parked, reason.clone(), None);
        }
        self.on_stop(at, Blocked { code, reason }, None)
    }

    /// Ends the run because the artifact is not the reviewed one.
    pub(super) fn on_changed(
        &mut self,
        at: Option<usize>,
        files: &str,
        ran: Option<Ran>,
    ) -> NextStep {
        let code = BlockCode::ArtifactChanged;
        let reason = match at.filter(|_| ran.is_some()) {
            Some(at) => format!(
                "the artifact changed while the command of task {} ran: {files}",
                self.plan.tasks()[at].number
            ),
            None => format!("another process changed the artifact during the run: {files}"),
        };
        self.on_stop(at, Blocked { code, reason }, ran)
    }

    /// Ends the run at a task, and reports that later ones are not run. A
    /// command that `ran` proves nothing, even if it passed.
    fn on_stop(&mut self, at: Option<usize>, blocked: Blocked, ran: Option<Ran>) -> NextStep {
        let state = match ran.as_ref().map(Ran::state) {
            None => TaskState::NotRun,
            Some(TaskState::Passed) => TaskState::Failed,
            Some(state) => state,
        };
        if let Some(at) = at.filter(|at| self.queue.state(*at).is_none()) {
            self.decide(at, state, blocked.reason.clone(), ran);
        }
        for open in std::mem::take(&mut self.open).into_values() {
            if let OpenStep::Command(at) = open {
                let reason = "the run ended while its command ran".to_owned();
                self.decide(at, TaskState::NotRun, reason, None);
            }
        }
        let active = self.lane.as_mut().map(LaneState::stop);
        for at in active.unwrap_or_default() {
            if self.queue.state(at).is_none() {
                let reason = "the run ended during the work at it".to_owned();
                self.decide(at, TaskState::NotRun, reason, None);
            }
        }
        while let Some(at) = self.queue.first_undecided() {
            let reason = "the run ended before its turn".to_owned();
            self.decide(at, TaskState::NotRun, reason, None);
        }
        self.end(Some(blocked))
    }

    pub(super) fn unexpected(&mut self, what: &str) -> NextStep {
        self.end(Some(Blocked {
            code: BlockCode::TaskFailed,
            reason: format!("the tasks received {what}, which they did not ask for"),
        }))
    }

    pub(super) fn finish(&mut self) -> NextStep {
        let not_landed = self.lane.as_ref().and_then(|lane| lane.not_landed.as_ref());
        // That is what the user asked for.
        let not_landed = not_landed.filter(|lane| lane.code != LandCode::Never);
        let is_tampered = (0..self.slots.len()).any(|at| self.is_tampered(at));
        let ended = (&*self.outcomes(), is_tampered);
        let mut blocked = blocked(self.plan.faults(), ended, not_landed);
        let no_calls = self.lane.as_ref().and_then(LaneState::no_calls);
        if let (Some(blocked), Some(NoCalls::Limit(cut, reason))) = (&mut blocked, no_calls)
            && blocked.code != BlockCode::Tampered
        {
            blocked.code = cut.block_code();
            blocked.reason = format!("{reason}; {}", blocked.reason);
        }
        self.end(blocked)
    }

    fn end(&mut self, blocked: Option<Blocked>) -> NextStep {
        NextStep::Done(TaskDone {
            tasks: self.outcomes(),
            blocked,
        })
    }
}
