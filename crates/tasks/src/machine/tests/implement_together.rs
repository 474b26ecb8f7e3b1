//! The commands of all tasks together: when they run, and which task is to blame if one
//! fails.

use std::num::NonZeroU32;

use proptest::prelude::*;
use review::LimitReached;
use review::events::{AttemptCode, TaskState};
use review_flow::{Command, Input, Machine, StepName};
use review_lane::TreeId;
use review_types::{LandCode, TaskNumber};

use super::fixture::{START, number, plan, resumed, task};
use super::lane_fixture::{Course, LANE, exit_1, green, machine_of, snapshot, success, tree};
use crate::machine::{GateCommand, GateKind, LaneOp, LaneOptions, LaneOut, TaskNotice, TaskPlan};

const CHECK: &str = "check all";

/// A task that breaks a command with its first commits.
#[derive(Clone, Debug)]
struct Breaks {
    task: u32,
    command: String,
    /// The number of its commits until it is repaired.
    commits: usize,
}

/// What commands find on the commits of a lane.
#[derive(Debug, Default)]
struct World {
    broken: Vec<Breaks>,
    /// Whether `lane.check` fails without the work of any task.
    fails_before: bool,
    /// The commits, with their tasks.
    lane: Vec<(TaskNumber, TreeId)>,
}

impl World {
    fn new(broken: &[(u32, &str)]) -> Self {
        let broken = broken.iter().map(|(task, command)| Breaks {
            task: *task,
            command: (*command).to_owned(),
            commits: 1,
        });
        Self {
            broken: broken.collect(),
            ..Self::default()
        }
    }

    fn answer(&mut self, step: &StepName, op: &LaneOp) -> LaneOut {
        match op {
            LaneOp::Advance { task, .. } | LaneOp::Complete { task, .. } => {
                self.lane.push((task.number, tree(step.as_str())));
                success(step, op)
            }
            LaneOp::Gate {
                command: GateCommand::Task(task),
                tree,
                kind,
                ..
            } if !is_of_one_task(*kind) => self.run(&task.commands[0], tree),
            LaneOp::Gate {
                command: GateCommand::Check(command),
                tree,
                ..
            } => self.run(command, tree),
            _ => success(step, op),
        }
    }

    fn run(&self, command: &str, tree: &TreeId) -> LaneOut {
        let at = self.lane.iter().position(|(_, known)| known == tree);
        let lane = &self.lane[..at.map_or(0, |at| at + 1)];
        let place = |is_it: &dyn Fn(u32) -> bool| {
            let mut tasks = self.lane.iter().map(|(task, _)| task.get());
            tasks.position(is_it)
        };
        let own = place(&|task| command == format!("check {task}"));
        let breaks = |one: &Breaks| {
            // The gate of a task that comes later shows it to that task.
            let is_before = own.is_none_or(|own| Some(own) <= place(&|task| task == one.task));
            let commits = lane.iter().filter(|(task, _)| task.get() == one.task);
            one.command == command && is_before && (1..=one.commits).contains(&commits.count())
        };
        let is_red = self.broken.iter().any(breaks) || (self.fails_before && command == CHECK);
        LaneOut::Gated(if is_red { exit_1() } else { green() })
    }
}

fn is_of_one_task(kind: GateKind) -> bool {
    !matches!(
        kind,
        GateKind::Together | GateKind::Landing | GateKind::Fresh | GateKind::Bisect
    )
}

fn tasks(count: u32) -> TaskPlan {
    plan((1..=count).map(|of| task(of, &[])).collect())
}

fn lane(check: Option<&str>, every: u32) -> LaneOptions {
    LaneOptions {
        check: check.map(str::to_owned),
        check_every: NonZeroU32::new(every).unwrap_or(NonZeroU32::MAX),
        ..LANE
    }
}

fn run_in(world: &mut World, plan: TaskPlan, jobs: u32, lane: LaneOptions) -> Course {
    Course::drive(
        &mut machine_of(plan, jobs, lane),
        START,
        |step, op| world.answer(step, op),
        |_| 0,
    )
}

/// The steps of the lane itself, and the ends of the work at tasks, in order.
fn steps(course: &Course) -> Vec<&str> {
    let lines = course.lines.iter().map(String::as_str);
    let is_shown = |line: &&str| {
        line.starts_with("lane/") || line.contains("advance") || line.contains("semantic_conflict")
    };
    lines.filter(is_shown).skip(1).collect()
}

