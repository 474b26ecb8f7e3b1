//! What becomes of calls of clients that give no answer.

use std::time::Duration;

use review::types::{FailedBy, Failure, LimitKind, Missing};
use review_agents::Client;

use crate::client_support::{Fake, play, play_and_stay, print, text};
use crate::transcripts::REVIEW_PASS;

/// Three steps of opencode without a word, and no end.
const STUCK: &str = r#"for m in m1 m2 m3; do
echo "{\"type\":\"step_start\",\"sessionID\":\"s\",\"part\":{\"messageID\":\"$m\",\"type\":\"step-start\"}}"
echo "{\"type\":\"step_finish\",\"sessionID\":\"s\",\"part\":{\"messageID\":\"$m\",\"type\":\"step-finish\",\"reason\":\"unknown\"}}"
done
exec tail -f /dev/null"#;

#[tokio::test]
async fn each_end_is_one_of_the_closed_list() {
    for (client, case, expected) in [
        (Client::Claude, "logged-out", "auth_failed"),
        (Client::Claude, "status-429", "rate_limited"),
        (Client::Claude, "empty", "failed"),
        (Client::Claude, "denied", "permission_denied"),
        (Client::Codex, "status-401", "auth_failed"),
        (Client::Codex, "status-429", "rate_limited"),
        (Client::Codex, "no-message", "failed"),
        (Client::Codex, "length", "truncated"),
        (Client::Gemini, "status-401", "auth_failed"),
        (Client::Gemini, "exit-401", "auth_failed"),
        (Client::Gemini, "exit-529", "rate_limited"),
        (Client::Gemini, "empty", "failed"),
        (Client::Opencode, "status-401", "auth_failed"),
        (Client::Opencode, "status-429", "rate_limited"),
        (Client::Opencode, "empty", "failed"),
        (Client::Opencode, "other-agent", "setup_failed"),
    ] {
        let fake = Fake::new(client, &play(client, case));
        let error = fake.review().await.unwrap_err();
        assert_eq!(error.failure.as_str(), expected, "{client} {case}");
    }
}

#[tokio::test]
async fn exit_status_0_alone_proves_nothing() {
    for client in Client::ALL {
        let error = Fake::new(client, "exit 0").review().await.unwrap_err();
        assert_eq!(error.failure, FailedBy::Protocol.into(), "{client}");
        assert_eq!(
            error.message,
            format!(
                "`{client}` ended without the event that completes an answer; \
                 it wrote nothing to its standard error"
            )
        );
    }
}

#[tokio::test]
async fn a_failure_holds_the_message_of_the_client_and_its_session() {
    let fake = Fake::new(Client::Codex, &play(Client::Codex, "status-401"));
    let error = fake.apply().await.unwrap_err();
    assert_eq!(
        error.message,
        "`codex` is not logged in, or its key was refused: log in with `codex`, \
         or set CODEX_API_KEY; it said: unexpected status 401 Unauthorized: bad key"
    );
    assert_eq!(error.session.as_deref(), Some("th-1"));
    let fake = Fake::new(Client::Claude, &play(Client::Claude, "status-429"));
    let error = fake.review().await.unwrap_err();
    let usage = error.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (143, 20));
    let fake = Fake::new(Client::Opencode, &play(Client::Opencode, "other-agent"));
    let message = fake.review().await.unwrap_err().message;
    let expected = "`opencode` does not know the agent \"reveiwer\"";
    assert!(message.starts_with(expected), "{message}");
}

#[tokio::test]
async fn a_client_that_says_nothing_is_hung() {
    for client in Client::ALL {
        let fake = Fake::new(client, "exec tail -f /dev/null");
        let mut context = fake.context();
        context.limits.idle = Some(Duration::from_millis(50));
        let error = fake.review_in(context, None).await.unwrap_err();
        let failure = Failure::Hung {
            limit: LimitKind::Idle,
            after_ms: 50,
        };
        assert_eq!(error.failure, failure, "{client}");
        let expected = format!("`{client}` said nothing for 50ms");
        assert!(error.message.starts_with(&expected), "{}", error.message);
    }
}

