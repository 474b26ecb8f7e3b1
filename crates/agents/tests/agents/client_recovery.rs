//! Answers that opencode gave and did not print.

use std::time::Duration;

use review::types::{FailedBy, Usage};
use review_agents::Client;

use crate::client_support::{Fake, play, text};
use crate::support::SPEC;

/// An opencode that keeps one session, in which it was asked before, and whose
/// `run` does something else.
fn opencode(run: &str) -> Fake {
    let script = format!(
        r#"echo "$*" >> "$HOME/calls"
case $1 in
session) echo '[{{"id":"ses_9","title":"ralph run-1 review/review-2.1","created":1}}]' ;;
export) cat << 'EOF'
{{"messages":[{{"info":{{"role":"user"}},"parts":[{{"type":"text","text":"{{\"review_id\":\"id-7\"}}"}}]}},
{{"info":{{"role":"assistant","agent":"qualitative-reviewer","finish":"stop","time":{{"completed":1}},"tokens":{{"input":5,"output":2,"reasoning":0,"cache":{{"read":0,"write":0}}}}}},
"parts":[{{"type":"text","text":"recovered"}}]}}]}}
EOF
;;
run) {run} ;;
esac"#
    );
    Fake::new(Client::Opencode, &script)
}

const BEGUN: &str = r#"echo '{"type":"step_start","sessionID":"ses_1","part":{"messageID":"m1","type":"step-start"}}'"#;

const STOPPED: &str = r#"echo '{"type":"step_finish","sessionID":"ses_1","part":{"messageID":"m1","type":"step-finish","reason":"stop"}}'"#;

/// How it was called, without the arguments of `run`.
fn calls(fake: &Fake) -> Vec<String> {
    let calls = fake.given("calls");
    let line = |line: &str| match line.split_once(' ') {
        Some(("run", _)) => "run".to_owned(),
        _ => line.to_owned(),
    };
    calls.lines().map(line).collect()
}

const LIST: &str = "session list --format json";

#[tokio::test]
async fn an_answer_that_was_not_printed_is_the_answer() {
    for (run, session, called) in [
        (
            format!("{BEGUN}; {STOPPED}"),
            "ses_1",
            &["run", "export ses_1"][..],
        ),
        (BEGUN.to_owned(), "ses_1", &["run", "export ses_1"]),
        (
            format!("{BEGUN}; exit 1"),
            "ses_1",
            &["run", "export ses_1"],
        ),
        (
            format!("{BEGUN}; kill -9 $$"),
            "ses_1",
            &["run", "export ses_1"],
        ),
        (":".to_owned(), "ses_9", &["run", LIST, "export ses_9"]),
    ] {
        let fake = opencode(&run);
        let answer = fake.review().await.unwrap();
        assert_eq!(answer.session.as_deref(), Some(session), "{run}");
        let usage = Usage {
            input_tokens: 5,
            output_tokens: 2,
            cost_micro_usd: None,
        };
        assert_eq!(answer.usage, Some(usage), "{run}");
        assert_eq!(text(answer), "recovered", "{run}");
        assert_eq!(calls(&fake), called, "{run}");
    }
}

#[tokio::test]
async fn where_there_is_no_answer_none_is_looked_for() {
    for (run, expected) in [
        (play(Client::Opencode, "status-401"), "auth_failed"),
        (play(Client::Opencode, "status-429"), "rate_limited"),
        (play(Client::Opencode, "other-agent"), "setup_failed"),
        (play(Client::Opencode, "length"), "truncated"),
        ("exit 1".to_owned(), "failed"),
        (
            format!("echo more >> {SPEC}; {BEGUN}; kill -9 $$"),
            "failed",
        ),
        (format!("echo more >> {SPEC}; {BEGUN}"), "wrote_files"),
    ] {
        let fake = opencode(&run);
        let error = fake.review().await.unwrap_err();
        assert_eq!(error.failure.as_str(), expected, "{run}");
        assert_eq!(calls(&fake), ["run"], "{run}");
    }
    let fake = opencode(BEGUN);
    let error = fake.apply().await.unwrap_err();
    assert_eq!(error.failure, FailedBy::Protocol.into());
    assert_eq!(calls(&fake), ["run"]);
}

#[tokio::test]
async fn what_cannot_be_recovered_keeps_its_outcome() {
    for export in ["exit 1", "echo '{}'", "exec tail -f /dev/null"] {
        let script = format!("case $1 in export) {export} ;; run) {BEGUN}; {STOPPED} ;; esac");
        let fake = Fake::new(Client::Opencode, &script);
        let mut context = fake.context();
        context.limits.idle = Some(Duration::from_millis(200));
        let error = fake.review_in(context, None).await.unwrap_err();
        assert_eq!(error.failure, FailedBy::Silence.into(), "{export}");
        assert_eq!(error.session.as_deref(), Some("ses_1"), "{export}");
    }
}

#[tokio::test]
async fn a_reviewer_that_writes_while_it_is_recovered_gives_no_verdict() {
    let fake = opencode(BEGUN);
    let file = fake.project.path("bin/opencode");
    let script = std::fs::read_to_string(&file).unwrap();
    let writes = script.replace("export) cat", &format!("export) echo more >> {SPEC}; cat"));
    std::fs::write(&file, writes).unwrap();
    let error = fake.review().await.unwrap_err();
    assert_eq!(error.failure.as_str(), "wrote_files");
}

#[tokio::test]
async fn the_log_of_the_call_stays_beside_that_of_the_export() {
    let fake = opencode(BEGUN);
    fake.review().await.unwrap();
    let logs = fake.project.logs();
    assert!(logs["review.review-2.1-1.stdout"].contains("step_start"));
}
