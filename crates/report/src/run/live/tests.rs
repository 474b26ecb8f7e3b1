//! The lines at the widths of terminals.

use review_events::{
    ActionKind, CallEnded, ReviewStarted, RunFinished, RunStarted, StepFinished, StepOutput,
    TaskFinished, TaskStarted, TaskState,
};
use review_types::{ModelId, Outcome, RunId, TaskNumber, Usd};

use super::*;

fn at(seconds: u64) -> Timestamp {
    Timestamp::UNIX_EPOCH.after(Duration::from_secs(seconds))
}

fn take(view: &mut LiveView, seconds: u64, task: Option<&str>, event: Event) {
    view.take(&Envelope {
        run: RunId::new("0199").unwrap(),
        seq: None,
        timestamp: at(seconds),
        unit: None,
        task: task.map(str::to_owned),
        event,
    });
}

fn call_started(step: &str, iteration: u32, role: AgentRole) -> Event {
    Event::CallStarted(CallStarted {
        step: step.to_owned(),
        role,
        iteration,
        asked_again: false,
        agent: "claude".to_owned(),
        model: None,
        time_limit_ms: Some(600_000),
        idle_limit_ms: Some(300_000),
    })
}

fn activity(step: &str, says: Option<&str>) -> AgentActivity {
    AgentActivity {
        step: step.to_owned(),
        role: AgentRole::Reviewer,
        iteration: 2,
        model: Some("claude-opus-4-1".to_owned()),
        action: Some(AgentAction {
            kind: ActionKind::Reads,
            target: "specs/url-shortener.md".to_owned(),
        }),
        says: says.map(str::to_owned),
        says_last: false,
        usage: Some(Usage {
            input_tokens: 2_000,
            output_tokens: 345,
            cost_micro_usd: Some(20_000),
        }),
    }
}

/// The second review of a run, 72 seconds after its start.
fn reviewing() -> LiveView {
    let mut view = LiveView::default();
    let started = ReviewStarted {
        feature: "url-shortener".to_owned(),
        spec: String::new(),
        path: String::new(),
        max_iterations: 3,
    };
    take(&mut view, 0, None, Event::ReviewStarted(started));
    let ended = CallEnded {
        role: AgentRole::Reviewer,
        task: None,
        iteration: 1,
        by: None::<ModelId>,
        usage: Some(Usage {
            input_tokens: 9_000,
            output_tokens: 1_000,
            cost_micro_usd: Some(100_000),
        }),
        took_ms: 1,
    };
    take(&mut view, 1, None, Event::CallEnded(ended));
    let step = "review/review-2.1";
    take(
        &mut view,
        100,
        None,
        call_started(step, 2, AgentRole::Reviewer),
    );
    let says = "I compare FR-2 with the list of errors and with every test that tasks/03 promises";
    let activity = activity(step, Some(says));
    take(&mut view, 160, None, Event::AgentActivity(activity));
    view
}

#[test]
fn a_call_is_shown_in_the_lines_that_the_width_allows() {
    let view = reviewing();
    for (width, lines) in [
        (30, &["* 2/3 reviewing 1m12s"] as &[&str]),
        (40, &["* 2/3 reviewing 1m12s · reads …"]),
        (48, &["* 2/3 reviewing 1m12s · reads url-shortener.md"]),
        (
            59,
            &["* 2/3 reviewing 1m12s · reads url-shortener.md · claude"],
        ),
        (
            80,
            &[
                "* round 2 of 3 · reviewing · 1m12s of 10m",
                "  claude · claude-opus-4-1 · 12.3k tokens, $0.12 so far",
                "  reads specs/url-shortener.md",
            ],
        ),
        (
            100,
            &[
                "* round 2 of 3 · reviewing · 1m12s of 10m",
                "  claude · claude-opus-4-1 · 12.3k tokens, $0.12 so far",
                "  reads specs/url-shortener.md",
                "  I compare FR-2 with the list of errors and with every test that tasks/03 promises",
            ],
        ),
    ] {
        assert_eq!(view.lines('*', width, at(172)), lines, "{width}");
    }
    assert_eq!(view.lines('*', 120, at(172)), view.lines('*', 100, at(172)));
}

#[test]
fn a_long_silence_is_shown_with_its_limit() {
    let view = reviewing();
    assert_eq!(
        view.lines('*', 40, at(205)),
        ["* 2/3 reviewing 1m45s · silent for 45s …"]
    );
    let lines = view.lines('*', 80, at(205));
    assert_eq!(
        lines[2],
        "  reads specs/url-shortener.md · silent for 45s of 5m"
    );
    assert_eq!(
        view.lines('*', 80, at(189))[2],
        "  reads specs/url-shortener.md"
    );
}

