//! Properties of every plan with any results of its commands.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;

use proptest::prelude::*;
use review::LimitReached;
use review::events::TaskState;
use review_flow::{Command, Machine, Turn};
use review_types::{TaskNumber, TaskStatus};

use super::fixture::{
    OPTIONS, START, drive, drive_in_order, machine, number, plan, result_of, task,
};
use crate::machine::{
    CommandFailure, FailureCause, PlannedTask, Ran, TaskDone, TaskMachine, TaskNotice, TaskOp,
    TaskOptions, TaskOut, TaskPlan,
};

fn any_task(of: u32) -> impl Strategy<Value = PlannedTask> {
    let status = prop::sample::select(TaskStatus::ALL.to_vec());
    // Numbers up to 12 also name tasks that do not exist, and later ones make cycles.
    (prop::collection::vec(1u32..13, 0..3), status, 0usize..6).prop_map(
        move |(depends_on, claims, commands)| PlannedTask {
            claims,
            commands: vec![format!("check {of}"); commands.min(1)],
            ..task(of, &depends_on)
        },
    )
}

/// Generates plans of up to ten tasks, valid and invalid.
fn any_plan() -> impl Strategy<Value = TaskPlan> {
    (0u32..11).prop_flat_map(|len| {
        let tasks: Vec<_> = (1..=len).map(any_task).collect();
        tasks.prop_map(plan)
    })
}

/// Generates answers by number of the task.
fn any_answers() -> impl Strategy<Value = Vec<TaskOut>> {
    let failed = |cause| {
        TaskOut::Ran(Ran {
            failure: Some(CommandFailure {
                step: 1,
                steps: 1,
                cause,
            }),
            ..Ran::default()
        })
    };
    let out = prop_oneof![
        6 => Just(TaskOut::Ran(Ran::default())),
        2 => Just(failed(FailureCause::Exit { status: 1 })),
        1 => Just(failed(FailureCause::NoTests)),
    ];
    prop::collection::vec(out, 11)
}

fn answer(answers: &[TaskOut], task: TaskNumber) -> TaskOut {
    answers[task.get() as usize - 1].clone()
}

/// The notices and commands of a run, in order.
#[derive(Debug, Default, PartialEq)]
struct Trace {
    notices: Vec<TaskNotice>,
    commands: Vec<Vec<Command<TaskOp>>>,
    done: Option<TaskDone>,
}

impl Trace {
    fn watch(&mut self, turn: &Turn<TaskMachine>) {
        self.notices.extend(turn.notices.iter().cloned());
        self.commands.push(turn.commands.clone());
        self.done.clone_from(&turn.done);
    }
}

fn any_jobs() -> impl Strategy<Value = NonZeroU32> {
    (1_u32..9).prop_map(|jobs| NonZeroU32::new(jobs).expect("not 0"))
}

fn machine_with(plan: TaskPlan, jobs: NonZeroU32) -> TaskMachine {
    TaskMachine::new(Arc::new(plan), TaskOptions { jobs, ..OPTIONS })
}

/// Selects which of several open steps ends next.
#[derive(Clone, Debug)]
struct Order(Vec<usize>);

impl Order {
    fn next_below(&mut self, open: usize) -> usize {
        self.0.pop().unwrap_or(0) % open
    }
}

fn any_order() -> impl Strategy<Value = Order> {
    prop::collection::vec(0_usize..8, 0..30).prop_map(Order)
}

