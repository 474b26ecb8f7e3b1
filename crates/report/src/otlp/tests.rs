//! Traces of runs that are made of events.

use proptest::prelude::*;
use review_events::{
    AgentRole, AttemptCode, CallRetried, Envelope, Event, ReviewIteration, RunEnded, RunFinished,
    RunStarted, StepFinished, StepStarted, TaskAttempted, TaskFinished, TaskStarted, TaskState,
};
use review_types::{
    AgentError, BlockCode, CriterionName, Failure, FeedbackItem, ModelId, Outcome, Score,
    TaskNumber, Usage, Verdict,
};

use super::*;
use crate::run::RunRequest;

/// Text that is in events and in no span.
const SECRET: &str = "/home/ann/secret";

/// A run of which each part of `history` happens at its millisecond.
#[derive(Clone)]
struct Run {
    report: RunReport,
    timeline: Timeline,
    context: TraceContext,
}

impl Run {
    fn new(env: &[(&str, &str)]) -> Self {
        let env = env.iter().map(|(name, value)| (name.into(), value.into()));
        let run = RunId::new("01a22131-2082-710c-b4ee-b06a05f8890d").unwrap();
        Self {
            report: RunReport::new(RunRequest {
                spec: "specs/SEARCH.md".to_owned(),
                ..RunRequest::default()
            }),
            timeline: Timeline::default(),
            context: TraceContext::new(&run, &env.collect()),
        }
    }

    fn take(&mut self, at: i64, task: Option<u32>, event: Event) {
        let envelope = Envelope {
            run: self.context.run.clone(),
            seq: None,
            timestamp: Timestamp::from_unix_ms(at),
            unit: None,
            task: task.map(|task| format!("search/{task}")),
            event,
        };
        self.report.take(&envelope);
        self.timeline.take(&envelope);
    }

    fn trace(&self) -> Trace<'_> {
        Trace {
            context: &self.context,
            report: &self.report,
            timeline: &self.timeline,
        }
    }
}

fn started(step: &str, attempt: u32) -> Event {
    Event::StepStarted(StepStarted {
        step: step.to_owned(),
        attempt,
    })
}

fn finished(step: &str, by: Option<(&str, &str)>, usage: Option<Usage>) -> Event {
    Event::StepFinished(StepFinished {
        step: step.to_owned(),
        took_ms: 1,
        by: by.map(|(backend, model)| ModelId {
            backend: backend.to_owned(),
            model: (!model.is_empty()).then(|| model.to_owned()),
            prompt: None,
        }),
        usage,
    })
}

fn usage(tokens: u64, cost: u64) -> Option<Usage> {
    Some(Usage {
        input_tokens: tokens,
        output_tokens: tokens / 10,
        cost_micro_usd: Some(cost),
    })
}

fn retried(role: AgentRole) -> Event {
    Event::CallRetried(CallRetried {
        role,
        iteration: 1,
        error: AgentError::new(Failure::AuthFailed, SECRET),
        pause_ms: 20,
    })
}

fn ended() -> Event {
    Event::RunFinished(RunFinished {
        outcome: Outcome::NotPassed,
        block_code: Some(BlockCode::TaskFailed),
        block_reason: SECRET.to_owned(),
    })
}

fn reviewed() -> Event {
    let score = (
        CriterionName::new("clarity").unwrap(),
        Score::new(70).unwrap(),
    );
    Event::ReviewIteration(ReviewIteration {
        iteration: 1,
        verdict: Verdict::NeedsRevision,
        scores: [score].into_iter().collect(),
        feedback: vec![FeedbackItem::new(SECRET, SECRET, SECRET).unwrap()],
        deductions: Vec::new(),
        document: None,
        truncated: false,
        artifact: None,
        check: None,
        left_unread: None,
        remarks: Vec::new(),
    })
}

