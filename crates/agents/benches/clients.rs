//! What calls of programs cost: `cargo bench -p review-agents --bench clients`.
//!
//! Each part is a process of its own, so that its time and memory are its own.
//! The programs are scripts that print what clients printed; what they cost
//! themselves does not count.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    unused_imports,
    reason = "a bench starts processes, prints what calls cost, and uses a part of what tests share"
)]

#[path = "../tests/agents/client_support.rs"]
mod client_support;
mod measure;
#[path = "../tests/agents/support.rs"]
mod support;
#[path = "../tests/agents/transcripts.rs"]
mod transcripts;

use std::time::{Duration, Instant};

use client_support::{Fake, play};
use measure::{cpu, in_a_process, milliseconds, peak_mib, report};
use review::schema::{Options, parse_and_validate_with};
use review::{AnswerContent, ReviewAnswer, Reviewer};
use review_agents::Client;
use serde_json::{Value as Json, json};
use support::{program, review_request};
use transcripts::REVIEW_PASS;

/// The processor time that a call may take from the request to the text of its
/// answer.
const CALL_MS: f64 = 1.0;
/// What the memory may grow by over a long stream.
const GROWTH_MIB: f64 = 4.0;

const CALLS: u32 = 300;
const PARSED: u32 = 10_000;
/// Thoughts of 15 kB in a part of a long stream, and how often that is printed:
/// 105 MB together.
const THOUGHTS: usize = 70;
const REPEATS: usize = 100;

/// The variables by which the first process names a part and its backend.
const PART: &str = "BENCHED_PART";
const BACKEND: &str = "BENCHED_BACKEND";

/// Who is called.
#[derive(Clone, Copy)]
enum Called {
    Client(Client),
    Program,
}

/// What a program prints over and over before its answer.
enum Talk {
    /// To its standard output.
    Answering(String),
    /// To its standard error: its whole standard output is the answer.
    Complaining(String),
}

fn main() {
    let part = std::env::var(PART).ok();
    match part.as_deref() {
        Some("in turn") => in_turn(benched()),
        Some("long stream") => long_stream(benched()),
        Some(part) => panic!("there is no part {part}"),
        None => {
            parsing();
            for part in ["in turn", "long stream"] {
                for called in Called::all() {
                    in_a_process(part, &[(PART, part), (BACKEND, called.as_str())]);
                }
            }
        }
    }
}

fn benched() -> Called {
    let name = std::env::var(BACKEND).expect("a backend");
    let found = Called::all().find(|called| called.as_str() == name);
    found.expect("one of the backends")
}

impl Called {
    fn all() -> impl Iterator<Item = Self> {
        Client::ALL
            .map(Self::Client)
            .into_iter()
            .chain([Self::Program])
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Client(client) => client.as_str(),
            Self::Program => "cmd",
        }
    }

    /// The whole call that a program makes.
    fn script(self) -> String {
        match self {
            Self::Client(client) => play(client, "review-pass"),
            Self::Program => format!("printf '%s' '{REVIEW_PASS}'"),
        }
    }

    /// Who reviews, by a script in a project of its own.
    fn reviewer(self, script: &str) -> (Fake, Box<dyn Reviewer>) {
        let named = match self {
            Self::Client(client) => client,
            Self::Program => Client::Claude,
        };
        let fake = Fake::new(named, script);
        let reviewer: Box<dyn Reviewer> = match self {
            Self::Client(_) => Box::new(fake.agent(fake.context(), None)),
            Self::Program => {
                let file = fake.project.path("bin").join(named.as_str());
                Box::new(program(&file.to_string_lossy(), fake.context()))
            }
        };
        (fake, reviewer)
    }

    /// What it prints while it works.
    fn talk(self) -> Talk {
        let thought = "hm ".repeat(5_000);
        let events = |event: Json| Talk::Answering(format!("{event}\n").repeat(THOUGHTS));
        match self {
            Self::Client(Client::Opencode) => events(json!({
                "type": "tool_use", "timestamp": 1, "sessionID": "ses_1",
                "part": {"id": "p", "messageID": "m0", "type": "tool", "tool": "read",
                    "state": {"status": "completed", "input": {}, "output": thought}},
            })),
            Self::Client(Client::Claude) => events(json!({
                "type": "stream_event", "session_id": "5e55-2",
                "event": {"type": "content_block_delta", "index": 0,
                    "delta": {"type": "thinking_delta", "thinking": thought}},
            })),
            Self::Client(Client::Codex) => events(json!({
                "type": "item.completed",
                "item": {"id": "i", "type": "reasoning", "text": thought},
            })),
            Self::Client(Client::Gemini) | Self::Program => {
                Talk::Complaining(format!("{thought}\n").repeat(THOUGHTS))
            }
        }
    }
}

