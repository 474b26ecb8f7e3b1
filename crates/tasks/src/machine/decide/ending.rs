//! How a run of tasks ends.

use review::events::TaskState;
use review_types::BlockCode;

use super::{Asked, Open, TaskMachine};
use crate::machine::done::{Blocked, TaskDone, blocked};
use crate::machine::op::Ran;

impl TaskMachine {
    /// Ends the run at a task, and tells that those after it have no turn. A
    /// command that `ran` proves nothing, even if it passed.
    pub(super) fn on_stop(&mut self, at: usize, blocked: Blocked, ran: Option<Ran>) -> Asked {
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

    pub(super) fn unexpected(&mut self, what: &str) -> Asked {
        self.end(Some(Blocked {
            code: BlockCode::TaskFailed,
            reason: format!("the tasks were fed {what}, which they did not ask for"),
        }))
    }

    pub(super) fn finish(&mut self) -> Asked {
        let blocked = blocked(self.plan.faults(), &self.outcomes());
        self.end(blocked)
    }

    fn end(&mut self, blocked: Option<Blocked>) -> Asked {
        Asked::Done(TaskDone {
            tasks: self.outcomes(),
            faults: self.plan.faults().to_vec(),
            blocked,
        })
    }
}
