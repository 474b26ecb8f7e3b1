//! Properties of the implementation of tasks by agents, with any results.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use proptest::prelude::*;
use review::LimitReached;
use review::events::{AttemptCode, TaskState};
use review::machine::{ReviewOp, ReviewOut};
use review_flow::{Command, Machine, StepName, hash_bytes};
use review_lane::{AccountCode, AccountEntry, Pick, TreeId};
use review_types::{AgentError, Failure, LandCode, TaskNumber, TaskStatus, Verdict};

use super::fixture::{START, approved, number, plan, resumed, task};
use super::lane_fixture::{
    Course, LANE, commit, exit_1, green, joined, machine, machine_of, read, reviewed, says,
    snapshot, success, tested, tree,
};
use crate::machine::{
    AgentClaim, GateCommand, GateKind, LaneOp, LaneOptions, LaneOut, MergedTrees, PlannedTask, Ran,
    RunnerChange, SnapshotFault, TaskNotice, TaskOp, TaskPlan, Worked,
};

/// How often a task may go back because of the work of others.
const RETURNS: u32 = 2;

/// Returns the result of a step: the same for the same step and seed. One in `luck`
/// results is not a success.
pub(super) fn any_result(seed: u64, luck: u8, step: &StepName, op: &LaneOp) -> LaneOut {
    let bytes = hash_bytes(format!("{seed}/{step}").as_bytes());
    let [first, second, ..] = *bytes.as_bytes();
    if first % luck != 0 {
        return match op {
            LaneOp::Merge { .. } if second % 3 == 0 => LaneOut::Merged {
                trees: MergedTrees {
                    protected: (second % 2 == 0).then(|| tree(&format!("{step} protected"))),
                    reverted: (second % 5 == 0).then(|| tree(&format!("{step} reverted"))),
                    failing: None,
                    runner: (second % 7 == 0).then(|| RunnerChange {
                        tree: tree(&format!("{step} whole")),
                        files: vec!["conftest.py".to_owned()],
                        is_set_aside: first % 2 == 0,
                    }),
                    ..MergedTrees::of(tree(step.as_str()))
                },
            },
            _ => success(step, op),
        };
    }
    match op {
        LaneOp::Open => LaneOut::Cut(LimitReached::RunTime),
        LaneOp::Pick { tasks, .. } => match second % 5 {
            0 => LaneOut::Picked(None),
            1 => LaneOut::Picked(Some(number(9))),
            2 => LaneOut::Picked(tasks.first().map(|first| first.task)),
            3 => LaneOut::NotPicked(AgentError::new(Failure::AuthFailed, "no")),
            _ => LaneOut::Cut(LimitReached::RunTime),
        },
        LaneOp::Checkout { .. } => LaneOut::SetupFailed(exit_1()),
        LaneOp::Work { .. } => match second % 6 {
            0 => says(AgentClaim::AlreadySatisfied),
            1 => says(AgentClaim::Question {
                text: "what?".to_owned(),
            }),
            2 => LaneOut::Worked(Worked::Failed(AgentError::new(Failure::AuthFailed, "no"))),
            3 => LaneOut::Cut(LimitReached::Cost),
            _ => LaneOut::Worked(Worked::Failed(AgentError::new(
                Failure::RateLimited {
                    retry_at: None,
                    of_plan: false,
                },
                "busy",
            ))),
        },
        LaneOp::Snapshot { .. } => match second % 2 {
            0 => snapshot(step.as_str(), 0),
            _ => LaneOut::Snapshot {
                commit: commit(step.as_str()),
                tree: tree(step.as_str()),
                files: 1,
                fault: Some(SnapshotFault {
                    code: AttemptCode::FileRefused,
                    reason: "sub".to_owned(),
                }),
                restored: Vec::new(),
            },
        },
        LaneOp::Account { .. } => LaneOut::Accounted {
            entries: vec![AccountEntry {
                code: AccountCode::ALL[usize::from(second) % AccountCode::ALL.len()],
                text: "a".to_owned(),
            }],
            more: 0,
        },
        LaneOp::Merge { .. } => LaneOut::Conflicts {
            paths: vec!["a".to_owned()],
        },
        LaneOp::Gate { kind, .. } => LaneOut::Gated(match (kind, second % 4) {
            (GateKind::Before, _) => green(),
            (GateKind::Merged | GateKind::Again, 0) => tested("fewer", &["a"], &[]),
            (GateKind::Merged | GateKind::Again, 1) => tested("skips", &[], &["a"]),
            _ => exit_1(),
        }),
        LaneOp::Review { op, .. } => match (&**op, second % 5) {
            (ReviewOp::Review(_), 0 | 1) => read(Verdict::NeedsRevision),
            (ReviewOp::Review(_), 2) => reviewer(Failure::AuthFailed),
            (ReviewOp::Review(_), 3) => reviewer(Failure::RateLimited {
                retry_at: None,
                of_plan: false,
            }),
            (ReviewOp::Ledger(_), _) => joined(1),
            _ => LaneOut::Cut(LimitReached::RunTime),
        },
        LaneOp::Complete { .. } if second % 2 == 0 => LaneOut::Recorded,
        LaneOp::WriteChange { .. }
        | LaneOp::Advance { .. }
        | LaneOp::Complete { .. }
        | LaneOp::Record { .. } => LaneOut::Cut(LimitReached::RunTime),
        LaneOp::Carry { .. } => LaneOut::NotLanded {
            code: LandCode::Conflict,
            reason: "no".to_owned(),
        },
        LaneOp::Land { .. } => LaneOut::NotLanded {
            code: LandCode::TargetMoved,
            reason: "no".to_owned(),
        },
    }
}

