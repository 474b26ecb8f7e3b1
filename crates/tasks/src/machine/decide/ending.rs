//! Ends a run of tasks.

use review::events::TaskState;
use review_types::BlockCode;

use super::{NextStep, Open, TaskMachine};
use crate::machine::done::{Blocked, TaskDone, blocked};
use crate::machine::op::Ran;

impl TaskMachine {
    /// Ends the run at a task, and reports that later ones are not run. A
    /// command that `ran` proves nothing, even if it passed.
    pub(super) fn on_stop(&mut self, at: usize, blocked: Blocked, ran: Option<Ran>) -> NextStep {
        let state = match ran.as_ref().map(Ran::state) {
            None => TaskState::NotRun,
            Some(TaskState::Passed) => TaskState::Failed,
            Some(state) => state,
        };
        self.decide(at, state, blocked.reason.clone(), ran);
        for open in std::mem::take(&mut self.open).into_values() {
            if let Open::Command(at) = open {
                let reason = "the run ended while its command ran".to_owned();
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
        let blocked = blocked(self.plan.faults(), &self.outcomes());
        self.end(blocked)
    }

    fn end(&mut self, blocked: Option<Blocked>) -> NextStep {
        NextStep::Done(TaskDone {
            tasks: self.outcomes(),
            faults: self.plan.faults().to_vec(),
            blocked,
        })
    }
}
