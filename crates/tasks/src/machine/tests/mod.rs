mod elsewhere;
pub(crate) mod fixture;
mod implement;
mod implement_picks;
mod implement_properties;
mod implement_reviews;
mod implement_together;
mod lane_fixture;
mod properties;

use std::num::NonZeroU32;
use std::time::Duration;

use review::LimitReached;
use review::events::{
    Event, ListedTest, RunEvent, TaskStarted, TaskState, TaskStatusSet, TestResult,
};
use review_flow::{Command, ContentStore, Input, Machine, MemoryBlobs, Notice, StepName};
use review_types::{BlockCode, TaskStatus, Timestamp};

use super::{
    Blocked, CommandFailure, FailureCause, PlannedTask, Ran, TaskMachine, TaskNotice, TaskOp,
    TaskOptions, TaskOut, TaskPlan,
};
use fixture::{OPTIONS, START, drive, faulty_plan, machine, number, plan, result, resumed, task};

fn passed() -> TaskOut {
    TaskOut::Ran(Ran::default())
}

fn failed(cause: FailureCause) -> TaskOut {
    TaskOut::Ran(Ran {
        failure: Some(CommandFailure {
            step: 1,
            steps: 1,
            cause,
        }),
        ..Ran::default()
    })
}

fn finished(task: u32, state: TaskState, reason: &str, ran: Ran) -> TaskNotice {
    let task = fixture::task(task, &[]);
    TaskNotice::finished(&task, state, (reason.to_owned(), Vec::new()), ran)
}

fn claiming(task: PlannedTask, claims: TaskStatus) -> PlannedTask {
    PlannedTask { claims, ..task }
}

/// Returns every command and notice of a run, one word each, then the block.
fn trace(
    machine: &mut TaskMachine,
    first: Input<TaskOut, super::TaskChanges>,
    failing: &[u32],
) -> Vec<String> {
    let mut trace = Vec::new();
    let answer = |task: review_types::TaskNumber| {
        if failing.contains(&task.get()) {
            failed(FailureCause::Exit { status: 1 })
        } else {
            passed()
        }
    };
    let done = drive(machine, first, answer, |turn| {
        for notice in &turn.notices {
            trace.push(match notice {
                TaskNotice::Started(started) => format!("start {}", started.task),
                TaskNotice::Finished(finished, _) => {
                    let (task, because_of) = (finished.task, finished.because_of.iter());
                    match finished.state {
                        TaskState::Skipped => {
                            let because_of: Vec<_> = because_of.map(|task| task.get()).collect();
                            format!("skip {task} {because_of:?}")
                        }
                        state => format!("{} {task}", state.as_str()),
                    }
                }
                TaskNotice::Status(set) => match &set.kept {
                    Some(reason) => format!("kept {}: {reason}", set.task),
                    None => {
                        assert_eq!(set.path, format!("tasks/web/{:02}.md", set.task.get()));
                        format!("{} {}", set.status, set.task)
                    }
                },
                other => panic!("no lane reports {other:?}"),
            });
        }
        trace.extend(turn.commands.iter().map(|asked| asked.step().to_string()));
    });
    trace.extend(done.blocked.map(|blocked| blocked.reason));
    trace
}

#[test]
fn ready_tasks_run_by_number_and_passing_ones_become_complete() {
    let mut machine = machine(plan(vec![task(3, &[]), task(1, &[3]), task(2, &[])]));
    assert_eq!(
        trace(&mut machine, START, &[]),
        [
            "start 2",
            "task/2/gate.1.1",
            "passed 2",
            "task/2/status",
            "complete 2",
            "start 3",
            "task/3/gate.1.1",
            "passed 3",
            "task/3/status",
            "complete 3",
            "start 1",
            "task/1/gate.1.1",
            "passed 1",
            "task/1/status",
            "complete 1",
        ]
    );
    let statuses: Vec<_> = machine.slots.iter().map(|slot| slot.status).collect();
    assert_eq!(statuses, [TaskStatus::Complete; 3]);
}