fn is_landed(course: &Course) -> bool {
    let tasks = &course.done.as_ref().expect("it ended").tasks;
    tasks.iter().all(|task| task.state == TaskState::Landed)
}

#[test]
fn the_task_that_broke_the_command_of_another_gets_it_back() {
    let mut world = World::new(&[(3, "check 1")]);
    let course = run_in(&mut world, tasks(5), 1, LANE);
    let steps = steps(&course);
    assert_eq!(
        steps[6..],
        [
            // The first command twice, and the second of the five is not run.
            "lane/gate-1.1",
            "lane/gate-1.2",
            "lane/bisect-1.1",
            "lane/bisect-1.2",
            "lane/bisect-1.3",
            "attempt 3.1 semantic_conflict: task 3 broke `check 1` of task 1: exit status 1",
            "task/3/advance.2",
            "lane/carry-2",
            "lane/gate-2.1",
            "lane/gate-2.2",
            "lane/gate-2.3",
            "lane/gate-2.4",
            "lane/gate-2.5",
            "lane/land-2",
        ]
    );
    let searched = ["lane/bisect-1.1", "lane/bisect-1.2", "lane/bisect-1.3"];
    let searched = searched.map(|step| match course.op(step) {
        LaneOp::Gate { tree, kind, .. } => (tree.clone(), *kind),
        other => panic!("{other:?}"),
    });
    let of = |step| tree(&format!("task/{step}/advance.1"));
    assert_eq!(
        searched,
        [
            (of(2), GateKind::Bisect),
            (of(3), GateKind::Bisect),
            (of(3), GateKind::Fresh)
        ]
    );
    assert!(is_landed(&course));
}

#[test]
fn a_task_that_broke_the_command_of_all_is_known_before_others_start() {
    let mut world = World::new(&[(2, CHECK)]);
    let course = run_in(&mut world, tasks(4), 1, lane(Some(CHECK), 2));
    assert_eq!(
        steps(&course),
        [
            "task/1/advance.1",
            "task/2/advance.1",
            "lane/check-1.1",
            "lane/check-1.2",
            "lane/check-1.3",
            "lane/check-1.4",
            // It has to pass without the work of any task, so that one can have broken it.
            "lane/bisect-1.1",
            "lane/bisect-1.2",
            "attempt 2.1 semantic_conflict: task 2 broke `check all` (`lane.check`): exit status 1",
            "task/2/advance.2",
            // At once, since the next task starts from there.
            "lane/check-2.1",
            "lane/check-2.2",
            "lane/check-2.3",
            "task/3/advance.1",
            "task/4/advance.1",
            // Nothing is left to do, so what follows runs them.
            "lane/carry-1",
            "lane/gate-1.1",
            "lane/gate-1.2",
            "lane/gate-1.3",
            "lane/gate-1.4",
            "lane/gate-1.5",
            "lane/land-1",
        ]
    );
    let LaneOp::Gate { tree: at, kind, .. } = course.op("lane/bisect-1.1") else {
        panic!("another operation");
    };
    assert_eq!((at, *kind), (&tree("base"), GateKind::Before));
    assert!(is_landed(&course));
}

#[test]
fn what_passed_since_is_not_searched_again() {
    // Task 2 breaks the command of task 1, and task 5 does so later.
    let mut world = World::new(&[(2, "check 1"), (5, "check 1")]);
    let course = run_in(&mut world, tasks(6), 1, lane(None, 2));
    let broken: Vec<_> = course.reports();
    let broken: Vec<_> = broken
        .iter()
        .filter(|line| line.starts_with("attempt"))
        .collect();
    assert_eq!(
        broken,
        [
            &"attempt 2.1 semantic_conflict: task 2 broke `check 1` of task 1: exit status 1",
            // Of tasks 5 and 6 alone, and once more.
            &"attempt 5.1 semantic_conflict: task 5 broke `check 1` of task 1: exit status 1",
        ]
    );
    assert!(is_landed(&course));
}

#[test]
fn a_task_whose_own_command_passed_with_what_others_left_behind_gets_it_back() {
    let mut world = World::new(&[(2, "check 2")]);
    let course = run_in(&mut world, tasks(2), 1, LANE);
    assert_eq!(
        course.reports()[4],
        "attempt 2.1 semantic_conflict: its command passed before and fails in a new checkout: \
         exit status 1"
    );
    assert!(is_landed(&course));
}

