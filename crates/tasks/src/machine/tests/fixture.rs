//! Plans and inputs for the tests of the machine.

use std::sync::Arc;

use review::{Cmd, Input, Machine, Stamped, Turn};
use review_types::{TaskNumber, TaskStatus, Timestamp};

use crate::machine::{
    PlanFault, PlannedTask, TaskChanges, TaskDone, TaskMachine, TaskOp, TaskOptions, TaskOut,
    TaskPlan,
};

pub(crate) fn number(number: u32) -> TaskNumber {
    TaskNumber::new(number).expect("not 0")
}

/// A pending task with one command.
pub(crate) fn task(of: u32, depends_on: &[u32]) -> PlannedTask {
    PlannedTask {
        number: number(of),
        title: format!("Task {of}"),
        path: format!("tasks/web/{of:02}.md"),
        depends_on: depends_on.iter().copied().map(number).collect(),
        commands: vec![format!("check {of}")],
        must_pass: Vec::new(),
        timeout: None,
        claims: TaskStatus::Pending,
    }
}

pub(crate) fn plan(tasks: Vec<PlannedTask>) -> TaskPlan {
    TaskPlan::new("web".parse().expect("a legal name"), tasks, [])
}

pub(crate) fn faulty_plan(tasks: Vec<PlannedTask>, faults: &[&str]) -> TaskPlan {
    let faults = faults.iter().map(|message| PlanFault {
        path: "tasks/web/01.md".to_owned(),
        line: 2,
        message: (*message).to_owned(),
        hint: None,
    });
    TaskPlan::new("web".parse().expect("a legal name"), tasks, faults)
}

pub(crate) fn machine(plan: TaskPlan) -> TaskMachine {
    let options = TaskOptions {
        writes_status: true,
        resume: 0,
    };
    TaskMachine::new(Arc::new(plan), options)
}

pub(crate) const START: Input<TaskOut, TaskChanges> = Input::Start {
    at: Timestamp::UNIX_EPOCH,
};

pub(crate) fn result(out: TaskOut) -> Input<TaskOut, TaskChanges> {
    Input::Result(Stamped {
        out,
        at: Timestamp::UNIX_EPOCH,
        took_ms: 0,
        usage: None,
        by: None,
        session: None,
        undone: Vec::new(),
    })
}

pub(crate) fn resumed(plan: Option<TaskPlan>) -> Input<TaskOut, TaskChanges> {
    Input::Resumed {
        resume: 1,
        changes: TaskChanges { plan },
        at: Timestamp::UNIX_EPOCH,
    }
}

/// Feeds a machine until it is done, answering its commands; statuses are
/// always written. Every turn is handed to `watch`.
pub(crate) fn drive(
    machine: &mut TaskMachine,
    first: Input<TaskOut, TaskChanges>,
    mut answer: impl FnMut(TaskNumber) -> TaskOut,
    mut watch: impl FnMut(&Turn<TaskMachine>),
) -> TaskDone {
    let mut input = first;
    loop {
        let turn = machine.next(input);
        watch(&turn);
        input = match turn.cmd {
            Cmd::Do { op, .. } => result(match op {
                TaskOp::Backpressure { task } => answer(task),
                TaskOp::Status { .. } => TaskOut::StatusWritten,
            }),
            Cmd::Wait { .. } => panic!("tasks never pause"),
            Cmd::Done(done) => return done,
        };
    }
}
