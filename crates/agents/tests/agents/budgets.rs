//! What calls cost, and calls that cost too much.

use std::num::NonZeroU32;

use review::types::{FailedBy, Failure, Usage};
use review::{Allowance, ReviewRequest, Reviewer};
use review_agents::{AgentContext, Api, Client, ModelTerms};

use crate::client_support::{Fake, play};
use crate::http_support::{Stopped, agent, begin, events, profile, sse};
use crate::support::{Project, review_request};
use review_test_support::http_server::{Part, Server, chunk, stream, stream_head};

/// The context with a model that costs 3 and 15 dollars.
fn priced(mut context: AgentContext, model: &str) -> AgentContext {
    let terms = ModelTerms {
        input: Some("3".parse().unwrap()),
        output: Some("15".parse().unwrap()),
        ..ModelTerms::default()
    };
    context.models = [(model.to_owned(), terms)].into_iter().collect();
    context
}

fn allowing(tokens: Option<u64>, cost: Option<&str>) -> ReviewRequest {
    let mut request = review_request();
    request.allowance = Allowance {
        tokens,
        cost: cost.map(|cost| cost.parse().unwrap()),
    };
    request
}

#[tokio::test]
async fn a_call_costs_what_the_table_says_by_the_name_that_was_asked_or_got() {
    for name in ["m-1", "m-1-x"] {
        let (project, api) = (Project::new(), Api::ChatCompletions);
        let server = Server::always(stream(&sse(&events(api, &["{}"], Stopped::Done))));
        let agent = agent(profile(api, &server), priced(project.context(), name));
        let answer = agent.review(review_request()).await.unwrap();
        let usage = Usage {
            input_tokens: 100,
            output_tokens: 20,
            cost_micro_usd: Some(600),
        };
        assert_eq!(answer.usage, Some(usage), "{name}");
    }
    let fake = Fake::new(Client::Codex, &play(Client::Codex, "review-revise"));
    let answer = fake
        .review_in(priced(fake.context(), "big"), Some("big"))
        .await;
    assert_eq!(answer.unwrap().usage.unwrap().cost_micro_usd, Some(1_200));
}

#[tokio::test]
async fn a_call_that_has_consumed_too_much_is_ended_at_once() {
    let api = Api::Messages;
    for (tokens, cost, is_cut) in [
        (Some(100), None, true),
        (Some(101), None, false),
        (None, Some("0.000314"), true),
        (None, Some("1"), false),
    ] {
        let project = Project::new();
        let mut context = priced(project.context(), "m-1");
        context.limits.idle = Some(std::time::Duration::from_millis(100));
        let server = Server::always(vec![stream_head(), chunk(&sse(&begin(api))), Part::Hang]);
        let agent = agent(profile(api, &server), context);
        let error = agent.review(allowing(tokens, cost)).await.unwrap_err();
        let hung = matches!(error.failure, Failure::Hung { .. });
        assert_eq!(hung, !is_cut, "{tokens:?} {cost:?}: {error:?}");
        assert_eq!(error.usage.unwrap().cost_micro_usd, Some(315));
    }
}

#[tokio::test]
async fn an_answer_that_has_arrived_counts_whatever_it_cost() {
    for &api in Api::ALL {
        let project = Project::new();
        let server = Server::always(stream(&sse(&events(api, &["{}"], Stopped::Done))));
        let mut all = profile(api, &server);
        all.model = "m-1".parse().unwrap();
        let agent = agent(all, project.context());
        let answered = agent.review(allowing(Some(110), None)).await;
        assert!(answered.is_ok(), "{api:?}: {answered:?}");
    }
}

#[tokio::test]
async fn a_client_that_has_consumed_too_much_is_ended() {
    let step = r#"echo '{"type":"step_start","sessionID":"s","part":{"messageID":"m1","type":"step-start"}}'
echo '{"type":"step_finish","sessionID":"s","part":{"messageID":"m1","type":"step-finish","reason":"tool-calls","tokens":{"input":90,"output":20,"reasoning":0,"cache":{"read":0,"write":0}},"cost":0}}'
exec tail -f /dev/null"#;
    let fake = Fake::new(Client::Opencode, step);
    let agent = fake.agent(fake.context(), None);
    let error = agent.review(allowing(Some(100), None)).await.unwrap_err();
    assert_eq!(error.failure, FailedBy::Protocol.into());
    assert_eq!(error.usage.unwrap().input_tokens, 90);
}

