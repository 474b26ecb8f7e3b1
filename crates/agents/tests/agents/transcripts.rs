//! One table of every recorded call and its outcome.
//!
//! A recorded call is three files: CASE.stdout, CASE.stderr, and CASE.end.json,
//! which says how the client ended.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use review_agents::{CallEnd, Client, Ending, Observed, StreamLimits};
use review_types::{FailedBy, Failure, LimitKind, Missing};
use serde::Deserialize;

use Failure::{AuthFailed, PermissionDenied, Refused};

const EMPTY_ANSWER: Failure = Failure::Failed {
    by: FailedBy::Silence,
};
const PROTOCOL_ERROR: Failure = Failure::Failed {
    by: FailedBy::Protocol,
};
const TRUNCATED: Failure = Failure::Truncated { limit: None };

const PASS: &str = r#"{"verdict": "pass", "score": 90}"#;

/// A whole review that passes.
pub(crate) const REVIEW_PASS: &str = r#"{"feedback":[],"score":{"architecture":90,"completeness":90,"consistency":90,"testability":90},"verdict":"pass"}"#;

/// A whole review that asks for one change.
pub(crate) const REVIEW_REVISE: &str = r#"{"feedback":[{"issue":"it is not mended","section":"Goal","suggestion":"mend it"}],"score":{"architecture":90,"completeness":60,"consistency":90,"testability":90},"verdict":"needs_revision"}"#;

pub(crate) fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../tests/fixtures/clients"]
        .iter()
        .collect()
}

/// A call of a client as it was recorded.
pub(crate) struct Transcript {
    pub(crate) ending: Ending,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// How a client ended, with times in seconds.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum End {
    NotStarted,
    Exited(i32),
    Signalled(i32),
    Wall(u64),
    Idle(u64),
    Offline(u64),
}

impl End {
    fn of(self, client: Client) -> Ending {
        let limit = |limit, seconds| Ending::Limit {
            limit,
            after: Duration::from_secs(seconds),
        };
        match self {
            Self::NotStarted => Ending::NotStarted(client.to_string()),
            Self::Exited(status) => Ending::Exited(status),
            Self::Signalled(signal) => Ending::Signalled(signal),
            Self::Wall(seconds) => limit(LimitKind::Wall, seconds),
            Self::Idle(seconds) => limit(LimitKind::Idle, seconds),
            Self::Offline(seconds) => Ending::Offline(Duration::from_secs(seconds)),
        }
    }
}

pub(crate) fn transcript(client: Client, case: &str) -> Transcript {
    let read = |extension: &str| {
        let file = format!("{case}.{extension}");
        std::fs::read(folder().join(client.as_str()).join(file)).unwrap()
    };
    let end: End = serde_json::from_slice(&read("end.json")).unwrap();
    Transcript {
        ending: end.of(client),
        stdout: read("stdout"),
        stderr: read("stderr"),
    }
}

impl Transcript {
    pub(crate) fn seen(&self, client: Client, limits: StreamLimits) -> Observed {
        let mut reader = client.reader(limits);
        reader.stdout(&self.stdout);
        reader.stderr(&self.stderr);
        reader.finish()
    }
}

/// What is observed of a recorded call.
pub(crate) fn seen(client: Client, case: &str) -> Observed {
    transcript(client, case).seen(client, StreamLimits::default())
}

/// The names of all recordings of a client.
pub(crate) fn cases(client: Client) -> BTreeSet<String> {
    std::fs::read_dir(folder().join(client.as_str()))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".end.json").map(str::to_owned))
        .collect()
}

fn model_error(status: impl Into<Option<u16>>) -> Failure {
    Failure::ModelError {
        status: status.into(),
    }
}

fn rate_limited(retry_at: Option<&str>) -> Failure {
    Failure::RateLimited {
        retry_at: retry_at.map(|instant| instant.parse().unwrap()),
        of_plan: false,
    }
}

fn hung(limit: LimitKind, seconds: u64) -> Failure {
    Failure::Hung {
        limit,
        after_ms: 1_000 * seconds,
    }
}

fn offline(after_ms: Option<u64>) -> Failure {
    Failure::Offline { after_ms }
}

fn killed(signal: i32) -> Failure {
    FailedBy::Signal(signal).into()
}

fn failed(status: i32) -> Failure {
    FailedBy::Status(status).into()
}

fn wrong_agent(asked: &str) -> Failure {
    Failure::SetupFailed {
        missing: Some(Missing::Agent(asked.to_owned())),
    }
}

type Row = (&'static str, Result<&'static str, Failure>);

