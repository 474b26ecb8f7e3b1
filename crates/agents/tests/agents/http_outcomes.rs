//! What becomes of a call of each API, whatever the server does.

use std::time::Duration;

use review::types::{FailedBy, Failure, LimitKind};
use review_agents::Api;
use review_process::{Limits, Stop};

use crate::http_support::{
    Stopped, begin, end, events, piece, profile, review, review_in_new_project, sse, text,
};
use crate::support::{Project, review_request};
use review_test_support::http_server::{
    Part, Server, answer, chunk, stream, stream_end, stream_head,
};

fn whole(api: Api) -> String {
    sse(&events(api, &["{\"a\"", ": 1}"], Stopped::Done))
}

/// What a server may do and still be understood.
fn answers(api: Api) -> Vec<(&'static str, Vec<Part>)> {
    let whole = whole(api);
    let drip = format!("{:x}\r\n{whole}\r\n0\r\n\r\n", whole.len());
    let noise = ": ping\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\nid: 4\nretry: 9\n\n";
    let noisy: String = whole
        .split_inclusive("\n\n")
        .map(|event| format!("{noise}{}", event.replace('\n', "\r\n")))
        .collect();
    let length = whole.len();
    let plain = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{whole}");
    let untold = format!("HTTP/1.1 200 OK\r\n\r\n{whole}");
    vec![
        ("at once", stream(&whole)),
        (
            "byte by byte",
            vec![stream_head(), Part::Drip(drip.into_bytes())],
        ),
        ("with keep-alives", stream(&noisy)),
        ("of a given length", vec![Part::Bytes(plain.into_bytes())]),
        (
            "up to the end",
            vec![Part::Bytes(untold.into_bytes()), Part::Cut],
        ),
        (
            "without an end",
            vec![stream_head(), chunk(whole.trim_end()), stream_end()],
        ),
        (
            "cut after the end",
            vec![stream_head(), chunk(&whole), Part::Cut],
        ),
    ]
}

#[tokio::test]
async fn an_answer_counts_however_it_arrives() {
    for &api in Api::ALL {
        for (how, parts) in answers(api) {
            let server = Server::always(parts);
            let answer = review_in_new_project(api, &server).await;
            let answer = answer.unwrap_or_else(|error| panic!("{api:?} {how}: {error:?}"));
            assert_eq!(text(answer), "{\"a\": 1}", "{api:?} {how}");
        }
    }
}

#[tokio::test]
async fn a_server_that_stays_after_its_last_event_does_not_hold_up_the_answer() {
    for &api in Api::ALL {
        let server = Server::always(vec![stream_head(), chunk(&whole(api)), Part::Hang]);
        assert_eq!(
            text(review_in_new_project(api, &server).await.unwrap()),
            "{\"a\": 1}"
        );
    }
}

