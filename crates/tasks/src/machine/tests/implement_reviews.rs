//! The review of the changes of agents.

use std::collections::BTreeMap;

use review::Budget;
use review::events::{AttemptCode, TaskState};
use review::machine::{ReviewOp, ReviewOut};
use review_flow::StepName;
use review_types::{AgentError, BlockCode, Failure, Verdict};

use super::fixture::{START, plan, resumed, task};
use super::lane_fixture::{
    Course, LANE, base, exit_1, joined, machine_of, read, reviewed, success,
};
use crate::machine::{LaneOp, LaneOptions, LaneOut, TaskMachine, TaskPlan};

fn one() -> TaskPlan {
    plan(vec![task(1, &[])])
}

fn failed(failure: Failure) -> LaneOut {
    let error = AgentError::new(failure, "it broke");
    LaneOut::Reviewed(Box::new(ReviewOut::Failed(error)))
}

/// Drives a machine whose reviewers give these answers for each task, in order, and a pass
/// after them.
fn drive(
    machine: &mut TaskMachine,
    answers: impl IntoIterator<Item = (u32, Vec<LaneOut>)>,
) -> Course {
    let mut answers: BTreeMap<_, _> = answers
        .into_iter()
        .map(|(task, answers)| (task, answers.into_iter()))
        .collect();
    let mut blocks = BTreeMap::new();
    Course::drive(
        machine,
        START,
        |step: &StepName, op: &LaneOp| {
            let LaneOp::Review {
                task, op: asked, ..
            } = op
            else {
                return success(step, op);
            };
            match &**asked {
                ReviewOp::Review(_) => {
                    let given = answers.get_mut(&task.get()).and_then(Iterator::next);
                    let out = given.unwrap_or_else(|| read(Verdict::Pass));
                    blocks.insert(*task, u32::from(out == read(Verdict::NeedsRevision)));
                    out
                }
                ReviewOp::Ledger(_) => joined(blocks[task]),
                _ => success(step, op),
            }
        },
        |_| 0,
    )
}

fn run(plan: TaskPlan, answers: impl IntoIterator<Item = (u32, Vec<LaneOut>)>) -> Course {
    drive(&mut machine_of(plan, 1, reviewed()), answers)
}

fn revise(rounds: usize) -> Vec<LaneOut> {
    vec![read(Verdict::NeedsRevision); rounds]
}

fn states(course: &Course) -> Vec<TaskState> {
    let done = course.done.as_ref().expect("it ended");
    done.tasks.iter().map(|task| task.state).collect()
}

#[test]
fn a_change_is_reviewed_once_its_command_passes_and_before_it_is_on_the_lane() {
    let course = run(one(), []);
    let from = course
        .lines
        .iter()
        .position(|line| line == "task/1/merge.1");
    let lines = &course.lines[from.expect("it is merged")..];
    assert_eq!(
        lines[..8],
        [
            "task/1/merge.1",
            "task/1/gate.1.2",
            "task/1/change.1",
            "task/1/review.1",
            "review 1 of 1.1: pass",
            "task/1/review.1.2",
            "task/1/advance.1",
            "on_lane 1",
        ]
    );
    let LaneOp::WriteChange { tree: merged, .. } = course.op("task/1/change.1") else {
        panic!("{course:?}");
    };
    let LaneOp::Review { base: asked, .. } = course.op("task/1/review.1") else {
        panic!("{course:?}");
    };
    assert_eq!(*asked, base(merged));
    let LaneOp::Advance { tree, .. } = course.op("task/1/advance.1") else {
        panic!("{course:?}");
    };
    assert_eq!(tree, merged);
    assert_eq!(states(&course), [TaskState::Landed]);
}

#[test]
fn a_change_whose_command_fails_is_not_reviewed() {
    let course = Course::drive(
        &mut machine_of(one(), 1, reviewed()),
        START,
        |step, op| match op {
            LaneOp::Gate { .. } => LaneOut::Gated(exit_1()),
            LaneOp::WriteChange { .. } => panic!("{step}"),
            _ => success(step, op),
        },
        |_| 0,
    );
    assert_eq!(states(&course), [TaskState::Parked]);
}

#[test]
fn the_feedback_of_a_review_goes_to_the_next_attempt_which_is_the_next_round() {
    let course = run(one(), [(1, revise(1))]);
    let reason = "the review of its change asks for a revision, with 1 item: it does too much";
    assert_eq!(
        course.reports(),
        [
            "review 1 of 1.1: needs_revision",
            &format!("attempt 1.1 change_rejected: {reason}"),
            "review 2 of 1.2: pass",
            "on_lane 1",
            "change of 1",
            "landed [1] on main",
            "complete 1",
        ]
    );
    let LaneOp::Work {
        last: Some(last), ..
    } = course.op("task/1/work.2")
    else {
        panic!("{course:?}");
    };
    assert_eq!(last.code, AttemptCode::ChangeRejected);
    assert_eq!(last.reason, reason);
    let feedback = review_flow::hash_bytes(b"task/1/review.1.3");
    assert_eq!(last.tail, Some(feedback));
    // The second round knows the first, and the findings.
    let LaneOp::Review { op, .. } = course.op("task/1/review.2") else {
        panic!("{course:?}");
    };
    let ReviewOp::Review(asked) = &**op else {
        panic!("{op:?}");
    };
    assert_eq!(asked.iteration, 2);
    assert_eq!(asked.history.len(), 1);
    assert!(asked.ledger.is_some());
}