#[test]
fn no_line_is_wider_than_the_terminal_and_no_word_is_cut() {
    let view = reviewing();
    let words = "* 2/3 reviewing 1m12s round 2 of 3 · 10m claude claude-opus-4-1 12.3k tokens, $0.12 \
                 so far reads specs/url-shortener.md url-shortener.md … I compare FR-2 with the list \
                 errors and every test that tasks/03 promises";
    let words: Vec<_> = words.split_whitespace().collect();
    for width in 25..140 {
        for line in view.lines('*', width, at(172)) {
            assert!(line.chars().count() <= width, "{width}: {line}");
            let mut unknown = line.split_whitespace().filter(|word| !words.contains(word));
            assert_eq!(unknown.next(), None, "{width}: {line}");
        }
    }
}

#[test]
fn what_the_agent_said_last_is_shown_instead_of_an_earlier_tool() {
    let mut view = reviewing();
    let mut activity = activity("review/review-2.1", Some("Done."));
    activity.says_last = true;
    take(&mut view, 161, None, Event::AgentActivity(activity));
    assert_eq!(view.lines('*', 80, at(172))[2], "  Done.");
}

#[test]
fn what_runs_has_a_label_in_every_round_and_goes_with_its_step() {
    let mut view = reviewing();
    let finished = |step: &str| {
        Event::StepFinished(StepFinished {
            step: step.to_owned(),
            took_ms: 1,
            by: None,
            usage: None,
        })
    };
    take(&mut view, 180, None, finished("review/review-2.1"));
    assert!(view.is_idle());
    let (apply, again) = ("review/apply-2.1", "review/review-3.2");
    take(
        &mut view,
        181,
        None,
        call_started(apply, 2, AgentRole::Applier),
    );
    let first = |view: &LiveView| view.lines('*', 80, at(190)).swap_remove(0);
    assert_eq!(first(&view), "* round 2 of 3 · applying · 9s of 10m");
    take(&mut view, 182, None, finished(apply));
    let Event::CallStarted(call) = call_started(again, 3, AgentRole::Reviewer) else {
        unreachable!("a call")
    };
    let call = CallStarted {
        asked_again: true,
        ..call
    };
    take(&mut view, 183, None, Event::CallStarted(call));
    assert_eq!(first(&view), "* round 3 of 3 · asking again · 7s of 10m");
    take(&mut view, 184, None, finished(again));
    let work = "task/7/work.2";
    let started = call_started(work, 2, AgentRole::Implementer);
    take(&mut view, 184, None, started);
    assert_eq!(
        first(&view),
        "* task 7 · attempt 2 · implementing · 6s of 10m"
    );
    let ended = RunFinished {
        outcome: Outcome::Passed,
        block_code: None,
        block_reason: String::new(),
    };
    take(&mut view, 184, None, Event::RunFinished(ended));
    assert_eq!(view.lines('*', 80, at(190)), [""; 0]);
}

fn task_started(view: &mut LiveView, number: u32, title: &str, tasks: usize) {
    let started = TaskStarted {
        task: TaskNumber::new(number).unwrap(),
        title: title.to_owned(),
        command: "cargo build\ncargo test".to_owned(),
        tasks,
    };
    let id = format!("web/{number}");
    take(view, 0, Some(&id), Event::TaskStarted(started));
}

fn command(view: &mut LiveView, number: u32, command: &str) {
    let step = format!("task/{number}/gate.1.1");
    let id = format!("web/{number}");
    let command = StepCommand {
        step: step.clone(),
        command: command.to_owned(),
        time_limit_ms: 600_000,
    };
    take(view, 10, Some(&id), Event::StepCommand(command));
    let output = StepOutput {
        step,
        line: "test index::keeps_the_order ... ok".to_owned(),
        tests_run: Some(14),
    };
    take(view, 20, Some(&id), Event::StepOutput(output));
}

#[test]
fn a_task_is_shown_with_title_command_tests_and_last_line() {
    let mut view = LiveView::default();
    task_started(&mut view, 2, "Index words", 1);
    assert_eq!(
        view.lines('*', 80, at(3)),
        ["* task 2 · Index words · preparing · 3s"]
    );
    command(&mut view, 2, "cargo test -p search");
    for (width, lines) in [
        (40, &["* task 2 12s · 14 tests · Index words"] as &[&str]),
        (
            80,
            &[
                "* task 2 · Index words · testing · 12s of 10m",
                "  14 tests · cargo test -p search",
                "  test index::keeps_the_order ... ok",
            ],
        ),
        (
            120,
            &[
                "* task 2 · Index words · testing · 12s of 10m",
                "  14 tests · cargo test -p search",
                "  test index::keeps_the_order ... ok",
            ],
        ),
    ] {
        assert_eq!(view.lines('*', width, at(22)), lines, "{width}");
    }
}