/// What a server may do in place of an answer, and the outcome.
fn failures(api: Api) -> Vec<(&'static str, Vec<Part>, Failure)> {
    let cut = Failure::ModelError { status: None };
    let begun = || {
        let mut events = begin(api);
        events.push(piece(api, "{"));
        sse(&events)
    };
    let limited = |retry_at: Option<&str>| Failure::RateLimited {
        retry_at: retry_at.map(|at| at.parse().unwrap()),
        of_plan: false,
    };
    let status = |status| Failure::ModelError {
        status: Some(status),
    };
    let json = "content-type: application/json\r\n";
    let error = r#"{"error": {"message": "no", "code": 1, "type": "x"}}"#;
    let garbled = begun().replace("{", "<");
    vec![
        (
            "empty",
            stream(&sse(&events(api, &[" \n"], Stopped::Done))),
            FailedBy::Silence.into(),
        ),
        (
            "short",
            stream(&sse(&events(api, &["{"], Stopped::Length))),
            Failure::Truncated { limit: None },
        ),
        (
            "refusal",
            stream(&sse(&events(api, &[], Stopped::Refused))),
            Failure::Refused,
        ),
        (
            "cut",
            vec![stream_head(), chunk(&begun()), Part::Cut],
            cut.clone(),
        ),
        ("ended too early", stream(&begun()), cut.clone()),
        (
            "cut within an event",
            stream(&format!("{}data: {{\"x", begun())),
            cut.clone(),
        ),
        ("no event", vec![stream_head(), Part::Cut], cut.clone()),
        (
            "no head",
            vec![Part::Bytes(b"HTTP/1.1 200".to_vec()), Part::Cut],
            cut.clone(),
        ),
        (
            "no HTTP",
            vec![Part::Bytes(b"SSH-2.0-x\r\n\r\n".to_vec()), Part::Cut],
            cut,
        ),
        (
            "a page",
            answer(200, "", "<html>\n<p>hello</p>\n</html>\n"),
            FailedBy::Protocol.into(),
        ),
        (
            "no stream",
            answer(200, json, "{\"choices\": []}"),
            FailedBy::Protocol.into(),
        ),
        (
            "an error of a service that answers 200",
            answer(
                200,
                json,
                r#"{"error": {"message": "no slot", "code": 503}}"#,
            ),
            status(503),
        ),
        (
            "an error of a key on several lines",
            answer(
                200,
                json,
                "{\n  \"error\": {\n    \"message\": \"no\",\n    \"type\": \"invalid_api_key\"\n  }\n}",
            ),
            Failure::AuthFailed,
        ),
        (
            "an error in place of the next event",
            stream(&format!(
                "{}error: {{\"code\": 500, \"message\": \"no\"}}\n\n",
                begun()
            )),
            status(500),
        ),
        (
            "429 with the reset time of a plan in its body",
            answer(
                429,
                json,
                r#"{"error": {"message": "usage limit", "resets_in_seconds": 90000}}"#,
            ),
            Failure::RateLimited {
                retry_at: Some("1970-01-02T01:00:00Z".parse().unwrap()),
                of_plan: true,
            },
        ),
        (
            "429 without quota",
            answer(
                429,
                json,
                r#"{"error": {"message": "no", "type": "insufficient_quota"}}"#,
            ),
            status(402),
        ),
        (
            "400 for a long prompt",
            answer(
                400,
                json,
                r#"{"error": {"message": "prompt is too long: 9 tokens"}}"#,
            ),
            status(413),
        ),
        ("garbage", stream(&garbled), FailedBy::Protocol.into()),
        ("400", answer(400, json, error), status(400)),
        ("404", answer(404, "", ""), status(404)),
        ("500", answer(500, json, error), status(500)),
        (
            "503",
            answer(503, "retry-after: 7\r\n", "busy"),
            status(503),
        ),
        (
            "302",
            answer(302, "location: http://127.0.0.1:1/\r\n", ""),
            Failure::ModelError { status: Some(302) },
        ),
        ("401", answer(401, json, error), Failure::AuthFailed),
        ("403", answer(403, json, error), Failure::AuthFailed),
        ("429", answer(429, json, error), limited(None)),
        ("529", answer(529, json, error), limited(None)),
        (
            "429 with seconds",
            answer(429, "retry-after: 7\r\n", ""),
            limited(Some("1970-01-01T00:00:07Z")),
        ),
        (
            "429 with milliseconds",
            answer(429, "retry-after: 7\r\nretry-after-ms: 1500\r\n", ""),
            limited(Some("1970-01-01T00:00:01.500Z")),
        ),
        (
            "429 with a date",
            answer(429, "retry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n", ""),
            limited(Some("1994-11-06T08:49:37Z")),
        ),
        (
            "429 with the end of its limit",
            answer(429, "anthropic-ratelimit-unified-reset: 1781000000\r\n", ""),
            limited(Some("2026-06-09T10:13:20Z")),
        ),
        (
            "429 with a delay in its body",
            answer(
                429,
                json,
                r#"[{"error": {"code": 429, "details": [{"retryDelay": "7.5s"}]}}]"#,
            ),
            limited(Some("1970-01-01T00:00:07.500Z")),
        ),
        (
            "429 with seconds and a delay in its body",
            answer(
                429,
                "retry-after: 7\r\n",
                r#"{"error": {"code": 429, "details": [{"retryDelay": "9s"}]}}"#,
            ),
            limited(Some("1970-01-01T00:00:07Z")),
        ),
        (
            "503 that says overloaded",
            answer(503, "", "the model is overloaded"),
            limited(None),
        ),
    ]
}

#[tokio::test]
async fn each_failure_of_a_server_has_one_outcome() {
    for &api in Api::ALL {
        for (what, parts, failure) in failures(api) {
            let server = Server::always(parts);
            let error = review_in_new_project(api, &server).await.unwrap_err();
            assert_eq!(error.failure, failure, "{api:?} {what}: {error}");
        }
    }
}

