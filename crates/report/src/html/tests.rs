//! Pages of runs that are made of events.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use review_events::{
    AgentRole, Approval, AttemptCode, BestRound, CallEnded, Envelope, Event, FeedbackDecided,
    FindingsJoined, LaneLanded, LaneOpened, ReviewIteration, RunEnded, RunFinished, RunStarted,
    StepFinished, StepStarted, TaskAttempted, TaskFinished, TaskOnLane, TaskStarted, TaskState,
    UnprovedRounds,
};
use review_types::{
    BlockCode, CriterionName, DecisionCounts, FeedbackItem, Finding, FindingCounts, ModelId,
    Outcome, RunId, SandboxKind, Score, Severity, TaskNumber, Timestamp, Usage, Verdict,
};
use sha2::{Digest as _, Sha256};

use super::{Delivery, RunPage, run};
use crate::run::{RunLimits, RunReport, RunRequest, Started, Timeline};

/// A run whose events come a second after each other.
struct Run {
    report: RunReport,
    timeline: Timeline,
    seconds: i64,
    diff: String,
}

impl Run {
    fn new() -> Self {
        let mut run = Self {
            report: RunReport::new(RunRequest {
                spec: "specs/SEARCH.md".to_owned(),
                reviewer: "claude:opus".to_owned(),
                first_reviewer: "claude:opus".to_owned(),
                not_selected: Vec::new(),
                limits: RunLimits {
                    max_cost: Some("5".parse().unwrap()),
                    ..RunLimits::default()
                },
                applier: String::new(),
            }),
            timeline: Timeline::default(),
            seconds: 0,
            diff: String::new(),
        };
        run.take(Event::RunStarted(RunStarted {
            spec: "specs/SEARCH.md".to_owned(),
            root: "/project".to_owned(),
            prompts: Vec::new(),
        }));
        run
    }

    fn take(&mut self, event: Event) {
        self.seconds += 1;
        let envelope = Envelope {
            run: RunId::new("01a22131-2082-710c-b4ee-b06a05f8890d").unwrap(),
            seq: None,
            timestamp: Timestamp::from_unix_ms(1_795_838_400_000 + self.seconds * 1000),
            unit: None,
            task: None,
            event,
        };
        self.report.take(&envelope);
        self.timeline.take(&envelope);
    }

    fn step(&mut self, step: &str, by: Option<ModelId>) {
        self.take(Event::StepStarted(StepStarted {
            step: step.to_owned(),
            attempt: 1,
        }));
        self.take(Event::StepFinished(StepFinished {
            step: step.to_owned(),
            took_ms: 1000,
            by,
            usage: None,
        }));
    }

    fn call(&mut self, role: AgentRole, iteration: u32, task: Option<TaskNumber>) {
        self.take(Event::CallEnded(CallEnded {
            role,
            task,
            iteration,
            by: opus(),
            usage: Some(Usage {
                input_tokens: 18_200,
                output_tokens: 1_450,
                cost_micro_usd: Some(120_000),
            }),
            took_ms: 41_300,
        }));
    }

    /// A round of review, with findings about these issues.
    fn round(&mut self, iteration: u32, verdict: Verdict, scores: [i64; 2], issues: &[&str]) {
        self.step(&format!("review/review-{iteration}.1"), opus());
        self.call(AgentRole::Reviewer, iteration, None);
        let items: Vec<_> = issues
            .iter()
            .map(|issue| FeedbackItem::new("Goal", *issue, "Name a number.").unwrap())
            .collect();
        let names = ["completeness", "testability"].into_iter().zip(scores);
        let scores = names.map(|(name, score)| {
            (
                CriterionName::new(name).unwrap(),
                Score::new(score).unwrap(),
            )
        });
        self.take(Event::ReviewIteration(ReviewIteration {
            iteration,
            verdict,
            scores: scores.collect(),
            feedback: items.clone(),
            deductions: Vec::new(),
            document: None,
            truncated: false,
            artifact: None,
            check: None,
            left_unread: None,
            remarks: Vec::new(),
        }));
        let findings = issues
            .iter()
            .enumerate()
            .map(|(at, issue)| finding(at, issue, iteration));
        self.take(Event::FindingsJoined(FindingsJoined {
            iteration,
            findings: findings.collect(),
            counts: FindingCounts::default(),
            below_fail_level: 0,
            unproved_rounds: UnprovedRounds {
                spent: 0,
                allowed: 3,
            },
            truncated: false,
        }));
        self.take(Event::FeedbackDecided(FeedbackDecided {
            iteration,
            counts: DecisionCounts::default(),
            feedback: Vec::new(),
            truncated: false,
        }));
    }