/// What the answer of a call costs to read.
fn parsing() {
    let options = Options::default();
    let begun = Instant::now();
    for _ in 0..PARSED {
        let parsed = parse_and_validate_with(REVIEW_PASS, &options);
        assert!(parsed.is_ok(), "{parsed:?}");
    }
    let each = milliseconds(begun.elapsed() / PARSED);
    println!("parsing the answer: {each:.4} ms, which comes on top of each call");
}

fn is_the_answer(answer: &ReviewAnswer) {
    let AnswerContent::Text(text) = &answer.content else {
        panic!("{answer:?} is no text");
    };
    assert_eq!(text, REVIEW_PASS.as_bytes());
}

/// The processor time of one call, from request to text, without the watch over
/// the project, which is told apart.
fn in_turn(called: Called) {
    let name = called.as_str();
    measure::run(name, async {
        let (_fake, reviewer) = called.reviewer(&called.script());
        let call = each(&*reviewer).await;
        let watch = match called {
            Called::Client(_) => watch().await,
            Called::Program => Duration::ZERO,
        };
        let apart = milliseconds(watch);
        let what = format!("{name}: processor time of a call, beside {apart:.3} ms for the watch");
        report(
            &what,
            milliseconds(call.saturating_sub(watch)),
            CALL_MS,
            "ms",
        );
    });
}

/// What the watch over the project costs: a program that is watched does the
/// same as one that is not.
async fn watch() -> Duration {
    let program = Called::Program;
    let fake = Fake::new(Client::Claude, &program.script());
    let file = fake.project.path("bin/claude");
    let line = file.to_string_lossy();
    let free = support::program(&line, fake.context());
    let mut context = fake.context();
    context.watches_programs = true;
    let watched = support::program(&line, context);
    let free = each(&free).await;
    each(&watched).await.saturating_sub(free)
}

/// The processor time of one call, the median of all.
async fn each(reviewer: &dyn Reviewer) -> Duration {
    let mut all = Vec::new();
    for attempt in 0..CALLS {
        let mut request = review_request();
        // Each call has logs of its own.
        request.step.attempt = attempt + 1;
        let before = cpu();
        let answer = reviewer.review(request).await;
        all.push(cpu() - before);
        is_the_answer(&answer.expect("an answer"));
    }
    all.sort_unstable();
    all[all.len() / 2]
}

/// Memory does not grow with what a client says before its answer.
fn long_stream(called: Called) {
    let name = called.as_str();
    measure::run(name, async {
        let (fake, reviewer) = called.reviewer("exec sh \"$HOME/script\"");
        let (text, to) = match called.talk() {
            Talk::Answering(text) => (text, "1"),
            Talk::Complaining(text) => (text, "2"),
        };
        let home = fake.project.path("home");
        std::fs::write(home.join("talk"), &text).expect("a file");
        let count = "i=0; while [ $i -lt";
        let talk = format!("cat \"$HOME/talk\" >&{to}; i=$((i+1))");
        let script = format!("{count} {REPEATS} ]; do {talk}; done\n{}", called.script());
        std::fs::write(home.join("script"), script).expect("a file");
        drop(text);
        let (before, begun) = (peak_mib(), cpu());
        let answer = reviewer.review(review_request()).await;
        let took = milliseconds(cpu() - begun);
        is_the_answer(&answer.expect("an answer"));
        let what = format!("{name}: memory for a stream of 105 MB, read in {took:.0} ms");
        report(&what, peak_mib() - before, GROWTH_MIB, "MiB");
    });
}
