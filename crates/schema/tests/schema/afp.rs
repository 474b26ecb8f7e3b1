//! Objects of the Agent Feedback Protocol are parsed exactly, and errors have the path
//! of the value.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::num::NonZeroU32;

use review_schema::afp::{
    ErrorCode, ProcessingStatus, ResponseBody, iteration_of, read_request, read_response,
};
use review_schema::{Dialect, Options, SchemaError, parse_and_validate_with};
use review_types::{DecisionStatus, Verdict};
use serde::Serialize;
use serde_json::{Value, json};

fn request() -> Value {
    json!({
        "protocol_version": "1.2",
        "iteration": 2,
        "artifact": { "media_type": "text/markdown", "content": "# Plan\n", "artifact_ref": "v2" },
        "applied_feedback": { "items": [
            { "id": "scope-01", "status": "accepted" },
            { "id": "scope-02", "status": "rejected", "reason_code": "out_of_scope" },
            { "id": "scope-03", "status": "partial", "explanation": "Half of it." },
        ] },
        "review": {
            "review_id": "r-1",
            "criteria": [{ "name": "clarity", "description": "Is it clear?", "min_score": 70 }],
            "open_findings": [{ "section": "Goals", "issue": "no limit", "suggestion": "name one", "severity": "minor" }],
            "feedback_history": [{
                "iteration": 1,
                "verdict": "needs_revision",
                "feedback": [{ "section": "Goals", "issue": "no limit", "suggestion": "name one" }],
            }],
            "guidance": ["Be brief."],
            "retry": { "field": "json", "message": "cut off", "tail": "{" },
        },
    })
}

fn response() -> Value {
    json!({
        "protocol_version": "1.2",
        "iteration": 2,
        "status": "success",
        "feedback": {
            "confidence": { "level": "medium", "justification": "Read once." },
            "positive_points": [{ "aspect": "Goals", "justification": "They are clear." }],
            "areas_for_improvement": [
                { "id": "scope-01", "aspect": "Scope", "description": "open", "recommendation": "close it" },
            ],
            "general_summary": "Nearly there.",
        },
        "applied_feedback_ack": { "items": [
            { "id": "scope-01", "processing_status": "acknowledged" },
            { "id": "scope-09", "processing_status": "unknown_id" },
        ] },
        "review": { "review_id": "r-1", "verdict": "needs_revision", "score": { "clarity": 60 } },
    })
}

fn text_of(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}

/// Returns the object with the value at a pointer replaced or removed.
fn with(mut object: Value, pointer: &str, value: Option<Value>) -> Value {
    let (above, key) = pointer.rsplit_once('/').unwrap();
    let target = object.pointer_mut(above).unwrap();
    match (target, value) {
        (Value::Object(members), Some(value)) => {
            members.insert(key.to_owned(), value);
        }
        (Value::Object(members), None) => {
            members.remove(key).unwrap();
        }
        (Value::Array(items), Some(value)) => items[key.parse::<usize>().unwrap()] = value,
        (other, _) => panic!("{other} has no {key}"),
    }
    object
}

#[test]
fn every_object_is_serialized_as_it_was_parsed() {
    let read = read_request(&text_of(&request())).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), request());
    let read = read_response(&text_of(&response())).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), response());
}