/// A claude that reads a file and then answers, all of it printed at once: its
/// first message consumes 150 tokens, the call 400.
fn two_messages() -> Fake {
    let lines = [
        r#"{"type":"system","subtype":"init","model":"m-1","session_id":"s"}"#,
        r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"a","usage":{"input_tokens":100,"output_tokens":1}}}}"#,
        r#"{"type":"assistant","message":{"id":"a","content":[],"usage":{"input_tokens":100,"output_tokens":1}}}"#,
        r#"{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":50}}}"#,
        r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"b","usage":{"input_tokens":200,"output_tokens":1}}}}"#,
        r#"{"type":"result","is_error":false,"result":"{}","total_cost_usd":0.5,"usage":{"input_tokens":300,"output_tokens":100}}"#,
    ];
    let script = format!("cat <<'END'\n{}\nEND", lines.join("\n"));
    Fake::new(Client::Claude, &script)
}

#[tokio::test]
async fn a_claude_is_ended_at_the_event_that_is_too_much() {
    for (tokens, cost, counted) in [
        (Some(99), None, Some((100, 1))),
        (Some(149), None, Some((100, 50))),
        (Some(350), None, Some((300, 51))),
        (Some(351), None, None),
        (None, Some("0.001"), Some((100, 50))),
        (None, Some("0.0018"), None),
        (None, None, None),
    ] {
        let fake = two_messages();
        let agent = fake.agent(priced(fake.context(), "m-1"), Some("alias"));
        let answered = agent.review(allowing(tokens, cost)).await;
        let ended = answered.map_err(|error| {
            assert_eq!(error.failure, FailedBy::Protocol.into());
            let usage = error.usage.unwrap();
            (usage.input_tokens, usage.output_tokens)
        });
        let expected = counted.map_or(Ok(300), Err);
        let ended = ended.map(|answer| answer.usage.unwrap().input_tokens);
        assert_eq!(ended, expected, "{tokens:?} {cost:?}");
    }
}

#[tokio::test]
async fn a_claude_without_a_price_here_keeps_the_limit_of_the_cost_itself() {
    for (asked, cost, kept) in [
        ("unpriced", Some("2.5"), Some("2.50")),
        ("m-1", Some("2.5"), None),
        ("unpriced", None, None),
    ] {
        let fake = two_messages();
        let agent = fake.agent(priced(fake.context(), "m-1"), Some(asked));
        agent.review(allowing(None, cost)).await.unwrap();
        let args = fake.args();
        let at = args.iter().position(|arg| arg == "--max-budget-usd");
        assert_eq!(at.map(|at| args[at + 1].as_str()), kept);
    }
}

#[tokio::test]
async fn a_prompt_over_the_window_of_the_model_is_not_sent() {
    let (project, api) = (Project::new(), Api::Responses);
    let server = Server::always(stream(&sse(&events(api, &["{}"], Stopped::Done))));
    let mut context = project.context();
    let terms = ModelTerms {
        window: NonZeroU32::new(100),
        ..ModelTerms::default()
    };
    context.models = [("m-1".to_owned(), terms.clone())].into_iter().collect();
    let agent = agent(profile(api, &server), context);
    let error = agent.review(review_request()).await.unwrap_err();
    assert!(matches!(
        error.failure,
        Failure::SetupFailed { missing: None }
    ));
    assert!(
        error
            .message
            .ends_with("tokens (bytes / 3), and m-1 reads 100"),
        "{error}"
    );
    assert_eq!(server.connections(), 0);
    let fake = Fake::new(Client::Gemini, &play(Client::Gemini, "review-revise"));
    let mut context = fake.context();
    context.models = [("m-1".to_owned(), terms)].into_iter().collect();
    let error = fake.review_in(context, Some("m-1")).await.unwrap_err();
    assert!(matches!(
        error.failure,
        Failure::SetupFailed { missing: None }
    ));
    let told = "`gemini` was not started: the prompt has about ";
    assert!(error.message.starts_with(told), "{error}");
    assert!(!fake.project.path("home/args").exists());
}
