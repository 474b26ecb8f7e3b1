//! What calls over HTTP cost, against a server in this process:
//! `cargo bench -p review-agents --bench http`.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    reason = "a bench starts a server, prints what calls cost, and uses a part of what tests share"
)]

#[path = "../../../tests/support/http_server.rs"]
mod http_server;
#[path = "../tests/agents/http_support.rs"]
mod http_support;
#[path = "../tests/agents/support.rs"]
mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_server::{Part, Server, chunk, stream, stream_end, stream_head};
use http_support::{Stopped, begin, end, events, profile, sse};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use review::Reviewer;
use review_agents::{Api, Connections, HttpAgent};
use support::{Project, review_request};
use tokio::task::JoinSet;

const IN_FLIGHT: usize = 64;
const DELAY: Duration = Duration::from_millis(500);
const CALLS: u32 = 500;
const MIB: f64 = 1024.0 * 1024.0;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        many_at_once().await;
        one_after_another().await;
        a_long_stream().await;
    });
}

fn reviewer(project: &Project, api: Api, server: &Server, connections: &Connections) -> HttpAgent {
    let name = "bench".parse().expect("a name");
    let context = Arc::new(project.context());
    HttpAgent::new(&name, profile(api, server), connections.clone(), context)
}

fn answering(api: Api) -> Vec<Part> {
    stream(&sse(&events(
        api,
        &["{\"verdict\": \"pass\"}"],
        Stopped::Done,
    )))
}

/// Reviews that all wait for a slow server take little longer than one.
async fn many_at_once() {
    let (project, connections) = (Project::new(), Connections::default());
    let api = Api::OpenaiChat;
    let quick = Server::always(answering(api));
    let warm = reviewer(&project, api, &quick, &connections);
    warm.review(review_request()).await.expect("an answer");
    let server = Server::new(move |_| {
        std::thread::sleep(DELAY);
        answering(api)
    });
    let shared = Arc::new(reviewer(&project, api, &server, &connections));
    let mut calls = JoinSet::new();
    let before = peak_mib();
    let begun = Instant::now();
    for _ in 0..IN_FLIGHT {
        let reviewer = Arc::clone(&shared);
        calls.spawn(async move { reviewer.review(review_request()).await.map(|_| ()) });
    }
    while let Some(call) = calls.join_next().await {
        call.expect("no panic").expect("an answer");
    }
    let took = begun.elapsed().as_secs_f64() / DELAY.as_secs_f64();
    report("64 reviews in flight over the delay of one", took, 1.3, "");
    println!("peak memory before them: {before:.3} MiB");
    let memory = peak_mib() - before;
    report(
        "memory for them and for the server's threads",
        memory,
        32.0,
        "MiB",
    );
}

/// The processor time of this thread for one call, from request to text.
async fn one_after_another() {
    let (project, connections) = (Project::new(), Connections::default());
    let api = Api::Anthropic;
    let server = Server::always(answering(api));
    let reviewer = reviewer(&project, api, &server, &connections);
    reviewer.review(review_request()).await.expect("an answer");
    let before = thread_cpu();
    for _ in 0..CALLS {
        reviewer.review(review_request()).await.expect("an answer");
    }
    let each = (thread_cpu() - before) / CALLS;
    report(
        "processor time of a call",
        each.as_secs_f64() * 1e3,
        1.0,
        "ms",
    );
}

/// Memory does not grow with what a model thinks.
async fn a_long_stream() {
    let (project, connections) = (Project::new(), Connections::default());
    let api = Api::Anthropic;
    let thought = serde_json::json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "thinking_delta", "thinking": "hm ".repeat(5_000)}});
    let Part::Bytes(thoughts) = chunk(&sse(&[thought])) else {
        panic!("a piece is bytes");
    };
    let mut parts = vec![stream_head(), chunk(&sse(&begin(api)))];
    parts.push(Part::Repeated(thoughts, 7_000));
    let mut last = vec![http_support::piece(api, "{}")];
    last.extend(end(api, Stopped::Done));
    parts.extend([chunk(&sse(&last)), stream_end()]);
    let server = Server::always(parts);
    let reviewer = reviewer(&project, api, &server, &connections);
    let before = peak_mib();
    reviewer.review(review_request()).await.expect("an answer");
    report(
        "memory for a stream of 100 MB",
        peak_mib() - before,
        4.0,
        "MiB",
    );
}

fn report(what: &str, figure: f64, limit: f64, unit: &str) {
    let verdict = if figure <= limit { "met" } else { "MISSED" };
    println!("{what}: {figure:.3} {unit}, limit {limit} {unit}, {verdict}");
}

fn peak_mib() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("figures of this process");
    usage.max_rss() as f64 * 1024.0 / MIB
}

fn thread_cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).expect("figures of this thread");
    let time = |time: TimeVal| {
        let micros = time.tv_sec() * 1_000_000 + time.tv_usec();
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    time(usage.user_time()) + time(usage.system_time())
}
