//! Plans and inputs for the tests of the machine.

use std::num::NonZeroU32;
use std::sync::Arc;

use review::events::Approval;
use review_flow::{Command, Input, Machine, StepName, StepRecord, Turn};
use review_types::{TaskNumber, TaskStatus, Timestamp};

use crate::machine::{
    ApprovedTask, PlannedTask, TaskChanges, TaskDone, TaskMachine, TaskOp, TaskOptions, TaskOut,
    TaskPlan,
};

pub(crate) fn number(number: u32) -> TaskNumber {
    TaskNumber::new(number).expect("not 0")
}

/// Returns a pending task with one command.
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
        may_change: Vec::new(),
        hidden: Vec::new(),
    }
}

pub(crate) fn plan(tasks: Vec<PlannedTask>) -> TaskPlan {
    TaskPlan::new("web".parse().expect("a legal name"), tasks, [])
}

pub(crate) fn faulty_plan(tasks: Vec<PlannedTask>, faults: &[&str]) -> TaskPlan {
    let faults = faults.iter();
    let faults = faults.map(|message| format!("tasks/web/01.md:2: {message}"));
    TaskPlan::new("web".parse().expect("a legal name"), tasks, faults)
}

pub(crate) const OPTIONS: TaskOptions = TaskOptions {
    writes_status: true,
    jobs: NonZeroU32::MIN,
    resume: 0,
    lane: None,
};

pub(crate) fn machine(plan: TaskPlan) -> TaskMachine {
    TaskMachine::new(Arc::new(plan), OPTIONS)
}

pub(crate) const START: Input<TaskOut, TaskChanges> = Input::Start {
    at: Timestamp::UNIX_EPOCH,
};

/// Returns the result of the step `path`, such as `7/gate.1.1`.
pub(crate) fn result(path: &str, out: TaskOut) -> Input<TaskOut, TaskChanges> {
    result_of(StepName::new("task", 0, path), out)
}

pub(crate) fn result_of(step: StepName, out: TaskOut) -> Input<TaskOut, TaskChanges> {
    Input::Finished {
        step,
        record: StepRecord {
            out,
            at: Timestamp::UNIX_EPOCH,
            took_ms: 0,
            usage: None,
            by: None,
            session: None,
            undone: Vec::new(),
        },
    }
}

pub(crate) fn resumed(plan: Option<TaskPlan>) -> Input<TaskOut, TaskChanges> {
    Input::Resumed {
        resume: 1,
        changes: TaskChanges {
            plan,
            ..TaskChanges::default()
        },
        at: Timestamp::UNIX_EPOCH,
    }
}

/// Returns a resume with which a user approves the changes of some tasks.
pub(crate) fn approved(resume: u32, tasks: &[u32]) -> Input<TaskOut, TaskChanges> {
    let approved = tasks.iter().map(|task| ApprovedTask {
        task: number(*task),
        approval: approval(),
    });
    Input::Resumed {
        resume,
        changes: TaskChanges {
            approved: approved.collect(),
            ..TaskChanges::default()
        },
        at: Timestamp::UNIX_EPOCH,
    }
}

pub(crate) fn approval() -> Approval {
    Approval {
        by: "ann".to_owned(),
        why: "it was wrong".to_owned(),
    }
}

/// Drives a machine until it is done, answering its commands; statuses are
/// always written. Every turn is passed to `watch`.
pub(crate) fn drive(
    machine: &mut TaskMachine,
    first: Input<TaskOut, TaskChanges>,
    answer: impl FnMut(TaskNumber) -> TaskOut,
    watch: impl FnMut(&Turn<TaskMachine>),
) -> TaskDone {
    drive_in_order(machine, first, answer, watch, |_| 0)
}

/// Like [`drive`], with several steps open: `next` picks which of them ends first.
pub(crate) fn drive_in_order(
    machine: &mut TaskMachine,
    first: Input<TaskOut, TaskChanges>,
    mut answer: impl FnMut(TaskNumber) -> TaskOut,
    mut watch: impl FnMut(&Turn<TaskMachine>),
    mut next: impl FnMut(usize) -> usize,
) -> TaskDone {
    let mut open = Vec::new();
    let mut input = first;
    loop {
        let turn = machine.next(input);
        watch(&turn);
        if let Some(done) = turn.done {
            return done;
        }
        open.extend(turn.commands);
        let Command::Do { step, op } = open.remove(next(open.len())) else {
            panic!("tasks neither pause nor cancel");
        };
        let out = match op {
            TaskOp::Backpressure { task } => answer(task.number),
            TaskOp::Status { .. } => TaskOut::Status { kept: None },
            TaskOp::Lane(op) => panic!("no lane is asked for {op:?}"),
        };
        input = result_of(step, out);
    }
}