#[test]
fn a_failed_task_skips_only_what_depends_on_it() {
    let tasks = vec![
        task(1, &[]),
        task(2, &[1]),
        task(3, &[2, 4]),
        task(4, &[]),
        task(5, &[4]),
    ];
    assert_eq!(
        trace(&mut machine(plan(tasks)), START, &[1]),
        [
            "start 1",
            "task/1/gate.1.1",
            "failed 1",
            "skip 2 [1]",
            "start 4",
            "task/4/gate.1.1",
            "passed 4",
            "task/4/status",
            "complete 4",
            "skip 3 [2]",
            "start 5",
            "task/5/gate.1.1",
            "passed 5",
            "task/5/status",
            "complete 5",
            "3 of 5 tasks did not pass: task 1 failed, task 2 skipped, task 3 skipped",
        ]
    );
}

#[test]
fn a_status_is_written_if_the_file_claims_another() {
    use TaskStatus::{Blocked, Complete, Failed, InProgress, Pending};
    for (claims, fails, written) in [
        (Pending, false, Some(Complete)),
        (InProgress, false, Some(Complete)),
        (Failed, false, Some(Complete)),
        (Blocked, false, Some(Complete)),
        (Complete, false, None),
        (Complete, true, Some(Pending)),
        (Pending, true, None),
        (InProgress, true, None),
        (Failed, true, None),
        (Blocked, true, None),
    ] {
        let mut machine = machine(plan(vec![claiming(task(7, &[]), claims)]));
        machine.next(START);
        let out = if fails {
            failed(FailureCause::NoTests)
        } else {
            passed()
        };
        let asked = machine.next(result("7/gate.1.1", out)).commands;
        let status = written.map(|status| Command::Do {
            step: StepName::new("task", 0, "7/status"),
            op: TaskOp::Status {
                task: claiming(task(7, &[]), claims),
                status,
            },
        });
        assert_eq!(asked, Vec::from_iter(status), "{claims} fails: {fails}");
    }
}

#[test]
fn no_status_is_written_if_files_must_not_be_changed() {
    let tasks = vec![task(1, &[]), claiming(task(2, &[]), TaskStatus::Complete)];
    let options = TaskOptions {
        writes_status: false,
        resume: 2,
        ..OPTIONS
    };
    let mut machine = TaskMachine::new(plan(tasks).into(), options);
    assert_eq!(
        trace(&mut machine, START, &[2]),
        [
            "start 1",
            "task~2/1/gate.1.1",
            "passed 1",
            "start 2",
            "task~2/2/gate.1.1",
            "failed 2",
            "1 of 2 tasks did not pass: task 2 failed",
        ]
    );
}

#[test]
fn a_file_that_cannot_be_edited_keeps_its_status_and_the_reason_is_reported() {
    let mut machine = machine(plan(vec![task(1, &[])]));
    machine.next(START);
    machine.next(result("1/gate.1.1", passed()));
    let reason = "read-only".to_owned();
    let turn = machine.next(result("1/status", TaskOut::Status { kept: Some(reason) }));
    assert_eq!(
        turn.notices,
        [TaskNotice::Status(TaskStatusSet {
            task: number(1),
            path: "tasks/web/01.md".to_owned(),
            status: TaskStatus::Complete,
            kept: Some("read-only".to_owned()),
        })]
    );
    let Some(done) = turn.done else {
        panic!("nothing is left to do");
    };
    assert!(done.blocked.is_none());
    assert_eq!(machine.slots[0].status, TaskStatus::Pending);
}

#[test]
fn a_task_without_command_fails_alone() {
    let mut bare = claiming(task(1, &[]), TaskStatus::Complete);
    bare.commands.clear();
    assert_eq!(
        trace(
            &mut machine(plan(vec![bare, task(2, &[1]), task(3, &[])])),
            START,
            &[]
        ),
        [
            "no_command 1",
            "task/1/status",
            "pending 1",
            "skip 2 [1]",
            "start 3",
            "task/3/gate.1.1",
            "passed 3",
            "task/3/status",
            "complete 3",
            "2 of 3 tasks did not pass: task 1 no_command, task 2 skipped",
        ]
    );
}

