//! The work of agents at tasks, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use review_events::{
    Approval, AttemptCode, LaneLanded, LaneNotLanded, LaneOpened, TaskAttempted, TaskOnLane,
    TaskReviewed, TaskState,
};
use review_types::{LandCode, SandboxKind, TaskNumber, write_duration};

use super::event::render_round;
use super::report::RunReport;
use super::tasks::{TaskReport, named_tasks};
use crate::next::NextStep;
use crate::style::{FAINT, GOOD, RESET, WARNING};
use crate::text::{indented, last_line, named_command, one_line, printable, tail};

/// Maximum number of digits of a commit.
const SHORT: usize = 10;

/// Maximum number of tasks with a step of their own.
const MAX_STEPS: usize = 5;

/// Returns an attempt that was not accepted, with the end of the output, or else what its
/// reason says before its last line.
pub(super) fn attempted(attempt: &TaskAttempted) -> String {
    let again = match attempt.retry_in_ms {
        None => String::new(),
        Some(0) => "; called again".to_owned(),
        Some(pause) => {
            let pause = write_duration(Duration::from_millis(pause));
            format!("; called again in {pause}")
        }
    };
    let reason = attempt.reason.trim_end();
    let before = match (reason.rsplit_once('\n'), attempt.tail.as_str()) {
        (Some((before, _)), "") => before,
        (_, tail) => tail,
    };
    format!(
        "  task {}  {WARNING}attempt {}{RESET}  {FAINT}{}: {}{again}{RESET}\n{}",
        attempt.task,
        attempt.attempt,
        attempt.code,
        last_line(reason),
        tail(before)
    )
}

/// Returns the tests that an attempt was not accepted for, a line each.
pub(super) fn tests(attempt: &TaskAttempted) -> String {
    let tests = attempt.tests.iter();
    let lines = tests.map(|test| format!("      {FAINT}{}{RESET}\n", printable(test)));
    lines.collect()
}

/// Returns the review of a change, with its feedback.
pub(super) fn reviewed(reviewed: &TaskReviewed) -> String {
    let (task, attempt) = (reviewed.task, reviewed.attempt);
    let round = render_round(&reviewed.review);
    let round: String = round.lines().map(|line| format!("  {line}\n")).collect();
    format!("  task {task}  review of attempt {attempt}\n{round}")
}

/// Returns where the change of a task is, and what is remarkable about it.
pub(super) fn on_lane(on_lane: &TaskOnLane) -> String {
    let mut facts = vec![format!(
        "commit {} of attempt {}",
        short(&on_lane.commit),
        on_lane.attempt
    )];
    let flags = on_lane.flags.iter();
    facts.extend(flags.map(|flag| one_line(&flag.reason)));
    let approved = on_lane.approved.iter();
    facts
        .extend(approved.map(|Approval { by, why }| one_line(&format!("approved by {by}: {why}"))));
    format!("    {FAINT}{}{RESET}\n", facts.join("; "))
}

/// Returns what keeps agents from files outside of their checkouts.
pub(super) fn opened(opened: &LaneOpened) -> String {
    match opened.sandbox {
        SandboxKind::Unsandboxed => format!(
            "  {WARNING}{}{RESET}: agents could write to files outside of their checkouts ({})\n",
            opened.sandbox,
            indented(&opened.reason, "  ")
        ),
        kind => format!("  {FAINT}sandbox {kind}{RESET}\n"),
    }
}

/// Returns where work was landed.
pub(crate) fn landed(landed: &LaneLanded) -> String {
    let tasks = named_tasks(&landed.tasks);
    let mut text = format!(
        "{GOOD}landed{RESET} on {} at {}: {tasks}\n",
        printable(&landed.branch),
        short(&landed.commit)
    );
    let tasks = Some(named_tasks(&landed.flaky)).filter(|_| !landed.flaky.is_empty());
    let check = landed.flaky_check.then(|| "lane.check".to_owned());
    let flaky: Vec<_> = tasks.into_iter().chain(check).collect();
    if !flaky.is_empty() {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  {FAINT}failed once and passed when run again: {}{RESET}",
            flaky.join(", ")
        );
    }
    text
}