fn reviewer(failure: Failure) -> LaneOut {
    LaneOut::Reviewed(Box::new(ReviewOut::Failed(AgentError::new(failure, "no"))))
}

fn any_task(of: u32) -> impl Strategy<Value = PlannedTask> {
    let status = prop::sample::select(TaskStatus::ALL.to_vec());
    // Some share a command, and some depend on tasks that do not exist.
    (prop::collection::vec(1u32..9, 0..3), status, 0u32..4).prop_map(
        move |(depends_on, claims, shared)| PlannedTask {
            claims,
            commands: match shared {
                0 => vec!["check all".to_owned()],
                _ => vec![format!("check {of}")],
            },
            ..task(of, &depends_on)
        },
    )
}

fn any_plan() -> impl Strategy<Value = TaskPlan> {
    (0u32..7).prop_flat_map(|len| (1..=len).map(any_task).collect::<Vec<_>>().prop_map(plan))
}

/// A run with any results: its plan, the number of jobs, and what happened.
#[derive(Debug)]
struct AnyRun {
    plan: TaskPlan,
    jobs: u32,
    lane: LaneOptions,
    course: Course,
}

fn any_run() -> impl Strategy<Value = AnyRun> {
    let order = prop::collection::vec(0usize..8, 0..40);
    let checked = LaneOptions {
        check: Some("check everything".to_owned()),
        check_every: NonZeroU32::new(2).unwrap(),
        ..LANE
    };
    let picked = LaneOptions {
        pick: Pick::Agent,
        ..LANE
    };
    let lane = prop::sample::select(vec![LANE, reviewed(), checked, picked]);
    (any_plan(), 1u32..4, any::<u64>(), 1u8..40, order, lane).prop_map(
        |(plan, jobs, seed, luck, mut order, lane)| {
            let jobs = if lane.pick == Pick::Agent { 1 } else { jobs };
            let course = Course::drive(
                &mut machine_of(plan.clone(), jobs, lane.clone()),
                START,
                |step, op| any_result(seed, luck, step, op),
                |open| order.pop().unwrap_or(0) % open,
            );
            AnyRun {
                plan,
                jobs,
                lane,
                course,
            }
        },
    )
}

impl AnyRun {
    fn is_cut(&self) -> bool {
        let code = self
            .course
            .done
            .as_ref()
            .and_then(|done| done.blocked.as_ref())
            .map(|blocked| blocked.code);
        code.is_some_and(|code| code.outcome() == review_types::Outcome::Limit)
    }