/// A run with a step of each kind.
fn every_kind(env: &[(&str, &str)]) -> Run {
    let mut run = Run::new(env);
    let task = TaskNumber::new(7).unwrap();
    let begins = RunStarted {
        spec: "specs/SEARCH.md".to_owned(),
        root: SECRET.to_owned(),
        prompts: Vec::new(),
    };
    run.take(1_000, None, Event::RunStarted(begins));
    run.take(1_000, None, started("review/review-1.1", 1));
    run.take(1_010, None, finished("review/review-1.1", None, None));
    run.take(1_010, None, retried(AgentRole::Reviewer));
    run.take(1_030, None, started("review/review-1.2", 1));
    let opus = Some(("claude", "opus"));
    run.take(
        1_040,
        None,
        finished("review/review-1.2", opus, usage(1_000, 250_000)),
    );
    run.take(1_040, None, reviewed());
    run.take(1_040, None, started("review/apply-1", 1));
    let local = Some(("http", "qwen:7b"));
    run.take(1_050, None, finished("review/apply-1", local, usage(0, 5)));
    run.take(
        1_060,
        None,
        Event::TaskStarted(TaskStarted {
            task,
            title: SECRET.to_owned(),
            command: SECRET.to_owned(),
            tasks: 1,
        }),
    );
    run.take(1_060, None, started("task/7/work.1", 1));
    let path = Some(("acp", SECRET));
    run.take(1_070, None, finished("task/7/work.1", path, None));
    run.take(
        1_070,
        None,
        Event::TaskAttempted(TaskAttempted {
            task,
            attempt: 2,
            code: AttemptCode::AgentFailed,
            reason: SECRET.to_owned(),
            tests: vec![SECRET.to_owned()],
            tail: SECRET.to_owned(),
            files: 1,
            by: None,
            retry_in_ms: None,
        }),
    );
    run.take(1_070, None, started("task~1/7/gate.1.1", 2));
    run.take(1_080, None, finished("task~1/7/gate.1.1", None, None));
    run.take(
        1_080,
        None,
        Event::TaskFinished(TaskFinished {
            task,
            title: SECRET.to_owned(),
            state: TaskState::Parked,
            tests_run: Some(12),
            must_pass: None,
            took_ms: 10,
            cached: false,
            changed_tree: false,
            reason: SECRET.to_owned(),
            tail: SECRET.to_owned(),
            log: Some(SECRET.to_owned()),
            because_of: Vec::new(),
        }),
    );
    run.take(1_080, None, started("lane/land-1", 1));
    run.take(1_100, None, ended());
    run
}