/// Returns which work is on the lane only, and why where the outcome of the run does not
/// say it.
pub(crate) fn not_landed(lane: &LaneNotLanded) -> String {
    let reason = match lane.code {
        LandCode::Never => format!(": {}", indented(&lane.reason, "  ")),
        _ => String::new(),
    };
    format!(
        "{WARNING}not landed{RESET}, on the lane: {} ({}{reason})\n",
        named_tasks(&lane.tasks),
        lane.code
    )
}

/// Returns which tasks have no work of agents that counts, and where the checkouts are; empty
/// without agents. Where work landed was reported when it did.
pub(super) fn work(report: &RunReport) -> String {
    let mut text = String::new();
    for task in report.tasks.iter().filter(|task| is_left(task)) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{WARNING}{}{RESET} task {}{}",
            task.status.as_str(),
            task.id,
            last_attempt(task)
        );
        if let Some(command) = &task.shows_change {
            let _ = writeln!(text, "  {FAINT}change   `{}`{RESET}", printable(command));
        }
    }
    for task in &report.tasks {
        let change = task.change.as_ref();
        if let Some(Approval { by, why }) = change.and_then(|change| change.approved.as_ref()) {
            let approval = one_line(&format!("task {} approved by {by}: {why}", task.id));
            let _ = writeln!(text, "{FAINT}{approval}{RESET}");
        }
    }
    if let Some(folder) = &report.lane {
        let _ = writeln!(text, "{FAINT}checkouts are in {}{RESET}", printable(folder));
    }
    text
}

impl RunReport {
    /// Adds where the checkouts of its agents are: those that exist, in the folder `lane`.
    pub fn add_checkouts(&mut self, lane: String, mut checkouts: BTreeMap<TaskNumber, String>) {
        for task in &mut self.tasks {
            task.checkout = checkouts.remove(&task.id);
            let has_change = task.attempts.iter().any(|attempt| attempt.files > 0);
            let run = self.run.as_ref().filter(|_| has_change && is_left(task));
            task.shows_change = run.map(|run| {
                let task = task.id.to_string();
                shell_words::join(["ralph", "diff", run.short(), "--task", &task])
            });
        }
        self.lane = Some(lane);
    }
}

/// Whether the work at a task waits for a user, since it changed tests.
pub(super) fn is_held(report: &RunReport) -> bool {
    let mut tasks = report.tasks.iter();
    tasks.any(|task| task.status == TaskState::Held)
}

/// Whether an agent worked at a task in vain.
fn is_left(task: &TaskReport) -> bool {
    matches!(task.status, TaskState::Parked | TaskState::Held)
}

/// Returns why the last attempt at a task did not go on; earlier ones are where they happened.
fn last_attempt(task: &TaskReport) -> String {
    let mut over = task
        .attempts
        .iter()
        .filter(|attempt| attempt.retry_in_ms.is_none());
    over.next_back().map_or_else(String::new, |last| {
        format!("  {FAINT}{}: {}{RESET}", last.code, last_line(&last.reason))
    })
}

/// Returns the steps after a run in which agents implemented tasks; none where what they
/// did needs no step. `run` is the run as commands name it.
pub(super) fn steps(report: &RunReport, run: &str) -> Vec<NextStep> {
    let landing = report.not_landed.iter().filter_map(|lane| {
        let first = match lane.code {
            // The task that fails has a step of its own.
            LandCode::Red => return None,
            LandCode::Never | LandCode::TargetMoved => "",
            LandCode::TargetBusy
            | LandCode::DirtyOverlap
            | LandCode::Conflict
            | LandCode::TargetRed
            | LandCode::SignFailed => "correct what the report names, then ",
        };
        Some(format!("{first}land the finished work: `ralph land {run}`"))
    });
    let mut causes: Vec<(Cause, Vec<&TaskReport>)> = Vec::new();
    for task in report.tasks.iter().filter(|task| is_left(task)) {
        let cause = Cause::of(task);
        match causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, tasks)) => tasks.push(task),
            None => causes.push((cause, vec![task])),
        }
    }
    let causes = causes.iter().take(MAX_STEPS);
    let steps = causes.map(|(cause, tasks)| cause.step(tasks, run));
    let steps = landing.chain(steps).chain(denied(report));
    steps.map(NextStep::by_hand).collect()
}