    fn state(&self, task: TaskNumber) -> TaskState {
        let done = self.course.done.as_ref().expect("it ended");
        let found = done.tasks.iter().find(|outcome| outcome.task == task);
        found.map_or(TaskState::NotRun, |outcome| outcome.state)
    }

    /// Returns the operations on the lane whose results were taken in, with them.
    fn results(&self) -> Vec<(&LaneOp, &LaneOut)> {
        let ops: BTreeMap<_, _> = self
            .course
            .ops
            .iter()
            .map(|(step, op)| (step, op))
            .collect();
        let results = self.course.inputs.iter().filter_map(|input| match input {
            review_flow::Input::Finished { step, record } => Some((ops.get(step)?, &record.out)),
            _ => None,
        });
        let results = results.filter_map(|(op, out)| match (op, out) {
            (TaskOp::Lane(op), crate::machine::TaskOut::Lane(out)) => Some((&**op, out)),
            _ => None,
        });
        results.collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_task_has_a_final_state_and_dependents_of_failures_are_skipped(run in any_run()) {
        let done = run.course.done.as_ref().expect("it ended");
        prop_assert_eq!(done.tasks.len(), run.plan.tasks().len());
        let proved = done.tasks.iter().all(|task| task.state.is_done());
        prop_assert_eq!(done.blocked.is_none(), proved);
        let on_lane: BTreeSet<_> = run.course.notices.iter().filter_map(|notice| match notice {
            TaskNotice::OnLane(on_lane) => Some(on_lane.task),
            _ => None,
        }).collect();
        for task in run.plan.tasks() {
            let state = run.state(task.number);
            let is_blocked = task.depends_on.iter().any(|before| {
                !run.state(*before).meets_dependency() && !on_lane.contains(before)
            });
            if is_blocked && !run.is_cut() {
                prop_assert_eq!(state, TaskState::Skipped);
            }
            if state == TaskState::Skipped {
                let is_blocked = task.depends_on.iter().any(|before| {
                    !run.state(*before).meets_dependency()
                });
                prop_assert!(is_blocked, "task {} is skipped without a reason", task.number);
            }
        }
    }

    #[test]
    fn each_pick_is_followed_by_the_start_of_one_task(run in any_run()) {
        let mut machine = machine_of(run.plan.clone(), run.jobs, run.lane.clone());
        let mut picks = BTreeSet::new();
        for input in &run.course.inputs {
            let is_pick = match input {
                review_flow::Input::Finished { step, .. } => picks.remove(step),
                _ => false,
            };
            let turn = machine.next(input.clone());
            let is_start = |notice: &&TaskNotice| matches!(notice, TaskNotice::Started(_));
            let starts = turn.notices.iter().filter(is_start).count();
            let is_cut = turn.done.is_some();
            prop_assert!(!is_pick || is_cut || starts == 1, "{} tasks start", starts);
            for command in &turn.commands {
                if let Command::Do { step, op: TaskOp::Lane(op) } = command
                    && matches!(**op, LaneOp::Pick { .. })
                {
                    prop_assert_eq!(run.lane.pick, Pick::Agent);
                    prop_assert_eq!(turn.commands.len(), 1);
                    picks.insert(step.clone());
                }
            }
        }
    }

    #[test]
    fn no_step_is_named_twice_and_jobs_are_not_exceeded(run in any_run()) {
        let mut names = BTreeSet::new();
        for (step, _) in &run.course.ops {
            prop_assert!(names.insert(step.clone()), "{} is asked for twice", step);
        }
        let mut open = BTreeSet::new();
        let mut machine = machine_of(run.plan.clone(), run.jobs, run.lane.clone());
        for input in &run.course.inputs {
            let turn = machine.next(input.clone());
            for command in &turn.commands {
                open.insert(command.step().clone());
            }
            if let review_flow::Input::Finished { step, .. } | review_flow::Input::Waited { step, .. } = input
                && !turn.commands.iter().any(|command| command.step() == step) {
                open.remove(step);
            }
            prop_assert!(open.len() <= run.jobs as usize);
        }
    }

    #[test]
    fn no_agent_is_called_once_it_could_not_be_called_for_a_task(run in any_run()) {
        let mut machine = machine_of(run.plan.clone(), run.jobs, run.lane.clone());
        let mut is_unavailable = false;
        for input in &run.course.inputs {
            let turn = machine.next(input.clone());
            is_unavailable |= turn.notices.iter().any(|notice| matches!(
                notice,
                TaskNotice::Attempted(attempt, _)
                    if attempt.code == AttemptCode::AgentUnavailable && attempt.retry_in_ms.is_none()
            ));
            for command in &turn.commands {
                let review_flow::Command::Do { step, op } = command else { continue };
                let is_call = match lane_op(op) {
                    Some(LaneOp::Work { .. }) => true,
                    Some(LaneOp::Review { op, .. }) => matches!(**op, ReviewOp::Review(_)),
                    _ => false,
                };
                prop_assert!(!(is_call && is_unavailable), "{} is asked for", step);
            }
        }
    }

    #[test]
    fn attempts_returns_and_repetitions_stay_within_their_limits(run in any_run()) {
        let mut rejected = BTreeMap::<_, u32>::new();
        let mut returned = BTreeMap::<_, u32>::new();
        let mut repeated = BTreeMap::<_, u32>::new();
        for notice in &run.course.notices {
            let TaskNotice::Attempted(attempt, _) = notice else { continue };
            let is_return = matches!(
                attempt.code,
                AttemptCode::TextConflict | AttemptCode::SemanticConflict
            );
            let count = match (attempt.retry_in_ms, is_return) {
                (Some(_), _) => repeated.entry((attempt.task, attempt.attempt)).or_default(),
                (None, true) => returned.entry(attempt.task).or_default(),
                (None, false) => rejected.entry(attempt.task).or_default(),
            };
            *count += 1;
        }
        prop_assert!(rejected.values().all(|count| *count <= LANE.attempts.get()));
        // The last one parks the task.
        prop_assert!(returned.values().all(|count| *count <= RETURNS + 1));
        prop_assert!(repeated.values().all(|count| *count <= LANE.retries));
        let checkouts = run.course.ops.iter().filter_map(|(_, op)| match lane_op(op) {
            Some(LaneOp::Checkout { attempt, .. }) => Some(*attempt),
            _ => None,
        });
        let most = LANE.attempts.get() + RETURNS;
        prop_assert!(checkouts.max().unwrap_or(0) <= most);
    }

    #[test]
    fn a_change_goes_to_the_lane_once_and_only_when_its_tree_is_proved(run in any_run()) {
        let mut green_trees = BTreeSet::<(TaskNumber, TreeId)>::new();
        let mut whole_trees = green_trees.clone();
        let mut protected = BTreeMap::<(TaskNumber, TreeId), Option<TreeId>>::new();
        let mut on_lane = BTreeSet::new();
        let is_left = |task: TaskNumber| {
            matches!(run.state(task), TaskState::Parked | TaskState::Held | TaskState::NotRun)
        };
        let mut integrating = None;
        for (_, op) in &run.course.ops {
            match lane_op(op) {
                Some(LaneOp::Merge { task, .. }) => {
                    let before = integrating.replace(task.number);
                    prop_assert!(before.is_none_or(is_left), "{} is merged beside {:?}", task.number, before);
                }
                Some(LaneOp::Advance { .. }) => integrating = None,
                Some(LaneOp::Checkout { task, .. }) if integrating == Some(*task) => integrating = None,
                _ => {}
            }
        }
        for (op, out) in run.results() {
            match (op, out) {
                (LaneOp::Merge { task, .. }, LaneOut::Merged { trees }) => {
                    let (task, tree, tests) = (&task.number, &trees.merged, &trees.protected);
                    prop_assert!(!on_lane.contains(task), "task {} is merged twice", task);
                    protected.insert((*task, tree.clone()), tests.clone());
                }
                (LaneOp::Gate { command: GateCommand::Task(task), tree, kind, .. }, LaneOut::Gated(ran))
                    if ran.failure.is_none() && !matches!(kind, GateKind::Before | GateKind::Alone | GateKind::Reverted) =>
                {
                    let tree = (task.number, tree.clone());
                    if has_all_tests(ran) {
                        whole_trees.insert(tree.clone());
                    }
                    green_trees.insert(tree);
                }
                (LaneOp::Gate { kind: GateKind::Fresh, .. } | LaneOp::Gate { command: GateCommand::Check(_), .. }, LaneOut::Gated(_)) => {
                    // One of them may go back to its agent, and come again.
                    on_lane.clear();
                }
                (LaneOp::Advance { task, tree, .. }, _) => {
                    let merged = (task.number, tree.clone());
                    prop_assert!(whole_trees.contains(&merged));
                    if let Some(Some(tests)) = protected.get(&merged) {
                        prop_assert!(green_trees.contains(&(task.number, tests.clone())));
                    }
                    on_lane.insert(task.number);
                }
                (LaneOp::Land { tasks, .. }, LaneOut::Landed { .. }) => {
                    for task in tasks {
                        prop_assert_eq!(run.state(*task), TaskState::Landed);
                    }
                }
                _ => {}
            }
        }
    }

    #[test]
    fn what_lands_is_a_tree_on_which_the_commands_of_all_tasks_pass(run in any_run()) {
        let mut passed = BTreeSet::<(Vec<String>, TreeId)>::new();
        let mut carried = BTreeMap::new();
        for (op, out) in run.results() {
            match (op, out) {
                (LaneOp::Gate { command: GateCommand::Task(task), tree, .. }, LaneOut::Gated(ran)) if ran.failure.is_none() => {
                    passed.insert((task.commands.clone(), tree.clone()));
                }
                (LaneOp::Gate { command: GateCommand::Check(command), tree, .. }, LaneOut::Gated(ran)) if ran.failure.is_none() => {
                    passed.insert((vec![command.clone()], tree.clone()));
                }
                (LaneOp::Carry { .. }, LaneOut::Carried { commit, tree }) => {
                    carried.insert(commit.to_string(), tree.clone());
                }
                (LaneOp::Land { commit, tasks }, _) => {
                    let tree = &carried[&commit.to_string()];
                    let of_tasks = tasks.iter().filter_map(|task| run.plan.task(*task));
                    let commands = of_tasks.map(|task| task.commands.clone());
                    let check = run.lane.check.iter().map(|check| vec![check.clone()]);
                    for command in commands.chain(check) {
                        prop_assert!(passed.contains(&(command.clone(), tree.clone())), "{:?}", command);
                    }
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_reviewed_change_goes_to_the_lane_only_after_a_pass_on_that_very_tree(run in any_run()) {
        let mut passed = BTreeSet::new();
        let mut trees = BTreeMap::new();
        for (op, out) in run.results() {
            match (op, out) {
                (LaneOp::WriteChange { task, tree, .. }, LaneOut::ChangeWritten { base }) => {
                    trees.insert((task.number, base.artifact), tree.clone());
                    passed.remove(&(task.number, tree.clone()));
                }
                (LaneOp::Review { task, base, .. }, LaneOut::Reviewed(out)) => {
                    let tree = (*task, trees[&(*task, base.artifact)].clone());
                    match &**out {
                        ReviewOut::Read(read) if read.verdict == Verdict::Pass => {
                            passed.insert(tree);
                        }
                        ReviewOut::Read(_) => drop(passed.remove(&tree)),
                        _ => {}
                    }
                }
                (LaneOp::Advance { task, tree, .. }, _) if run.lane.review.is_some() => {
                    prop_assert!(passed.contains(&(task.number, tree.clone())));
                }
                _ => {}
            }
        }
        let mut rounds = BTreeMap::<_, u32>::new();
        for notice in &run.course.notices {
            if let TaskNotice::Reviewed(reviewed) = notice {
                *rounds.entry(reviewed.task).or_default() += 1;
            }
        }
        // Each attempt has a round, and a second where a revision names nothing that blocks.
        let most = 2 * (LANE.attempts.get() + RETURNS);
        prop_assert!(rounds.values().all(|count| *count <= most), "{:?}", rounds);
    }

    #[test]
    fn replaying_any_prefix_gives_the_same_commands_and_notices(run in any_run(), cut in 0usize..60) {
        let mut machine = machine_of(run.plan.clone(), run.jobs, run.lane.clone());
        let mut replayed = Course::default();
        for input in run.course.inputs.iter().take(cut) {
            replayed.take(&machine.next(input.clone()));
        }
        prop_assert!(run.course.lines.starts_with(&replayed.lines));
        prop_assert!(run.course.ops.starts_with(&replayed.ops));
    }

    #[test]
    fn an_approval_lands_the_held_tasks_and_gives_no_other_task_new_attempts(
        plan in any_plan(),
        held in any::<u8>(),
        idle in any::<u8>(),
        jobs in 1u32..4,
    ) {
        let mut machine = machine(plan.clone(), jobs);
        let is_in = |set: u8, task: TaskNumber| set & (1 << task.get()) != 0;
        let first = Course::drive(&mut machine, START, |step, op| match op {
            LaneOp::Gate { command: GateCommand::Task(task), kind: GateKind::Merged, .. } if is_in(held, task.number) => {
                LaneOut::Gated(tested("fewer", &["a"], &[]))
            }
            LaneOp::Snapshot { task, .. } if is_in(idle, task.number) => snapshot("none", 0),
            _ => success(step, op),
        }, |_| 0);
        let states = |course: &Course| {
            let tasks = course.done.as_ref().expect("it ended").tasks.iter();
            tasks.map(|task| (task.task, task.state)).collect::<BTreeMap<_, _>>()
        };
        let before = states(&first);
        let all_held: Vec<_> = before.iter().filter(|(_, state)| **state == TaskState::Held).collect();
        let held: Vec<_> = all_held.iter().map(|(task, _)| task.get()).collect();
        // A resume without approvals gives new attempts.
        if held.is_empty() {
            return Ok(());
        }
        let second = Course::drive(&mut machine, approved(1, &held), success, |_| 0);
        let after = states(&second);
        for (task, state) in &before {
            match state {
                TaskState::Held => prop_assert!(after[task].meets_dependency(), "{task} {after:?}"),
                TaskState::Parked => prop_assert_eq!(after[task], TaskState::Parked),
                _ => {}
            }
        }
        let worked = second.ops.iter().filter_map(|(_, op)| match lane_op(op) {
            Some(LaneOp::Work { task, .. }) => Some(task.number),
            _ => None,
        });
        for task in worked {
            prop_assert!(!matches!(before[&task], TaskState::Held | TaskState::Parked));
        }
    }

    #[test]
    fn a_resume_without_failures_lands_everything_that_can_be(
        plan in any_plan(),
        seed in any::<u64>(),
        luck in 1u8..40,
        lane in prop::sample::select(vec![LANE, reviewed()]),
    ) {
        let mut machine = machine_of(plan.clone(), 1, lane);
        let first = Course::drive(&mut machine, START, |step, op| any_result(seed, luck, step, op), |_| 0);
        let kept = |course: &Course| {
            let tasks = course.done.as_ref().expect("it ended").tasks.iter();
            let kept = tasks.filter(|task| task.state.meets_dependency()).map(|task| task.task);
            kept.collect::<BTreeSet<_>>()
        };
        let before = kept(&first);
        let second = Course::drive(&mut machine, resumed(None), success, |_| 0);
        let after = kept(&second);
        prop_assert!(after.is_superset(&before));
        let worked: BTreeSet<_> = second.ops.iter().filter_map(|(_, op)| match lane_op(op) {
            Some(LaneOp::Work { task, .. }) => Some(task.number),
            _ => None,
        }).collect();
        prop_assert!(worked.is_disjoint(&before), "what is done is not done again");
        for task in plan.tasks() {
            let is_ready = task.depends_on.iter().all(|before| after.contains(before));
            if is_ready {
                prop_assert!(after.contains(&task.number));
            }
        }
    }
}

/// Returns whether a command ran all tests that it ran before.
fn has_all_tests(ran: &Ran) -> bool {
    let tests = ran.tests.as_ref();
    tests.is_none_or(|tests| tests.gone.is_empty() && tests.skipped.is_empty())
}

fn lane_op(op: &TaskOp) -> Option<&LaneOp> {
    match op {
        TaskOp::Lane(op) => Some(op),
        TaskOp::Backpressure { .. } | TaskOp::Status { .. } => None,
    }
}
