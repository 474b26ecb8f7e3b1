//! Task 4: the events of a run and their envelope.

use review::events::{
    AgentRole, Envelope, Event, EventType, ReviewBlocked, ReviewFeedbackGiven, ReviewIteration,
    ReviewMalformed, ReviewPassed, ReviewStarted, TaskState,
};
use review::types::{BlockCode, Hash, RunId, Timestamp, UnitId, Verdict};
use serde_json::{Value, json};

use crate::support::{item, scores};

fn envelope(event: Event) -> Envelope {
    Envelope {
        run: RunId::new("r1").unwrap(),
        seq: Some(3),
        timestamp: Timestamp::from_unix_ms(1_772_368_205_250),
        unit: Some(UnitId::new("search").unwrap()),
        task: None,
        event,
    }
}

fn wire(event: Event) -> Value {
    serde_json::to_value(envelope(event)).unwrap()
}

#[test]
fn the_six_events_of_a_review_have_their_payloads() {
    let feature = || "search".to_owned();
    let json_scores =
        json!({"architecture": 80, "completeness": 60, "consistency": 85, "testability": 70});
    let items = vec![item("API", "no error codes", "list them")];
    let json_items =
        json!([{"section": "API", "issue": "no error codes", "suggestion": "list them"}]);
    let table = [
        (
            Event::ReviewStarted(ReviewStarted {
                feature: feature(),
                spec: "PRD.md".to_owned(),
                path: "specs/".to_owned(),
                max_iterations: 3,
            }),
            "spec.review.started",
            json!({"feature": "search", "spec": "PRD.md", "path": "specs/",
                   "max_iterations": 3}),
        ),
        (
            Event::ReviewIteration(ReviewIteration {
                iteration: 2,
                verdict: Verdict::NeedsRevision,
                scores: scores([60, 85, 70, 80]),
                feedback: items.clone(),
                deductions: Vec::new(),
                document: None,
                truncated: false,
                artifact: None,
                check: None,
                left_unread: None,
                remarks: Vec::new(),
            }),
            "spec.review.iteration",
            json!({"iteration": 2, "verdict": "needs_revision",
                   "scores": json_scores, "feedback": json_items}),
        ),
        (
            Event::ReviewFeedback(ReviewFeedbackGiven {
                iteration: 2,
                feedback: items,
                scores: scores([60, 85, 70, 80]),
                truncated: true,
            }),
            "spec.review.feedback",
            json!({"iteration": 2, "feedback": json_items,
                   "scores": json_scores, "truncated": true}),
        ),
        (
            Event::ReviewPassed(ReviewPassed {
                iterations: 2,
                scores: scores([60, 85, 70, 80]),
            }),
            "spec.review.passed",
            json!({"iterations": 2, "scores": json_scores}),
        ),
        (
            Event::ReviewBlocked(ReviewBlocked {
                code: BlockCode::MaxIterations,
                reason: "max iterations (3) exhausted without passing review".to_owned(),
                iterations: Vec::new(),
                recovery_actions: vec!["edit".to_owned()],
                path: "specs/".to_owned(),
                best: None,
                applier_error: None,
            }),
            "spec.review.blocked",
            json!({"code": "max_iterations",
                   "reason": "max iterations (3) exhausted without passing review",
                   "iterations": [], "recovery_actions": ["edit"], "path": "specs/"}),
        ),
        (
            Event::ReviewMalformed(ReviewMalformed {
                raw_output: "no".to_owned(),
                raw_output_hash: Hash::from_bytes([0x1f; 32]),
                parse_error: "schema validation failed: json - no".to_owned(),
                retry_number: 1,
            }),
            "spec.review.malformed",
            json!({"raw_output": "no", "raw_output_hash": "1f".repeat(32),
                   "parse_error": "schema validation failed: json - no", "retry_number": 1}),
        ),
    ];
    for (event, event_type, payload) in table {
        let json = wire(event);
        assert_eq!(json["type"], event_type);
        assert_eq!(json["payload"], payload, "{event_type}");
    }
}

#[test]
fn the_envelope_has_version_run_number_time_and_unit() {
    let started = ReviewStarted {
        feature: "search".to_owned(),
        spec: "PRD.md".to_owned(),
        path: "specs/".to_owned(),
        max_iterations: 3,
    };
    let mut envelope = envelope(Event::ReviewStarted(started));
    envelope.task = Some("search/7".to_owned());
    let text = serde_json::to_string(&envelope).unwrap();
    assert_eq!(
        text,
        r#"{"v":1,"run":"r1","seq":3,"timestamp":"2026-03-01T12:30:05.250Z","type":"spec.review.started","unit":"search","task":"search/7","payload":{"feature":"search","max_iterations":3,"path":"specs/","spec":"PRD.md"}}"#
    );
    assert_eq!(serde_json::from_str::<Envelope>(&text).unwrap(), envelope);
    envelope.seq = None;
    envelope.unit = None;
    envelope.task = None;
    let json = serde_json::to_value(&envelope).unwrap();
    let keys: Vec<_> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, ["payload", "run", "timestamp", "type", "v"]);
}

#[test]
fn an_envelope_of_another_format_is_refused() {
    let started = ReviewStarted {
        feature: "search".to_owned(),
        spec: String::new(),
        path: String::new(),
        max_iterations: 3,
    };
    let mut json = wire(Event::ReviewStarted(started));
    json["v"] = json!(2);
    let error = serde_json::from_value::<Envelope>(json).unwrap_err();
    assert_eq!(error.to_string(), "event format 2 is not format 1");
}

#[test]
fn every_event_type_is_serialized_as_its_word() {
    for event_type in EventType::ALL {
        assert_eq!(
            serde_json::to_value(event_type).unwrap(),
            event_type.as_str()
        );
    }
}

#[test]
fn every_state_of_a_task_is_serialized_as_its_word() {
    let states = [
        (TaskState::Passed, "passed"),
        (TaskState::OnLane, "on_lane"),
        (TaskState::Landed, "landed"),
        (TaskState::Parked, "parked"),
        (TaskState::Held, "held"),
        (TaskState::Failed, "failed"),
        (TaskState::TimedOut, "timed_out"),
        (TaskState::NoTests, "no_tests"),
        (TaskState::TestsMissing, "tests_missing"),
        (TaskState::NoCommand, "no_command"),
        (TaskState::Skipped, "skipped"),
        (TaskState::NotRun, "not_run"),
    ];
    for (state, word) in states {
        assert_eq!(state.as_str(), word);
        assert_eq!(serde_json::to_value(state).unwrap(), word);
    }
}

#[test]
fn every_role_of_an_agent_is_serialized_as_its_word() {
    for (role, word) in [
        (AgentRole::Reviewer, "reviewer"),
        (AgentRole::Applier, "applier"),
        (AgentRole::Implementer, "implementer"),
    ] {
        assert!(AgentRole::ALL.contains(&role));
        assert_eq!(role.as_str(), word);
        assert_eq!(serde_json::to_value(role).unwrap(), word);
    }
}
