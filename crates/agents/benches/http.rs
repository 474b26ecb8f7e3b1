//! What calls over HTTP cost: `cargo bench -p review-agents --bench http`.
//!
//! Each part is a process of its own, so that its memory is its own; the server
//! that it asks is in the first one.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    reason = "a bench starts processes, prints what calls cost, and uses a part of what tests share"
)]

#[path = "../../../tests/support/http_server.rs"]
mod http_server;
#[path = "../tests/agents/http_support.rs"]
mod http_support;
mod measure;
#[path = "../tests/agents/support.rs"]
mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_server::{Part, Server, chunk, stream, stream_end, stream_head};
use http_support::{Stopped, begin, end, events, sse};
use measure::{cpu, in_a_process, milliseconds, peak_mib, report};
use review::Reviewer;
use review_agents::{Api, Connections, HttpAgent, HttpProfile};
use support::{Project, review_request};
use tokio::task::JoinSet;

const IN_FLIGHT: usize = 64;
const DELAY: Duration = Duration::from_millis(500);
const CALLS: u32 = 500;
/// Thoughts of 15 kB each, 105 MB together.
const THOUGHTS: usize = 7_000;

/// The variables by which the first process names a part and its server.
const PART: &str = "BENCHED_PART";
const SERVER: &str = "BENCHED_SERVER";

fn main() {
    let part = std::env::var(PART).ok();
    let server = std::env::var(SERVER).unwrap_or_default();
    match part.as_deref() {
        Some(part @ "at once") => measure::run(part, at_once(&server)),
        Some(part @ "in turn") => measure::run(part, in_turn(&server)),
        Some(part @ "long stream") => measure::run(part, long_stream(&server)),
        Some(part) => panic!("there is no part {part}"),
        None => {
            begin_part("at once", &slow_after_the_first());
            begin_part("in turn", &Server::always(answering(Api::Anthropic)));
            begin_part("long stream", &thinking());
        }
    }
}

fn begin_part(part: &str, server: &Server) {
    in_a_process(part, &[(PART, part), (SERVER, &server.url())]);
}

fn reviewer(project: &Project, api: Api, url: &str) -> HttpAgent {
    let profile = HttpProfile {
        api,
        base_url: Some(url.parse().expect("an address")),
        model: "m-1".parse().expect("a model"),
        key_env: None,
        max_tokens: None,
        structured_output: true,
    };
    let (name, context) = ("bench".parse().expect("a name"), project.context());
    HttpAgent::new(&name, profile, Connections::default(), Arc::new(context))
}

fn answering(api: Api) -> Vec<Part> {
    stream(&sse(&events(
        api,
        &["{\"verdict\": \"pass\"}"],
        Stopped::Done,
    )))
}

fn slow_after_the_first() -> Server {
    Server::new(|call| {
        if call > 0 {
            std::thread::sleep(DELAY);
        }
        answering(Api::OpenaiChat)
    })
}

/// Reviews that all wait for a slow server take little longer than one.
async fn at_once(server: &str) {
    let project = Project::new();
    let reviewer = Arc::new(reviewer(&project, Api::OpenaiChat, server));
    reviewer.review(review_request()).await.expect("an answer");
    let mut calls = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..IN_FLIGHT {
        let reviewer = Arc::clone(&reviewer);
        calls.spawn(async move { reviewer.review(review_request()).await.map(|_| ()) });
    }
    while let Some(call) = calls.join_next().await {
        call.expect("no panic").expect("an answer");
    }
    let took = begun.elapsed().as_secs_f64() / DELAY.as_secs_f64();
    report("64 reviews in flight over the delay of one", took, 1.3, "");
}

/// The processor time of one call, from request to text.
async fn in_turn(server: &str) {
    let project = Project::new();
    let reviewer = reviewer(&project, Api::Anthropic, server);
    reviewer.review(review_request()).await.expect("an answer");
    let before = cpu();
    for _ in 0..CALLS {
        reviewer.review(review_request()).await.expect("an answer");
    }
    let each = (cpu() - before) / CALLS;
    report("processor time of a call", milliseconds(each), 1.0, "ms");
}

fn thinking() -> Server {
    let api = Api::Anthropic;
    let thought = serde_json::json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "thinking_delta", "thinking": "hm ".repeat(5_000)}});
    let Part::Bytes(thought) = chunk(&sse(&[thought])) else {
        panic!("a piece is bytes");
    };
    let mut last = vec![http_support::piece(api, "{}")];
    last.extend(end(api, Stopped::Done));
    Server::always(vec![
        stream_head(),
        chunk(&sse(&begin(api))),
        Part::Repeated(thought, THOUGHTS),
        chunk(&sse(&last)),
        stream_end(),
    ])
}

/// Memory does not grow with what a model thinks.
async fn long_stream(server: &str) {
    let project = Project::new();
    let reviewer = reviewer(&project, Api::Anthropic, server);
    let before = peak_mib();
    reviewer.review(review_request()).await.expect("an answer");
    report(
        "memory for a stream of 105 MB",
        peak_mib() - before,
        4.0,
        "MiB",
    );
}