#[test]
fn a_task_that_stays_broken_is_parked_after_its_returns_and_nothing_lands() {
    let mut world = World::new(&[(2, CHECK)]);
    world.broken[0].commits = usize::MAX;
    let course = run_in(&mut world, tasks(3), 1, lane(Some(CHECK), 2));
    let done = course.done.as_ref().expect("it ended");
    let states: Vec<_> = done.tasks.iter().map(|task| task.state).collect();
    use TaskState::{OnLane, Parked};
    assert_eq!(states, [OnLane, Parked, OnLane]);
    let not_landed = course.reports();
    assert!(
        not_landed.contains(
            &"not landed [1, 2, 3]: red: task 2 does not pass with the work of all tasks together"
        ),
        "{not_landed:#?}"
    );
    // The lane is known to be red, so it is not looked at again.
    let checks = course.lines.iter().filter(|line| line.contains("/check-"));
    assert_eq!(
        checks.filter(|line| line.ends_with(".1")).count(),
        3,
        "one for each time that task 2 came to the lane"
    );
}

#[test]
fn no_task_gets_back_what_fails_without_the_work_of_any() {
    let mut world = World {
        fails_before: true,
        ..World::default()
    };
    let course = run_in(&mut world, tasks(4), 1, lane(Some(CHECK), 1));
    let bisects = course.lines.iter().filter(|line| line.contains("/bisect-"));
    assert_eq!(bisects.collect::<Vec<_>>(), ["lane/bisect-1.1"]);
    assert_eq!(
        course.reports()[course.reports().len() - 2],
        "not landed [1, 2, 3, 4]: target_red: `check all` (`lane.check`) fails without the work of \
         any task, and none made it pass: exit status 1"
    );
    let attempts = course.reports();
    assert!(!attempts.iter().any(|line| line.starts_with("attempt")));
}

#[test]
fn what_only_the_target_breaks_is_no_fault_of_a_task() {
    let course = Course::drive(
        &mut machine_of(tasks(2), 1, LANE),
        START,
        |step, op| match op {
            LaneOp::Carry { tip } => LaneOut::Carried {
                commit: tip.clone(),
                tree: tree("with the commits of the user"),
            },
            LaneOp::Gate { tree: on, .. } if *on == tree("with the commits of the user") => {
                LaneOut::Gated(exit_1())
            }
            _ => success(step, op),
        },
        |_| 0,
    );
    assert_eq!(
        steps(&course)[3..],
        ["lane/gate-1.1", "lane/gate-1.2", "lane/bisect-1.1"]
    );
    let not_landed = course.notices.iter().find_map(|notice| match notice {
        TaskNotice::NotLanded(lane) => Some((lane.code, lane.reason.as_str())),
        _ => None,
    });
    let reason = "`check 1` of task 1 passes on the lane and fails on what would land, since the \
                  target has other changes, or the work needs files that are not committed: exit \
                  status 1";
    assert_eq!(not_landed, Some((LandCode::TargetRed, reason)));
}

#[test]
fn a_command_that_fails_by_chance_is_reported_and_blames_no_task() {
    let mut world = World::new(&[(4, CHECK)]);
    let mut runs = 0;
    let course = Course::drive(
        &mut machine_of(tasks(4), 1, lane(Some(CHECK), 8)),
        START,
        |step, op| match op {
            // The second look at what it found first.
            LaneOp::Gate { kind, tree: at, .. }
                if *at == tree("task/2/advance.1") && *kind == GateKind::Bisect =>
            {
                runs += 1;
                LaneOut::Gated(exit_1())
            }
            _ => world.answer(step, op),
        },
        |_| 0,
    );
    assert_eq!(runs, 1);
    let returned: Vec<_> = course.reports();
    let returned = returned.iter().filter(|line| line.contains("broke"));
    assert!(returned.clone().all(|line| line.starts_with("attempt 4.1")));
    assert_eq!(returned.count(), 1);
    let landed = course.notices.iter().find_map(|notice| match notice {
        TaskNotice::Landed(landed) => Some(landed),
        _ => None,
    });
    assert!(landed.expect("it landed").flaky_check);
}