#[test]
fn a_fault_of_the_graph_stops_every_task() {
    let tasks = || vec![task(1, &[]), task(2, &[])];
    for (faults, reason) in [
        (
            &["is bad"][..],
            "no task was run: tasks/web/01.md:2: is bad",
        ),
        (
            &["is bad", "is worse"],
            "no task was run: tasks/web/01.md:2: is bad; and 1 more fault",
        ),
        (
            &["is bad", "is worse", "is worst"],
            "no task was run: tasks/web/01.md:2: is bad; and 2 more faults",
        ),
    ] {
        let mut machine = machine(faulty_plan(tasks(), faults));
        let done = drive(&mut machine, START, |_| panic!("no task runs"), |_| ());
        let blocked = done.blocked.as_ref().expect("blocked");
        assert_eq!(blocked.reason, reason);
        assert_eq!(
            done.blocked.as_ref().map(|blocked| blocked.code),
            Some(BlockCode::TaskFailed)
        );
        let states: Vec<_> = done.tasks.iter().map(|task| task.state).collect();
        assert_eq!(states, [TaskState::NotRun; 2]);
    }
}

#[test]
fn a_limit_of_the_run_leaves_the_rest_not_run() {
    let mut machine = machine(plan(vec![task(1, &[]), task(2, &[]), task(3, &[])]));
    let answer = |task: review_types::TaskNumber| match task.get() {
        1 => passed(),
        _ => TaskOut::Cut(LimitReached::RunTime),
    };
    let mut told = Vec::new();
    let done = drive(&mut machine, START, answer, |turn| {
        told.extend(turn.notices.clone())
    });
    assert_eq!(
        done.blocked.as_ref().map(|blocked| blocked.code),
        Some(BlockCode::RunTime)
    );
    let states: Vec<_> = done.tasks.iter().map(|task| task.state).collect();
    use TaskState::{NotRun, Passed};
    assert_eq!(states, [Passed, NotRun, NotRun]);
    assert_eq!(
        told[told.len() - 2..],
        [
            finished(
                2,
                NotRun,
                "the run's limit of time is used up",
                Ran::default()
            ),
            finished(3, NotRun, "the run ended before its turn", Ran::default()),
        ]
    );
}

#[test]
fn failures_have_their_states_and_messages() {
    use TaskState::{Failed, NoTests, TimedOut};
    let step = |step, steps, cause| CommandFailure { step, steps, cause };
    let timed_out = |ms| FailureCause::TimedOut {
        limit: Duration::from_millis(ms),
    };
    let message = "no bash".to_owned();
    for (failure, state, words) in [
        (
            step(1, 1, FailureCause::Exit { status: 3 }),
            Failed,
            "exit status 3",
        ),
        (
            step(2, 3, FailureCause::Signal { signal: 9 }),
            Failed,
            "step 2 of 3: ended by signal 9",
        ),
        (
            step(1, 1, FailureCause::NotStarted { message }),
            Failed,
            "could not be started: no bash",
        ),
        (
            step(1, 2, FailureCause::NoTests),
            NoTests,
            "step 1 of 2: passed without running a test",
        ),
        (
            step(1, 1, timed_out(600_000)),
            TimedOut,
            "ran longer than 10m",
        ),
        (
            step(1, 1, timed_out(7_200_000)),
            TimedOut,
            "ran longer than 2h",
        ),
        (
            step(1, 1, timed_out(90_000)),
            TimedOut,
            "ran longer than 1m30s",
        ),
        (
            step(1, 1, timed_out(1_500)),
            TimedOut,
            "ran longer than 1s500ms",
        ),
    ] {
        let ran = Ran {
            failure: Some(failure.clone()),
            ..Ran::default()
        };
        assert_eq!(ran.state(), state, "{words}");
        assert_eq!(failure.to_string(), words);
    }
    assert_eq!(Ran::default().state(), TaskState::Passed);
}

