//! A scripted mock of the services of language models.
//!
//! It speaks the streaming forms of Anthropic Messages, `OpenAI` Responses,
//! `OpenAI` Chat Completions and Gemini, and answers by the first rule of its
//! script that fits. What no rule fits is answered with status 400, which clients
//! do not try again.
//!
//! ```
//! use review_test_support::model_server::ModelServer;
//! use serde_json::json;
//!
//! let script = json!([{"name": "any", "reply": {"parts": [{"text": "OK"}]}}]);
//! let server = ModelServer::start(serde_json::from_value(script).unwrap());
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! ```

mod asked;
mod chat;
mod gemini;
mod messages;
mod reply;
mod responses;
mod script;

pub use asked::Api;
pub use reply::{Part, Reply, Tool};
pub use script::{Rule, Script, When};

use std::sync::{Arc, Mutex};

use serde_json::Value as Json;

use crate::http_server::{self as http, Request, Server, held};
use asked::Asked;
use reply::error_body;

/// The server, on a port of its own of the loopback interface.
pub struct ModelServer {
    server: Server,
    state: Arc<Mutex<State>>,
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The rule that answered, if there was one.
    pub rule: Option<String>,
    /// The names of the tools that were offered.
    pub tools: Vec<String>,
}

struct State {
    script: Script,
    calls: Vec<Call>,
}

impl ModelServer {
    /// Starts a server on a free port.
    ///
    /// # Panics
    /// When no port is free.
    pub fn start(script: Script) -> Self {
        let state = Arc::new(Mutex::new(State {
            script,
            calls: Vec::new(),
        }));
        let server = Server::answering({
            let state = Arc::clone(&state);
            move |_, request| answer(request, &state)
        });
        Self { server, state }
    }

    /// Its address, without a path.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The requests to a model so far, in order.
    pub fn calls(&self) -> Vec<Call> {
        held(&self.state).calls.clone()
    }
}

const JSON: &str = "content-type: application/json\r\n";

fn answer(request: &Request, state: &Mutex<State>) -> Vec<http::Part> {
    let (method, path) = request.target();
    // Clients look whether a server is there, and for a list of models.
    match method {
        "HEAD" => return http::answer(200, JSON, ""),
        "GET" => return http::answer(200, JSON, r#"{"object":"list","data":[]}"#),
        _ => {}
    }
    let Some(api) = Api::of_path(path) else {
        let error = error_body(None, 404, "there is nothing at this path");
        return http::answer(404, JSON, &error.to_string());
    };
    let body: Json = serde_json::from_str(&request.body).unwrap_or_default();
    let asked = Asked::new(api, path, &body);
    let (rule, number) = {
        let mut state = held(state);
        let rule = script::next(&mut state.script, &asked);
        state.calls.push(Call {
            rule: rule.as_ref().map(|rule| rule.name.clone()),
            tools: asked.tools.clone(),
        });
        (rule, u32::try_from(state.calls.len()).unwrap_or(u32::MAX))
    };
    let reply = rule.map_or_else(unscripted, |rule| rule.reply);
    play(&reply, &asked, number)
}

fn unscripted() -> Reply {
    Reply {
        status: Some(400),
        error: "no rule of the script fits".to_owned(),
        ..Reply::default()
    }
}

fn play(reply: &Reply, asked: &Asked, number: u32) -> Vec<http::Part> {
    if reply.hangs {
        return vec![http::Part::Hang];
    }
    let given = reply.headers.iter();
    let headers: String = given
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let status = reply.status.unwrap_or(200);
    if let Some(body) = &reply.body {
        return http::answer(status, &headers, body);
    }
    if status != 200 {
        let error = error_body(Some(asked.api), status, &reply.error);
        return http::answer(status, &(headers + JSON), &error.to_string());
    }
    let message = reply.message(asked, number);
    if asked.api == Api::Messages && !asked.is_streamed {
        // So claude asks again after a stream that was cut.
        if reply.cut_after.is_some() {
            return vec![http::Part::Cut];
        }
        let whole = messages::whole(&message);
        return http::answer(status, &(headers + JSON), &whole.to_string());
    }
    let mut parts = vec![http::stream_head_with(&headers)];
    for (at, (name, data)) in message.events(asked.api).into_iter().enumerate() {
        if reply.cut_after == Some(at) {
            parts.push(http::Part::Cut);
            return parts;
        }
        let name = name.map(|name| format!("event: {name}\n"));
        let event = format!("{}data: {data}\n\n", name.unwrap_or_default());
        parts.push(http::chunk(&event));
    }
    if asked.api == Api::Chat {
        parts.push(http::chunk("data: [DONE]\n\n"));
    }
    parts.push(http::stream_end());
    parts
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Shutdown, TcpStream};

    use serde_json::json;

    use super::*;

    fn ask(server: &ModelServer, path: &str, body: &Json) -> String {
        let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).unwrap();
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn script(script: Json) -> Script {
        serde_json::from_value(script).unwrap()
    }

    fn said(text: &str) -> Json {
        json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": text}]})
    }

    #[test]
    fn a_message_is_streamed_by_the_rule_that_fits() {
        let parts = json!([{"text": "fine"}, {"tool": {"name": "read", "args": {"a": 1}}}]);
        let reply = json!({"parts": parts, "headers": {"x-a": "b"}});
        let server = ModelServer::start(script(
            json!([{"name": "go", "when": {"said": "go"}, "reply": reply}]),
        ));
        for (path, ends) in [
            (
                "/v1/messages",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
            ),
            ("/v1/chat/completions", "data: [DONE]\n\n"),
        ] {
            let answer = ask(&server, path, &said("go"));
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            assert!(answer.contains("x-a: b\r\n"), "{answer}");
            assert!(
                answer.contains("fine") && answer.contains("read"),
                "{answer}"
            );
            assert!(
                answer.contains(ends) && answer.ends_with("\r\n0\r\n\r\n"),
                "{answer}"
            );
        }
        let call = Call {
            rule: Some("go".to_owned()),
            tools: vec![],
        };
        assert_eq!(server.calls(), [call.clone(), call]);
    }

    #[test]
    fn a_message_is_whole_where_no_stream_is_asked_for() {
        let parts = json!([{"text": "fine"}, {"tool": {"name": "read", "args": {"a": 1}}}]);
        let server = ModelServer::start(script(json!([
            {"name": "cut", "when": {"said": "cut"}, "reply": {"parts": parts, "cut_after": 1}},
            {"name": "whole", "reply": {"parts": parts}},
        ])));
        let mut whole = said("go");
        whole["stream"] = false.into();
        let answer = ask(&server, "/v1/messages", &whole);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("application/json"), "{head}");
        let body: Json = serde_json::from_str(body).unwrap();
        let content = json!([
            {"type": "text", "text": "fine"},
            {"type": "tool_use", "id": "toolu_call_1_1", "name": "read", "input": {"a": 1}},
        ]);
        assert_eq!(
            (&body["content"], &body["stop_reason"]),
            (&content, &"tool_use".into())
        );
        whole["messages"][0]["content"] = "cut".into();
        assert_eq!(ask(&server, "/v1/messages", &whole), "");
    }

    #[test]
    fn what_no_rule_fits_is_a_bad_request() {
        let server = ModelServer::start(Vec::new());
        let answer = ask(&server, "/v1/messages", &said("go"));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        assert!(answer.contains("no rule of the script fits"), "{answer}");
        assert_eq!(server.calls()[0].rule, None);
        let answer = ask(&server, "/v1/embeddings", &said("go"));
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }

    #[test]
    fn a_reply_may_be_an_error_a_body_or_half_a_stream() {
        let server = ModelServer::start(script(json!([
            {"name": "error", "when": {"said": "error"}, "reply": {"status": 529, "error": "later"}},
            {"name": "body", "when": {"said": "body"}, "reply": {"body": "<html>"}},
            {"name": "cut", "when": {"said": "cut"}, "reply": {"parts": [{"text": "a"}], "cut_after": 1}},
        ])));
        let ask = |text| ask(&server, "/v1/messages", &said(text));
        let error = ask("error");
        assert!(
            error.contains("529") && error.contains("overloaded_error"),
            "{error}"
        );
        assert!(ask("body").ends_with("\r\n\r\n<html>"));
        let cut = ask("cut");
        assert!(
            cut.contains("message_start") && !cut.contains("content_block"),
            "{cut}"
        );
    }
}