/// Name, kind, name of the parent, milliseconds and attributes of a span.
fn shown(spans: &[Value]) -> Vec<String> {
    let line = |span: &Value| {
        let mut others = spans.iter();
        let parent = others.find(|one| one["spanId"] == span["parentSpanId"]);
        let (start, end) = times(span);
        let attributes = span["attributes"].as_array().unwrap().iter();
        let attributes = attributes.map(|attribute| {
            let values = attribute["value"].as_object().unwrap().values();
            let values: Vec<_> = values
                .map(|value| value.to_string().replace('"', ""))
                .collect();
            format!(" {}={}", text(&attribute["key"]), values.join(","))
        });
        let attributes: String = attributes.collect();
        let parent = parent.map_or("-", |parent| text(&parent["name"]));
        let (name, kind) = (text(&span["name"]), &span["kind"]);
        let status = &span["status"]["code"];
        format!("{name} ({kind}) in {parent}, {start} to {end}:{attributes} status={status}")
    };
    spans.iter().map(line).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The milliseconds of its start and end.
fn times(span: &Value) -> (i64, i64) {
    let ms = |key: &str| text(&span[key]).parse::<i64>().unwrap() / 1_000_000;
    (ms("startTimeUnixNano"), ms("endTimeUnixNano"))
}

#[test]
fn each_step_is_a_span_with_what_is_known_of_it() {
    let run = every_kind(&[]);
    assert_eq!(
        shown(&run.trace().spans(Timestamp::UNIX_EPOCH)),
        [
            "invoke_workflow ralph (1) in -, 1000 to 1100: \
             gen_ai.agent.name=ralph gen_ai.operation.name=invoke_workflow \
             ralph.block_code=task_failed ralph.outcome=not_passed \
             ralph.run=01a22131-2082-710c-b4ee-b06a05f8890d ralph.spec=specs/SEARCH.md status=0",
            "review round 1 (1) in invoke_workflow ralph, 1000 to 1050: ralph.round=1 status=0",
            "task 7 (1) in invoke_workflow ralph, 1060 to 1080: \
             ralph.attempts=2 ralph.state=parked ralph.task=7 ralph.tests_run=12 status=0",
            "invoke_agent reviewer (1) in review round 1, 1000 to 1010: \
             error.type=auth_failed gen_ai.agent.name=reviewer \
             gen_ai.operation.name=invoke_agent ralph.step=review/review-1.1 status=2",
            "wait (1) in review round 1, 1010 to 1030: status=0",
            "invoke_agent reviewer (1) in review round 1, 1030 to 1040: \
             gen_ai.agent.name=reviewer gen_ai.operation.name=invoke_agent \
             gen_ai.provider.name=anthropic gen_ai.response.model=opus \
             gen_ai.usage.input_tokens=1000 gen_ai.usage.output_tokens=100 \
             ralph.cost_usd=0.25 ralph.step=review/review-1.2 status=0",
            "chat qwen:7b (3) in review round 1, 1040 to 1050: \
             gen_ai.agent.name=applier gen_ai.operation.name=chat gen_ai.provider.name=http \
             gen_ai.response.model=qwen:7b ralph.cost_usd=5e-6 ralph.step=review/apply-1 \
             status=0",
            "invoke_agent implementer (1) in task 7, 1060 to 1070: \
             error.type=agent_failed gen_ai.agent.name=implementer \
             gen_ai.operation.name=invoke_agent gen_ai.provider.name=acp \
             ralph.step=task/7/work.1 status=2",
            "gate (1) in task 7, 1070 to 1080: ralph.step=task~1/7/gate.1.1 status=0",
            "land (1) in invoke_workflow ralph, 1080 to 1100: \
             error.type=interrupted ralph.step=lane/land-1 status=2",
        ]
    );
    let spans = run.trace().spans(Timestamp::UNIX_EPOCH);
    assert_eq!(
        spans[1]["events"],
        json!([{
            "timeUnixNano": "1040000000",
            "name": "gen_ai.evaluation.result",
            "attributes": [
                {"key": "gen_ai.evaluation.name", "value": {"stringValue": "clarity"}},
                {"key": "gen_ai.evaluation.score.value", "value": {"doubleValue": 70.0}},
            ],
        }])
    );
}

#[test]
fn no_text_of_people_models_and_commands_is_in_a_trace() {
    let run = every_kind(&[]);
    let request = run
        .context
        .request(&run.trace().spans(Timestamp::UNIX_EPOCH))
        .to_string();
    assert!(!request.contains(SECRET), "{request}");
}

#[test]
fn a_request_is_as_the_protocol_has_it() {
    let mut run = Run::new(&[
        ("OTEL_SERVICE_NAME", "reviews"),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "team=a%20b, service.name=other,=,x",
        ),
        (
            "TRACEPARENT",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ),
    ]);
    run.take(5, None, ended());
    let spans = run.trace().spans(Timestamp::UNIX_EPOCH);
    let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    assert_eq!(
        run.context.request(&spans),
        json!({"resourceSpans": [{
            "resource": {"attributes": [
                text("service.name", "reviews"), text("team", "a b"),
            ]},
            "scopeSpans": [{
                "scope": {"name": "ralph", "version": env!("CARGO_PKG_VERSION")},
                "spans": [{
                    "traceId": "0af7651916cd43dd8448eb211c80319c",
                    "spanId": run.context.id_of_run(),
                    "parentSpanId": "b7ad6b7169203331",
                    "name": "invoke_workflow ralph",
                    "kind": 1,
                    "startTimeUnixNano": "5000000",
                    "endTimeUnixNano": "5000000",
                    "attributes": [
                        text("gen_ai.agent.name", "ralph"),
                        text("gen_ai.operation.name", "invoke_workflow"),
                        text("ralph.block_code", "task_failed"),
                        text("ralph.outcome", "not_passed"),
                        text("ralph.run", run.context.run.as_str()),
                        text("ralph.spec", "specs/SEARCH.md"),
                    ],
                    "events": [],
                    "status": {"code": 0},
                }],
            }],
        }]})
    );
}

#[test]
fn a_span_outside_is_the_parent_where_it_is_written_as_the_recommendation_says() {
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let zeros = "0".repeat(32);
    for (value, is_taken) in [
        (format!("00-{trace}-b7ad6b7169203331-01"), true),
        (format!(" cc-{trace}-b7ad6b7169203331-00-more "), true),
        (format!("ff-{trace}-b7ad6b7169203331-01"), false),
        (
            format!("00-{}-b7ad6b7169203331-01", trace.to_uppercase()),
            false,
        ),
        (format!("00-{zeros}-b7ad6b7169203331-01"), false),
        (format!("00-{trace}-0000000000000000-01"), false),
        (format!("00-{trace}"), false),
        (String::new(), false),
    ] {
        let context = Run::new(&[("TRACEPARENT", &value)]).context;
        assert_eq!(context.parent == "b7ad6b7169203331", is_taken, "{value}");
        assert_eq!(context.trace == trace, is_taken, "{value}");
        assert_eq!(context.trace.len(), 32, "{value}");
    }
}

#[test]
fn programs_learn_the_span_of_their_step() {
    let run = every_kind(&[]);
    let gate = run
        .trace()
        .spans(Timestamp::UNIX_EPOCH)
        .into_iter()
        .find(|span| span["name"] == "gate")
        .unwrap();
    let expected = format!("00-{}-{}-01", text(&gate["traceId"]), text(&gate["spanId"]));
    assert_eq!(run.context.parent_of("task~1/7/gate.1.1", 2), expected);
    assert_ne!(run.context.parent_of("task~1/7/gate.1.1", 1), expected);
}