/// A response of the Agent Feedback Protocol that passes, and one that does
/// not.
const AFP_PASS: &str = r#"{"protocol_version":"1.2","iteration":2,"status":"success","feedback":{"confidence":{"level":"high","justification":"All of it was read."},"positive_points":[],"areas_for_improvement":[],"general_summary":"Short."},"applied_feedback_ack":{"items":[{"id":"mend-it","processing_status":"acknowledged"}]},"review":{"verdict":"pass","score":{"completeness":90,"consistency":90,"testability":90,"architecture":90}}}"#;
const AFP_REVISE: &str = r#"{"protocol_version":"1.2","iteration":1,"status":"success","feedback":{"confidence":{"level":"high","justification":"All of it was read."},"positive_points":[],"areas_for_improvement":[{"id":"mend-it","aspect":"Goal","description":"it is not mended","recommendation":"mend it"}],"general_summary":"Short."},"review":{"verdict":"needs_revision","score":{"completeness":60,"consistency":90,"testability":90,"architecture":90}}}"#;

fn opencode() -> Vec<Row> {
    vec![
        ("afp-pass", Ok(AFP_PASS)),
        ("afp-revise", Ok(AFP_REVISE)),
        ("answer", Ok(r#"{"verdict": "pass"}"#)),
        ("blank", Err(EMPTY_ANSWER)),
        ("crashed", Err(killed(11))),
        ("cut-off-line", Ok(PASS)),
        ("empty", Err(EMPTY_ANSWER)),
        ("empty-steps-apart", Ok(PASS)),
        ("filtered", Err(Refused)),
        ("half-character", Ok("a\u{fffd}\u{fffd}\u{fffd}")),
        ("idle", Err(hung(LimitKind::Idle, 300))),
        ("interrupted", Err(killed(2))),
        ("length", Err(TRUNCATED)),
        ("lingered", Ok(PASS)),
        ("no-end", Err(PROTOCOL_ERROR)),
        ("no-connection", Err(offline(None))),
        ("no-input", Err(PROTOCOL_ERROR)),
        ("noise", Ok(PASS)),
        ("nulls", Err(model_error(None))),
        (
            "not-started",
            Err(Failure::SetupFailed {
                missing: Some(Missing::Program("opencode".to_owned())),
            }),
        ),
        ("other-agent", Err(wrong_agent("reveiwer"))),
        ("overloaded", Err(rate_limited(None))),
        ("overloaded-request", Err(model_error(400))),
        ("rejected", Err(PermissionDenied)),
        ("rejected-on-stderr", Err(PermissionDenied)),
        ("rejected-then-blank", Err(PermissionDenied)),
        ("rejected-then-text", Ok(PASS)),
        ("review-pass", Ok(REVIEW_PASS)),
        ("review-revise", Ok(REVIEW_REVISE)),
        ("second-stop", Ok("new")),
        ("silent", Err(hung(LimitKind::Wall, 45))),
        ("status-200", Err(model_error(None))),
        ("status-401", Err(AuthFailed)),
        ("status-403", Err(AuthFailed)),
        (
            "status-429",
            Err(rate_limited(Some("2023-11-14T22:13:50Z"))),
        ),
        (
            "status-429-ms",
            Err(rate_limited(Some("2023-11-14T22:13:21.500Z"))),
        ),
        ("status-500", Err(model_error(500))),
        ("status-529", Err(rate_limited(None))),
        ("status-after-answer", Err(failed(7))),
        ("step-after-stop", Err(PROTOCOL_ERROR)),
        ("step-repeated", Ok(PASS)),
        ("stopped-after-answer", Ok(PASS)),
        ("stopped-after-length", Err(killed(15))),
        ("text-after-stop", Ok("ab")),
        ("text-of-another-message", Err(EMPTY_ANSWER)),
        ("three-empty-steps", Err(model_error(None))),
        ("three-empty-steps-limit", Err(hung(LimitKind::Wall, 30))),
        ("three-empty-steps-then-text", Err(model_error(None))),
        ("tool-failed", Ok(PASS)),
        ("tools-after-stop", Err(PROTOCOL_ERROR)),
        ("unknown-model", Err(model_error(None))),
        ("unknown-session", Err(PROTOCOL_ERROR)),
    ]
}

fn claude() -> Vec<Row> {
    vec![
        ("answer", Ok(PASS)),
        ("denied", Err(PermissionDenied)),
        ("denied-then-text", Ok(PASS)),
        ("empty", Err(EMPTY_ANSWER)),
        ("error-subtype", Err(model_error(None))),
        ("interrupted", Err(killed(2))),
        ("length", Err(TRUNCATED)),
        ("logged-out", Err(AuthFailed)),
        ("malformed-service", Err(model_error(None))),
        ("max-tokens", Err(TRUNCATED)),
        ("no-connection", Err(offline(None))),
        ("offline", Err(offline(Some(60_000)))),
        ("no-input", Err(PROTOCOL_ERROR)),
        ("nulls", Ok(PASS)),
        ("overloaded", Err(rate_limited(None))),
        ("refused", Err(Refused)),
        ("review-pass", Ok(REVIEW_PASS)),
        ("review-revise", Ok(REVIEW_REVISE)),
        ("retrying", Err(rate_limited(None))),
        ("retrying-without-status", Err(model_error(None))),
        ("session-in-use", Err(PROTOCOL_ERROR)),
        ("silent-exit", Err(PROTOCOL_ERROR)),
        ("status-429", Err(rate_limited(None))),
        ("status-500", Err(model_error(500))),
        ("stream", Ok(PASS)),
        ("structured", Ok(r#"{"score":90,"verdict":"pass"}"#)),
        ("structured-null", Ok(PASS)),
        ("structured-retries", Err(model_error(None))),
        ("terminated", Err(killed(15))),
        ("unknown-agent", Err(wrong_agent("nope"))),
        ("unknown-option", Err(PROTOCOL_ERROR)),
        ("unknown-session", Err(PROTOCOL_ERROR)),
        ("window", Err(TRUNCATED)),
        (
            "words-of-the-answer",
            Ok("the output token maximum is fine"),
        ),
        ("zero-usage", Ok(PASS)),
    ]
}

fn codex() -> Vec<Row> {
    vec![
        ("answer", Ok(PASS)),
        ("cut", Err(model_error(None))),
        ("declined", Err(PermissionDenied)),
        ("declined-then-blank", Err(PermissionDenied)),
        ("declined-then-text", Ok(PASS)),
        ("error-without-end", Err(model_error(500))),
        ("failed-without-words", Err(model_error(None))),
        ("filtered", Err(Refused)),
        ("interrupted", Err(killed(2))),
        ("length", Err(TRUNCATED)),
        ("no-connection", Err(offline(None))),
        ("offline", Err(offline(Some(60_000)))),
        ("no-end", Err(PROTOCOL_ERROR)),
        ("no-message", Err(EMPTY_ANSWER)),
        ("reconnected", Ok(PASS)),
        ("review-pass", Ok(REVIEW_PASS)),
        ("review-revise", Ok(REVIEW_REVISE)),
        ("status-400", Err(model_error(400))),
        ("status-401", Err(AuthFailed)),
        ("status-429", Err(rate_limited(None))),
        ("status-after-answer", Err(failed(1))),
        ("unknown-model", Err(model_error(404))),
        ("unknown-session", Err(PROTOCOL_ERROR)),
        ("usage", Err(PROTOCOL_ERROR)),
    ]
}

fn gemini() -> Vec<Row> {
    vec![
        ("answer", Ok(PASS)),
        ("blank", Err(EMPTY_ANSWER)),
        ("client-cut", Err(PROTOCOL_ERROR)),
        ("cut", Err(model_error(None))),
        ("empty", Err(EMPTY_ANSWER)),
        ("exit-401", Err(AuthFailed)),
        ("exit-500", Err(model_error(500))),
        ("exit-529", Err(rate_limited(None))),
        ("filtered", Err(Refused)),
        ("garbage", Err(model_error(None))),
        ("half-character", Ok("a\u{fffd}\u{fffd}\u{fffd}")),
        ("invalid-stream", Err(model_error(None))),
        ("killed", Err(killed(9))),
        ("length", Err(TRUNCATED)),
        ("no-connection", Err(offline(None))),
        ("offline", Err(offline(Some(60_000)))),
        ("no-input", Err(PROTOCOL_ERROR)),
        ("nulls", Ok(PASS)),
        ("retried", Ok(PASS)),
        ("retrying", Err(model_error(503))),
        ("review-pass", Ok(REVIEW_PASS)),
        ("review-revise", Ok(REVIEW_REVISE)),
        ("silent", Err(hung(LimitKind::Wall, 100))),
        ("status-401", Err(AuthFailed)),
        ("status-429", Err(rate_limited(None))),
        ("status-429-delay", Err(rate_limited(None))),
        ("status-500", Err(model_error(500))),
        ("status-after-answer", Err(failed(1))),
        ("terminated", Err(killed(15))),
        ("tool-failed", Ok(PASS)),
        ("unknown-format", Err(PROTOCOL_ERROR)),
        ("unknown-session", Err(PROTOCOL_ERROR)),
        ("untrusted", Err(PROTOCOL_ERROR)),
        ("warned", Ok(PASS)),
        ("words-before", Ok(PASS)),
    ]
}

#[test]
fn every_recording_has_its_outcome_and_only_an_answer_has_its_text() {
    for client in Client::ALL {
        let rows = match client {
            Client::Opencode => opencode(),
            Client::Claude => claude(),
            Client::Codex => codex(),
            Client::Gemini => gemini(),
        };
        let listed: BTreeSet<_> = rows.iter().map(|(case, _)| (*case).to_owned()).collect();
        assert_eq!(cases(client), listed, "{client}");
        for (case, expected) in rows {
            let seen = seen(client, case);
            let outcome = review_agents::outcome(&CallEnd {
                ending: &transcript(client, case).ending,
                seen: &seen,
                exits: client.exit_codes(),
                changed: &[],
                at: None,
            });
            let text = outcome.map(|()| seen.text.unwrap());
            assert_eq!(text, expected.map(str::to_owned), "{client} {case}");
        }
    }
}