/// What programs say where a sandbox keeps them from a file.
const DENIALS: [&str; 3] = [
    "permission denied",
    "read-only file system",
    "operation not permitted",
];

/// Whether an attempt may have failed since the sandbox kept a program from a file.
fn is_denied(attempt: &TaskAttempted) -> bool {
    let said = [&attempt.reason, &attempt.tail].map(|text| text.to_lowercase());
    DENIALS
        .iter()
        .any(|denial| said.iter().any(|text| text.contains(denial)))
}

/// Returns the key that opens what a sandbox may have kept the left tasks from.
fn denied(report: &RunReport) -> Option<String> {
    let sandbox = report.sandbox.as_ref()?.sandbox;
    if matches!(sandbox, SandboxKind::Off | SandboxKind::Unsandboxed) {
        return None;
    }
    let is_denied = |task: &&TaskReport| is_left(task) && task.attempts.iter().any(is_denied);
    let tasks = report.tasks.iter().filter(is_denied).map(|task| task.id);
    let tasks: Vec<_> = tasks.collect();
    (!tasks.is_empty()).then(|| {
        format!(
            "if it was the sandbox ({sandbox}) that denied {} a file outside of the checkout, name \
             its folder in `lane.sandbox.write` and run again",
            named_tasks(&tasks)
        )
    })
}

/// What a task needs before it gets new attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// An answer; each question is its own.
    Question(TaskNumber),
    /// What the review of its change asks for.
    Review,
    /// The decision of a user.
    Decision,
    /// An agent, a reviewer or a checkout that works.
    Stopped,
    /// A clearer task, or work by hand.
    Failing,
}

impl Cause {
    fn of(task: &TaskReport) -> Self {
        let Some(last) = task.attempts.last() else {
            return Self::Failing;
        };
        match last.code {
            AttemptCode::Question => Self::Question(task.id),
            AttemptCode::ChangeRejected => Self::Review,
            AttemptCode::ReviewFailed
            | AttemptCode::AgentUnavailable
            | AttemptCode::SetupFailed => Self::Stopped,
            _ if task.status == TaskState::Held => Self::Decision,
            _ => Self::Failing,
        }
    }

    /// Returns the step for tasks with this cause; why, the report has said.
    fn step(self, tasks: &[&TaskReport], run: &str) -> String {
        let numbers: Vec<_> = tasks.iter().map(|task| task.id).collect();
        let named = named_tasks(&numbers);
        let is_one = numbers.len() == 1;
        let (files, them, id) = match numbers.as_slice() {
            [only] => ("its file", "it", only.to_string()),
            _ => ("their files", "them", "N".to_owned()),
        };
        let then = format!("then `ralph resume {run}`");
        let command = tasks.first().filter(|_| is_one);
        let command = command.map(|task| format!(": {}", named_command(&task.command)));
        let command = command.unwrap_or_default();
        match self {
            Self::Question(_) => {
                format!("answer {named}: `ralph guide {run} --task {id} TEXT`, {then}")
            }
            Self::Review => format!(
                "read what the review of {named} asks for and make {files} clearer, {then} gives \
                 {them} new attempts"
            ),
            Self::Decision => format!(
                "read the change of {named} (`ralph report {run}` says how) and accept {them}: \
                 `ralph approve {run} --task {id} --by NAME --why TEXT`; or say in {files} what \
                 to keep, {then}"
            ),
            Self::Stopped => format!("remove what stopped {named}, {then}"),
            Self::Failing => format!(
                "make {named} pass or {files} clearer, {then} gives {them} new attempts{command}"
            ),
        }
    }
}

