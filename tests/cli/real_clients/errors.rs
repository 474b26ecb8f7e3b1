//! The outcomes of failures of a service.

use serde_json::{Value as Json, json};

use super::installed::Client;
use super::world::{World, failure, text};

/// A reply to each request of a review, and the outcome of the review.
struct Case {
    name: &'static str,
    reply: Json,
    outcome: Json,
}

fn case(name: &'static str, reply: Json, outcome: Json) -> Case {
    Case {
        name,
        reply,
        outcome,
    }
}

fn status(status: u16, error: &str) -> Json {
    json!({"status": status, "error": error})
}

fn model_error(status: Option<u16>) -> Json {
    json!({"outcome": "model_error", "status": status})
}

/// What all clients make the same of.
fn shared_cases() -> Vec<Case> {
    let mut limited = status(429, "slow down");
    limited["headers"] = json!({"retry-after": "700"});
    let rate_limited = json!({"outcome": "rate_limited", "retry_at": null});
    let no_model = "The model `scripted` does not exist or you do not have access to it.";
    let hung = json!({"outcome": "hung", "limit": "wall", "after_ms": 2_000});
    vec![
        case("bad request", status(400, "no"), model_error(Some(400))),
        case(
            "bad key",
            status(401, "no"),
            json!({"outcome": "auth_failed"}),
        ),
        case(
            "unknown model",
            status(404, no_model),
            model_error(Some(404)),
        ),
        case("overloaded", status(529, "later"), rate_limited.clone()),
        case("limited", limited, rate_limited),
        case(
            "empty",
            text(&""),
            json!({"outcome": "failed", "by": "silence"}),
        ),
        case("no stream", json!({"body": "<html>"}), model_error(None)),
        case("silence", json!({"hangs": true}), hung),
    ]
}

fn comes_to(client: Client, cases: Vec<Case>) {
    let Some(world) = World::new(client) else {
        return;
    };
    for case in cases {
        let server = world.serve(json!([{"name": case.name, "reply": case.reply}]));
        // Only a call that hangs is cut off: others may take their time.
        let limit = [
            "--call-timeout",
            if case.reply["hangs"] == true {
                "2s"
            } else {
                "2m"
            },
        ];
        let arguments = [&["--no-apply", "--format", "jsonl"], &limit[..]].concat();
        let ran = world.review(&server, &arguments).run();
        assert_eq!(failure(&ran), case.outcome, "{}: {ran:#?}", case.name);
        let limited = case.outcome["outcome"] == "rate_limited";
        assert_eq!(ran.code, if limited { 5 } else { 3 }, "{}", case.name);
    }
}

#[test]
fn failures_of_its_service_come_through_claude() {
    let mut cases = shared_cases();
    cases.push(case("broken", status(500, "no"), model_error(Some(500))));
    // It asks for a whole message then, which is cut as well, and reports a status of 500.
    let cut = json!({"parts": [{"text": "half"}], "cut_after": 3});
    cases.push(case("cut stream", cut, model_error(Some(500))));
    comes_to(Client::Claude, cases);
}

/// It reports a status of 500 in its own words.
#[test]
fn failures_of_its_service_come_through_codex() {
    let mut cases = shared_cases();
    let cut = json!({"parts": [{"text": "half"}], "cut_after": 3});
    cases.push(case("broken", status(500, "no"), model_error(None)));
    cases.push(case("cut stream", cut, model_error(None)));
    comes_to(Client::Codex, cases);
}

/// An answer that is blocked or cut by a limit is empty.
#[test]
fn failures_of_its_service_come_through_gemini() {
    let mut cases = shared_cases();
    let stopped = |stop: &str| json!({"parts": [{"text": ""}], "stop": stop});
    let cut = json!({"parts": [{"text": "half"}], "cut_after": 1});
    cases.push(case("broken", status(500, "no"), model_error(Some(500))));
    cases.push(case("cut stream", cut, model_error(None)));
    cases.push(case(
        "long",
        stopped("MAX_TOKENS"),
        json!({"outcome": "truncated", "limit": null}),
    ));
    cases.push(case(
        "blocked",
        stopped("SAFETY"),
        json!({"outcome": "refused"}),
    ));
    comes_to(Client::Gemini, cases);
}
