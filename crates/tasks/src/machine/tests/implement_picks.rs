//! The agent picks the next of several tasks.

use std::num::NonZeroU64;

use review::Budget;
use review::events::AgentRole;
use review_flow::{Input, Machine, StepName};
use review_lane::Pick;
use review_types::{AgentError, FailedBy, Usage};

use super::fixture::{START, number, plan, result_of, task};
use super::lane_fixture::{Course, LANE, Script, complete, machine, machine_of, success};
use crate::machine::{
    LaneOp, LaneOptions, LaneOut, ReadyTask, TaskMachine, TaskNotice, TaskOut, TaskPlan,
};

fn picks() -> LaneOptions {
    LaneOptions {
        pick: Pick::Agent,
        ..LANE
    }
}

fn run(plan: TaskPlan, script: Script) -> Course {
    Course::scripted(&mut machine_of(plan, 1, picks()), START, &script)
}

fn three() -> TaskPlan {
    plan(vec![task(1, &[]), task(2, &[]), task(3, &[2])])
}

fn picked(task: u32) -> LaneOut {
    LaneOut::Picked(Some(number(task)))
}

/// The order in which tasks start, and the picks between them.
fn order(course: &Course) -> Vec<&str> {
    let lines = course.lines.iter().map(String::as_str);
    let lines = lines.filter(|line| line.starts_with("lane/pick") || line.ends_with("gate.1.1"));
    lines.collect()
}

#[test]
fn the_task_that_the_agent_picks_starts_first() {
    let script = Script::from([("lane/pick-1", picked(2)), ("lane/pick-2", picked(3))]);
    let course = run(three(), script);
    let expected = [
        "lane/pick-1",
        "task/2/gate.1.1",
        "lane/pick-2",
        "task/3/gate.1.1",
        "task/1/gate.1.1",
    ];
    assert_eq!(order(&course), expected);
    let LaneOp::Pick { tasks, .. } = course.op("lane/pick-1") else {
        panic!("a pick");
    };
    let ready = |task: u32, waiting: &[u32]| ReadyTask {
        task: number(task),
        title: format!("Task {task}"),
        waiting: waiting.iter().copied().map(number).collect(),
    };
    assert_eq!(tasks[..], [ready(1, &[]), ready(2, &[3])]);
}

#[test]
fn without_a_usable_pick_the_lowest_number_is_next() {
    let failed = AgentError::new(FailedBy::Status(7).into(), "it broke");
    for out in [
        LaneOut::Picked(None),
        picked(3),
        picked(9),
        LaneOut::NotPicked(failed),
    ] {
        let course = run(three(), Script::from([("lane/pick-1", out.clone())]));
        let expected = ["lane/pick-1", "task/1/gate.1.1", "task/2/gate.1.1"];
        assert_eq!(order(&course)[..3], expected, "{out:?}");
        assert!(course.done.expect("it ended").blocked.is_none(), "{out:?}");
    }
}

#[test]
fn the_agent_is_not_asked_where_there_is_nothing_to_choose_for_it() {
    let chain = plan(vec![task(1, &[]), task(2, &[1])]);
    let claimed = plan(vec![task(1, &[]), complete(task(2, &[]))]);
    for (tasks, first) in [(chain, "task/1/gate.1.1"), (claimed, "task/2/gate.1.1")] {
        let course = run(tasks, Script::new());
        assert_eq!(order(&course)[0], first);
        assert_eq!(order(&course).len(), 2);
    }
    let course = Course::scripted(&mut machine(three(), 1), START, &Script::new());
    let expected = ["task/1/gate.1.1", "task/2/gate.1.1", "task/3/gate.1.1"];
    assert_eq!(order(&course), expected);
}

fn limited(max_calls: Option<u32>, max_tokens: Option<u64>) -> TaskMachine {
    let limits = Budget {
        max_calls,
        max_tokens: max_tokens.and_then(NonZeroU64::new),
        max_cost: None,
    };
    let lane = LaneOptions { limits, ..picks() };
    machine_of(three(), 1, lane)
}

#[test]
fn a_pick_is_a_call_of_the_run_and_leaves_one_for_the_task() {
    let run = |calls| Course::scripted(&mut limited(Some(calls), None), START, &Script::new());
    assert_eq!(order(&run(1))[0], "task/1/gate.1.1");
    let course = run(2);
    assert_eq!(order(&course)[..2], ["lane/pick-1", "task/2/gate.1.1"]);
    let works = course
        .ops
        .iter()
        .filter(|(step, _)| step.as_str().contains("/work."));
    assert_eq!(works.count(), 1);
}

#[test]
fn what_a_pick_consumes_counts_and_is_reported_without_a_task() {
    let used = Usage {
        input_tokens: 40,
        ..Usage::default()
    };
    let mut machine = limited(None, Some(100));
    machine.next(START);
    let lane = |word: &str| StepName::new("lane", 0, word);
    let open = success(&lane("open"), &LaneOp::Open);
    machine.next(result_of(lane("open"), TaskOut::Lane(open)));
    let mut result = result_of(lane("pick-1"), TaskOut::Lane(picked(2)));
    if let Input::Finished { record, .. } = &mut result {
        record.usage = Some(used);
    }
    let course = Course::drive(&mut machine, result, success, |_| 0);
    let LaneOp::Work { allowance, .. } = course.op("task/2/work.1") else {
        panic!("a call");
    };
    assert_eq!(allowance.tokens, Some(60));
    let called = course.notices.iter().find_map(|notice| match notice {
        TaskNotice::Called(call) => Some((call.task, call.role, call.iteration, call.usage)),
        _ => None,
    });
    let expected = (None, AgentRole::Implementer, 1, Some(used));
    assert_eq!(called, Some(expected));
}
