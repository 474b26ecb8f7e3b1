//! Models behind a scripted server, in the words of each API.

use std::sync::Arc;

use review::types::AgentError;
use review::{AnswerContent, ReviewAnswer, Reviewer};
use review_agents::{AgentContext, Api, Backend, Connections, HttpAgent, HttpProfile, RoleAgent};
use serde_json::{Value as Json, json};

use crate::support::{Project, in_roles, review_request};
use review_test_support::http_server::Server;

/// The profile of a model at a server.
pub(crate) fn profile(api: Api, server: &Server) -> HttpProfile {
    HttpProfile {
        api,
        base_url: Some(server.url().parse().unwrap()),
        model: "m-1".parse().unwrap(),
        key_env: None,
        max_tokens: None,
        structured_output: true,
    }
}

/// A model of the profile in the world of `context`.
pub(crate) fn agent(profile: HttpProfile, context: AgentContext) -> RoleAgent {
    agent_over(Connections::default(), profile, &Arc::new(context))
}

/// The same over connections that are kept.
pub(crate) fn agent_over(
    connections: Connections,
    profile: HttpProfile,
    context: &Arc<AgentContext>,
) -> RoleAgent {
    let name = "local".parse().unwrap();
    let agent = HttpAgent::new(&name, profile, connections, Arc::clone(context));
    in_roles(agent, Backend::Http(name), context)
}

/// Has a model at a server review a project.
pub(crate) async fn review(
    api: Api,
    server: &Server,
    context: AgentContext,
) -> Result<ReviewAnswer, AgentError> {
    let agent = agent(profile(api, server), context);
    agent.review(review_request()).await
}

/// The same in a project of its own.
pub(crate) async fn review_in_new_project(
    api: Api,
    server: &Server,
) -> Result<ReviewAnswer, AgentError> {
    let project = Project::new();
    review(api, server, project.context()).await
}

pub(crate) fn text(answer: ReviewAnswer) -> String {
    match answer.content {
        AnswerContent::Text(text) => String::from_utf8(text).unwrap(),
        other => panic!("a model answers in text, not {other:?}"),
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stopped {
    Done,
    Length,
    Refused,
}

/// Events of an API as a stream.
pub(crate) fn sse(events: &[Json]) -> String {
    let event = |event: &Json| match event.as_str() {
        Some(text) => format!("data: {text}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    events.iter().map(event).collect()
}

/// The event that brings a piece of the answer.
pub(crate) fn piece(api: Api, text: &str) -> Json {
    match api {
        Api::Messages => {
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
        }
        Api::ChatCompletions => {
            json!({"model": "m-1-x", "choices": [{"delta": {"content": text}}]})
        }
        Api::Responses => json!({"type": "response.output_text.delta", "delta": text}),
    }
}

/// The events that begin an answer.
pub(crate) fn begin(api: Api) -> Vec<Json> {
    match api {
        Api::Messages => vec![json!({"type": "message_start", "message": {
            "model": "m-1-x", "usage": {"input_tokens": 100, "output_tokens": 1}}})],
        Api::ChatCompletions => vec![piece(api, "")],
        Api::Responses => {
            vec![json!({"type": "response.created", "response": {"model": "m-1-x"}})]
        }
    }
}

/// The events that end an answer of 20 tokens to 100.
pub(crate) fn end(api: Api, stopped: Stopped) -> Vec<Json> {
    match api {
        Api::Messages => {
            let reason = match stopped {
                Stopped::Done => "end_turn",
                Stopped::Length => "max_tokens",
                Stopped::Refused => "refusal",
            };
            vec![
                json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 20}}),
                json!({"type": "message_stop"}),
            ]
        }
        Api::ChatCompletions => {
            let reason = match stopped {
                Stopped::Done => "stop",
                Stopped::Length => "length",
                Stopped::Refused => "content_filter",
            };
            vec![
                json!({"choices": [{"delta": {}, "finish_reason": reason}]}),
                json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}),
                json!("[DONE]"),
            ]
        }
        Api::Responses => {
            let usage = json!({"input_tokens": 100, "output_tokens": 20});
            let incomplete = |reason| {
                json!({"type": "response.incomplete", "response": {
                    "usage": usage, "incomplete_details": {"reason": reason}}})
            };
            vec![match stopped {
                Stopped::Done => {
                    json!({"type": "response.completed", "response": {"usage": usage}})
                }
                Stopped::Length => incomplete("max_output_tokens"),
                Stopped::Refused => incomplete("content_filter"),
            }]
        }
    }
}

/// All events of an answer.
pub(crate) fn events(api: Api, pieces: &[&str], stopped: Stopped) -> Vec<Json> {
    let mut events = begin(api);
    events.extend(pieces.iter().map(|text| piece(api, text)));
    events.extend(end(api, stopped));
    events
}