#[test]
fn fields_are_serialized_in_the_order_of_the_protocol() {
    let read = read_response(&text_of(&response())).unwrap();
    let text = serde_json::to_string(&read).unwrap();
    let start = r#"{"protocol_version":"1.2","iteration":2,"status":"success","feedback":{"confidence":{"level":"medium""#;
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn the_values_are_those_of_the_input() {
    let read = read_request(&text_of(&request())).unwrap();
    assert_eq!(Some(read.iteration), NonZeroU32::new(2));
    let decisions = read.applied_feedback.unwrap();
    let statuses: Vec<_> = decisions.items().iter().map(|item| item.status()).collect();
    let all = [
        DecisionStatus::Accepted,
        DecisionStatus::Rejected,
        DecisionStatus::Partial,
    ];
    assert_eq!(statuses, all);
    let read = read_response(&text_of(&response())).unwrap();
    let ResponseBody::Success(success) = read.body else {
        panic!("an error");
    };
    assert_eq!(success.verdict(), Verdict::NeedsRevision);
    let acks = &success.applied_feedback_ack().unwrap().items;
    assert_eq!(acks[1].processing_status, ProcessingStatus::UnknownId);
}

#[test]
fn an_unknown_error_code_keeps_its_name() {
    let error = |code: &str| {
        let text = text_of(&json!({
            "protocol_version": "1.2",
            "iteration": 1,
            "status": "error",
            "error": { "code": code, "message": "m" },
        }));
        match read_response(&text).unwrap().body {
            ResponseBody::Error { error } => error.code,
            ResponseBody::Success(_) => panic!("feedback"),
        }
    };
    assert_eq!(
        error("UNSUPPORTED_MEDIA_TYPE"),
        ErrorCode::UNSUPPORTED_MEDIA_TYPE
    );
    assert_eq!(error("BUSY"), ErrorCode::from("BUSY".to_owned()));
}

/// A change of an object, and the resulting error.
type Cases<'c> = &'c [(&'c str, Option<Value>, &'c str)];

fn fails<T: std::fmt::Debug>(
    object: fn() -> Value,
    read: fn(&[u8]) -> Result<T, SchemaError>,
    cases: Cases<'_>,
) {
    for (pointer, value, message) in cases {
        let text = text_of(&with(object(), pointer, value.clone()));
        let error = read(&text).unwrap_err();
        let found = format!("{}: {}", error.field, error.message);
        assert_eq!(found, *message, "{pointer}");
        assert!(error.at.unwrap() <= text.len(), "{pointer}");
    }
}

#[test]
fn errors_in_a_request_have_their_path() {
    fails(
        request,
        read_request,
        &[
            ("/protocol_version", None, "protocol_version: is missing"),
            (
                "/protocol_version",
                Some(json!("1.0")),
                "protocol_version: must be one of [1.2], got: 1.0",
            ),
            ("/iteration", None, "iteration: is missing"),
            (
                "/iteration",
                Some(json!(0)),
                "iteration: expected integer from 1 to 4294967295, found 0",
            ),
            (
                "/iteration",
                Some(json!(-1)),
                "iteration: expected integer from 1 to 4294967295, found -1",
            ),
            (
                "/iteration",
                Some(json!(1.5)),
                "iteration: expected integer from 1 to 4294967295, found 1.5",
            ),
            (
                "/iteration",
                Some(json!("2")),
                "iteration: expected integer from 1 to 4294967295, found \"2\"",
            ),
            ("/artifact", None, "artifact: is missing"),
            ("/artifact", Some(Value::Null), "artifact: is missing"),
            (
                "/artifact",
                Some(json!([])),
                "artifact: expected object, found array",
            ),
            (
                "/artifact/media_type",
                None,
                "artifact.media_type: is missing",
            ),
            (
                "/artifact/media_type",
                Some(json!("markdown")),
                "artifact.media_type: a media type must be a type and a subtype, such as text/markdown, got \"markdown\"",
            ),
            ("/artifact/content", None, "artifact.content: is missing"),
            (
                "/artifact/content",
                Some(json!(" \n")),
                "artifact.content: cannot be empty",
            ),
            (
                "/artifact/content",
                Some(json!(7)),
                "artifact.content: expected string, found 7",
            ),
            (
                "/artifact/artifact_ref",
                Some(json!(7)),
                "artifact.artifact_ref: expected string, found 7",
            ),
            (
                "/applied_feedback/items",
                None,
                "applied_feedback.items: is missing",
            ),
            (
                "/applied_feedback/items",
                Some(json!({})),
                "applied_feedback.items: expected array, found object",
            ),
            (
                "/applied_feedback/items/0",
                Some(json!("scope-01")),
                "applied_feedback.items[0]: expected object, found \"scope-01\"",
            ),
            (
                "/applied_feedback/items/1/id",
                None,
                "applied_feedback.items[1].id: is missing",
            ),
            (
                "/applied_feedback/items/1/id",
                Some(json!("")),
                "applied_feedback.items[1].id: a feedback id must be a string of at most 128 bytes that is not blank, without control characters, got \"\"",
            ),
            (
                "/applied_feedback/items/1/id",
                Some(json!("scope-01")),
                "applied_feedback.items: duplicate id \"scope-01\"",
            ),
            (
                "/applied_feedback/items/2/status",
                Some(json!("done")),
                "applied_feedback.items[2].status: must be one of [accepted rejected partial], got: done",
            ),
            (
                "/applied_feedback/items/1/reason_code",
                None,
                "applied_feedback.items[1]: a rejected item needs a reason_code or an explanation",
            ),
            (
                "/applied_feedback/items/1/reason_code",
                Some(json!("Out of scope")),
                "applied_feedback.items[1].reason_code: a reason code must be a word of a-z, 0-9 and _ that starts with a letter, got \"Out of scope\"",
            ),
            ("/review/review_id", None, "review.review_id: is missing"),
            (
                "/review/criteria/0/min_score",
                Some(json!(101)),
                "review.criteria[0].min_score: must be between 0 and 100 (0-100), got 101",
            ),
            (
                "/review/criteria/0/name",
                Some(json!(" ")),
                "review.criteria[0].name: a criterion name must be a string that is not blank, got \" \"",
            ),
            (
                "/review/open_findings/0/issue",
                Some(json!(" ")),
                "review.open_findings[0]: issue cannot be empty",
            ),
            (
                "/review/feedback_history/0/verdict",
                Some(json!("ok")),
                "review.feedback_history[0].verdict: must be one of [pass needs_revision], got: ok",
            ),
            (
                "/review/guidance/0",
                Some(json!(1)),
                "review.guidance[0]: expected string, found 1",
            ),
            ("/review/retry/tail", None, "review.retry.tail: is missing"),
        ],
    );
}

#[test]
fn errors_in_a_response_have_their_path() {
    fails(
        response,
        read_response,
        &[
            (
                "/status",
                Some(json!("Success")),
                "status: must be one of [success error], got: Success",
            ),
            ("/status", Some(json!("error")), "error: is missing"),
            ("/feedback", None, "feedback: is missing"),
            (
                "/feedback/confidence",
                None,
                "feedback.confidence: is missing",
            ),
            (
                "/feedback/confidence/level",
                Some(json!("High")),
                "feedback.confidence.level: must be one of [low medium high], got: High",
            ),
            (
                "/feedback/confidence/justification",
                None,
                "feedback.confidence.justification: is missing",
            ),
            (
                "/feedback/positive_points",
                None,
                "feedback.positive_points: is missing",
            ),
            (
                "/feedback/general_summary",
                None,
                "feedback.general_summary: is missing",
            ),
            (
                "/feedback/areas_for_improvement",
                None,
                "feedback.areas_for_improvement: is missing",
            ),
            (
                "/feedback/areas_for_improvement/0/id",
                None,
                "feedback.areas_for_improvement[0].id: is missing",
            ),
            (
                "/feedback/areas_for_improvement/0/aspect",
                Some(json!(" ")),
                "feedback.areas_for_improvement[0].aspect: cannot be empty",
            ),
            (
                "/feedback/areas_for_improvement",
                Some(json!([])),
                "feedback.areas_for_improvement: at least one feedback item required when verdict is needs_revision",
            ),
            (
                "/applied_feedback_ack/items/0/processing_status",
                Some(json!("seen")),
                "applied_feedback_ack.items[0].processing_status: must be one of [acknowledged unknown_id], got: seen",
            ),
            (
                "/review/verdict",
                None,
                "review.verdict: must be one of [pass needs_revision], got: nothing",
            ),
            (
                "/review/score",
                Some(json!([])),
                "review.score: expected object of scores, found []",
            ),
            (
                "/review/score",
                Some(json!({ "clarity": "60" })),
                "review.score.clarity: expected integer from 0 to 100, found 60",
            ),
        ],
    );
    let twice = response()["feedback"]["areas_for_improvement"][0].clone();
    let list = Some(json!([twice, twice]));
    fails(
        response,
        read_response,
        &[(
            "/feedback/areas_for_improvement",
            list,
            "feedback.areas_for_improvement[1].id: repeats the id \"scope-01\"",
        )],
    );
}

#[test]
fn a_syntax_error_has_its_offset() {
    for (text, message) in [
        (&b""[..], "invalid JSON: unexpected end of input at byte 0"),
        (
            b"{\"iteration\": 1",
            "invalid JSON: unexpected end of input at byte 15",
        ),
        (
            b"{\"iteration\": 1,}",
            "invalid JSON: trailing comma at byte 15",
        ),
        (
            b"{} {}",
            "invalid JSON: unexpected input after the value at byte 3",
        ),
        (b"{\"a\": \xff}", "invalid JSON: invalid UTF-8 at byte 6"),
        (b"{'iteration': 1}", "invalid JSON: single quotes at byte 1"),
        (b"[]", "expected object, found array"),
        (
            b"{\"iteration\": 1, \"iteration\": 2, \"protocol_version\": \"1.2\"}",
            "duplicate key \"iteration\"",
        ),
    ] {
        assert_eq!(read_request(text).unwrap_err().message, message);
    }
    let deep = [b"[".repeat(70), b"]".repeat(70)].concat();
    let error = read_request(&deep).unwrap_err().message;
    assert_eq!(
        error,
        "invalid JSON: nested deeper than 64 levels at byte 64"
    );
}

#[test]
fn the_iteration_of_a_malformed_request_is_found_if_possible() {
    assert_eq!(iteration_of(br#"{"iteration": 3}"#), NonZeroU32::new(3));
    assert_eq!(iteration_of(br#"{"iteration": 0}"#), None);
    assert_eq!(iteration_of(b"{\"iteration\": 3"), None);
}

#[test]
fn a_request_in_the_place_of_a_response_is_named() {
    let options = Options {
        dialect: Dialect::Afp,
        ..Options::default()
    };
    let message = |text: &str| parse_and_validate_with(text, &options).unwrap_err().message;
    let expected = "this is a request, not a response";
    assert_eq!(message(&request().to_string()), expected);
    assert_ne!(message("{}"), expected);
}

#[test]
fn the_examples_of_the_documentation_are_objects_of_the_protocol() {
    let page = include_str!("../../../../docs/reference/agent-feedback-protocol.md");
    let blocks: Vec<_> = page
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect();
    let [request, response] = blocks[..] else {
        panic!("{} examples", blocks.len());
    };
    assert_eq!(read_request(request.as_bytes()).unwrap().iteration.get(), 2);
    let ResponseBody::Success(success) = read_response(response.as_bytes()).unwrap().body else {
        panic!("{response}");
    };
    let areas = success.feedback().areas_for_improvement.iter();
    let ids: Vec<_> = areas.map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["limits-01"]);
}