#[test]
fn nothing_is_merged_while_the_lane_is_checked() {
    let (plan, options) = (tasks(6), lane(None, 2));
    let course = run_in(&mut World::default(), plan.clone(), 3, options.clone());
    assert!(is_landed(&course));
    let mut machine = machine_of(plan, 3, options);
    let (mut checking, mut beside) = (None, Vec::new());
    for input in &course.inputs {
        let ended = match input {
            Input::Finished { step, .. } => Some(step.clone()),
            _ => None,
        };
        checking = checking.filter(|step| Some(step) != ended.as_ref());
        let turn = machine.next(input.clone());
        for step in turn.commands.iter().map(Command::step) {
            match &checking {
                Some(_) => beside.push(step.to_string()),
                None if step.as_str().starts_with("lane/check-") => checking = Some(step.clone()),
                None => {}
            }
        }
    }
    assert!(!beside.is_empty(), "agents go on");
    let is_merged = |step: &String| step.contains("/merge.");
    assert!(!beside.iter().any(is_merged), "{beside:?}");
}

#[test]
fn a_search_that_is_cut_off_is_made_again_on_a_resume() {
    let mut world = World::new(&[(2, CHECK)]);
    let mut machine = machine_of(tasks(4), 1, lane(Some(CHECK), 8));
    let first = Course::drive(
        &mut machine,
        START,
        |step, op| match step.as_str() {
            "lane/bisect-1.2" => LaneOut::Cut(LimitReached::RunTime),
            _ => world.answer(step, op),
        },
        |_| 0,
    );
    assert!(first.lines.contains(&"lane/bisect-1.2".to_owned()));
    let tip = world.lane.last().expect("a commit").1.clone();
    let second = Course::drive(
        &mut machine,
        resumed(None),
        |step, op| match op {
            LaneOp::Open => LaneOut::Opened {
                tip: tip.to_string().parse().expect("hex digits"),
                tree: tip.clone(),
                opened: None,
            },
            _ => world.answer(step, op),
        },
        |_| 0,
    );
    let broken = second.reports();
    assert!(
        broken.iter().any(|line| line.starts_with("attempt 2.1")),
        "{broken:#?}"
    );
    assert!(is_landed(&second));
}

#[test]
fn a_task_without_a_change_can_be_broken_as_well() {
    let mut world = World::new(&[(2, "check 1")]);
    let course = Course::drive(
        &mut machine_of(
            plan(vec![
                super::lane_fixture::complete(task(1, &[])),
                task(2, &[]),
                task(3, &[]),
            ]),
            1,
            LANE,
        ),
        START,
        |step, op| match op {
            LaneOp::Gate {
                command: GateCommand::Task(task),
                kind: GateKind::Before,
                ..
            } if task.number == number(1) => LaneOut::Gated(green()),
            LaneOp::Snapshot { task, .. } if task.number == number(1) => snapshot("none", 0),
            _ => world.answer(step, op),
        },
        |_| 0,
    );
    let broken = course.reports();
    assert!(
        broken.iter().any(|line| line
            .starts_with("attempt 2.1 semantic_conflict: task 2 broke `check 1` of task 1")),
        "{broken:#?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_culprit_alone_gets_it_back_after_few_runs(
        (count, culprit, victim) in (2u32..12).prop_flat_map(|count| {
            (Just(count), 1..=count, prop::option::of(1..=count))
        }),
        every in 1u32..10,
        jobs in 1u32..4,
        mut order in prop::collection::vec(0usize..8, 0..60),
    ) {
        let victim = victim.filter(|victim| *victim != culprit);
        let command = victim.map_or(CHECK.to_owned(), |victim| format!("check {victim}"));
        let mut world = World::new(&[(culprit, &command)]);
        let options = lane(Some(CHECK), every);
        let course = Course::drive(
            &mut machine_of(tasks(count), jobs, options),
            START,
            |step, op| world.answer(step, op),
            |open| order.pop().unwrap_or(0) % open,
        );
        prop_assert!(is_landed(&course), "{:#?}", course.lines);
        let place = |task: u32| world.lane.iter().position(|(of, _)| of.get() == task);
        let is_later = victim.is_some_and(|victim| place(victim) > place(culprit));
        let returned: Vec<_> = course.notices.iter().filter_map(|notice| match notice {
            TaskNotice::Attempted(attempt, _) => Some((attempt.task.get(), attempt.code)),
            _ => None,
        }).collect();
        let blamed = (!is_later).then_some((culprit, AttemptCode::SemanticConflict));
        prop_assert_eq!(returned, Vec::from_iter(blamed));
        let searched = course.lines.iter().filter(|line| line.contains("/bisect-1."));
        let most = count.next_power_of_two().ilog2() as usize;
        // Once more at the culprit, and once without any task for `lane.check`.
        prop_assert!(searched.count() <= most + 2);
    }
}