#[tokio::test]
async fn what_was_consumed_is_known_of_failures_too() {
    for &api in Api::ALL {
        let server = Server::always(stream(&sse(&events(api, &["{"], Stopped::Length))));
        let error = review_in_new_project(api, &server).await.unwrap_err();
        let usage = error.usage.unwrap();
        assert_eq!(
            (usage.input_tokens, usage.output_tokens),
            (100, 20),
            "{api:?}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_left_at_once() {
    let api = Api::ChatCompletions;
    let Part::Bytes(piece) = chunk(&sse(&[piece(api, &"x".repeat(1 << 20))])) else {
        panic!("a piece is bytes");
    };
    let server = Server::always(vec![stream_head(), Part::Endless(piece)]);
    let error = review_in_new_project(api, &server).await.unwrap_err();
    assert_eq!(
        error.failure,
        Failure::Truncated {
            limit: Some(16 << 20)
        }
    );
}

fn hung(limit: LimitKind, after: Duration) -> Failure {
    Failure::Hung {
        limit,
        after_ms: u64::try_from(after.as_millis()).unwrap(),
    }
}

#[tokio::test]
async fn silence_ends_with_the_idle_limit_wherever_it_begins() {
    let idle = Duration::from_millis(50);
    let api = Api::ChatCompletions;
    let begun = sse(&[piece(api, "{")]);
    for parts in [
        vec![Part::Hang],
        vec![stream_head(), Part::Hang],
        vec![stream_head(), chunk(&begun), Part::Hang],
        vec![
            Part::Bytes(b"HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\nx".to_vec()),
            Part::Hang,
        ],
    ] {
        let (project, server) = (Project::new(), Server::always(parts));
        let mut context = project.context();
        context.limits.idle = Some(idle);
        let error = review(api, &server, context).await.unwrap_err();
        assert_eq!(error.failure, hung(LimitKind::Idle, idle));
    }
}

#[tokio::test]
async fn events_without_end_and_without_text_end_with_the_whole_time() {
    let wall = Duration::from_millis(200);
    let Part::Bytes(ping) = chunk(": ping\n\ndata: {\"type\": \"ping\"}\n\n") else {
        panic!("a ping is bytes");
    };
    for &api in Api::ALL {
        let parts = vec![stream_head(), Part::Endless(ping.clone())];
        let (project, server) = (Project::new(), Server::always(parts));
        let mut context = project.context();
        context.limits = Limits {
            wall: Some(wall),
            ..context.limits
        };
        let error = review(api, &server, context).await.unwrap_err();
        assert_eq!(error.failure, hung(LimitKind::Wall, wall), "{api:?}");
    }
}

#[tokio::test]
async fn a_run_that_is_stopped_lets_go_of_the_call() {
    let (project, server) = (Project::new(), Server::always(vec![Part::Hang]));
    let call = review(Api::Responses, &server, project.context());
    let stop = async {
        while server.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        project.stopper.send_replace(Stop::Stop);
    };
    let (called, ()) = tokio::join!(call, stop);
    assert_eq!(called.unwrap_err().failure, FailedBy::Signal(15).into());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_offline() {
    let project = Project::new();
    let mut profile = profile(Api::ChatCompletions, &Server::always(vec![]));
    profile.base_url = Some("http://127.0.0.1:1".parse().unwrap());
    let agent = crate::http_support::agent(profile, project.context());
    let error = review::Reviewer::review(&agent, review_request()).await;
    let error = error.unwrap_err();
    assert_eq!(error.failure, Failure::Offline { after_ms: None });
    assert!(
        error
            .message
            .contains("could not reach its model's service"),
        "{error}"
    );
    assert!(error.message.contains("refused"), "{error}");
}

#[tokio::test]
async fn an_error_inside_the_stream_ends_the_call() {
    let at = |status| Failure::ModelError { status };
    for (api, event, failure) in [
        (
            Api::Messages,
            r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
            Failure::RateLimited {
                retry_at: None,
                of_plan: false,
            },
        ),
        (
            Api::ChatCompletions,
            r#"{"error": {"code": 502, "message": "bad gateway"}}"#,
            at(Some(502)),
        ),
        (
            Api::Responses,
            r#"{"type": "response.failed", "response": {"error": {"code": "server_error", "message": "x"}}}"#,
            at(Some(500)),
        ),
    ] {
        let begun = sse(&[piece(api, "{")]);
        let after = sse(&end(api, Stopped::Done));
        let text = format!("{begun}data: {event}\n\n{after}");
        let error = review_in_new_project(api, &Server::always(stream(&text))).await;
        assert_eq!(error.unwrap_err().failure, failure, "{api:?}");
    }
}