/// The fields of a span that are compared.
const ATTRIBUTES: [&str; 19] = [
    "error.type",
    "gen_ai.agent.name",
    "gen_ai.evaluation.name",
    "gen_ai.evaluation.score.value",
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.response.model",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "ralph.attempts",
    "ralph.block_code",
    "ralph.cost_usd",
    "ralph.outcome",
    "ralph.round",
    "ralph.run",
    "ralph.spec",
    "ralph.state",
    "ralph.step",
    "ralph.task",
];

/// An event of a step, with the number of the process that it happens in.
#[derive(Clone, Debug)]
enum Happens {
    Starts(&'static str),
    Finishes(&'static str),
    Retries(Option<u32>),
    Stops,
}

fn any_history() -> impl Strategy<Value = Vec<(i64, Happens)>> {
    let step = prop_oneof![
        Just("review/review-1.1"),
        Just("review/apply-1"),
        Just("review~1/review-2.1"),
        Just("task/1/work.1"),
        Just("task/2/gate.1.1"),
        Just("lane/open"),
    ];
    let happens = prop_oneof![
        4 => step.clone().prop_map(Happens::Starts),
        4 => step.prop_map(Happens::Finishes),
        1 => prop_oneof![Just(None), Just(Some(1))].prop_map(Happens::Retries),
        1 => Just(Happens::Stops),
    ];
    prop::collection::vec((1_i64..100, happens), 0..40)
}

/// The run after these events; each start of a step is another attempt. What is made again
/// is told at the end of what failed.
fn after(history: &[(i64, Happens)]) -> Run {
    let mut run = Run::new(&[]);
    let mut attempts = BTreeMap::new();
    let (mut at, mut has_ended) = (0, false);
    for (later, happens) in history {
        let is_at_once = has_ended && matches!(happens, Happens::Retries(_));
        at += if is_at_once { 0 } else { *later };
        has_ended = matches!(happens, Happens::Finishes(_));
        match happens {
            Happens::Starts(step) => {
                let attempt = attempts.entry(step).or_insert(0);
                *attempt += 1;
                run.take(at, None, started(step, *attempt));
            }
            Happens::Finishes(step) => {
                run.take(
                    at,
                    None,
                    finished(step, Some(("claude", "opus")), usage(10, 1)),
                );
            }
            Happens::Retries(task) => run.take(at, *task, retried(AgentRole::Reviewer)),
            Happens::Stops => {
                let reason = String::new();
                run.take(at, None, Event::RunInterrupted(RunEnded { reason }));
            }
        }
    }
    run
}

fn by_id(spans: Vec<Value>) -> BTreeMap<String, Value> {
    let spans = spans.into_iter();
    spans
        .map(|span| (text(&span["spanId"]).to_owned(), span))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_trace_has_one_root_and_each_span_lies_within_its_parent(history in any_history()) {
        let spans = after(&history).trace().spans(Timestamp::UNIX_EPOCH);
        let all = by_id(spans.clone());
        prop_assert_eq!(all.len(), spans.len());
        let roots = spans.iter().filter(|span| span["parentSpanId"] == "");
        prop_assert_eq!(roots.count(), usize::from(!history.is_empty()));
        let has_parent = |span: &Value| all.contains_key(text(&span["parentSpanId"]));
        let without = spans.iter().filter(|span| !has_parent(span));
        prop_assert_eq!(without.count(), usize::from(!history.is_empty()));
        for span in &spans {
            let (start, end) = times(span);
            prop_assert!(start <= end);
            prop_assert_eq!(&span["traceId"], &spans[0]["traceId"]);
            for attribute in span["attributes"].as_array().unwrap() {
                let key = text(&attribute["key"]);
                prop_assert!(ATTRIBUTES.contains(&key), "{}", key);
            }
            if let Some(parent) = all.get(text(&span["parentSpanId"])) {
                let (begins, ends) = times(parent);
                prop_assert!(begins <= start && end <= ends);
            }
        }
    }

    #[test]
    fn what_is_sent_of_a_run_in_parts_is_its_trace(history in any_history(), cut in 0_usize..40) {
        let cut = cut.min(history.len());
        let whole = after(&history);
        let part = after(&history[..cut]);
        let until = part.timeline.times().map_or(Timestamp::UNIX_EPOCH, |(_, last)| last);
        let mut sent = by_id(part.trace().spans(Timestamp::UNIX_EPOCH));
        sent.extend(by_id(whole.trace().spans(until)));
        prop_assert_eq!(sent, by_id(whole.trace().spans(Timestamp::UNIX_EPOCH)));
    }
}