    fn start_task(&mut self, task: TaskNumber, title: &str) {
        self.take(Event::TaskStarted(TaskStarted {
            task,
            title: title.to_owned(),
            command: "npx vitest run".to_owned(),
            tasks: 2,
        }));
    }

    /// A task that an agent implements at its second attempt, or not at all.
    fn task(&mut self, number: u32, title: &str, state: TaskState) {
        let task = TaskNumber::new(number).unwrap();
        self.start_task(task, title);
        self.step(&format!("task/{number}/work.1"), opus());
        self.call(AgentRole::Implementer, 1, Some(task));
        self.take(Event::TaskAttempted(TaskAttempted {
            task,
            attempt: 1,
            code: AttemptCode::GateRed,
            reason: "exit status 1".to_owned(),
            tests: Vec::new(),
            tail: String::new(),
            files: 1,
            by: opus(),
            retry_in_ms: None,
        }));
        self.step(&format!("task/{number}/gate.1.1"), None);
        self.end_task(task, title, state);
        if state == TaskState::OnLane {
            self.on_lane(task, None);
        }
    }

    fn end_task(&mut self, task: TaskNumber, title: &str, state: TaskState) {
        self.take(Event::TaskFinished(TaskFinished {
            task,
            title: title.to_owned(),
            state,
            tests_run: Some(12),
            must_pass: None,
            took_ms: 640,
            cached: false,
            changed_tree: false,
            reason: String::new(),
            tail: String::new(),
            log: None,
            because_of: Vec::new(),
        }));
    }

    fn on_lane(&mut self, task: TaskNumber, approved: Option<Approval>) {
        self.take(Event::TaskOnLane(TaskOnLane {
            task,
            attempt: 2,
            commit: "0837f069b8aa".to_owned(),
            flags: Vec::new(),
            approved,
            restored: vec!["tests/search.rs".to_owned()],
        }));
    }

    fn end(&mut self, outcome: Outcome, block_code: Option<BlockCode>) {
        self.take(Event::RunFinished(RunFinished {
            outcome,
            block_code,
            block_reason: block_code
                .map_or_else(String::new, |_| "rounds bring nothing".to_owned()),
        }));
        self.report.suggest(Started {
            command: &["ralph".to_owned(), "run".to_owned()],
            folder: None,
            run: None,
            root: ".",
            options: &[],
            is_kept: true,
        });
    }

    fn page(&self) -> String {
        let criteria = [("completeness".to_owned(), Score::new(80).unwrap())];
        let page = RunPage {
            report: &self.report,
            timeline: &self.timeline,
            criteria: &criteria,
            diff: Ok(&self.diff),
            now: Timestamp::from_unix_ms(1_795_838_400_000 + self.seconds * 1000 + 500),
        };
        run(&page, Delivery::File)
    }
}

fn opus() -> Option<ModelId> {
    Some(ModelId {
        backend: "claude".to_owned(),
        model: Some("opus".to_owned()),
        prompt: None,
    })
}

fn finding(at: usize, issue: &str, round: u32) -> Finding {
    serde_json::from_value(serde_json::json!({
        "id": format!("f-{at:012}"),
        "status": "open",
        "quote": issue,
        "section": issue,
        "place": {"path": issue, "headings": [], "text": null},
        "issue": issue,
        "suggestion": issue,
        "severity": Severity::Major,
        "raised": [round],
        "repeats": 0,
        "history": [{"round": round, "status": "open", "why": issue, "by": issue}],
    }))
    .unwrap()
}

fn passed() -> Run {
    let mut run = Run::new();
    run.round(
        1,
        Verdict::NeedsRevision,
        [60, 70],
        &["\"fast\" has no number"],
    );
    run.step("review/apply-1", opus());
    run.call(AgentRole::Applier, 1, None);
    run.round(2, Verdict::Pass, [92, 88], &[]);
    run.task(1, "Index of words", TaskState::OnLane);
    run.task(2, "Search", TaskState::OnLane);
    run.take(Event::LaneLanded(LaneLanded {
        branch: "main".to_owned(),
        commit: "0837f069b8aa".to_owned(),
        tasks: [1, 2]
            .map(|number| TaskNumber::new(number).unwrap())
            .to_vec(),
        flaky: Vec::new(),
        flaky_check: false,
    }));
    run.end(Outcome::Passed, None);
    run.diff = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n+new\n".to_owned();
    run
}

fn blocked() -> Run {
    let mut run = Run::new();
    run.round(
        1,
        Verdict::NeedsRevision,
        [60, 70],
        &["one <b>", "two & 'three'"],
    );
    run.round(2, Verdict::NeedsRevision, [60, 70], &["one <b>"]);
    run.end(Outcome::NotPassed, Some(BlockCode::Stagnated));
    run
}