/// Returns the first digits of a commit.
pub(crate) fn short(commit: &str) -> &str {
    commit.get(..SHORT).unwrap_or(commit)
}

#[cfg(test)]
mod tests {
    use review_events::{
        ChangeFlag, Envelope, Event, FlaggedChange, ReviewIteration, RunFinished, TaskFinished,
        TaskStarted,
    };
    use review_types::{
        BlockCode, FeedbackItem, ModelId, Outcome, RunId, Scores, Timestamp, Verdict,
    };

    use super::super::event::human_event;
    use super::super::report::RunRequest;
    use super::super::summary::human_summary;
    use super::super::{RunLimits, Started};
    use super::*;
    use crate::style::Styling;

    fn number(number: u32) -> TaskNumber {
        TaskNumber::new(number).unwrap()
    }

    fn started(task: u32) -> Event {
        Event::TaskStarted(TaskStarted {
            task: number(task),
            title: format!("Step {task}"),
            command: format!("make {task}"),
            tasks: 3,
        })
    }

    fn attempted(task: u32, attempt: u32, code: AttemptCode, reason: &str) -> TaskAttempted {
        TaskAttempted {
            task: number(task),
            attempt,
            code,
            reason: reason.to_owned(),
            tests: Vec::new(),
            tail: "the end\n".to_owned(),
            files: 2,
            by: Some(ModelId::of_backend("claude")),
            retry_in_ms: None,
        }
    }

    fn finished(task: u32, state: TaskState, reason: &str) -> Event {
        Event::TaskFinished(TaskFinished {
            task: number(task),
            title: format!("Step {task}"),
            state,
            tests_run: None,
            must_pass: None,
            took_ms: 0,
            cached: false,
            changed_tree: false,
            reason: reason.to_owned(),
            tail: String::new(),
            log: None,
            because_of: Vec::new(),
        })
    }

    fn change(task: u32) -> TaskOnLane {
        TaskOnLane {
            task: number(task),
            attempt: 2,
            commit: "0123456789abcdef".to_owned(),
            flags: vec![
                FlaggedChange {
                    code: ChangeFlag::FlakyPass,
                    reason: "its command failed once and passed when it ran again".to_owned(),
                },
                FlaggedChange {
                    code: ChangeFlag::TamperConfig,
                    reason: "restored: ralph.toml".to_owned(),
                },
            ],
            approved: None,
            restored: vec!["ralph.toml".to_owned()],
        }
    }

    fn landed_on_main(tasks: &[u32]) -> LaneLanded {
        LaneLanded {
            branch: "main".to_owned(),
            commit: "fedcba9876543210".to_owned(),
            tasks: tasks.iter().copied().map(number).collect(),
            flaky: Vec::new(),
            flaky_check: false,
        }
    }

    fn left_on_lane(code: LandCode, reason: &str, tasks: &[u32]) -> LaneNotLanded {
        LaneNotLanded {
            code,
            reason: reason.to_owned(),
            tasks: tasks.iter().copied().map(number).collect(),
        }
    }

    fn report(events: Vec<Event>) -> RunReport {
        let limits = RunLimits {
            applies: true,
            ..RunLimits::default()
        };
        let mut report = RunReport::new(RunRequest {
            spec: "specs/A.md".to_owned(),
            reviewer: "builtin".to_owned(),
            limits,
            ..RunRequest::default()
        });
        for (seq, event) in (0..).zip(events) {
            report.take(&Envelope {
                run: RunId::new("0199").unwrap(),
                seq: Some(seq),
                timestamp: Timestamp::UNIX_EPOCH,
                unit: None,
                task: None,
                event,
            });
        }
        report.suggest(Started {
            root: ".",
            command: &[],
            folder: None,
            run: None,
            options: &[],
            is_kept: true,
        });
        report
    }