#[tokio::test]
async fn a_client_that_only_waits_for_the_network_is_offline_after_the_time_to_connect() {
    for (client, case, said) in [
        (
            Client::Codex,
            "offline",
            "; it said: Reconnecting... waiting for network",
        ),
        (Client::Claude, "offline", "; it said: unknown"),
        (
            Client::Gemini,
            "offline",
            "; it said: Attempt 1 failed. Retrying with backoff... \
             Error: exception TypeError: fetch failed sending request",
        ),
    ] {
        let fake = Fake::new(client, &play_and_stay(client, case));
        let mut context = fake.context();
        context.limits.connect = Some(Duration::from_millis(50));
        let error = fake.review_in(context, None).await.unwrap_err();
        let failure = Failure::Offline { after_ms: Some(50) };
        assert_eq!(error.failure, failure, "{client}");
        assert_eq!(
            error.message,
            format!("`{client}` only waited for the network for 50ms and was ended{said}")
        );
    }
}

#[tokio::test]
async fn a_client_that_has_its_network_again_goes_on() {
    for client in [Client::Codex, Client::Claude] {
        let script = ["offline", "review-pass"].map(|case| print(client, case));
        let script = script.join("\n");
        let fake = Fake::new(client, &script);
        let answer = fake.review().await.unwrap();
        assert_eq!(text(answer), REVIEW_PASS, "{client}");
    }
}

#[tokio::test]
async fn a_client_that_stays_after_its_answer_is_ended_and_has_answered() {
    for client in Client::ALL {
        let fake = Fake::new(client, &play_and_stay(client, "review-pass"));
        let answer = fake.review().await.unwrap();
        assert_eq!(text(answer), REVIEW_PASS, "{client}");
    }
}

#[tokio::test]
async fn a_client_that_repeats_empty_steps_is_ended_at_once() {
    let fake = Fake::new(Client::Opencode, STUCK);
    let error = fake.review().await.unwrap_err();
    assert_eq!(error.failure, Failure::ModelError { status: None });
    let expected = "`opencode` was failed by its model's service;";
    assert!(error.message.starts_with(expected), "{}", error.message);
}

#[tokio::test]
async fn a_client_that_is_not_installed_is_reported() {
    for client in Client::ALL {
        let fake = Fake::new(client, "exit 0");
        let mut context = fake.context();
        let home = fake.project.path("home");
        context.env.insert("PATH".into(), home.into());
        let error = fake.review_in(context, None).await.unwrap_err();
        let program = client.to_string();
        assert_eq!(
            error.failure,
            Failure::SetupFailed {
                missing: Some(Missing::Program(program))
            }
        );
        assert_eq!(
            error.message,
            format!(
                "`{client}` was not found on PATH; install it with `{}`",
                client.row().install.unwrap()
            )
        );
    }
}

#[tokio::test]
async fn a_service_is_asked_again_when_it_says_so() {
    let fake = Fake::new(Client::Opencode, &play(Client::Opencode, "status-429"));
    let error = fake.review().await.unwrap_err();
    let retry_at = Some("2023-11-14T22:13:50Z".parse().unwrap());
    assert_eq!(
        error.failure,
        Failure::RateLimited {
            retry_at,
            of_plan: false
        }
    );
}

#[tokio::test]
async fn everything_that_a_client_prints_is_logged() {
    let fake = Fake::new(Client::Codex, &play(Client::Codex, "review-pass"));
    fake.review().await.unwrap();
    let logs = fake.project.logs();
    let stdout = &logs["review.review-2.1-1.stdout"];
    assert!(
        stdout.starts_with("{\"type\":\"thread.started\""),
        "{stdout}"
    );
}