proptest! {
    #[test]
    fn any_number_of_jobs_and_any_order_of_results_end_the_same(
        plan in any_plan(),
        answers in any_answers(),
        jobs in any_jobs(),
        mut order in any_order(),
    ) {
        let alone = drive(&mut machine(plan.clone()), START, |task| answer(&answers, task), |_| ());
        let mut together = machine_with(plan, jobs);
        let mut most = 0;
        let done = drive_in_order(&mut together, START, |task| answer(&answers, task), |_| (), |open| {
            most = most.max(open);
            order.next_below(open)
        });
        prop_assert_eq!(done, alone);
        prop_assert!(most <= jobs.get() as usize);
    }

    #[test]
    fn every_task_gets_exactly_one_final_state(plan in any_plan(), answers in any_answers()) {
        let tasks: Vec<_> = plan.tasks().iter().map(|task| task.number).collect();
        let mut course = Trace::default();
        let done = drive(&mut machine(plan), START, |task| answer(&answers, task), |turn| course.watch(turn));
        let mut told = BTreeMap::new();
        for notice in &course.notices {
            let state = match notice {
                TaskNotice::Finished(finished, _) => Some((finished.task, finished.state)),
                _ => None,
            };
            if let Some((task, state)) = state {
                prop_assert_eq!(told.insert(task, state), None, "task {} is decided once", task);
            }
        }
        prop_assert_eq!(told.keys().copied().collect::<Vec<_>>(), tasks);
        let states: BTreeMap<_, _> = done.tasks.iter().map(|task| (task.task, task.state)).collect();
        prop_assert_eq!(&states, &told);
        prop_assert_eq!(done.blocked.is_none(), states.values().all(|state| *state == TaskState::Passed));
    }

    #[test]
    fn no_task_runs_before_its_dependencies_passed(
        plan in any_plan(),
        answers in any_answers(),
        jobs in any_jobs(),
        mut order in any_order(),
    ) {
        let known = plan.clone();
        let mut passed = BTreeSet::new();
        let mut asked = BTreeSet::new();
        let mut early = None;
        let mut machine = machine_with(plan, jobs);
        drive_in_order(&mut machine, START, |task| answer(&answers, task), |turn| {
            for notice in &turn.notices {
                if let TaskNotice::Finished(finished, _) = notice
                    && finished.state == TaskState::Passed
                {
                    passed.insert(finished.task);
                }
            }
            for asked_for in &turn.commands {
                let Command::Do { op: TaskOp::Backpressure { task }, .. } = asked_for else { continue };
                let depends_on = known.task(task.number).map(|task| task.depends_on.clone());
                let ready = depends_on.is_some_and(|tasks| tasks.iter().all(|task| passed.contains(task)));
                if !ready || !asked.insert(task.number) {
                    early = Some(task.number);
                }
            }
        }, |open| order.next_below(open));
        prop_assert_eq!(early, None);
    }

    #[test]
    fn a_task_is_skipped_only_when_a_dependency_did_not_pass(
        plan in any_plan(),
        answers in any_answers(),
    ) {
        let known = plan.clone();
        let done = drive(&mut machine(plan), START, |task| answer(&answers, task), |_| ());
        let passed: BTreeSet<_> = done.tasks.iter()
            .filter(|task| task.state == TaskState::Passed)
            .map(|task| task.task)
            .collect();
        for outcome in &done.tasks {
            let depends_on = &known.task(outcome.task).expect("planned").depends_on;
            let blocked = depends_on.iter().any(|task| !passed.contains(task));
            prop_assert_eq!(blocked, outcome.state == TaskState::Skipped);
        }
    }

    #[test]
    fn replaying_any_prefix_gives_the_same_commands_and_notices(
        plan in any_plan(),
        answers in any_answers(),
        cut_after in 0usize..12,
    ) {
        let mut inputs = vec![START];
        let mut whole = Trace::default();
        let asked = std::cell::Cell::new(0);
        drive(&mut machine(plan.clone()), START, |task| {
            asked.set(asked.get() + 1);
            if asked.get() > cut_after {
                TaskOut::Cut(LimitReached::RunTime)
            } else {
                answer(&answers, task)
            }
        }, |turn| {
            whole.watch(turn);
            for asked_for in &turn.commands {
                let Command::Do { step, op } = asked_for else { continue };
                let out = match op {
                    TaskOp::Status { .. } => TaskOut::Status { kept: None },
                    TaskOp::Backpressure { task } if asked.get() < cut_after => answer(&answers, task.number),
                    TaskOp::Backpressure { .. } | TaskOp::Lane(_) => TaskOut::Cut(LimitReached::RunTime),
                };
                inputs.push(result_of(step.clone(), out));
            }
        });
        for len in 0..=inputs.len() {
            let mut machine = machine(plan.clone());
            let mut replayed = Trace::default();
            for input in &inputs[..len] {
                replayed.watch(&machine.next(input.clone()));
            }
            prop_assert_eq!(&replayed.commands[..], &whole.commands[..len]);
            prop_assert!(whole.notices.starts_with(&replayed.notices));
        }
    }
}

#[test]
fn a_long_chain_is_decided_in_one_pass() {
    let before = |of: u32| if of == 1 { vec![] } else { vec![of - 1] };
    let tasks = (1..=20_000).map(|of| task(of, &before(of))).collect();
    let failing = |of: TaskNumber| match of.get() {
        2 => TaskOut::Ran(Ran {
            failure: Some(CommandFailure {
                step: 1,
                steps: 1,
                cause: FailureCause::NoTests,
            }),
            ..Ran::default()
        }),
        _ => TaskOut::Ran(Ran::default()),
    };
    let done = drive(&mut machine(plan(tasks)), START, failing, |_| ());
    let skipped = done
        .tasks
        .iter()
        .filter(|task| task.state == TaskState::Skipped);
    assert_eq!(skipped.count(), 19_998);
    assert_eq!(done.tasks[19_999].task, number(20_000));
}
