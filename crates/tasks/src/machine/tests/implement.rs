//! Every way through the implementation of tasks by agents.

use std::collections::BTreeSet;
use std::time::Duration;

use review::LimitReached;
use review::events::{
    AttemptCode, ChangeFlag, Event, FlaggedChange, LaneLanded, LaneNotLanded, ListedTest, MustPass,
    TaskAttempted, TaskOnLane, TaskState, TestResult,
};
use review_flow::{ContentStore, MemoryBlobs, Notice, hash_bytes};
use review_lane::{AccountCode, AccountEntry, TestsPolicy};
use review_types::{AgentError, BlockCode, FailedBy, Failure, LandCode, ModelId, Timestamp};

use super::fixture::{START, approval, approved, number, plan, resumed, task};
use super::lane_fixture::{
    Course, LANE, Script, commit, complete, exit_1, green, machine, machine_of, red, says,
    snapshot, success, tested, tree,
};
use crate::machine::{
    AgentClaim, Change, FailureCause, GateCommand, GateKind, LaneOp, LaneOptions, LaneOut,
    MergedTrees, PlannedTask, Ran, RanTests, RejectedAttempt, RunnerChange, SnapshotFault,
    SomeTests, TaskMachine, TaskNotice, TaskOp, TaskPlan, Worked,
};

fn one() -> TaskPlan {
    plan(vec![task(1, &[])])
}

fn run(plan: TaskPlan, script: Script) -> Course {
    Course::scripted(&mut machine(plan, 1), START, &script)
}

fn states(course: &Course) -> Vec<TaskState> {
    let done = course.done.as_ref().expect("it ended");
    done.tasks.iter().map(|task| task.state).collect()
}

fn merged(own: &str, protected: Option<&str>) -> LaneOut {
    LaneOut::Merged {
        trees: MergedTrees {
            protected: protected.map(tree),
            ..MergedTrees::of(tree(own))
        },
    }
}

fn gated_red() -> LaneOut {
    LaneOut::Gated(exit_1())
}

fn failed(failure: Failure) -> LaneOut {
    LaneOut::Worked(Worked::Failed(AgentError::new(failure, "it broke")))
}

#[test]
fn tasks_go_to_the_lane_one_after_the_other_and_are_landed_together() {
    let course = run(plan(vec![task(1, &[]), task(2, &[1])]), Script::new());
    assert_eq!(
        course.lines,
        [
            "lane/open",
            "task/1/gate.1.1",
            "task/1/checkout.1",
            "task/1/work.1",
            "task/1/snapshot.1",
            "task/1/merge.1",
            "task/1/gate.1.2",
            "task/1/advance.1",
            "on_lane 1",
            "change of 1",
            "task/2/gate.1.1",
            "task/2/checkout.1",
            "task/2/work.1",
            "task/2/snapshot.1",
            "task/2/merge.1",
            "task/2/gate.1.2",
            "task/2/advance.1",
            "on_lane 2",
            "change of 2",
            "lane/carry-1",
            "lane/gate-1.1",
            "lane/gate-1.2",
            "lane/land-1",
            "landed [1, 2] on main",
            "task/1/record",
            "task/2/record",
            "task/1/status",
            "complete 1",
            "task/2/status",
            "complete 2",
        ]
    );
    let done = course.done.as_ref().expect("it ended");
    assert!(done.blocked.is_none());
    assert_eq!(states(&course), [TaskState::Landed; 2]);
    // Task 2 starts from the commit of task 1.
    assert_eq!(
        course.op("task/2/gate.1.1"),
        &LaneOp::Gate {
            command: GateCommand::Task(task(2, &[1])),
            tree: tree("task/1/advance.1"),
            kind: GateKind::Before,
            known: Vec::new(),
        }
    );
    assert_eq!(
        course.op("task/2/checkout.1"),
        &LaneOp::Checkout {
            task: number(2),
            attempt: 1,
            base: commit("task/1/advance.1"),
            change: None,
            hidden: Vec::new(),
        }
    );
    assert_eq!(
        course.op("lane/land-1"),
        &LaneOp::Land {
            commit: commit("task/2/advance.1"),
            tasks: vec![number(1), number(2)],
        }
    );
}

#[test]
fn a_complete_task_that_passes_needs_no_agent_and_nothing_is_landed() {
    let script = Script::from([("task/1/gate.1.1", LaneOut::Gated(green()))]);
    let course = run(plan(vec![complete(task(1, &[]))]), script);
    assert_eq!(course.lines, ["lane/open", "task/1/gate.1.1", "passed 1"]);
    assert!(course.done.expect("it ended").blocked.is_none());
}

#[test]
fn a_task_that_passes_before_and_does_not_claim_it_is_worked_on() {
    let green_before = ("task/1/gate.1.1", LaneOut::Gated(green()));
    let course = run(one(), Script::from([green_before.clone()]));
    assert!(
        course
            .lines
            .contains(&"change of 1 green_before_work".to_owned())
    );
    let mut script = Script::from([
        green_before,
        ("task/1/work.1", says(AgentClaim::AlreadySatisfied)),
        ("task/1/snapshot.1", snapshot("a", 0)),
    ]);
    let course = run(one(), script.clone());
    assert_eq!(
        course.lines[4..],
        [
            "task/1/snapshot.1",
            "task/1/complete.1",
            "on_lane 1",
            "change of 1",
            "lane/carry-1",
            "lane/gate-1.1",
            "lane/land-1",
            "landed [1] on main",
            "task/1/record",
            "task/1/status",
            "complete 1",
        ]
    );
    script.insert("task/1/complete.1", LaneOut::Recorded);
    let course = run(one(), script);
    assert_eq!(
        course.lines[5..],
        [
            "task/1/complete.1",
            "passed 1",
            "task/1/status",
            "complete 1",
        ]
    );
}

#[test]
fn a_task_that_passed_without_a_change_is_completed_after_the_change_that_is_merged() {
    let mut machine = machine(plan(vec![task(1, &[]), task(2, &[])]), 2);
    let script = Script::from([
        ("task/1/gate.1.1", LaneOut::Gated(green())),
        ("task/1/work.1", says(AgentClaim::AlreadySatisfied)),
        ("task/1/snapshot.1", snapshot("a", 0)),
    ]);
    // The step that was asked for last ends first, so task 2 is on the lane before task 1.
    let course = Course::drive(
        &mut machine,
        START,
        |step, op| {
            let scripted = script.get(step.as_str()).cloned();
            scripted.unwrap_or_else(|| success(step, op))
        },
        |open| open - 1,
    );
    assert_eq!(states(&course), [TaskState::Landed; 2]);
    let LaneOp::Complete { tip, tree: on, .. } = course.op("task/1/complete.1") else {
        panic!("task 1 is completed");
    };
    let before = "task/2/advance.1";
    assert_eq!((tip, on), (&commit(before), &tree(before)));
    // It passed on another tree than that of the tip, so its command is run again.
    let gates = course.lines.iter();
    let gates = gates.filter(|line| line.starts_with("lane/gate-1."));
    assert_eq!(gates.count(), 2, "{course:#?}");
}