#[test]
fn a_resumed_run_requests_every_task_again() {
    let tasks = vec![
        claiming(task(1, &[]), TaskStatus::Complete),
        claiming(task(2, &[1]), TaskStatus::Complete),
        task(3, &[2]),
    ];
    let mut machine = machine(plan(tasks));
    trace(&mut machine, START, &[2]);
    assert_eq!(machine.slots[1].status, TaskStatus::Pending);
    assert_eq!(
        trace(&mut machine, resumed(None), &[2]),
        [
            "start 1",
            "task~1/1/gate.1.1",
            "passed 1",
            "start 2",
            "task~1/2/gate.1.1",
            "failed 2",
            "skip 3 [2]",
            "2 of 3 tasks did not pass: task 2 failed, task 3 skipped",
        ]
    );
    assert_eq!(
        trace(&mut machine, resumed(None), &[]),
        [
            "start 1",
            "task~1/1/gate.1.1",
            "passed 1",
            "start 2",
            "task~1/2/gate.1.1",
            "passed 2",
            "task~1/2/status",
            "complete 2",
            "start 3",
            "task~1/3/gate.1.1",
            "passed 3",
            "task~1/3/status",
            "complete 3",
        ]
    );
    let ran = machine.slots.iter().map(|slot| slot.ran.clone());
    assert_eq!(ran.collect::<Vec<_>>(), vec![Some(Ran::default()); 3]);
}

#[test]
fn a_resumed_run_uses_the_current_plan() {
    let mut machine = machine(plan(vec![task(1, &[]), task(2, &[]), task(3, &[])]));
    trace(&mut machine, START, &[3]);
    let mut other = claiming(task(2, &[]), TaskStatus::Complete);
    other.commands = vec!["check harder".to_owned()];
    let changed = plan(vec![
        claiming(task(1, &[]), TaskStatus::Complete),
        other,
        task(4, &[1]),
    ]);
    assert_eq!(
        trace(&mut machine, resumed(Some(changed)), &[]),
        [
            "start 1",
            "task~1/1/gate.1.1",
            "passed 1",
            "start 2",
            "task~1/2/gate.1.1",
            "passed 2",
            "start 4",
            "task~1/4/gate.1.1",
            "passed 4",
            "task~1/4/status",
            "complete 4",
        ]
    );
    assert_eq!(machine.plan().tasks().len(), 3);
}

#[test]
fn an_artifact_that_another_process_changed_ends_the_run() {
    let mut machine = machine(plan(vec![task(1, &[]), task(2, &[])]));
    machine.next(START);
    let found = "specs/DEMO.md".to_owned();
    let changed = result(
        "1/gate.1.1",
        TaskOut::Changed {
            files: found,
            ran: None,
        },
    );
    let Some(done) = machine.next(changed).done else {
        panic!("it ends");
    };
    let blocked = done.blocked.expect("a reason");
    assert_eq!(blocked.code, BlockCode::ArtifactChanged);
    assert_eq!(
        blocked.reason,
        "another process changed the artifact during the run: specs/DEMO.md"
    );
    let states: Vec<_> = done.tasks.iter().map(|task| task.state).collect();
    assert_eq!(states, [TaskState::NotRun; 2]);
}

#[test]
fn an_artifact_that_changes_during_a_command_ends_the_run_and_keeps_the_result() {
    use TaskState::{Failed, NotRun, TimedOut};
    let limit = Duration::from_secs(9);
    let timed_out = CommandFailure {
        step: 1,
        steps: 1,
        cause: FailureCause::TimedOut { limit },
    };
    for (failure, state) in [(None, Failed), (Some(timed_out), TimedOut)] {
        let tasks = vec![task(1, &[]), task(2, &[]), task(3, &[9]), task(4, &[2])];
        let mut machine = machine(plan(tasks));
        machine.next(START);
        let ran = Ran {
            failure,
            took_ms: 7,
            log: Some("logs/1".to_owned()),
            ..Ran::default()
        };
        let files = "a.md, b.md".to_owned();
        let out = TaskOut::Changed {
            files,
            ran: Some(ran.clone()),
        };
        let turn = machine.next(result("1/gate.1.1", out));
        let reason = "the artifact changed while the command of task 1 ran: a.md, b.md";
        let later = "the run ended before its turn";
        assert_eq!(
            turn.notices,
            [
                finished(1, state, reason, ran.clone()),
                finished(2, NotRun, later, Ran::default()),
                finished(3, NotRun, later, Ran::default()),
                finished(4, NotRun, later, Ran::default()),
            ]
        );
        let Some(done) = turn.done else {
            panic!("it ends");
        };
        let code = BlockCode::ArtifactChanged;
        let reason = reason.to_owned();
        assert_eq!(done.blocked, Some(Blocked { code, reason }));
        assert_eq!(machine.slots[0].ran, Some(ran));
    }
}