fn live() -> Run {
    let mut run = Run::new();
    run.round(1, Verdict::NeedsRevision, [60, 70], &["one"]);
    run.take(Event::StepStarted(StepStarted {
        step: "review/apply-1".to_owned(),
        attempt: 1,
    }));
    let (index, search) = (TaskNumber::new(1).unwrap(), TaskNumber::new(2).unwrap());
    run.start_task(index, "Index of words");
    run.end_task(search, "Search", TaskState::Skipped);
    run.report
        .goes_on("process 7 since now, after round 1".to_owned());
    let rank = TaskNumber::new(3).unwrap();
    let plan = [
        (index, "Index of words", &[][..]),
        (search, "Search", &[index]),
        (rank, "Rank", &[index, search]),
    ];
    run.report.add_plan(plan, false);
    run
}

/// A run without a sandbox, of which a user approved one task and has to
/// decide on the other.
fn held() -> Run {
    let mut run = Run::new();
    run.report.not_selected = vec![TaskNumber::new(3).unwrap()];
    run.take(Event::LaneOpened(LaneOpened {
        sandbox: SandboxKind::Unsandboxed,
        reason: "no bwrap".to_owned(),
    }));
    run.round(1, Verdict::NeedsRevision, [60, 70], &["one"]);
    run.take(Event::CallEnded(CallEnded {
        role: AgentRole::Applier,
        task: None,
        iteration: 1,
        by: opus(),
        usage: None,
        took_ms: 10,
    }));
    let index = TaskNumber::new(1).unwrap();
    run.task(1, "Index of words", TaskState::OnLane);
    run.on_lane(
        index,
        Some(Approval {
            by: "ada".to_owned(),
            why: "the <old> test was wrong".to_owned(),
        }),
    );
    run.take(Event::LaneLanded(LaneLanded {
        branch: "main".to_owned(),
        commit: "0837f069b8aa".to_owned(),
        tasks: vec![index],
        flaky: Vec::new(),
        flaky_check: false,
    }));
    run.task(2, "Search", TaskState::Held);
    run.report.best = Some(BestRound {
        iteration: 1,
        standing: "1 major".to_owned(),
        restored: true,
        left: vec!["b.md".to_owned()],
    });
    run.end(Outcome::NotPassed, Some(BlockCode::TaskFailed));
    run
}

/// A run that was stopped in a call, resumed a day later and stopped again.
fn interrupted() -> Run {
    let mut run = Run::new();
    for _ in 0..2 {
        run.take(Event::StepStarted(StepStarted {
            step: "review/review-1.1".to_owned(),
            attempt: 1,
        }));
        run.take(Event::RunInterrupted(RunEnded {
            reason: "interrupted".to_owned(),
        }));
        run.seconds += 86_400;
    }
    run.report.end(Outcome::Interrupted);
    run
}

/// A tag, and its attributes by name.
type Tag = (String, Vec<(String, String)>);

/// The tags of a page with their attributes, and its content; fails where a tag has no end or an
/// attribute has no quotes.
fn parsed(page: &str) -> (Vec<Tag>, String) {
    let (mut tags, mut text, mut open) = (Vec::new(), String::new(), Vec::new());
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap();
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(&unescaped(before));
        let (tag, after) = after.split_once('>').unwrap();
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{rest}");
            continue;
        }
        let is_empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let (name, mut given) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while !given.is_empty() {
            let (attribute, value) = given.split_once("=\"").unwrap();
            let (value, after) = value.split_once('"').unwrap();
            attributes.push((attribute.to_owned(), unescaped(value)));
            given = after.trim_start();
        }
        if !is_empty {
            open.push(name.to_owned());
        }
        if name == "style" {
            rest = rest.split_once("</style>").unwrap().1;
            open.pop();
        }
        tags.push((name.to_owned(), attributes));
    }
    assert!(open.is_empty(), "{open:?}");
    (tags, text)
}

fn unescaped(text: &str) -> String {
    let plain = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    plain.replace("&#39;", "'").replace("&amp;", "&")
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "snapshots are written on request"
)]
fn pages_are_as_they_were_looked_at() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/html/golden");
    for (name, page) in [
        ("passed", passed().page()),
        ("blocked", blocked().page()),
        ("live", live().page()),
        ("held", held().page()),
        ("interrupted", interrupted().page()),
        ("nothing", Run::new().page()),
    ] {
        parsed(&page);
        let (_, body) = page.split_once("<body>").unwrap();
        let file = golden.join(format!("{name}.html"));
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(&file, body).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap();
        assert!(
            body == expected,
            "{name} differs; UPDATE_SNAPSHOTS=1 writes it: {body}"
        );
    }
}