/// The script of an attempt that is rejected, and the report of it.
type Rejection = (Script, &'static str);

/// A script for every code that lets the agent try again.
fn rejections() -> Vec<Rejection> {
    let fault = LaneOut::Snapshot {
        commit: commit("faulty"),
        tree: tree("faulty"),
        files: 2,
        fault: Some(SnapshotFault {
            code: AttemptCode::FileRefused,
            reason: "sub is in the way".to_owned(),
        }),
        restored: Vec::new(),
    };
    let gated = |cause: FailureCause| {
        let ran = LaneOut::Gated(red(cause));
        Script::from([("task/1/gate.1.2", ran.clone()), ("task/1/gate.1.3", ran)])
    };
    vec![
        (
            gated(FailureCause::Exit { status: 3 }),
            "gate_red: exit status 3",
        ),
        (
            gated(FailureCause::Signal { signal: 9 }),
            "gate_red: ended by signal 9",
        ),
        (
            gated(FailureCause::TimedOut {
                limit: Duration::from_secs(90),
            }),
            "gate_red: ran longer than 1m30s",
        ),
        (
            gated(FailureCause::NoTests),
            "gate_red: passed without running a test",
        ),
        (
            gated(FailureCause::TestsMissing { tests: Vec::new() }),
            "gate_red: ; make them run and pass, or correct the Must Pass table",
        ),
        (
            Script::from([("task/1/snapshot.1", snapshot("a", 0))]),
            "no_change: the agent changed no file",
        ),
        (
            Script::from([
                ("task/1/work.1", says(AgentClaim::AlreadySatisfied)),
                ("task/1/snapshot.1", snapshot("a", 0)),
            ]),
            "no_change: the agent changed no file and says that none has to be changed, but the \
             command of the task does not pass",
        ),
        (
            Script::from([(
                "task/1/merge.1",
                LaneOut::Conflicts {
                    paths: vec!["a.rs".to_owned(), "b.rs".to_owned()],
                },
            )]),
            "text_conflict: its change conflicts with the work of other tasks: a.rs, b.rs",
        ),
        (
            Script::from([
                ("task/1/merge.1", merged("other", None)),
                ("task/1/gate.1.2", gated_red()),
                ("task/1/gate.1.3", gated_red()),
            ]),
            "semantic_conflict: its command fails with the work of the other tasks: exit status 1",
        ),
        (
            Script::from([
                ("task/1/merge.1", merged("other", None)),
                ("task/1/gate.1.2", gated_red()),
                ("task/1/gate.1.3", gated_red()),
                ("task/1/gate.1.4", gated_red()),
            ]),
            "gate_red: exit status 1",
        ),
        (
            Script::from([("task/1/snapshot.1", fault)]),
            "file_refused: sub is in the way",
        ),
    ]
}

#[test]
fn a_rejected_attempt_goes_back_to_the_agent_with_its_reason() {
    for (script, report) in rejections() {
        let course = run(one(), script);
        assert_eq!(
            course.reports(),
            [
                &format!("attempt 1.1 {report}"),
                "on_lane 1",
                "change of 1",
                "landed [1] on main",
                "complete 1",
            ]
        );
        let LaneOp::Work { last, attempt, .. } = course.op("task/1/work.2") else {
            panic!("it works again");
        };
        let last = last.as_ref().expect("a reason");
        assert_eq!(*attempt, 2);
        assert_eq!(format!("{}: {}", last.code, last.reason), report);
    }
}

#[test]
fn the_next_attempt_starts_with_the_change_of_the_last_one() {
    let script = Script::from([
        ("task/1/gate.1.2", gated_red()),
        ("task/1/gate.1.3", gated_red()),
        ("task/1/snapshot.2", snapshot("undone", 0)),
    ]);
    let course = run(one(), script);
    let change = |name: &str| {
        let LaneOp::Checkout { change, base, .. } = course.op(name) else {
            panic!("a checkout");
        };
        assert_eq!(base, &commit("base"));
        change.clone()
    };
    assert_eq!(change("task/1/checkout.1"), None);
    let first = Change {
        base: commit("base"),
        commit: commit("task/1/snapshot.1"),
    };
    assert_eq!(change("task/1/checkout.2"), Some(first));
    assert_eq!(change("task/1/checkout.3"), None);
}

#[test]
fn the_first_prompt_has_what_failed_before_any_work() {
    let course = run(one(), Script::new());
    let LaneOp::Work { last, .. } = course.op("task/1/work.1") else {
        panic!("it works");
    };
    assert_eq!(
        last,
        &Some(RejectedAttempt {
            code: AttemptCode::GateRed,
            reason: "exit status 1".to_owned(),
            tail: None,
        })
    );
}

#[test]
fn an_output_is_printed_once_if_the_next_attempt_ends_with_the_same() {
    let ends = |with: &[u8]| {
        LaneOut::Gated(Ran {
            tail: Some(review_flow::hash_bytes(with)),
            ..exit_1()
        })
    };
    let (same, other) = (ends(b"same"), ends(b"other"));
    let script = Script::from([
        ("task/1/gate.1.1", same.clone()),
        ("task/1/gate.1.2", same.clone()),
        ("task/1/gate.1.3", same.clone()),
        ("task/1/gate.2.1", same.clone()),
        ("task/1/gate.2.2", same),
        ("task/1/gate.3.1", other.clone()),
        ("task/1/gate.3.2", other),
    ]);
    let course = run(one(), script);
    let printed = course.notices.iter().filter_map(|notice| match notice {
        TaskNotice::Attempted(_, tail) => Some(*tail),
        _ => None,
    });
    let hash = |text: &[u8]| Some(review_flow::hash_bytes(text));
    let printed: Vec<_> = printed.collect();
    assert_eq!(printed, [hash(b"same"), None, hash(b"other")]);
}

#[test]
fn a_task_is_parked_after_its_last_attempt_and_only_its_dependents_are_skipped() {
    let empty = || snapshot("a", 0);
    let script = Script::from([
        ("task/1/snapshot.1", empty()),
        ("task/1/snapshot.2", empty()),
        ("task/1/snapshot.3", empty()),
    ]);
    let tasks = vec![complete(task(1, &[])), task(2, &[1]), task(3, &[])];
    let course = run(plan(tasks), script);
    assert_eq!(
        course.reports(),
        [
            "attempt 1.1 no_change: the agent changed no file",
            "attempt 1.2 no_change: the agent changed no file",
            "attempt 1.3 no_change: the agent changed no file",
            "parked 1: no_change: the agent changed no file",
            "pending 1",
            "skipped 2",
            "on_lane 3",
            "change of 3",
            "landed [3] on main",
            "complete 3",
            "task_failed: 2 of 3 tasks did not pass: task 1 parked, task 2 skipped",
        ]
    );
    use TaskState::{Landed, Parked, Skipped};
    assert_eq!(states(&course), [Parked, Skipped, Landed]);
}

#[test]
fn what_an_agent_cannot_decide_parks_its_task_at_once() {
    let setup = || LaneOut::SetupFailed(exit_1());
    let prepare = "setup_failed: the commands that prepare its checkout failed: exit status 1";
    let question = says(AgentClaim::Question {
        text: "Which port?".to_owned(),
    });
    for (script, reports) in [
        (
            Script::from([("task/1/work.1", question)]),
            &[
                "attempt 1.1 question: Which port?".to_owned(),
                "parked 1: question: Which port?".to_owned(),
            ][..],
        ),
        (
            Script::from([
                ("task/1/checkout.1", setup()),
                ("task/1/checkout.1.2", setup()),
                ("task/1/checkout.1.3", setup()),
            ]),
            &[
                format!("attempt 1.1 {prepare}, repeated"),
                format!("attempt 1.1 {prepare}, repeated"),
                format!("attempt 1.1 {prepare}"),
                format!("parked 1: {prepare}"),
            ],
        ),
        (
            Script::from([("task/1/work.1", failed(Failure::AuthFailed))]),
            &[
                "attempt 1.1 agent_unavailable: it broke".to_owned(),
                "parked 1: agent_unavailable: it broke".to_owned(),
            ],
        ),
    ] {
        let course = run(one(), script);
        let reported = course.reports();
        assert_eq!(reported[..reported.len() - 1], *reports);
        assert_eq!(states(&course), [TaskState::Parked]);
    }
}

#[test]
fn a_checkout_of_the_gate_that_cannot_be_prepared_is_named() {
    let setup = || LaneOut::SetupFailed(exit_1());
    let prepare = "the commands that prepare its checkout failed: exit status 1";
    let before = run(one(), Script::from([("task/1/gate.1.1", setup())]));
    assert_eq!(states(&before), [TaskState::Landed]);
    let merged = run(one(), Script::from([("task/1/gate.1.2", setup())]));
    assert_eq!(states(&merged), [TaskState::Parked]);
    let parked = format!("parked 1: setup_failed: {prepare}");
    let reports = merged.reports();
    assert!(
        reports.iter().any(|report| **report == *parked),
        "{reports:?}"
    );
    let together = run(one(), Script::from([("lane/gate-1.1", setup())]));
    assert_eq!(states(&together), [TaskState::OnLane]);
    let reports = together.reports();
    assert!(
        reports.iter().any(|report| report.contains(prepare)),
        "{reports:?}"
    );
}

#[test]
fn an_answer_that_cannot_be_used_costs_an_attempt() {
    let unusable = says(AgentClaim::Unusable {
        reason: "no edit was made".to_owned(),
    });
    let course = run(one(), Script::from([("task/1/work.1", unusable)]));
    let reports = course.reports();
    assert_eq!(reports[0], "attempt 1.1 agent_failed: no edit was made");
    assert_eq!(states(&course), [TaskState::Landed]);
}

#[test]
fn an_agent_that_stopped_early_loses_no_work() {
    let question = says(AgentClaim::Question {
        text: "Which port?".to_owned(),
    });
    let mut machine = machine(one(), 1);
    Course::scripted(
        &mut machine,
        START,
        &Script::from([("task/1/work.1", question)]),
    );
    let course = Course::scripted(&mut machine, resumed(None), &Script::new());
    let LaneOp::Checkout {
        change, attempt, ..
    } = course.op("task~1/1/checkout.2")
    else {
        panic!("a checkout");
    };
    assert_eq!(*attempt, 2);
    assert_eq!(
        change.as_ref().map(|change| &change.commit),
        Some(&commit("task/1/snapshot.1"))
    );
    assert_eq!(states(&course), [TaskState::Landed]);
}

#[test]
fn a_failed_agent_is_called_again_in_the_same_attempt() {
    let limited = |seconds: i64| Failure::RateLimited {
        retry_at: Some(Timestamp::from_unix_ms(seconds * 1_000)),
        of_plan: false,
    };
    let killed = || FailedBy::Signal(9).into();
    let attempts = |script: Script| {
        let course = run(one(), script);
        let waits: Vec<_> = course.waits.clone();
        (
            course
                .reports()
                .iter()
                .map(|line| (*line).to_owned())
                .collect::<Vec<_>>(),
            waits,
        )
    };
    let landed = [
        "on_lane 1",
        "change of 1",
        "landed [1] on main",
        "complete 1",
    ];
    let again = "attempt 1.1 agent_unavailable: it broke, repeated";
    // The service names the time; the pause has the name of the call after it.
    let (reports, waits) = attempts(Script::from([("task/1/work.1", failed(limited(90)))]));
    assert_eq!(reports, [&[again][..], &landed[..]].concat());
    assert_eq!(
        waits,
        [("task/1/work.1.2".to_owned(), Duration::from_secs(90))]
    );
    // A process that died is started again at once.
    let (reports, waits) = attempts(Script::from([("task/1/work.1", failed(killed()))]));
    let died = "attempt 1.1 agent_failed: it broke, repeated";
    assert_eq!(reports, [&[died][..], &landed[..]].concat());
    assert_eq!(waits, []);
    // A third failure is the last, and so is a pause that is too long.
    for (script, at) in [
        (
            Script::from([
                ("task/1/work.1", failed(limited(1))),
                ("task/1/work.1.2", failed(limited(1))),
                ("task/1/work.1.3", failed(limited(1))),
            ]),
            "1970-01-01T00:00:01Z",
        ),
        (
            Script::from([("task/1/work.1", failed(limited(601)))]),
            "1970-01-01T00:10:01Z",
        ),
    ] {
        let calls = script.len();
        let (reports, _) = attempts(script);
        let why = format!("agent_unavailable: it broke; it can be called again at {at}");
        assert_eq!(reports[..calls - 1], vec![again; calls - 1]);
        assert_eq!(reports[calls - 1], format!("attempt 1.1 {why}"));
        assert_eq!(reports[calls], format!("parked 1: {why}"));
    }
}

/// Returns a run of four tasks: one lands, the agent fails at the next, on which the third
/// depends.
fn run_failing_at_2(failure: Failure) -> Course {
    let tasks = vec![task(1, &[]), task(2, &[]), task(3, &[2]), task(4, &[1])];
    run(
        plan(tasks),
        Script::from([("task/2/work.1", failed(failure))]),
    )
}

#[test]
fn an_agent_that_cannot_be_called_is_called_for_no_other_task() {
    let course = run_failing_at_2(Failure::AuthFailed);
    assert_eq!(
        course.reports(),
        [
            "on_lane 1",
            "change of 1",
            "attempt 2.1 agent_unavailable: it broke",
            "parked 2: agent_unavailable: it broke",
            "skipped 3",
            "not_run 4: the agent could not be called for task 2, and is called for no other",
            "landed [1] on main",
            "complete 1",
            "task_failed: 3 of 4 tasks did not pass: task 2 parked, task 3 skipped, task 4 not_run",
        ]
    );
}

/// Returns a run of one task by these agents, with the results of the first and second call.
fn run_by(agents: &[&str], outs: [LaneOut; 2]) -> Course {
    let lane = LaneOptions {
        agents: agents.iter().map(ToString::to_string).collect(),
        ..LANE
    };
    let [first, second] = outs;
    let script = Script::from([("task/1/work.1", first), ("task/1/work.1.2", second)]);
    Course::scripted(&mut machine_of(one(), 1, lane), START, &script)
}

#[test]
fn the_next_agent_is_called_where_one_cannot_be_and_goes_on_with_its_files() {
    let offline = || failed(Failure::Offline { after_ms: None });
    for failure in [failed(Failure::AuthFailed), offline()] {
        let course = run_by(&["claude", "codex"], [failure, says(AgentClaim::Done)]);
        let LaneOp::Work { agent, attempt, .. } = course.op("task/1/work.1.2") else {
            panic!("a call");
        };
        assert_eq!((*agent, *attempt), (1, 1));
        assert_eq!(
            course.reports()[0],
            "attempt 1.1 agent_unavailable: it broke; codex is asked instead, repeated"
        );
        assert_eq!(states(&course), [TaskState::Landed]);
    }
    let course = run_by(
        &["claude", "codex"],
        [(); 2].map(|()| failed(Failure::AuthFailed)),
    );
    assert_eq!(states(&course), [TaskState::Parked]);
    let course = run_by(&["claude"], [offline(), says(AgentClaim::Done)]);
    let LaneOp::Work { agent, .. } = course.op("task/1/work.1.2") else {
        panic!("a call");
    };
    assert_eq!(*agent, 0);
}

#[test]
fn an_agent_that_fails_at_one_task_alone_is_called_for_the_others() {
    for failure in [
        Failure::Refused,
        Failure::PermissionDenied,
        Failure::ModelError { status: Some(413) },
    ] {
        let course = run_failing_at_2(failure);
        assert_eq!(
            states(&course),
            [
                TaskState::Landed,
                TaskState::Parked,
                TaskState::Skipped,
                TaskState::Landed
            ]
        );
    }
}

#[test]
fn an_agent_that_can_be_called_again_goes_on_with_the_run() {
    let two = plan(vec![task(1, &[]), task(2, &[])]);
    let mut machine = machine(two, 1);
    let script = Script::from([("task/1/work.1", failed(Failure::AuthFailed))]);
    let course = Course::scripted(&mut machine, START, &script);
    assert_eq!(states(&course), [TaskState::Parked, TaskState::NotRun]);
    let course = Course::scripted(&mut machine, resumed(None), &Script::new());
    assert_eq!(states(&course), [TaskState::Landed, TaskState::Landed]);
}

#[test]
fn calls_under_way_go_on_when_the_agent_cannot_be_called_for_another_task() {
    let three = plan(vec![task(1, &[]), task(2, &[]), task(3, &[])]);
    let script = Script::from([("task/1/work.1", failed(Failure::AuthFailed))]);
    let course = Course::scripted(&mut machine(three, 2), START, &script);
    assert_eq!(
        states(&course),
        [TaskState::Parked, TaskState::Landed, TaskState::NotRun]
    );
}

#[test]
fn conflicts_are_counted_apart_from_attempts() {
    let conflict = || LaneOut::Conflicts {
        paths: vec!["a.rs".to_owned()],
    };
    let report = |attempt: u32| {
        format!(
            "attempt 1.{attempt} text_conflict: its change conflicts with the work of other \
             tasks: a.rs"
        )
    };
    let empty = || snapshot("a", 0);
    let course = run(
        one(),
        Script::from([
            ("task/1/merge.1", conflict()),
            ("task/1/snapshot.2", empty()),
            ("task/1/merge.3", conflict()),
            ("task/1/snapshot.4", empty()),
        ]),
    );
    assert_eq!(states(&course), [TaskState::Landed]);
    let course = run(
        one(),
        Script::from([
            ("task/1/merge.1", conflict()),
            ("task/1/merge.2", conflict()),
            ("task/1/merge.3", conflict()),
        ]),
    );
    let reports = course.reports();
    assert_eq!(reports[..3], [report(1), report(2), report(3)]);
    assert!(
        reports[3].starts_with("parked 1: text_conflict: "),
        "{reports:?}"
    );
}

#[test]
fn a_command_that_fails_once_and_passes_again_is_flaky() {
    let flaky = run(one(), Script::from([("task/1/gate.1.2", gated_red())]));
    assert_eq!(flaky.reports()[1], "change of 1 flaky_pass");
    let LaneOp::Gate { kind, .. } = flaky.op("task/1/gate.1.3") else {
        panic!("a gate");
    };
    assert_eq!(*kind, GateKind::Again);
}

#[test]
fn changed_tests_have_to_pass_as_they_were() {
    let protected = || ("task/1/merge.1", merged("merged", Some("protected")));
    let course = run(one(), Script::from([protected()]));
    let LaneOp::Gate { tree: on, kind, .. } = course.op("task/1/gate.1.3") else {
        panic!("a gate");
    };
    assert_eq!((on, *kind), (&tree("protected"), GateKind::Protected));
    let LaneOp::Advance { tree: on, .. } = course.op("task/1/advance.1") else {
        panic!("it goes to the lane");
    };
    assert_eq!(on, &tree("merged"));
    assert_eq!(states(&course), [TaskState::Landed]);

    let once = run(
        one(),
        Script::from([protected(), ("task/1/gate.1.3", gated_red())]),
    );
    assert_eq!(once.reports()[1], "change of 1 flaky_pass");

    let script = Script::from([
        protected(),
        ("task/1/gate.1.3", gated_red()),
        ("task/1/gate.1.4", gated_red()),
    ]);
    let course = run(plan(vec![task(1, &[]), task(2, &[1])]), script);
    let why =
        "tamper_test: its command fails with the tests that it changed as they were: exit status 1";
    assert_eq!(
        course.reports(),
        [
            &format!("attempt 1.1 {why}"),
            &format!("held 1: {why}"),
            "skipped 2",
            "tampered: 2 of 2 tasks did not pass: task 1 held, task 2 skipped",
        ]
    );
    let code = course
        .done
        .expect("it ended")
        .blocked
        .as_ref()
        .map(|blocked| blocked.code);
    assert_eq!(code, Some(BlockCode::Tampered));
}

#[test]
fn a_change_without_tests_that_ran_before_is_held_at_once() {
    for (ran, why) in [
        (
            tested("after", &["a", "b"], &["c"]),
            "tests_gone: 2 of 2 tests gone: a and 1 more",
        ),
        (
            tested("after", &[], &["c"]),
            "tests_skipped: 1 of 2 tests skipped: c",
        ),
    ] {
        let script = Script::from([
            ("task/1/merge.1", merged("merged", Some("protected"))),
            ("task/1/gate.1.2", LaneOut::Gated(ran)),
        ]);
        let course = run(one(), script);
        assert_eq!(
            course.reports(),
            [
                &format!("attempt 1.1 {why}"),
                &format!("held 1: {why}"),
                "tampered: 1 of 1 task did not pass: task 1 held",
            ]
        );
        assert_eq!(states(&course), [TaskState::Held]);
    }
}

/// A merged tree whose new tests are looked at without the change.
fn with_new_tests() -> (&'static str, LaneOut) {
    let merged = LaneOut::Merged {
        trees: MergedTrees {
            reverted: Some(tree("reverted")),
            failing: None,
            ..MergedTrees::of(tree("merged"))
        },
    };
    ("task/1/merge.1", merged)
}

fn some(names: &[&str]) -> SomeTests {
    SomeTests {
        count: u64::try_from(names.len()).expect("few"),
        first: names.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// A run with tests that pass and were not there before.
fn new_tests(ran: Ran, new: &[&str]) -> Ran {
    let tests = tested("after", &[], &[]).tests.map(|tests| {
        Box::new(RanTests {
            new: some(new),
            ..*tests
        })
    });
    Ran { tests, ..ran }
}

/// A run that fails in tests that failed before.
fn inherits(lists_pass: bool) -> Ran {
    let tests = tested("after", &[], &[]).tests.map(|tests| {
        Box::new(RanTests {
            inherited: Some(some(&["old"])),
            lists_pass,
            ..*tests
        })
    });
    Ran { tests, ..exit_1() }
}

#[test]
fn new_tests_that_pass_without_the_change_hold_the_task() {
    let gate = |step, ran, new: &[&str]| (step, LaneOut::Gated(new_tests(ran, new)));
    let script = |alone: (&'static str, LaneOut)| {
        Script::from([
            with_new_tests(),
            gate("task/1/gate.1.2", green(), &["a", "b"]),
            alone,
        ])
    };
    let red = gate("task/1/gate.1.3", exit_1(), &[]);
    let course = run(one(), script(red));
    let LaneOp::Gate { tree: on, kind, .. } = course.op("task/1/gate.1.3") else {
        panic!("a gate");
    };
    assert_eq!((on, *kind), (&tree("reverted"), GateKind::Reverted));
    assert_eq!(course.reports()[1], "change of 1");

    let some_pass = gate("task/1/gate.1.3", exit_1(), &["b"]);
    let course = run(one(), script(some_pass));
    assert_eq!(
        states(&course),
        [TaskState::Landed],
        "the command fails without it"
    );

    let vacuous = || gate("task/1/gate.1.3", green(), &["a", "b"]);
    let mut held = machine(one(), 1);
    let course = Course::scripted(&mut held, START, &script(vacuous()));
    let why = "gate_not_red: new tests pass without the change: a and 1 more";
    assert_eq!(
        course.reports()[..2],
        [format!("attempt 1.1 {why}"), format!("held 1: {why}")]
    );
    let code = course
        .done
        .expect("it ended")
        .blocked
        .as_ref()
        .map(|blocked| blocked.code);
    assert_eq!(code, Some(BlockCode::Tampered));
    let course = Course::scripted(&mut held, approved(1, &[1]), &Script::new());
    assert_eq!(states(&course), [TaskState::Landed]);

    let flagging = LaneOptions {
        tests: TestsPolicy::Flag,
        ..LANE
    };
    let mut flagging = machine_of(one(), 1, flagging);
    let course = Course::scripted(&mut flagging, START, &script(vacuous()));
    assert_eq!(course.reports()[1], "change of 1 tests_changed");
}

#[test]
fn tests_are_not_run_without_the_change_where_a_test_proved_the_task_before() {
    let listing = || {
        let listing = PlannedTask {
            must_pass: vec!["a".to_owned()],
            ..task(1, &[])
        };
        plan(vec![listing])
    };
    for (plan, lists_ran, looks) in [
        (one(), false, false),
        (listing(), false, true),
        (listing(), true, false),
    ] {
        let mut before = tested("before", &[], &[]);
        before.failure = exit_1().failure;
        before.tests = before.tests.map(|tests| {
            Box::new(RanTests {
                lists_ran,
                ..*tests
            })
        });
        let script = Script::from([
            ("task/1/gate.1.1", LaneOut::Gated(before)),
            with_new_tests(),
            (
                "task/1/gate.1.2",
                LaneOut::Gated(new_tests(green(), &["b"])),
            ),
        ]);
        let course = run(plan, script);
        assert_eq!(course.lines.contains(&"task/1/gate.1.3".to_owned()), looks);
    }
}

#[test]
fn a_command_that_says_nothing_of_its_tests_fails_where_its_runner_may_name_them() {
    let silent = Ran {
        must_pass: Some(MustPass {
            tests: vec![ListedTest {
                name: "a".to_owned(),
                result: TestResult::Unknown,
            }],
            unknown_because: None,
        }),
        ..green()
    };
    let missing = "attempt 1.1 gate_red: listed test `a` did not run; make it run and pass, or \
                   correct the Must Pass table";
    for (command, steps, report) in [
        (
            "pytest",
            &["task/1/gate.1.2", "task/1/gate.1.3"][..],
            missing,
        ),
        (
            "npx vitest run",
            &["task/1/gate.1.2", "task/1/gate.1.3"],
            missing,
        ),
        (
            "npx vitest run --reporter=json",
            &["task/1/gate.1.2"],
            "on_lane 1",
        ),
        ("pytest > log", &["task/1/gate.1.2"], "on_lane 1"),
        ("./check.sh", &["task/1/gate.1.2"], "on_lane 1"),
    ] {
        let listing = PlannedTask {
            commands: vec![command.to_owned()],
            must_pass: vec!["a".to_owned()],
            ..task(1, &[])
        };
        let gates = steps.iter();
        let gates = gates.map(|step| (*step, LaneOut::Gated(silent.clone())));
        let course = run(plan(vec![listing]), gates.collect());
        assert_eq!(course.reports()[0], report, "{command}");
    }
}

#[test]
fn a_change_that_is_only_tests_is_judged_by_its_own_run() {
    let merged = LaneOut::Merged {
        trees: MergedTrees {
            reverted: Some(tree("merged")),
            failing: None,
            ..MergedTrees::of(tree("merged"))
        },
    };
    let script = Script::from([
        ("task/1/merge.1", merged),
        (
            "task/1/gate.1.2",
            LaneOut::Gated(new_tests(green(), &["a"])),
        ),
    ]);
    let course = run(one(), script);
    assert_eq!(
        course.reports()[0],
        "attempt 1.1 gate_not_red: new tests pass without the change: a"
    );
}

/// A merged tree without a runner file of the change, or with it.
fn with_runner_file(is_set_aside: bool) -> (&'static str, LaneOut) {
    let merged = LaneOut::Merged {
        trees: MergedTrees {
            runner: Some(RunnerChange {
                tree: tree("task/1/snapshot.1"),
                files: vec!["conftest.py".to_owned()],
                is_set_aside,
            }),
            ..MergedTrees::of(tree("merged"))
        },
    };
    ("task/1/merge.1", merged)
}

#[test]
fn a_change_is_judged_without_its_runner_files() {
    let course = run(one(), Script::from([with_runner_file(true)]));
    let LaneOp::Advance { tree: on, .. } = course.op("task/1/advance.1") else {
        panic!("it goes to the lane");
    };
    assert_eq!(on, &tree("merged"));
    assert_eq!(course.reports()[1], "change of 1 tamper_config");

    let red = || {
        [
            with_runner_file(true),
            ("task/1/gate.1.2", gated_red()),
            ("task/1/gate.1.3", gated_red()),
        ]
    };
    let mut held = machine(one(), 1);
    let course = Course::scripted(&mut held, START, &Script::from(red()));
    let LaneOp::Gate { tree: on, kind, .. } = course.op("task/1/gate.1.4") else {
        panic!("a gate");
    };
    assert_eq!(
        (on, *kind),
        (&tree("task/1/snapshot.1"), GateKind::Configured)
    );
    let why = "runner_changed: its command passes only with what configures the runner of its \
               tests: conftest.py";
    assert_eq!(
        course.reports()[..2],
        [format!("attempt 1.1 {why}"), format!("held 1: {why}")]
    );
    let code = course
        .done
        .expect("it ended")
        .blocked
        .as_ref()
        .map(|blocked| blocked.code);
    assert_eq!(code, Some(BlockCode::Tampered));
    // What a user approved lands as it is.
    let merge = ("task~1/1/merge.1", with_runner_file(true).1);
    let course = Course::scripted(&mut held, approved(1, &[1]), &Script::from([merge]));
    assert_eq!(course.reports()[1], "change of 1 tests_changed");
    let LaneOp::Advance { tree: on, .. } = course.op("task~1/1/advance.1") else {
        panic!("it goes to the lane");
    };
    assert_eq!(on, &tree("task/1/snapshot.1"));

    let mut script = Script::from(red());
    script.insert("task/1/gate.1.4", gated_red());
    let course = run(one(), script);
    assert_eq!(
        course
            .lines
            .iter()
            .filter(|line| line.contains("gate.1."))
            .count(),
        4
    );
    assert_eq!(
        course.reports()[0],
        "attempt 1.1 gate_red: exit status 1; restored, since it may not change them: conftest.py"
    );
}

#[test]
fn a_file_with_other_settings_is_not_set_aside_and_holds_a_task_that_passes() {
    let course = run(one(), Script::from([with_runner_file(false)]));
    assert_eq!(
        course.reports()[0],
        "attempt 1.1 runner_changed: it changes, together with other settings, what configures \
         the runner of its tests: conftest.py"
    );
    let script = Script::from([
        with_runner_file(false),
        ("task/1/gate.1.2", gated_red()),
        ("task/1/gate.1.3", gated_red()),
    ]);
    assert_eq!(
        run(one(), script).reports()[0],
        "attempt 1.1 gate_red: exit status 1"
    );
}

#[test]
fn runner_files_of_the_first_tests_are_flagged() {
    let merged = LaneOut::Merged {
        trees: MergedTrees {
            configured: vec!["conftest.py".to_owned()],
            is_untested: true,
            ..MergedTrees::of(tree("merged"))
        },
    };
    let course = run(one(), Script::from([("task/1/merge.1", merged)]));
    assert_eq!(course.reports()[1], "change of 1 tests_changed");
}

#[test]
fn tests_that_are_lost_for_certain_hold_a_task_whose_command_fails() {
    let red = |gone: &[&str], skipped: &[&str], cause| Ran {
        tests: tested("after", gone, skipped).tests,
        ..red(cause)
    };
    let exit = || FailureCause::Exit { status: 4 };
    let deleted = |paths: &[&str]| LaneOut::Merged {
        trees: MergedTrees {
            deleted: paths.iter().map(|path| (*path).to_owned()).collect(),
            ..MergedTrees::of(tree("task/1/snapshot.1"))
        },
    };
    for (merge, ran, expected) in [
        (
            deleted(&[]),
            red(&["a"], &[], FailureCause::NoTests),
            "tests_gone: 1 of 2 tests gone: a",
        ),
        (
            deleted(&[]),
            red(&[], &["a"], FailureCause::NoTests),
            "tests_skipped: 1 of 2 tests skipped: a",
        ),
        (
            deleted(&["test_a.py"]),
            red(&["a"], &[], exit()),
            "tests_gone: 1 of 2 tests gone: a; deleted: test_a.py",
        ),
        (
            deleted(&["test_a.py"]),
            exit_1(),
            "tests_gone: a file with tests is gone; deleted: test_a.py",
        ),
        (
            merged("task/1/snapshot.1", Some("protected")),
            super::lane_fixture::red(FailureCause::NoTests),
            "tests_gone: no test runs any more with the tests that it changes",
        ),
        // It may have ended before they ran.
        (
            deleted(&[]),
            red(&["a"], &[], exit()),
            "gate_red: exit status 4",
        ),
    ] {
        let gate = |step| (step, LaneOut::Gated(ran.clone()));
        let mut script = Script::from([("task/1/merge.1", merge), gate("task/1/gate.1.2")]);
        if expected.starts_with("gate_red") {
            script.extend([gate("task/1/gate.1.3")]);
        }
        let course = run(one(), script);
        assert_eq!(course.reports()[0], format!("attempt 1.1 {expected}"));
    }
}

#[test]
fn a_command_that_a_runner_file_of_another_task_made_pass_holds_the_task() {
    let configured = LaneOut::Merged {
        trees: MergedTrees {
            configured: vec!["conftest.py".to_owned()],
            ..MergedTrees::of(tree("one"))
        },
    };
    let two = || plan(vec![task(1, &[]), task(2, &[1])]);
    let script = |base: LaneOut| {
        Script::from([
            ("task/1/merge.1", configured.clone()),
            ("task/2/gate.1.1", LaneOut::Gated(green())),
            ("task/2/gate.1.2", base),
        ])
    };
    let course = run(two(), script(gated_red()));
    let LaneOp::Gate { tree: on, kind, .. } = course.op("task/2/gate.1.2") else {
        panic!("a gate");
    };
    assert_eq!((on, *kind), (&tree("base"), GateKind::Bisect));
    let why = "runner_changed: its command passed before the agent worked, through task 1, which \
               changed what configures the runner of tests: conftest.py";
    assert!(
        course.reports().contains(&&*format!("held 2: {why}")),
        "{course:#?}"
    );
    let course = run(two(), script(LaneOut::Gated(green())));
    assert_eq!(states(&course), [TaskState::Landed; 2]);
    let flags = course.notices.iter().rev().find_map(|notice| match notice {
        TaskNotice::OnLane(on_lane) => Some(on_lane.flags.clone()),
        _ => None,
    });
    assert_eq!(
        flags.expect("it is on the lane")[0].reason,
        "its command passed before the agent worked, with the work of task 1"
    );
}

#[test]
fn tests_that_other_tasks_added_are_not_new() {
    let before = Ran {
        tests: tested("two", &[], &[]).tests,
        ..exit_1()
    };
    let (_, with_tests) = with_new_tests();
    let script = Script::from([
        ("task/1/gate.1.2", LaneOut::Gated(tested("one", &[], &[]))),
        ("task/2/gate.1.1", LaneOut::Gated(before)),
        ("task/2/merge.1", with_tests),
        (
            "task/2/gate.1.2",
            LaneOut::Gated(new_tests(green(), &["x"])),
        ),
    ]);
    let lists_tests = PlannedTask {
        must_pass: vec!["x".to_owned()],
        ..task(2, &[1])
    };
    let course = run(plan(vec![task(1, &[]), lists_tests]), script);
    let LaneOp::Gate { known, kind, .. } = course.op("task/2/gate.1.3") else {
        panic!("a gate");
    };
    assert_eq!(*kind, GateKind::Reverted);
    let names = ["one", "two"].map(|text| hash_bytes(text.as_bytes()));
    assert_eq!(
        known.iter().collect::<BTreeSet<_>>(),
        names.iter().collect()
    );
}

#[test]
fn a_change_without_new_tests_is_not_run_without_them() {
    let course = run(one(), Script::from([with_new_tests()]));
    assert!(!course.lines.contains(&"task/1/gate.1.3".to_owned()));
    assert_eq!(states(&course), [TaskState::Landed]);
}

#[test]
fn failures_from_before_park_a_task_whose_own_tests_pass_without_another_attempt() {
    let gated = |ran: Ran| {
        Script::from([
            ("task/1/gate.1.2", LaneOut::Gated(ran.clone())),
            ("task/1/gate.1.3", LaneOut::Gated(ran)),
        ])
    };
    let course = run(one(), gated(inherits(true)));
    assert_eq!(
        course.reports()[..2],
        [
            "attempt 1.1 baseline_red: only tests fail that failed before: old",
            "parked 1: baseline_red: only tests fail that failed before: old",
        ]
    );
    // A test that fails as before may be the very one that the task is about.
    let course = run(one(), gated(inherits(false)));
    assert_eq!(course.reports()[0], "attempt 1.1 gate_red: exit status 1");
    assert_eq!(states(&course), [TaskState::Landed]);
}

/// A run in which the second of two tasks conflicts with the first, and its resolution is
/// accounted for so.
fn resolving(entries: &[(AccountCode, &str)]) -> (TaskMachine, Course) {
    let conflict = LaneOut::Conflicts {
        paths: vec!["a.rs".to_owned()],
    };
    let entries = entries.iter().map(|(code, text)| AccountEntry {
        code: *code,
        text: (*text).to_owned(),
    });
    let accounted = LaneOut::Accounted {
        entries: entries.collect(),
        more: 0,
    };
    let script = Script::from([
        ("task/2/merge.1", conflict),
        ("task/2/account.2", accounted),
    ]);
    let mut machine = machine(plan(vec![task(1, &[]), task(2, &[])]), 2);
    let course = Course::scripted(&mut machine, START, &script);
    (machine, course)
}

#[test]
fn a_resolution_of_a_conflict_is_accounted_for_against_both_sides() {
    let (_, course) = resolving(&[]);
    let first = Change {
        base: commit("base"),
        commit: commit("task/2/snapshot.1"),
    };
    assert_eq!(
        course.op("task/2/account.2"),
        &LaneOp::Account {
            change: first,
            tip: commit("task/1/advance.1"),
            resolved: commit("task/2/snapshot.2"),
        }
    );
    assert_eq!(states(&course), [TaskState::Landed; 2]);
}

#[test]
fn a_resolution_that_drops_a_side_goes_back_and_is_accounted_for_again() {
    let (_, course) = resolving(&[
        (AccountCode::DroppedName, "adds_two"),
        (AccountCode::DroppedLine, "x"),
    ]);
    let why = "text_conflict: its resolution of a conflict is not accepted as it is: missing \
               definition `adds_two`, missing line `x`";
    assert!(
        course.reports().contains(&&*format!("attempt 2.2 {why}")),
        "{:?}",
        course.reports()
    );
    // The first change is still what has to be in it.
    let LaneOp::Account { change, .. } = course.op("task/2/account.3") else {
        panic!("an account");
    };
    assert_eq!(change.commit, commit("task/2/snapshot.1"));
    assert_eq!(states(&course), [TaskState::Landed; 2]);
}

#[test]
fn other_entries_of_an_account_hold_the_task_until_a_user_approves_it() {
    for code in AccountCode::ALL.iter().filter(|code| !code.refuses()) {
        let (mut machine, course) = resolving(&[(*code, "x")]);
        assert_eq!(
            states(&course),
            [TaskState::Landed, TaskState::Held],
            "{code}"
        );
        let held = course
            .reports()
            .iter()
            .any(|line| line.starts_with(&format!("held 2: resolution_differs: its resolution of a conflict is not accepted as it is: {code} `x`")));
        assert!(held, "{course:#?}");
        let done = course.done.expect("it ended");
        assert_eq!(
            done.blocked.as_ref().map(|blocked| blocked.code),
            Some(BlockCode::TaskFailed)
        );
        let course = Course::scripted(&mut machine, approved(1, &[2]), &Script::new());
        assert_eq!(states(&course), [TaskState::Landed; 2]);
    }
}

#[test]
fn an_approved_change_goes_to_the_lane_as_it_is_and_others_stay_as_they_were() {
    let held = |task: &'static str| (task, LaneOut::Gated(tested("after", &["a"], &[])));
    let no_change = |step: &'static str| (step, snapshot("none", 0));
    let tasks = vec![
        task(1, &[]),
        task(2, &[1]),
        task(3, &[]),
        task(4, &[]),
        task(5, &[3]),
    ];
    let mut machine = machine(plan(tasks), 1);
    let script = Script::from([
        held("task/1/gate.1.2"),
        held("task/3/gate.1.2"),
        no_change("task/4/snapshot.1"),
        no_change("task/4/snapshot.2"),
        no_change("task/4/snapshot.3"),
    ]);
    let first = Course::scripted(&mut machine, START, &script);
    use TaskState::{Held, Landed, Parked, Skipped};
    assert_eq!(states(&first), [Held, Skipped, Held, Parked, Skipped]);

    // It is merged with what is on the lane now, and still without a test.
    let gone = LaneOut::Gated(tested("merged", &["a"], &[]));
    let script = Script::from([
        ("task~1/1/merge.1", merged("merged", Some("protected"))),
        ("task~1/1/gate.1.1", gone),
    ]);
    let second = Course::scripted(&mut machine, approved(1, &[1, 2]), &script);
    assert_eq!(states(&second), [Landed, Landed, Held, Parked, Skipped]);
    let worked = |course: &Course| -> Vec<String> {
        let ops = course.ops.iter();
        let works = ops.filter(|(step, _)| step.as_str().contains("work"));
        works.map(|(step, _)| step.to_string()).collect()
    };
    assert_eq!(worked(&second).len(), 1, "only task 2: {second:#?}");
    let on_lane = second.notices.iter().find_map(|notice| match notice {
        TaskNotice::OnLane(on_lane) => Some(on_lane),
        _ => None,
    });
    let on_lane = on_lane.expect("it is on the lane");
    assert_eq!(on_lane.approved, Some(approval()));
    assert_eq!(on_lane.flags[0].code, ChangeFlag::TestsChanged);
    let records = second.ops.iter().filter_map(|(_, op)| match op {
        TaskOp::Lane(op) => match &**op {
            LaneOp::Record { approval, .. } => Some(approval.clone()),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(records.collect::<Vec<_>>(), [Some(approval()), None]);
    let code = second
        .done
        .expect("it ended")
        .blocked
        .as_ref()
        .map(|blocked| blocked.code);
    assert_eq!(code, Some(BlockCode::Tampered), "task 3 is held");

    let third = Course::scripted(&mut machine, approved(2, &[3]), &Script::new());
    assert_eq!(states(&third), [Landed, Landed, Landed, Parked, Landed]);
    let code = third
        .done
        .expect("it ended")
        .blocked
        .as_ref()
        .map(|blocked| blocked.code);
    assert_eq!(code, Some(BlockCode::TaskFailed), "task 4 is parked");
}

#[test]
fn an_approved_change_that_does_not_fit_goes_back_to_its_agent_without_the_approval() {
    let mut machine = machine(one(), 1);
    let held = LaneOut::Gated(tested("after", &["a"], &[]));
    let script = Script::from([("task/1/gate.1.2", held)]);
    Course::scripted(&mut machine, START, &script);
    let conflict = LaneOut::Conflicts {
        paths: vec!["a.rs".to_owned()],
    };
    let script = Script::from([("task~1/1/merge.1", conflict)]);
    let course = Course::scripted(&mut machine, approved(1, &[1]), &script);
    assert_eq!(states(&course), [TaskState::Landed]);
    let on_lane = course.notices.iter().find_map(|notice| match notice {
        TaskNotice::OnLane(on_lane) => Some((on_lane.attempt, on_lane.approved.clone())),
        _ => None,
    });
    assert_eq!(on_lane, Some((2, None)));
}

#[test]
fn an_approved_change_waits_without_a_call_while_its_command_cannot_be_run() {
    let causes = [
        FailureCause::Exit { status: 126 },
        FailureCause::Exit { status: 127 },
        FailureCause::NotStarted {
            message: "no shell".to_owned(),
        },
    ];
    for cause in causes {
        let mut machine = machine(one(), 1);
        let held = LaneOut::Gated(tested("after", &["a"], &[]));
        let script = Script::from([("task/1/gate.1.2", held)]);
        Course::scripted(&mut machine, START, &script);
        let gated = LaneOut::Gated(red(cause.clone()));
        let script = Script::from([
            ("task~1/1/gate.1.1", gated.clone()),
            ("task~1/1/gate.1.2", gated),
        ]);
        let course = Course::scripted(&mut machine, approved(1, &[1]), &script);
        let why = format!(
            "gate_red: its command cannot be run, so the approved change waits as it is: {cause}"
        );
        let expected = [format!("attempt 1.1 {why}"), format!("parked 1: {why}")];
        assert_eq!(course.reports()[..2], expected);

        let course = Course::scripted(&mut machine, approved(2, &[]), &Script::new());
        assert_eq!(states(&course), [TaskState::Landed]);
        assert!(!course.lines.iter().any(|line| line.contains("work")));
        let on_lane = course.notices.iter().find_map(|notice| match notice {
            TaskNotice::OnLane(on_lane) => Some(on_lane.approved.clone()),
            _ => None,
        });
        assert_eq!(on_lane, Some(Some(approval())), "{course:#?}");
    }
}

#[test]
fn where_weaker_tests_are_flagged_they_are_not_run_as_they_were() {
    let allowing = || {
        let lane = LaneOptions {
            tests: TestsPolicy::Flag,
            ..LANE
        };
        machine_of(one(), 1, lane)
    };
    let protected = ("task/1/merge.1", merged("merged", Some("protected")));
    let gone = LaneOut::Gated(tested("after", &["a"], &[]));
    for (script, reason) in [
        (
            Script::from([("task/1/gate.1.2", gone)]),
            "1 of 2 tests gone: a",
        ),
        (Script::from([protected]), "it changes tests that exist"),
    ] {
        let course = Course::scripted(&mut allowing(), START, &script);
        assert_eq!(course.reports()[1], "change of 1 tests_changed");
        let flags = course.notices.iter().find_map(|notice| match notice {
            TaskNotice::OnLane(on_lane) => Some(&on_lane.flags),
            _ => None,
        });
        assert_eq!(flags.expect("it is on the lane")[0].reason, reason);
        assert_eq!(states(&course), [TaskState::Landed]);
        assert!(!course.lines.contains(&"task/1/gate.1.3".to_owned()));
    }
}

#[test]
fn the_names_of_tests_are_those_on_the_lane_for_each_command() {
    let known = |course: &Course, step: &str| match course.op(step) {
        LaneOp::Gate { known, .. } => known.first().copied(),
        other => panic!("{step} is {other:?}"),
    };
    let names = |text: &str| Some(hash_bytes(text.as_bytes()));
    let shared = PlannedTask {
        commands: task(1, &[]).commands,
        ..task(2, &[1])
    };
    let before = Ran {
        tests: tested("before", &[], &[]).tests,
        ..exit_1()
    };
    let script = Script::from([
        ("task/1/gate.1.1", LaneOut::Gated(before)),
        ("task/1/gate.1.2", LaneOut::Gated(tested("after", &[], &[]))),
    ]);
    let course = run(plan(vec![task(1, &[]), shared, task(3, &[2])]), script);
    assert_eq!(known(&course, "task/1/gate.1.1"), None);
    assert_eq!(known(&course, "task/1/gate.1.2"), names("before"));
    assert_eq!(known(&course, "task/2/gate.1.1"), names("after"));
    assert_eq!(known(&course, "task/3/gate.1.1"), None, "another command");
}

#[test]
fn a_task_that_breaks_the_command_of_another_gets_it_back_and_all_commands_run_again() {
    let script = Script::from([
        ("lane/gate-1.1", gated_red()),
        ("lane/gate-1.2", gated_red()),
    ]);
    let tasks = vec![task(1, &[]), task(2, &[])];
    let course = run(plan(tasks), script);
    assert_eq!(
        course.reports()[4..],
        [
            "attempt 2.1 semantic_conflict: task 2 broke `check 1` of task 1: exit status 1",
            "on_lane 2",
            "change of 2",
            "landed [1, 2] on main",
            "complete 1",
            "complete 2",
        ]
    );
    // Its change is on the lane, so it goes on from the tip.
    assert_eq!(
        course.op("task/2/checkout.2"),
        &LaneOp::Checkout {
            task: number(2),
            attempt: 2,
            base: commit("task/2/advance.1"),
            change: None,
            hidden: Vec::new(),
        }
    );
    assert!(course.lines.contains(&"lane/carry-2".to_owned()));
    assert!(course.lines.contains(&"lane/land-2".to_owned()));
}

#[test]
fn a_flaky_command_on_the_carried_tree_blames_no_task() {
    let course = run(one(), Script::from([("lane/gate-1.1", gated_red())]));
    let landed = course.notices.iter().find_map(|notice| match notice {
        TaskNotice::Landed(landed) => Some(landed),
        _ => None,
    });
    assert_eq!(landed.expect("it landed").flaky, [number(1)]);
}

#[test]
fn work_that_fails_together_too_often_is_not_landed() {
    let script = Script::from([
        ("lane/gate-1.1", gated_red()),
        ("lane/gate-1.2", gated_red()),
        ("lane/gate-2.1", gated_red()),
        ("lane/gate-2.2", gated_red()),
        ("lane/gate-3.1", gated_red()),
        ("lane/gate-3.2", gated_red()),
    ]);
    let course = run(plan(vec![task(1, &[]), task(2, &[])]), script);
    let reports = course.reports();
    assert_eq!(
        reports[reports.len() - 2..],
        [
            "not landed [1, 2]: red: task 2 does not pass with the work of all tasks together",
            "task_failed: 1 of 2 tasks did not pass: task 2 parked; 2 tasks are not landed: task 2 \
             does not pass with the work of all tasks together",
        ]
    );
    assert_eq!(states(&course), [TaskState::OnLane, TaskState::Parked]);
}

#[test]
fn commands_that_several_tasks_share_run_once_together() {
    let mut other = task(2, &[]);
    other.commands = task(1, &[]).commands;
    let course = run(
        plan(vec![task(1, &[]), other.clone(), task(3, &[])]),
        Script::new(),
    );
    let together = course
        .lines
        .iter()
        .filter(|line| line.starts_with("lane/gate-"));
    assert_eq!(together.count(), 2);
    let LaneOp::Gate { command, .. } = course.op("lane/gate-1.1") else {
        panic!("a gate");
    };
    assert_eq!(command, &GateCommand::Task(other));
}

fn not_landed(code: LandCode) -> LaneOut {
    LaneOut::NotLanded {
        code,
        reason: "main is elsewhere".to_owned(),
    }
}

#[test]
fn a_target_that_moved_is_tried_three_more_times() {
    let moved = || not_landed(LandCode::TargetMoved);
    let mut script = Script::from([
        ("lane/land-1", moved()),
        ("lane/carry-2", moved()),
        ("lane/land-3", moved()),
    ]);
    let course = run(one(), script.clone());
    assert!(course.lines.contains(&"lane/land-4".to_owned()));
    assert_eq!(states(&course), [TaskState::Landed]);
    script.insert("lane/land-4", moved());
    let course = run(one(), script);
    assert_eq!(
        course.reports()[2..],
        [
            "not landed [1]: target_moved: main is elsewhere",
            "task_failed: 1 task is not landed: main is elsewhere",
        ]
    );
}

#[test]
fn work_that_stays_on_the_lane_as_asked_is_done_and_lands_when_it_is_asked_for() {
    let mut machine = machine(one(), 1);
    let script = Script::from([("lane/land-1", not_landed(LandCode::Never))]);
    let course = Course::scripted(&mut machine, START, &script);
    assert_eq!(
        course.reports()[2..],
        ["not landed [1]: never: main is elsewhere"]
    );
    assert!(machine.has_unlanded());
    Course::scripted(&mut machine, resumed(None), &Script::new());
    assert!(!machine.has_unlanded());
}

#[test]
fn work_that_cannot_be_landed_stays_on_the_lane() {
    for code in LandCode::ALL
        .iter()
        .filter(|code| !matches!(code, LandCode::TargetMoved | LandCode::Never))
    {
        for step in ["lane/carry-1", "lane/land-1"] {
            let course = run(one(), Script::from([(step, not_landed(*code))]));
            assert_eq!(
                course.reports(),
                [
                    "on_lane 1",
                    "change of 1",
                    &format!("not landed [1]: {code}: main is elsewhere"),
                    "task_failed: 1 task is not landed: main is elsewhere",
                ]
            );
            assert_eq!(states(&course), [TaskState::OnLane]);
        }
    }
    let conflict = LaneOut::NotLanded {
        code: LandCode::Conflict,
        reason: "main got other changes".to_owned(),
    };
    let course = run(one(), Script::from([("lane/carry-1", conflict)]));
    assert_eq!(
        course.reports()[2],
        "not landed [1]: conflict: main got other changes"
    );
}

#[test]
fn a_limit_of_the_run_ends_it_at_any_step_and_a_resume_finishes_it() {
    let tasks = || plan(vec![task(1, &[]), task(2, &[])]);
    let steps: Vec<_> = run(tasks(), Script::new())
        .ops
        .into_iter()
        .map(|(step, _)| step)
        .collect();
    for cut in steps
        .iter()
        .filter(|step| !step.as_str().ends_with("/status"))
        // What is landed needs no record.
        .filter(|step| !step.as_str().ends_with("/record"))
    {
        let mut machine = machine(tasks(), 1);
        let course = Course::drive(
            &mut machine,
            START,
            |step, op| match step == cut {
                true => LaneOut::Cut(LimitReached::RunTime),
                false => super::lane_fixture::success(step, op),
            },
            |_| 0,
        );
        let done = course.done.as_ref().expect("it ended");
        assert_eq!(
            done.blocked.as_ref().map(|blocked| blocked.code),
            Some(BlockCode::RunTime),
            "{cut}"
        );
        let advanced = course
            .lines
            .iter()
            .filter(|line| line.starts_with("change of"))
            .count();
        let resumed = Course::scripted(&mut machine, resumed(None), &Script::new());
        assert_eq!(states(&resumed), [TaskState::Landed; 2], "{cut}");
        let again = resumed
            .lines
            .iter()
            .filter(|line| line.starts_with("change of"))
            .count();
        assert_eq!(
            advanced + again,
            2,
            "{cut}: each task goes to the lane once"
        );
    }
}

#[test]
fn a_resume_keeps_what_is_done_and_gives_parked_tasks_new_attempts() {
    let empty = || snapshot("a", 0);
    let script = Script::from([
        ("task/1/gate.1.1", LaneOut::Gated(green())),
        ("task/2/snapshot.1", empty()),
        ("task/2/snapshot.2", empty()),
        ("task/2/snapshot.3", empty()),
    ]);
    let tasks = || {
        vec![
            complete(task(1, &[])),
            task(2, &[]),
            task(3, &[]),
            task(4, &[2]),
        ]
    };
    let mut machine = machine(plan(tasks()), 1);
    let course = Course::scripted(&mut machine, START, &script);
    use TaskState::{Landed, Parked, Passed, Skipped};
    assert_eq!(states(&course), [Passed, Parked, Landed, Skipped]);
    let mut changed = tasks();
    changed[2].title = "Another title".to_owned();
    let course = Course::scripted(&mut machine, resumed(Some(plan(changed))), &Script::new());
    assert_eq!(states(&course), [Passed, Landed, Landed, Landed]);
    assert_eq!(
        course.lines[..4],
        [
            "lane~1/open",
            "task~1/2/gate.4.1",
            "task~1/2/checkout.4",
            "task~1/2/work.4"
        ]
    );
    let LaneOp::Work { last, .. } = course.op("task~1/2/work.4") else {
        panic!("it works");
    };
    assert_eq!(
        last.as_ref().map(|last| last.code),
        Some(AttemptCode::NoChange)
    );
}

#[test]
fn a_resume_proves_a_task_again_whose_command_changed() {
    let mut machine = machine(plan(vec![task(1, &[]), task(2, &[])]), 1);
    let script = Script::from([("lane/land-1", not_landed(LandCode::TargetBusy))]);
    Course::scripted(&mut machine, START, &script);
    let mut stricter = task(1, &[]);
    stricter.commands = vec!["check harder".to_owned()];
    let changed = plan(vec![stricter, task(2, &[])]);
    let course = Course::scripted(&mut machine, resumed(Some(changed)), &Script::new());
    assert_eq!(
        course.lines[..4],
        [
            "lane~1/open",
            "task~1/1/gate.2.1",
            "task~1/1/checkout.2",
            "task~1/1/work.2"
        ]
    );
    assert_eq!(states(&course), [TaskState::Landed; 2]);
    assert!(course.lines.contains(&"landed [1, 2] on main".to_owned()));
}

#[test]
fn a_resume_lands_what_could_not_be_landed() {
    let mut machine = machine(one(), 1);
    let script = Script::from([("lane/land-1", not_landed(LandCode::DirtyOverlap))]);
    Course::scripted(&mut machine, START, &script);
    let course = Course::scripted(&mut machine, resumed(None), &Script::new());
    assert_eq!(
        course.lines,
        [
            "lane~1/open",
            "lane~1/carry-1",
            "lane~1/gate-1.1",
            "lane~1/land-1",
            "landed [1] on main",
            "task~1/1/record",
            "task~1/1/status",
            "complete 1",
        ]
    );
}

#[test]
fn a_task_that_passed_on_the_lane_only_is_not_complete_before_it_is_landed() {
    let script = || {
        Script::from([
            ("task/2/gate.1.1", LaneOut::Gated(green())),
            ("task/2/work.1", says(AgentClaim::AlreadySatisfied)),
            ("task/2/snapshot.1", snapshot("a", 0)),
        ])
    };
    let tasks = || plan(vec![task(1, &[]), task(2, &[1])]);
    let mut blocked = script();
    blocked.insert("lane/land-1", not_landed(LandCode::DirtyOverlap));
    let course = run(tasks(), blocked);
    assert_eq!(states(&course), [TaskState::OnLane; 2]);
    assert!(!course.lines.iter().any(|line| line.starts_with("complete")));
    let course = run(tasks(), script());
    assert_eq!(
        course.lines[course.lines.len() - 4..],
        ["task/1/status", "complete 1", "task/2/status", "complete 2"]
    );
}

#[test]
fn changes_of_tasks_that_run_at_a_time_are_merged_one_after_the_other() {
    let mut machine = machine(plan(vec![task(1, &[]), task(2, &[]), task(3, &[])]), 2);
    let course = Course::scripted(&mut machine, START, &Script::new());
    let of = |word: &str| {
        let is_of = |line: &&String| line.contains(word);
        course
            .lines
            .iter()
            .filter(is_of)
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of("checkout"),
        [
            "task/1/checkout.1",
            "task/2/checkout.1",
            "task/3/checkout.1"
        ]
    );
    let at = |name: &str| {
        course
            .lines
            .iter()
            .position(|line| line == name)
            .expect(name)
    };
    assert!(at("task/2/work.1") < at("task/1/merge.1"));
    assert!(at("task/1/advance.1") < at("task/2/merge.1"));
    assert!(at("task/2/advance.1") < at("task/3/merge.1"));
    // Task 3 gets the slot of task 1.
    assert!(at("change of 1") < at("task/3/gate.1.1"));
    let LaneOp::Merge { tip, change, .. } = course.op("task/2/merge.1") else {
        panic!("a merge");
    };
    assert_eq!(tip, &commit("task/1/advance.1"));
    assert_eq!(change.base, commit("base"));
    assert_eq!(states(&course), [TaskState::Landed; 3]);
}

#[test]
fn notices_of_the_lane_become_their_events() {
    let texts = ContentStore::new(std::sync::Arc::new(MemoryBlobs::default()));
    let by = ModelId::of_backend("cmd");
    let attempted = TaskAttempted {
        task: number(7),
        attempt: 2,
        code: AttemptCode::GateRed,
        reason: "exit status 1".to_owned(),
        tests: Vec::new(),
        tail: String::new(),
        files: 3,
        by: Some(by.clone()),
        retry_in_ms: Some(2_000),
    };
    let tail = Some(texts.put(&b"the end"[..]));
    let attempted = TaskNotice::Attempted(Box::new(attempted), tail);
    let event = attempted.event(&texts).expect("its content is stored");
    assert_eq!(event.task, Some(number(7)));
    let Event::TaskAttempted(attempted) = event.event else {
        panic!("another event");
    };
    assert_eq!((attempted.tail.as_str(), attempted.files), ("the end", 3));
    assert_eq!(
        (attempted.by, attempted.retry_in_ms),
        (Some(by), Some(2_000))
    );

    let flag = FlaggedChange {
        code: ChangeFlag::FlakyPass,
        reason: "it failed once".to_owned(),
    };
    let on_lane = TaskNotice::OnLane(TaskOnLane {
        task: number(7),
        attempt: 2,
        commit: commit("a").into(),
        flags: vec![flag.clone()],
        approved: None,
        restored: vec!["ralph.toml".to_owned()],
    });
    let Event::TaskOnLane(on_lane) = on_lane.event(&texts).expect("no content").event else {
        panic!("another event");
    };
    assert_eq!(on_lane.commit, commit("a").to_string());
    assert_eq!(on_lane.flags, [flag]);
    assert_eq!(on_lane.restored, ["ralph.toml"]);

    let landed = TaskNotice::Landed(LaneLanded {
        branch: "main".to_owned(),
        commit: commit("b").into(),
        tasks: vec![number(7)],
        flaky: Vec::new(),
        flaky_check: false,
    });
    let event = landed.event(&texts).expect("no content");
    assert_eq!(event.task, None);
    let Event::LaneLanded(landed) = event.event else {
        panic!("another event");
    };
    assert_eq!((&*landed.branch, landed.tasks), ("main", vec![number(7)]));

    let lane = TaskNotice::NotLanded(LaneNotLanded {
        code: LandCode::TargetBusy,
        reason: "a lock".to_owned(),
        tasks: vec![number(7)],
    });
    let Event::LaneNotLanded(lane) = lane.event(&texts).expect("no content").event else {
        panic!("another event");
    };
    assert_eq!(
        (lane.code, lane.reason.as_str()),
        (LandCode::TargetBusy, "a lock")
    );
}

#[test]
fn a_result_that_no_step_asked_for_ends_the_run() {
    let script = Script::from([("task/1/work.1", LaneOut::CheckedOut)]);
    let course = run(one(), script);
    let done = course.done.expect("it ended");
    assert_eq!(
        done.blocked.expect("a reason").reason,
        "the tasks received the result of task/1/work.1, which they did not ask for"
    );
}

#[test]
fn an_agent_that_fails_while_it_works_has_another_attempt_with_its_files() {
    let exits = || failed(FailedBy::Status(7).into());
    let course = run(one(), Script::from([("task/1/work.1", exits())]));
    let expected = ["attempt 1.1 agent_failed: it broke", "on_lane 1"];
    assert_eq!(course.reports()[..2], expected);
    let silent = Script::from([("task/1/work.1", failed(FailedBy::Silence.into()))]);
    assert_eq!(run(one(), silent).reports()[0], "on_lane 1");
}
