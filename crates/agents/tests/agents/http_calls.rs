//! How models are asked over HTTP, and what of their answers is passed on.

use std::sync::{Arc, Mutex};

use review::Reviewer;
use review::events::{AgentRole, Event, LiveEvents};
use review::types::{Failure, ModelId, Usage};
use review_agents::{Api, Connections, HttpProfile, handshake};
use review_process::Redactor;
use serde_json::Value as Json;

use crate::http_support::{
    Stopped, agent, agent_over, begin, end, events, piece, profile, review_in_new_project, sse,
    text,
};
use crate::support::{Project, environment, review_request};
use review_test_support::http_server::{Server, answer, chunk, stream, stream_end, stream_head};

const KEY: &str = "k3y-of-the-eels";

fn passing(api: Api, pieces: &[&str]) -> Server {
    Server::always(stream(&sse(&events(api, pieces, Stopped::Done))))
}

fn with_key(api: Api, server: &Server) -> HttpProfile {
    HttpProfile {
        key_env: Some("EELS".parse().unwrap()),
        ..profile(api, server)
    }
}

#[tokio::test]
async fn an_answer_comes_with_its_model_and_usage() {
    for &api in Api::ALL {
        let answer = review_in_new_project(api, &passing(api, &["{}"]))
            .await
            .unwrap();
        let by = ModelId {
            backend: "http".to_owned(),
            model: Some("m-1-x".to_owned()),
            prompt: answer.by.prompt.clone(),
        };
        assert_eq!((&answer.by, &answer.session), (&by, &None), "{api:?}");
        let prompt = answer.by.prompt.as_deref().unwrap();
        assert!(prompt.starts_with("review/v"), "{prompt}");
        let usage = Usage {
            input_tokens: 100,
            output_tokens: 20,
            cost_micro_usd: None,
        };
        assert_eq!(answer.usage, Some(usage), "{api:?}");
    }
}

#[tokio::test]
async fn the_artifact_and_the_schema_go_in_the_body_and_the_key_in_a_header() {
    for (api, path, header) in [
        (Api::Messages, "/v1/messages", "x-api-key"),
        (Api::ChatCompletions, "/chat/completions", "authorization"),
        (Api::Responses, "/responses", "authorization"),
    ] {
        let (project, server) = (Project::new(), passing(api, &["{}"]));
        project.write("specs/DEMO.md", "The hovercraft is full of \"eels\".");
        let mut context = project.context();
        context.env.extend(environment(&[("EELS", KEY)]));
        let agent = agent(with_key(api, &server), context);
        agent.review(review_request()).await.unwrap();
        let asked = server.asked().remove(0);
        assert_eq!(asked.line, format!("POST {path} HTTP/1.1"));
        assert!(asked.header(header).unwrap().ends_with(KEY), "{api:?}");
        assert!(!asked.body.contains(KEY), "{api:?}");
        let _: Json = serde_json::from_str(&asked.body).unwrap();
        assert!(asked.body.contains("full of \\\"eels\\\"."), "{api:?}");
        assert!(
            asked.body.contains("\"additionalProperties\":false"),
            "{api:?}"
        );
    }
}

#[tokio::test]
async fn a_profile_may_leave_the_schema_out() {
    for &api in Api::ALL {
        let (project, server) = (Project::new(), passing(api, &["{}"]));
        let mut profile = profile(api, &server);
        profile.structured_output = false;
        let agent = agent(profile, project.context());
        agent.review(review_request()).await.unwrap();
        assert!(!server.asked()[0].body.contains("additionalProperties"));
    }
}

#[tokio::test]
async fn connections_are_used_again() {
    let server = passing(Api::Messages, &["{}"]);
    let project = Project::new();
    let connections = Connections::default();
    for _ in 0..3 {
        let profile = profile(Api::Messages, &server);
        let context = std::sync::Arc::new(project.context());
        let agent = agent_over(connections.clone(), profile, &context);
        agent.review(review_request()).await.unwrap();
        agent.review(review_request()).await.unwrap();
    }
    assert_eq!((server.asked().len(), server.connections()), (6, 1));
}