#[test]
fn an_artifact_that_changes_during_several_commands_is_reported_for_the_one_that_ended() {
    let jobs = NonZeroU32::new(2).expect("not 0");
    let plan = plan(vec![task(1, &[]), task(2, &[]), task(3, &[])]);
    let mut machine = TaskMachine::new(plan.into(), TaskOptions { jobs, ..OPTIONS });
    machine.next(START);
    let out = TaskOut::Changed {
        files: "a.md".to_owned(),
        ran: Some(Ran::default()),
    };
    let turn = machine.next(result("2/gate.1.1", out));
    let done = turn.done.expect("it ends");
    let reason = "the artifact changed while the command of task 2 ran: a.md".to_owned();
    let code = BlockCode::ArtifactChanged;
    assert_eq!(done.blocked, Some(Blocked { code, reason }));
    let told = turn.notices.iter().filter_map(|notice| match notice {
        TaskNotice::Finished(finished, _) => Some((finished.task.get(), finished.reason.as_str())),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    assert_eq!(told[1], (1, "the run ended while its command ran"));
}

#[test]
fn an_unexpected_input_ends_the_run() {
    let unasked = [
        result("1/gate.1.1", TaskOut::Status { kept: None }),
        result("2/gate.1.1", passed()),
        Input::Waited {
            step: StepName::new("task", 0, "1/gate.1.1"),
            at: Timestamp::UNIX_EPOCH,
        },
    ];
    for input in unasked {
        let mut machine = machine(plan(vec![task(1, &[])]));
        machine.next(START);
        let Some(done) = machine.next(input).done else {
            panic!("it ends");
        };
        assert_eq!(
            done.blocked.as_ref().map(|blocked| blocked.code),
            Some(BlockCode::TaskFailed)
        );
        assert_eq!(done.tasks[0].state, TaskState::NotRun);
    }
}

#[test]
fn a_reason_lists_at_most_ten_tasks() {
    let tasks = (1..=12).map(|of| task(of, &[])).collect();
    let failing: Vec<_> = (1..=12).collect();
    let words = trace(&mut machine(plan(tasks)), START, &failing);
    let reason = words.last().expect("a reason");
    assert!(reason.starts_with("12 of 12 tasks did not pass: task 1 failed, task 2 failed,"));
    assert!(reason.ends_with("10 failed and 2 more"), "{reason}");
}

#[test]
fn a_unit_without_tasks_passes() {
    let done = drive(&mut machine(plan(Vec::new())), START, |_| passed(), |_| ());
    assert!(done.blocked.is_none());
    assert_eq!(done.blocked.as_ref().map(|blocked| blocked.code), None);
}

#[test]
fn notices_become_the_events_of_their_tasks() {
    let texts = ContentStore::new(std::sync::Arc::new(MemoryBlobs::default()));
    let ran = Ran {
        tests_run: Some(2),
        took_ms: 5,
        cached: true,
        changed_tree: true,
        tail: Some(texts.put(&b"the end"[..])),
        log: Some("logs/7.log".to_owned()),
        ..Ran::default()
    };
    let notice = finished(7, TaskState::Passed, "because", ran);
    let event = notice.event(&texts).expect("its content is stored");
    assert_eq!(event.task, Some(number(7)));
    let Event::TaskFinished(finished) = event.event else {
        panic!("another event");
    };
    assert_eq!(finished.tail, "the end");
    assert_eq!(finished.log.as_deref(), Some("logs/7.log"));
    assert_eq!(
        (
            finished.tests_run,
            finished.took_ms,
            finished.cached,
            finished.changed_tree
        ),
        (Some(2), 5, true, true)
    );
    assert_eq!(finished.reason, "because");
}

#[test]
fn a_notice_of_a_task_is_the_event_of_its_name() {
    let texts = ContentStore::new(std::sync::Arc::new(MemoryBlobs::default()));
    let task = number(7);
    let started = TaskStarted {
        task,
        title: "Task 7".to_owned(),
        command: "make".to_owned(),
        tasks: 9,
    };
    let set = TaskStatusSet {
        task,
        path: "tasks/web/07.md".to_owned(),
        status: TaskStatus::Complete,
        kept: Some("it is read-only".to_owned()),
    };
    for (notice, event) in [
        (
            TaskNotice::Started(started.clone()),
            Event::TaskStarted(started),
        ),
        (TaskNotice::Status(set.clone()), Event::TaskStatus(set)),
    ] {
        let task = Some(task);
        assert_eq!(notice.event(&texts).ok(), Some(RunEvent { task, event }));
    }
}

#[test]
fn only_a_status_is_a_local_step() {
    let task = || task(1, &[]);
    let status = TaskOp::Status {
        task: task(),
        status: TaskStatus::Complete,
    };
    assert!(TaskMachine::is_local(&status));
    assert!(!TaskMachine::is_local(&TaskOp::Backpressure {
        task: task()
    }));
}

#[test]
fn a_plan_has_the_tasks_of_its_unit() {
    let files = [
        (
            "tasks/web/02-b.md",
            "---\ntask: 2\nstatus: in_progress\nbackpressure: [make a, make b]\ndepends_on: [1]\ntimeout: 90s\nmay_change: tests/*.py\n---\n# Two\n\n## Must Pass\n\n| Test | Asserts |\n|---|---|\n| `keeps` | x |\n| It works | y |\n| `keeps` | z |\n",
        ),
        ("tasks/web/01-a.md", "---\ntask: 1\nstatus: done\n---\n"),
    ];
    let plan = TaskPlan::load("web".parse().expect("legal"), "tasks/web", &files);
    assert!(plan.faults().is_empty());
    let two = PlannedTask {
        number: number(2),
        title: "Two".to_owned(),
        path: "tasks/web/02-b.md".to_owned(),
        depends_on: vec![number(1)],
        commands: vec!["make a".to_owned(), "make b".to_owned()],
        must_pass: vec!["keeps".to_owned()],
        timeout: Some(Duration::from_secs(90)),
        claims: TaskStatus::InProgress,
        may_change: vec!["tests/*.py".to_owned()],
        hidden: Vec::new(),
    };
    assert_eq!(plan.task(number(2)), Some(&two));
    assert_eq!(two.command(), "make a\nmake b");
    let one = plan.task(number(1)).expect("a task");
    assert_eq!((one.claims, one.commands.len()), (TaskStatus::Complete, 0));
    assert_eq!(plan.task(number(3)), None);
}

#[test]
fn a_faulty_unit_has_a_faulty_plan() {
    let files = [
        (
            "tasks/web/01-a.md",
            "---\ntask: 1\nbackpressure: x\ndepends_on: [9]\n---\n",
        ),
        ("tasks/web/02-b.md", "---\ntask: 1\nbackpressure: x\n---\n"),
    ];
    let plan = TaskPlan::load("web".parse().expect("legal"), "tasks/web", &files);
    let faults: Vec<_> = plan.faults().iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "tasks/web/02-b.md:2: task number 1 is used twice, first in tasks/web/01-a.md; 2 is free",
            "tasks/web/01-a.md:4: task 1 depends on task 9, which does not exist; there is only task 1",
        ]
    );
    assert_eq!(plan.tasks().len(), 1);
}

#[test]
fn listed_tests_are_reported_with_their_results() {
    use TestResult::{Failed, NotRun, Skipped};
    let failure = |tests: &[(&str, TestResult)]| {
        let tests = tests.iter().map(|(name, result)| ListedTest {
            name: (*name).to_owned(),
            result: *result,
        });
        let cause = FailureCause::TestsMissing {
            tests: tests.collect(),
        };
        CommandFailure {
            step: 2,
            steps: 2,
            cause,
        }
        .to_string()
    };
    assert_eq!(
        failure(&[("a", Skipped), ("b", NotRun), ("c", Failed), ("d", NotRun)]),
        "listed test `a` was skipped, listed test `b` did not run, listed test `c` failed, listed \
         test `d` did not run; make them run and pass, or correct the Must Pass table"
    );
    let twelve: Vec<_> = (0..12).map(|_| ("a", NotRun)).collect();
    let text = failure(&twelve);
    assert_eq!(text.matches("listed test").count(), 10);
    assert!(text.contains(" and 2 more; make them"), "{text}");
}