    fn ended(code: BlockCode) -> Event {
        Event::RunFinished(RunFinished {
            outcome: code.outcome(),
            block_code: Some(code),
            block_reason: "1 of 3 tasks did not pass: task 2 parked".to_owned(),
        })
    }

    #[test]
    fn a_report_has_the_attempts_and_where_the_work_of_each_task_is() {
        use AttemptCode::{GateRed, NoChange};
        let report = report(vec![
            started(1),
            Event::TaskAttempted(attempted(1, 1, NoChange, "the agent changed no file")),
            finished(1, TaskState::OnLane, ""),
            Event::TaskOnLane(change(1)),
            started(2),
            Event::TaskAttempted(attempted(2, 1, GateRed, "exit status 1")),
            finished(2, TaskState::Parked, "gate_red: exit status 1"),
            Event::LaneLanded(landed_on_main(&[1])),
            ended(BlockCode::TaskFailed),
        ]);
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["tasks"][0]["status"], "landed");
        assert_eq!(json["tasks"][0]["command"], "make 1");
        assert_eq!(json["tasks"][0]["change"]["commit"], "0123456789abcdef");
        assert_eq!(json["tasks"][0]["attempts"][0]["code"], "no_change");
        assert_eq!(json["tasks"][1]["status"], "parked");
        assert_eq!(json["tasks"][1]["attempts"][0]["files"], 2);
        assert_eq!(json["landed"][0]["branch"], "main");
        assert_eq!(
            human_summary(&report, None, Styling::Plain),
            "\nnot_passed (task_failed): 1 of 3 tasks did not pass: task 2 parked\n\
             parked task 2  gate_red: exit status 1\n\
             reviewer builtin · 1 of 2 tasks passed · run 0199\n\
             next:\nmake task 2 pass or its file clearer, then `ralph resume 0199` gives it new \
             attempts: `make 2`\n"
        );
    }

    #[test]
    fn a_reason_of_several_lines_is_told_by_its_last_one_and_once() {
        let reason = "the agent failed: exit status 1: Traceback\n  at a.py\nPermissionError: x\n";
        let mut attempt = attempted(2, 1, AttemptCode::AgentFailed, reason);
        attempt.tail.clear();
        let shown = human_event(
            &Event::TaskAttempted(attempt.clone()),
            |_| String::new(),
            Styling::Plain,
        );
        assert_eq!(
            shown,
            "  task 2  attempt 1  agent_failed: PermissionError: x\n    | the agent failed: exit \
             status 1: Traceback\n    |   at a.py\n"
        );
        let again = TaskAttempted {
            attempt: 2,
            ..attempt.clone()
        };
        let report = report(vec![
            started(2),
            Event::TaskAttempted(attempt),
            Event::TaskAttempted(again),
            finished(2, TaskState::Parked, reason),
            ended(BlockCode::TaskFailed),
        ]);
        let summary = human_summary(&report, None, Styling::Plain);
        assert_eq!(summary.matches("PermissionError").count(), 1, "{summary}");
        let line = "parked task 2  agent_failed: PermissionError: x\n";
        assert!(summary.contains(line), "{summary}");
    }

    #[test]
    fn a_denial_names_the_key_of_the_sandbox_only_where_there_is_one() {
        for (sandbox, reason, named) in [
            (SandboxKind::Landlock, "sh: /x: Permission denied", true),
            (SandboxKind::Bwrap, "Read-only file system", true),
            (SandboxKind::Bwrap, "exit status 1", false),
            (SandboxKind::Unsandboxed, "Permission denied", false),
        ] {
            let report = report(vec![
                Event::LaneOpened(LaneOpened {
                    sandbox,
                    reason: String::new(),
                }),
                started(2),
                Event::TaskAttempted(attempted(2, 1, AttemptCode::AgentFailed, reason)),
                finished(2, TaskState::Parked, ""),
                ended(BlockCode::TaskFailed),
            ]);
            let step = report.next.last().unwrap().text.as_str();
            let says = step.contains("denied task 2") && step.contains("`lane.sandbox.write`");
            assert_eq!(says, named, "{sandbox}, {reason}: {step}");
        }
    }

    #[test]
    fn work_that_stays_on_the_lane_as_asked_is_a_pass_that_says_how_to_land_it() {
        let report = report(vec![
            started(1),
            finished(1, TaskState::OnLane, ""),
            Event::TaskOnLane(TaskOnLane {
                approved: Some(Approval {
                    by: "ann".to_owned(),
                    why: "it was wrong".to_owned(),
                }),
                ..change(1)
            }),
            Event::LaneNotLanded(left_on_lane(LandCode::Never, "as asked", &[1])),
            Event::RunFinished(RunFinished {
                outcome: Outcome::Passed,
                block_code: None,
                block_reason: String::new(),
            }),
        ]);
        assert_eq!(
            human_summary(&report, None, Styling::Plain),
            "\npassed\n\
             task 1 approved by ann: it was wrong\n\
             reviewer builtin · 1 of 1 task passed · run 0199\n\
             next:\nland the finished work: `ralph land 0199`\n"
        );
    }

    #[test]
    fn a_task_that_goes_back_to_its_agent_keeps_its_command_and_attempts() {
        let code = AttemptCode::SemanticConflict;
        let report = report(vec![
            started(1),
            finished(1, TaskState::OnLane, ""),
            Event::TaskOnLane(change(1)),
            Event::TaskAttempted(attempted(1, 2, code, "fails")),
            finished(1, TaskState::OnLane, ""),
        ]);
        let task = &report.tasks[0];
        assert_eq!((task.command.as_str(), task.attempts.len()), ("make 1", 1));
        assert!(task.change.is_some());
    }

    #[test]
    fn events_of_the_lane_are_shown() {
        let shown = |event: Event| human_event(&event, |_| String::new(), Styling::Plain);
        let mut attempt = attempted(3, 1, AttemptCode::AgentFailed, "it is busy");
        assert_eq!(
            shown(Event::TaskAttempted(attempt.clone())),
            "  task 3  attempt 1  agent_failed: it is busy\n    | the end\n"
        );
        for (pause, again) in [(0, "called again"), (90_000, "called again in 1m30s")] {
            attempt.retry_in_ms = Some(pause);
            let line = shown(Event::TaskAttempted(attempt.clone()));
            assert!(line.contains(&format!("it is busy; {again}\n")), "{line}");
        }
        let reviewed = TaskReviewed {
            task: number(3),
            attempt: 2,
            by: None,
            review: ReviewIteration {
                iteration: 1,
                verdict: Verdict::NeedsRevision,
                scores: Scores::default(),
                feedback: vec![FeedbackItem::new("a.rs", "it leaks", "close it").unwrap()],
                deductions: Vec::new(),
                document: None,
                truncated: false,
                artifact: None,
                check: None,
                left_unread: None,
                remarks: Vec::new(),
            },
        };
        let text = shown(Event::TaskReviewed(reviewed));
        assert!(
            text.starts_with("  task 3  review of attempt 2\n    round 1  needs_revision"),
            "{text}"
        );
        assert!(text.contains("it leaks"), "{text}");
        assert!(!text.contains('\u{fffd}'), "{text}");
        assert_eq!(
            shown(Event::TaskOnLane(change(3))),
            "    commit 0123456789 of attempt 2; its command failed once and passed when it ran \
             again; restored: ralph.toml\n"
        );
        let approved = TaskOnLane {
            flags: Vec::new(),
            approved: Some(Approval {
                by: "ann".to_owned(),
                why: "the test was wrong".to_owned(),
            }),
            ..change(3)
        };
        assert_eq!(
            shown(Event::TaskOnLane(approved)),
            "    commit 0123456789 of attempt 2; approved by ann: the test was wrong\n"
        );
        let mut on_main = landed_on_main(&[1, 2]);
        on_main.flaky = vec![number(2)];
        assert_eq!(
            shown(Event::LaneLanded(on_main)),
            "landed on main at fedcba9876: tasks 1, 2\n  failed once and passed when run again: \
             task 2\n"
        );
        let mut of_check = landed_on_main(&[1]);
        of_check.flaky_check = true;
        assert_eq!(
            shown(Event::LaneLanded(of_check)),
            "landed on main at fedcba9876: task 1\n  failed once and passed when run again: \
             lane.check\n"
        );
        let lane = left_on_lane(LandCode::DirtyOverlap, "a.rs is not tracked", &[1]);
        assert_eq!(
            shown(Event::LaneNotLanded(lane)),
            "not landed, on the lane: task 1 (dirty_overlap)\n"
        );
        let lane = left_on_lane(LandCode::Never, "as asked", &[1]);
        assert_eq!(
            shown(Event::LaneNotLanded(lane)),
            "not landed, on the lane: task 1 (never: as asked)\n"
        );
    }

    #[test]
    fn each_reason_that_work_is_not_landed_has_a_step() {
        for code in LandCode::ALL {
            let report = report(vec![
                finished(1, TaskState::OnLane, ""),
                Event::LaneNotLanded(left_on_lane(*code, "", &[1])),
                ended(BlockCode::TaskFailed),
            ]);
            let texts: Vec<_> = report.next.iter().map(|step| step.text.as_str()).collect();
            match code {
                LandCode::Red => {
                    assert_eq!(texts, ["make the tasks pass, then `ralph resume 0199`"])
                }
                _ => assert!(texts[0].ends_with("land the finished work: `ralph land 0199`")),
            }
        }
    }

    #[test]
    fn tasks_that_need_the_same_have_one_step_and_a_line_each() {
        let mut events = Vec::new();
        for task in 1..=3 {
            let gone = attempted(task, 1, AttemptCode::TestsGone, "25 of 25 tests gone: a");
            events.extend([started(task), Event::TaskAttempted(gone)]);
            events.push(finished(task, TaskState::Held, ""));
        }
        events.push(ended(BlockCode::Tampered));
        let report = report(events);
        let texts: Vec<_> = report.next.iter().map(|step| step.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "read the change of tasks 1, 2, 3 (`ralph report 0199` says how) and accept them: \
              `ralph approve 0199 --task N --by NAME --why TEXT`; or say in their files what to \
              keep, then `ralph resume 0199`"
            ]
        );
        let summary = human_summary(&report, None, Styling::Plain);
        let line = "held task 2  tests_gone: 25 of 25 tests gone: a\n";
        assert!(summary.contains(line), "{summary}");
    }

    #[test]
    fn a_task_without_attempts_left_has_a_step_by_its_reason() {
        use AttemptCode::{AgentUnavailable, Question, TamperTest};
        for (code, state, expected) in [
            (
                Question,
                TaskState::Parked,
                "answer task 2: `ralph guide 0199 --task 2 TEXT`, then `ralph resume 0199`",
            ),
            (
                TamperTest,
                TaskState::Held,
                "read the change of task 2 (`ralph report 0199` says how) and accept it: `ralph \
                 approve 0199 --task 2 --by NAME --why TEXT`; or say in its file what to keep, then `ralph resume 0199`",
            ),
            (
                AgentUnavailable,
                TaskState::Parked,
                "remove what stopped task 2, then `ralph resume 0199`",
            ),
        ] {
            let report = report(vec![
                started(2),
                Event::TaskAttempted(attempted(2, 1, code, "why")),
                finished(2, state, ""),
                ended(BlockCode::TaskFailed),
            ]);
            assert_eq!(report.next[0].text, expected);
            assert_eq!(report.outcome, Some(Outcome::NotPassed));
        }
    }
}