#[tokio::test]
async fn without_its_key_nothing_is_asked() {
    let (project, server) = (Project::new(), passing(Api::Responses, &["{}"]));
    let agent = agent(with_key(Api::Responses, &server), project.context());
    let error = agent.review(review_request()).await.unwrap_err();
    assert_eq!(error.failure, Failure::AuthFailed);
    let message = "`http:local` was not asked: the variable EELS, which holds its key, is not set";
    assert_eq!(error.message, message);
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_key_is_replaced_wherever_it_comes_back() {
    let api = Api::ChatCompletions;
    let half = KEY.split_at(7);
    let project = Project::new();
    let context = || {
        let mut context = project.context();
        context.env.extend(environment(&[("EELS", KEY)]));
        context.redactor = Redactor::new([KEY]);
        context
    };
    let server = passing(api, &["a ", half.0, half.1, " z"]);
    let agent = agent(with_key(api, &server), context());
    let answer = agent.review(review_request()).await.unwrap();
    assert_eq!(text(answer), "a [redacted] z");
    let told = format!("{{\"error\": {{\"message\": \"bad key {KEY}\"}}}}");
    let server = Server::always(review_test_support::http_server::answer(401, "", &told));
    let agent = crate::http_support::agent(with_key(api, &server), context());
    let error = agent.review(review_request()).await.unwrap_err();
    let message = "`http:local` is not logged in, or its key was refused: \
                   put its key into EELS; it said: bad key [redacted]";
    assert_eq!(error.message, message);
}

#[tokio::test]
async fn what_a_model_said_is_logged_whole_where_it_is_no_answer() {
    let api = Api::ChatCompletions;
    let project = Project::new();
    let server = passing(api, &["{}"]);
    agent(profile(api, &server), project.context())
        .review(review_request())
        .await
        .unwrap();
    assert!(project.logs().is_empty());
    let server = Server::always(answer(200, "", "<html>\n"));
    let error = agent(profile(api, &server), project.context())
        .review(review_request())
        .await
        .unwrap_err();
    let message = "`http:local` got something else than a stream of events; \
                   check `api` and `base_url` of its profile; it said: <html>";
    assert_eq!(error.message, message);
    assert!(project.logs().is_empty());
    let half = KEY.split_at(7);
    let begun = ["a ", half.0, half.1, " z"].map(|text| piece(api, text));
    let server = Server::always(stream(&sse(&begun)));
    let mut context = project.context();
    context.redactor = Redactor::new([KEY]);
    let agent = agent(profile(api, &server), context);
    agent.review(review_request()).await.unwrap_err();
    let logs: Vec<_> = project.logs().into_iter().collect();
    let log = ("review.review-2.1-1.stdout", "a [redacted] z");
    assert_eq!(logs, [(log.0.to_owned(), log.1.to_owned())]);
}

#[tokio::test]
async fn a_handshake_asks_for_the_models_and_takes_any_answer_but_a_refusal() {
    for (status, expected) in [
        (200, Ok(200)),
        (404, Ok(404)),
        (401, Err(())),
        (403, Err(())),
    ] {
        let server = Server::always(answer(status, "", "{}"));
        let variables = environment(&[("EELS", KEY)]);
        let profile = with_key(Api::Messages, &server);
        let answered = handshake(&profile, &Connections::default(), &variables).await;
        assert_eq!(answered.map_err(|_| ()), expected);
        let asked = server.asked().remove(0);
        assert_eq!(asked.line, "GET /v1/models HTTP/1.1");
        assert_eq!(asked.header("x-api-key"), Some(KEY));
    }
}

#[tokio::test]
async fn a_handshake_without_a_key_or_a_server_says_why() {
    let mut profile = with_key(Api::ChatCompletions, &Server::always(vec![]));
    let connections = Connections::default();
    let error = handshake(&profile, &connections, &environment(&[])).await;
    let message = "the variable EELS, which holds its key, is not set";
    assert_eq!(error.unwrap_err().to_string(), message);
    (profile.key_env, profile.base_url) = (None, Some("http://127.0.0.1:1".parse().unwrap()));
    let error = handshake(&profile, &connections, &environment(&[])).await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("no answer from http://127.0.0.1:1: "),
        "{error}"
    );
}

#[tokio::test]
async fn an_answer_is_shown_as_it_arrives_without_the_start_of_a_secret() {
    for &api in Api::ALL {
        let project = Project::new();
        let (states, mut context) = (Arc::new(Mutex::new(Vec::new())), project.context());
        let list = Arc::clone(&states);
        context.live = LiveEvents::new(move |event| {
            if let Event::AgentActivity(activity) = event.event {
                list.lock().unwrap().push(activity);
            }
        });
        context.redactor = Redactor::new(["secret-value-1"]);
        let mut first = begin(api);
        first.push(piece(api, "I compare.\nThe key is sec"));
        let rest = ["ret-val", "ue-1 now"].map(|text| vec![piece(api, text)]);
        let mut parts = vec![stream_head()];
        let sent = [first]
            .into_iter()
            .chain(rest)
            .chain([end(api, Stopped::Done)]);
        parts.extend(sent.map(|events| chunk(&sse(&events))));
        parts.push(stream_end());
        let server = Server::always(parts);
        agent(profile(api, &server), context)
            .review(review_request())
            .await
            .unwrap();
        let states = states.lock().unwrap();
        let mut says = states.iter().filter_map(|state| state.says.as_deref());
        assert!(says.clone().all(|line| !line.contains("sec")), "{states:?}");
        assert_eq!(says.next_back(), Some("The key is [redacted] now"));
        let last = states.last().unwrap();
        assert_eq!(
            (last.role, last.iteration, last.says_last),
            (AgentRole::Reviewer, 2, true)
        );
        assert_eq!(last.usage.unwrap().output_tokens, 20);
    }
}