#[test]
fn tasks_side_by_side_have_a_line_each() {
    let mut view = LiveView::default();
    task_started(&mut view, 2, "Index words", 12);
    task_started(&mut view, 3, "Rank", 12);
    command(&mut view, 2, "cargo test");
    assert_eq!(
        view.lines('*', 80, at(22)),
        [
            "* 0 of 12 done · 2 running",
            "  task 2 · Index words · testing · 12s of 10m · 14 tests · test …",
            "  task 3 · Rank · preparing · 22s",
        ]
    );
    assert_eq!(
        view.lines('*', 40, at(22)),
        [
            "* 0 of 12 done · 2 running",
            "  task 2 12s · 14 tests · Index words",
            "  task 3 preparing 22s · Rank"
        ]
    );
    ended(&mut view, 3, TaskState::Passed);
    let lines = view.lines('*', 80, at(24));
    assert_eq!(lines[0], "* 1 of 12 done · 1 running");
    assert_eq!(lines.len(), 4);
}

fn ended(view: &mut LiveView, number: u32, state: TaskState) {
    let ended = TaskFinished {
        task: TaskNumber::new(number).unwrap(),
        title: "Rank".to_owned(),
        state,
        tests_run: None,
        must_pass: None,
        took_ms: 1,
        cached: false,
        changed_tree: false,
        reason: String::new(),
        tail: String::new(),
        log: None,
        because_of: Vec::new(),
    };
    let id = format!("web/{number}");
    take(view, 23, Some(&id), Event::TaskFinished(ended));
}

#[test]
fn agents_side_by_side_have_a_line_a_task_below_the_state_of_the_run() {
    let mut view = LiveView {
        max_cost: Some(Usd::from_micro(5_000_000)),
        ..LiveView::default()
    };
    let started = RunStarted {
        spec: String::new(),
        root: String::new(),
        prompts: Vec::new(),
    };
    take(&mut view, 0, None, Event::RunStarted(started));
    for (task, title) in [(1, "Store"), (2, "Index words"), (3, "Rank"), (4, "Page")] {
        task_started(&mut view, task, title, 5);
    }
    ended(&mut view, 1, TaskState::OnLane);
    ended(&mut view, 4, TaskState::Parked);
    for (width, line) in [
        (80, "  task 2 · Index words · preparing · 0s"),
        (40, "  task 2 preparing 0s · Index words"),
    ] {
        assert_eq!(view.lines('*', width, at(0))[1], line, "{width}");
    }
    for task in [2, 3] {
        let step = format!("task/{task}/work.1.1");
        let call = call_started(&step, 1, AgentRole::Implementer);
        take(&mut view, 30, None, call);
    }
    let busy = activity("task/2/work.1.1", None);
    take(&mut view, 40, None, Event::AgentActivity(busy));
    let ended = StepFinished {
        step: "task/3/work.1.1".to_owned(),
        took_ms: 1,
        by: None,
        usage: None,
    };
    take(&mut view, 45, None, Event::StepFinished(ended));
    let setup = StepCommand {
        step: "task/3/checkout.2.1".to_owned(),
        command: "npm ci".to_owned(),
        time_limit_ms: 60_000,
    };
    take(&mut view, 50, None, Event::StepCommand(setup));
    let landing = StepCommand {
        step: "lane/gate-1.1".to_owned(),
        command: "npm test".to_owned(),
        time_limit_ms: 60_000,
    };
    take(&mut view, 55, Some("web/1"), Event::StepCommand(landing));
    for (width, lines) in [
        (
            100,
            [
                "* 1 of 5 done · 2 running · 1 parked · 1m · $0.02 of $5.00",
                "  task 2 · Index words · attempt 1 · implementing · 30s · reads specs/url-shortener.md · claude",
                "  task 3 · Rank · setting up · 10s of 1m",
                "  testing before landing · 5s of 1m",
            ],
        ),
        (
            40,
            [
                "* 1 of 5 done · 2 running · 1 parked",
                "  task 2 implementing 30s · reads …",
                "  task 3 10s · Rank · setting up",
                "  testing before landing 5s",
            ],
        ),
    ] {
        assert_eq!(view.lines('*', width, at(60)), lines, "{width}");
    }
}
