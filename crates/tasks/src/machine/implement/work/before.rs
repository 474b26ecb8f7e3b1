//! The command of a task before any work: the tests that it has, and whether another task
//! made it pass.

use std::collections::VecDeque;

use review::events::AttemptCode;
use review_types::listed;

use super::{Stage, TaskWork, WorkContext, WorkNext};
use crate::machine::implement::gating::red_reason;
use crate::machine::implement::trail::Configured;
use crate::machine::lane::{GateKind, RejectedAttempt};
use crate::machine::op::Ran;
use crate::machine::plan::PlannedTask;

/// Maximum number of tasks that a reason names.
const NAMED: usize = 5;

/// The tests that a command ran before any work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    /// Whether it ran any.
    pub(super) ran_tests: bool,
    /// Whether it named all of them.
    is_named: bool,
    /// Whether one of those that the task lists was there.
    lists_ran: bool,
    passed: bool,
}

/// The search for the task that made a command pass by a runner file, the last one first.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    suspects: VecDeque<Configured>,
    run: TraceRun,
}

/// The run of the command that is under way.
#[derive(Clone, Copy, Debug)]
enum TraceRun {
    /// On the parent of the commit of the suspect.
    Without,
    /// On its own.
    With,
}

impl Before {
    fn of(ran: &Ran) -> Self {
        let tests = ran.tests.as_ref();
        let is_named = tests.is_some_and(|tests| tests.is_named);
        Self {
            ran_tests: is_named || ran.tests_run.is_some_and(|tests| tests > 0),
            is_named,
            lists_ran: tests.is_some_and(|tests| tests.lists_ran),
            passed: ran.failure.is_none(),
        }
    }

    /// Returns whether a test that proves the task was there: one that it lists, or any if it
    /// lists none. Where names are not known, those that passed may be the listed ones; one
    /// that failed may only say that its file is missing.
    pub(super) fn was_tested(self, task: &PlannedTask) -> bool {
        if task.must_pass.is_empty() {
            return self.ran_tests;
        }
        self.lists_ran || (!self.is_named && self.ran_tests && self.passed)
    }
}

impl TaskWork {
    pub(super) fn on_gated_before(&mut self, context: &mut WorkContext<'_>, ran: Ran) -> WorkNext {
        context.note_tests(&ran);
        self.before = Before::of(&ran);
        let is_green = ran.failure.is_none();
        if is_green && (context.is_claimed || context.is_on_lane) {
            return WorkNext::Passed(ran);
        }
        if is_green {
            self.green = Some(ran);
            let suspects = context.trail.configured();
            let run = TraceRun::Without;
            return self.trace(context, Trace { suspects, run });
        }
        if self.last.is_none() {
            self.last = Some(RejectedAttempt {
                code: AttemptCode::GateRed,
                reason: red_reason(AttemptCode::GateRed, &ran),
                tail: ran.tail,
            });
        }
        self.begin(context)
    }

    /// Runs the command where it may not pass yet; begins the work without any suspect.
    fn trace(&mut self, context: &mut WorkContext<'_>, trace: Trace) -> WorkNext {
        let at = trace.suspects.front().map(|suspect| match trace.run {
            TraceRun::Without => suspect.position.saturating_sub(1),
            TraceRun::With => suspect.position,
        });
        let tree = at
            .and_then(|at| context.trail.at(at))
            .map(|tip| tip.tree.clone());
        let Some(tree) = tree else {
            return self.begin(context);
        };
        self.stage = Stage::Tracing(trace);
        self.gate(context, self.attempt + 1, tree, GateKind::Bisect)
    }

    pub(super) fn on_traced(
        &mut self,
        context: &mut WorkContext<'_>,
        mut trace: Trace,
        ran: &Ran,
    ) -> WorkNext {
        let is_green = ran.failure.is_none();
        let Some(suspect) = trace.suspects.front() else {
            return WorkNext::Unexpected;
        };
        let is_last = suspect.position == self.started_at;
        let turned = match (trace.run, is_green) {
            (TraceRun::Without, false) => is_last,
            (TraceRun::With, is_green) => is_green,
            (TraceRun::Without, true) => false,
        };
        if turned {
            self.turned_by = Some(format!(
                "its command passed before the agent worked, through task {}, which changed \
                 what configures the runner of tests: {}",
                suspect.task,
                suspect.files.join(", ")
            ));
            return self.begin(context);
        }
        trace.run = match (trace.run, is_green) {
            (TraceRun::Without, false) => TraceRun::With,
            (TraceRun::Without, true) | (TraceRun::With, _) => {
                trace.suspects.pop_front();
                TraceRun::Without
            }
        };
        self.trace(context, trace)
    }

    /// Returns that its command passed before any work, with the tasks whose work it had.
    pub(super) fn green_reason(&self, context: &WorkContext<'_>) -> String {
        let tasks = context.trail.tasks_up_to(self.started_at);
        let mut reason = "its command passed before the agent worked".to_owned();
        if let Some(turned_by) = &self.turned_by {
            reason.clone_from(turned_by);
        } else if !tasks.is_empty() {
            let noun = if tasks.len() == 1 { "task" } else { "tasks" };
            reason += &format!(", with the work of {noun} {}", listed(tasks, NAMED));
        }
        reason
    }
}
