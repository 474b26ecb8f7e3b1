//! Answers the connections of clients.

use std::io::{self, BufReader, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value as Json;

use crate::asked::{Api, Asked};
use crate::http::{Request, begin_stream, respond, send};
use crate::messages;
use crate::reply::{Reply, error_body};
use crate::script::{Playing, Script};

/// A server that lives as long as the value.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The rule that answered, if there was one.
    pub rule: Option<String>,
    /// The model that was asked for.
    pub model: String,
    /// The names of the tools that were offered.
    pub tools: Vec<String>,
}

struct Shared {
    playing: Mutex<Playing>,
    calls: Mutex<Vec<Call>>,
    is_over: AtomicBool,
}

impl ModelServer {
    /// Starts a server on a free port of the loopback interface.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let shared = Arc::new(Shared {
            playing: Mutex::new(Playing::new(script)),
            calls: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self {
            address,
            shared,
            accepting: Some(accepting),
        }
    }

    /// Its address, without a path.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests to a model so far, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        held(&self.shared.calls).clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        // The listener wakes up for one more connection.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_over.load(Ordering::Acquire) {
            return;
        }
        let shared = Arc::clone(shared);
        // A client that is gone in the middle of an answer is no surprise.
        std::thread::spawn(move || stream.and_then(|stream| serve(stream, &shared)));
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(request) = Request::read(&mut stream)? {
        if !answer(&request, stream.get_mut(), shared)? {
            return stream.get_mut().shutdown(Shutdown::Both);
        }
    }
    Ok(())
}

const JSON: (&str, &str) = ("content-type", "application/json");

/// Answers a request; false when the connection is to be cut.
fn answer(request: &Request, stream: &mut TcpStream, shared: &Shared) -> io::Result<bool> {
    if request.method == "HEAD" || request.method == "GET" {
        // Clients look whether somebody is there, and for a list of models.
        let body = if request.method == "GET" {
            r#"{"object":"list","data":[]}"#
        } else {
            ""
        };
        respond(stream, 200, &[JSON], body)?;
        return Ok(true);
    }
    let body: Json = serde_json::from_slice(&request.body).unwrap_or_default();
    let Some(api) = Api::of_path(&request.path) else {
        let error = error_body(None, 404, "there is nothing at this path");
        respond(stream, 404, &[JSON], &error.to_string())?;
        return Ok(true);
    };
    let asked = Asked::new(api, &body);
    let rule = held(&shared.playing).next(&asked);
    let number = {
        let mut calls = held(&shared.calls);
        calls.push(Call {
            rule: rule.as_ref().map(|rule| rule.name.clone()),
            model: asked.model.clone(),
            tools: asked.tools.clone(),
        });
        u32::try_from(calls.len()).unwrap_or(u32::MAX)
    };
    let reply = rule.map_or_else(unscripted, |rule| rule.reply);
    play(&reply, &asked, number, stream, shared)
}

fn unscripted() -> Reply {
    Reply {
        status: Some(400),
        error: "no rule of the script fits".to_owned(),
        ..Reply::default()
    }
}

fn play(
    reply: &Reply,
    asked: &Asked,
    number: u32,
    stream: &mut TcpStream,
    shared: &Shared,
) -> io::Result<bool> {
    if reply.hangs {
        wait(stream, shared)?;
        return Ok(false);
    }
    let given = reply.headers.iter();
    let mut headers: Vec<_> = given.map(|(name, value)| (&**name, &**value)).collect();
    let status = reply.status.unwrap_or(200);
    if let Some(body) = &reply.body {
        respond(stream, status, &headers, body)?;
        return Ok(true);
    }
    if status != 200 {
        headers.push(JSON);
        let error = error_body(Some(asked.api), status, &reply.error);
        respond(stream, status, &headers, &error.to_string())?;
        return Ok(true);
    }
    if asked.api == Api::Messages && !asked.is_streamed {
        // So claude asks again after a stream that was cut.
        if reply.cut_after.is_some() {
            return Ok(false);
        }
        headers.push(JSON);
        let whole = messages::whole(
            &reply.sent(asked, number),
            reply.stop.as_deref(),
            &asked.model,
            number,
        );
        respond(stream, status, &headers, &whole.to_string())?;
        return Ok(true);
    }
    begin_stream(stream, &headers)?;
    for (at, (name, data)) in reply.events(asked, number).into_iter().enumerate() {
        if reply.cut_after == Some(at) {
            return Ok(false);
        }
        let name = name.map(|name| format!("event: {name}\n"));
        send(
            stream,
            &format!("{}data: {data}\n\n", name.unwrap_or_default()),
        )?;
    }
    if asked.api == Api::Chat {
        send(stream, "data: [DONE]\n\n")?;
    }
    send(stream, "")?;
    Ok(true)
}

/// Waits until the client is gone, or the server is over.
fn wait(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    let mut byte = [0];
    while !shared.is_over.load(Ordering::Acquire) {
        match stream.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use serde_json::json;

    use super::*;

    fn ask(server: &ModelServer, path: &str, body: &Json) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
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

    fn said(model: &str) -> Json {
        json!({"model": model, "stream": true, "messages": [{"role": "user", "content": "go"}]})
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
            let answer = ask(&server, path, &said("m"));
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
            model: "m".to_owned(),
            tools: vec![],
        };
        assert_eq!(server.calls(), [call.clone(), call]);
    }

    #[test]
    fn a_message_is_whole_where_no_stream_is_asked_for() {
        let parts = json!([{"text": "fine"}, {"tool": {"name": "read", "args": {"a": 1}}}]);
        let server = ModelServer::start(script(json!([
            {"name": "cut", "when": {"model": "cut"}, "reply": {"parts": parts, "cut_after": 1}},
            {"name": "whole", "reply": {"parts": parts}},
        ])));
        let mut whole = said("m");
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
        whole["model"] = "cut".into();
        assert_eq!(ask(&server, "/v1/messages", &whole), "");
    }

    #[test]
    fn what_no_rule_fits_is_a_bad_request() {
        let server = ModelServer::start(Vec::new());
        let answer = ask(&server, "/v1/messages", &said("m"));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        assert!(answer.contains("no rule of the script fits"), "{answer}");
        assert_eq!(server.calls()[0].rule, None);
        let answer = ask(&server, "/v1/embeddings", &said("m"));
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }

    #[test]
    fn a_reply_may_be_an_error_a_body_or_half_a_stream() {
        let server = ModelServer::start(script(json!([
            {"name": "error", "when": {"model": "error"}, "reply": {"status": 529, "error": "later"}},
            {"name": "body", "when": {"model": "body"}, "reply": {"body": "<html>"}},
            {"name": "cut", "when": {"model": "cut"}, "reply": {"parts": [{"text": "a"}], "cut_after": 1}},
        ])));
        let ask = |model| ask(&server, "/v1/messages", &said(model));
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