#[test]
fn a_page_of_many_tasks_and_rounds_is_small() {
    let mut run = Run::new();
    for round in 1..=10 {
        let issues = [
            "\"fast\" has no number",
            "no limit of size",
            "no error is named",
        ];
        run.round(
            round,
            Verdict::NeedsRevision,
            [60 + i64::from(round), 70],
            &issues,
        );
    }
    for number in 1..=50 {
        run.task(number, "Index of words", TaskState::OnLane);
    }
    run.end(Outcome::Passed, None);
    let numbers: Vec<_> = (1..=50).filter_map(TaskNumber::new).collect();
    let before = |at: usize| &numbers[at.saturating_sub(3)..at];
    let plan = numbers.iter().enumerate();
    let plan = plan.map(|(at, number)| (*number, "Index of words", before(at)));
    run.report.add_plan(plan, true);
    let page = run.page();
    assert!(page.contains("tasks by what they wait for"));
    assert!(page.len() < 200 * 1024, "{}", page.len());
}

#[test]
fn a_task_is_drawn_to_the_right_of_those_that_it_waits_for() {
    let mut run = Run::new();
    let [one, two, three, four] = [1, 2, 3, 4].map(|number| TaskNumber::new(number).unwrap());
    for number in 1..=4 {
        run.task(number, "Index of words", TaskState::OnLane);
    }
    let plan: [(TaskNumber, &str, &[TaskNumber]); 4] = [
        (one, "Later", &[four]),
        (two, "Last", &[one, three]),
        (three, "Later", &[four]),
        (four, "First", &[]),
    ];
    run.report.add_plan(plan, true);
    let (tags, _) = parsed(&run.page());
    let value = |tag: &Tag, name: &str| -> String {
        let found = tag.1.iter().find(|(attribute, _)| attribute == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let nodes = tags.iter().filter(|tag| value(tag, "class") == "node good");
    let places: Vec<_> = nodes
        .map(|tag| (value(tag, "x"), value(tag, "y")))
        .collect();
    let places: Vec<_> = places
        .iter()
        .map(|(x, y)| (x.as_str(), y.as_str()))
        .collect();
    assert_eq!(
        places,
        [("265", "1"), ("529", "1"), ("265", "37"), ("1", "1")]
    );
    let edges = tags.iter().filter(|tag| value(tag, "class") == "edge");
    assert_eq!(edges.count(), 4);
}

#[test]
fn a_page_allows_its_own_style_and_nothing_else() {
    let page = passed().page();
    let (tags, _) = parsed(&page);
    let (_, style) = page.split_once("<style>").unwrap();
    let (style, _) = style.split_once("</style>").unwrap();
    let hash = STANDARD.encode(Sha256::digest(style));
    let is_policy =
        |attributes: &&Vec<(String, String)>| attributes[0].1 == "Content-Security-Policy";
    let policy = tags
        .iter()
        .map(|(_, attributes)| attributes)
        .filter(|all| !all.is_empty());
    let policy = policy
        .filter(is_policy)
        .map(|attributes| attributes[1].1.clone());
    let policy: Vec<_> = policy.collect();
    let expected = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    );
    assert_eq!(policy, [expected]);
    for (name, attributes) in tags {
        assert_ne!(name, "script");
        for (attribute, value) in attributes {
            assert!(
                attribute != "style" && !attribute.starts_with("on"),
                "{attribute}"
            );
            assert!(!value.contains("://"), "{value}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_of_a_run_is_no_tag_and_no_attribute(
        text in r#"[a-z<>&"'/= \u{1b}\u{202e}é-]{0,12}(<script>|"><b x=y>|'|</style>|&lt;|-->)[a-z<>&"' ]{0,12}"#,
    ) {
        let of = |text: &str| {
            let mut run = Run::new();
            run.round(1, Verdict::NeedsRevision, [60, 70], &[text]);
            run.round(2, Verdict::NeedsRevision, [60, 70], &[text]);
            run.task(1, text, TaskState::Parked);
            run.end(Outcome::NotPassed, Some(BlockCode::Stagnated));
            run.diff = format!("diff --git {text}\n+{text}\n");
            parsed(&run.page())
        };
        let (tags, shown) = of(&text);
        let (plain, _) = of("plain");
        let names = |tags: &[(String, Vec<(String, String)>)]| -> Vec<_> {
            tags.iter().map(|(name, all)| {
                let all: Vec<_> = all.iter().map(|(attribute, _)| attribute.clone()).collect();
                (name.clone(), all)
            }).collect()
        };
        prop_assert_eq!(names(&tags), names(&plain));
        prop_assert!(shown.contains(&*crate::printable(&text)), "{}", shown);
        let is_hidden = shown.contains(['\u{1b}', '\u{202e}']);
        prop_assert!(!is_hidden);
    }
}