#[test]
fn a_change_that_never_passes_parks_its_task_and_the_others_go_on() {
    let tasks = plan(vec![task(1, &[]), task(2, &[1]), task(3, &[])]);
    let course = run(tasks, [(1, revise(9))]);
    assert_eq!(
        states(&course),
        [TaskState::Parked, TaskState::Skipped, TaskState::Landed]
    );
    let attempts = course.lines.iter();
    let rejected =
        attempts.filter(|line| line.contains("change_rejected") && line.starts_with("attempt"));
    assert_eq!(rejected.count(), LANE.attempts.get() as usize);
    let ops = course.ops.iter();
    assert!(
        !ops.clone()
            .any(|(step, _)| step.as_str().starts_with("task/1/advance"))
    );
}

#[test]
fn what_no_reviewer_judged_parks_the_task_and_is_reviewed_as_it_is_after_a_resume() {
    let mut machine = machine_of(one(), 1, reviewed());
    let course = drive(&mut machine, [(1, vec![failed(Failure::AuthFailed)])]);
    assert_eq!(states(&course), [TaskState::Parked]);
    let parked = course.reports()[0];
    assert!(
        parked.starts_with("attempt 1.1 review_failed: the review of its change ended without a pass (reviewer_failed): "),
        "{parked}"
    );
    let again = Course::drive(&mut machine, resumed(None), success, |_| 0);
    let steps: Vec<_> = again.ops.iter().map(|(step, _)| step.as_str()).collect();
    assert_eq!(
        steps[..7],
        [
            "lane~1/open",
            "task~1/1/merge.1",
            "task~1/1/gate.1.1",
            "task~1/1/change.1",
            "task~1/1/review.1",
            "task~1/1/review.1.2",
            "task~1/1/advance.1",
        ]
    );
    assert_eq!(states(&again), [TaskState::Landed]);
}

#[test]
fn a_review_that_was_cut_off_by_the_end_of_the_run_is_asked_again_without_an_agent() {
    let mut machine = machine_of(one(), 1, reviewed());
    let cut = LaneOut::Cut(review::LimitReached::RunTime);
    let course = drive(&mut machine, [(1, vec![cut])]);
    assert_eq!(states(&course), [TaskState::NotRun]);
    let again = Course::drive(&mut machine, resumed(None), success, |_| 0);
    assert!(
        !again
            .ops
            .iter()
            .any(|(step, _)| step.as_str().contains("work"))
    );
    assert_eq!(states(&again), [TaskState::Landed]);
}

#[test]
fn a_reviewer_that_is_asked_to_wait_is_called_again_after_a_pause() {
    let limited = failed(Failure::RateLimited {
        retry_at: None,
        of_plan: false,
    });
    let course = run(one(), [(1, vec![limited])]);
    let (step, delay) = &course.waits[0];
    assert_eq!(step, "task/1/review.1.2");
    assert!(!delay.is_zero());
    assert_eq!(states(&course), [TaskState::Landed]);
}

#[test]
fn reviews_and_agents_have_one_limit_of_calls() {
    let limits = Budget {
        max_calls: Some(1),
        ..Budget::default()
    };
    let lane = LaneOptions {
        limits,
        ..reviewed()
    };
    let mut machine = machine_of(one(), 1, lane);
    let course = drive(&mut machine, []);
    assert_eq!(states(&course), [TaskState::NotRun]);
    let code = course
        .done
        .as_ref()
        .and_then(|done| done.blocked.as_ref())
        .map(|blocked| blocked.code);
    assert_eq!(code, Some(BlockCode::Budget));
    assert!(
        !course
            .ops
            .iter()
            .any(|(step, _)| step.as_str().contains("review"))
    );
}

#[test]
fn a_change_that_comes_back_from_landing_is_reviewed_again() {
    let mut runs = 0;
    let course = Course::drive(
        &mut machine_of(one(), 1, reviewed()),
        START,
        |step, op| match op {
            LaneOp::Gate {
                kind: crate::machine::GateKind::Landing | crate::machine::GateKind::Fresh,
                ..
            } => {
                runs += 1;
                // Red twice, then green.
                LaneOut::Gated(if runs <= 2 {
                    exit_1()
                } else {
                    super::lane_fixture::green()
                })
            }
            _ => success(step, op),
        },
        |_| 0,
    );
    let reviews: Vec<_> = course.reports();
    let reviews: Vec<_> = reviews
        .iter()
        .filter(|line| line.starts_with("review "))
        .collect();
    assert_eq!(
        reviews,
        [&"review 1 of 1.1: pass", &"review 2 of 1.2: pass"]
    );
    assert_eq!(states(&course), [TaskState::Landed]);
}
