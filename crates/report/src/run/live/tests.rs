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
fn a_call_has_a_line_below_what_the_run_consumed() {
    let view = reviewing();
    for (width, line) in [
        (30, "  round 2 of 3 · reviewing"),
        (40, "  round 2 of 3 · reviewing · 1m12s of …"),
        (60, "  round 2 of 3 · reviewing · 1m12s of 10m · reads …"),
        (
            80,
            "  round 2 of 3 · reviewing · 1m12s of 10m · reads specs/url-shortener.md",
        ),
        (
            120,
            "  round 2 of 3 · reviewing · 1m12s of 10m · reads specs/url-shortener.md · claude · claude-opus-4-1",
        ),
    ] {
        let expected = ["* 12.3k tokens · $0.12", line];
        assert_eq!(view.lines('*', width, at(172)), expected, "{width}");
    }
}

#[test]
fn a_long_silence_is_shown_with_its_limit() {
    let view = reviewing();
    for (seconds, line) in [
        (
            205,
            "  round 2 of 3 · reviewing · 1m45s of 10m · silent for 45s of 5m · claude",
        ),
        (
            189,
            "  round 2 of 3 · reviewing · 1m29s of 10m · reads specs/url-shortener.md",
        ),
    ] {
        assert_eq!(view.lines('*', 80, at(seconds))[1], line);
    }
}

#[test]
fn no_line_is_wider_than_the_terminal_and_no_word_is_cut() {
    let view = reviewing();
    let words = "* 12.3k tokens · $0.12 round 2 of 3 reviewing 1m12s 10m claude claude-opus-4-1 reads \
                 specs/url-shortener.md …";
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
    let line = "  round 2 of 3 · reviewing · 1m12s of 10m · Done. · claude · claude-opus-4-1";
    assert_eq!(view.lines('*', 80, at(172))[1], line);
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
    let work = |view: &LiveView| view.lines('*', 80, at(190)).swap_remove(1);
    let applying = "  round 2 of 3 · applying · 9s of 10m · claude";
    assert_eq!(work(&view), applying);
    take(&mut view, 182, None, finished(apply));
    let Event::CallStarted(call) = call_started(again, 3, AgentRole::Reviewer) else {
        unreachable!("a call")
    };
    let call = CallStarted {
        asked_again: true,
        ..call
    };
    take(&mut view, 183, None, Event::CallStarted(call));
    let asking = "  round 3 of 3 · asking again · 7s of 10m · claude";
    assert_eq!(work(&view), asking);
    take(&mut view, 184, None, finished(again));
    let started = call_started("task/7/work.2", 2, AgentRole::Implementer);
    take(&mut view, 184, None, started);
    assert_eq!(
        work(&view),
        "  task 7 · attempt 2 · implementing · 6s of 10m · claude"
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
        ["* task 2 · preparing · 3s · Index words"]
    );
    command(&mut view, 2, "cargo test -p search");
    for (width, line) in [
        (40, "* task 2 · testing · 12s of 10m"),
        (
            120,
            "* task 2 · testing · 12s of 10m · Index words · 14 tests · test index::keeps_the_order ... ok",
        ),
    ] {
        assert_eq!(view.lines('*', width, at(22)), [line], "{width}");
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
            "  task 2 · testing · 12s of 10m · Index words · 14 tests · test …",
            "  task 3 · preparing · 22s · Rank",
        ]
    );
    assert_eq!(
        view.lines('*', 40, at(22)),
        [
            "* 0 of 12 done · 2 running",
            "  task 2 · testing · 12s of 10m",
            "  task 3 · preparing · 22s · Rank",
        ]
    );
    ended(&mut view, 3, TaskState::Passed);
    let lines = view.lines('*', 80, at(24));
    assert_eq!(lines[0], "* 1 of 12 done · 1 running");
    assert_eq!(lines.len(), 2);
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
                "* 1 of 5 done · 2 running · 1 parked · 1m · 2.3k tokens · $0.02 of $5.00",
                "  task 2 · attempt 1 · implementing · 30s of 10m · Index words · reads specs/url-shortener.md",
                "  task 3 · setting up · 10s of 1m · Rank · npm ci",
                "  testing before landing · 5s of 1m · npm test",
            ],
        ),
        (
            40,
            [
                "* 1 of 5 done · 2 running · 1 parked",
                "  task 2 · attempt 1 · implementing",
                "  task 3 · setting up · 10s of 1m · Rank",
                "  testing before landing · 5s of 1m",
            ],
        ),
    ] {
        assert_eq!(view.lines('*', width, at(60)), lines, "{width}");
    }
}
