//! What every backend makes of the same things, as one table.
//!
//! The scenarios are data. A cell is what a backend's program does (a `case`
//! that was recorded, or a `script`), what a service replies, or the reason why
//! the backend cannot show the scenario.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use review::Reviewer;
use review::types::AgentError;
use review_agents::{AgentContext, Api, Client};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::signal::unix::{self, SignalKind};

use crate::acp_support::FakeAgent;
use crate::client_support::{Fake, play, text};
use crate::http_reply::Reply;
use crate::http_support;
use crate::support::{Project, review_request, sh};
use crate::transcripts::{REVIEW_PASS, REVIEW_REVISE, folder};
use review_test_support::http_server::Server;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    /// The outcome, unless a cell has its own.
    is: Json,
    /// The answer, unless a cell has its own.
    #[serde(default = "pass")]
    text: String,
    /// What a program does whose cell is not listed.
    script: Option<String>,
    /// The time without a byte that a call may take. Only what ends by it has one, since a
    /// loaded machine is slow.
    idle_ms: Option<u64>,
    /// The time that a call may wait for the network.
    connect_ms: Option<u64>,
    cells: BTreeMap<String, Cell>,
}

fn pass() -> String {
    "{pass}".to_owned()
}

#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Cell {
    case: Option<String>,
    script: Option<String>,
    reply: Option<Reply>,
    cannot: Option<String>,
    is: Option<Json>,
    text: Option<String>,
    idle_ms: Option<u64>,
}

#[derive(Clone, Copy)]
enum Backend {
    Client(Client),
    Cmd,
    Acp,
    Http(Api),
}

const BACKENDS: [Backend; 9] = [
    Backend::Client(Client::Opencode),
    Backend::Client(Client::Claude),
    Backend::Client(Client::Codex),
    Backend::Client(Client::Gemini),
    Backend::Cmd,
    Backend::Acp,
    Backend::Http(Api::Messages),
    Backend::Http(Api::ChatCompletions),
    Backend::Http(Api::Responses),
];

/// The cell of all APIs that have none of their own.
const HTTP: &str = "http";

impl Backend {
    fn name(self) -> String {
        match self {
            Self::Client(client) => client.to_string(),
            Self::Cmd => "cmd".to_owned(),
            Self::Acp => "acp".to_owned(),
            Self::Http(api) => format!("{HTTP}:{}", api.as_str()),
        }
    }

    /// The cell of this backend in a scenario.
    fn cell(self, scenario: &Scenario) -> Cell {
        let named = scenario.cells.get(&self.name());
        let shared = scenario
            .cells
            .get(HTTP)
            .filter(|_| matches!(self, Self::Http(_)));
        named.or(shared).cloned().unwrap_or_else(|| Cell {
            case: (scenario.script.as_deref() == Some("{pass}")).then(|| "review-pass".to_owned()),
            script: scenario.script.clone(),
            ..Cell::default()
        })
    }

    /// The command that prints a review that passes.
    fn pass(self) -> String {
        match self {
            Self::Client(client) => {
                let case = folder().join(client.as_str()).join("review-pass.stdout");
                format!("cat '{}'", case.display())
            }
            Self::Acp => format!("says '{}'; ends end_turn", json!(REVIEW_PASS)),
            Self::Cmd | Self::Http(_) => format!("echo '{REVIEW_PASS}'"),
        }
    }

    /// The answer that it gives.
    async fn run(
        self,
        cell: &Cell,
        [idle, connect]: [Option<Duration>; 2],
    ) -> Result<String, AgentError> {
        let limited = |mut context: AgentContext| {
            context.limits.idle = idle.or(context.limits.idle);
            context.limits.connect = connect.or(context.limits.connect);
            context
        };
        let script = cell.script.as_ref();
        let script = script.map(|script| script.replace("{pass}", &self.pass()));
        let script = script.map(|script| spelled(&script));
        let answer = match self {
            Self::Client(client) => {
                let case = cell.case.as_ref().map(|case| play(client, case));
                let fake = Fake::new(client, &case.or(script).unwrap());
                let context = limited(fake.context());
                fake.review_in(context, None).await
            }
            Self::Cmd => {
                let project = Project::new();
                let script = format!("cat > /dev/null; {}", script.unwrap());
                let agent = sh(&script, limited(project.context()));
                agent.review(review_request()).await
            }
            Self::Acp => {
                let script = cell.script.as_ref().unwrap();
                let script = script.replace("{pass}", &self.pass());
                let script = script.replace("{revise}", &json!(REVIEW_REVISE).to_string());
                let fake = FakeAgent::new(&script);
                let agent = fake.agent(limited(fake.context()));
                agent.review(review_request()).await
            }
            Self::Http(api) => {
                let project = Project::new();
                let reply = cell.reply.as_ref().unwrap();
                let server = Server::always(reply.parts(api));
                let mut profile = http_support::profile(api, &server);
                if reply.is_refused() {
                    profile.base_url = Some("http://127.0.0.1:1".parse().unwrap());
                }
                let agent = http_support::agent(profile, limited(project.context()));
                agent.review(review_request()).await
            }
        };
        answer.map(text)
    }
}

/// The outcome of a cell, as the table of the scenarios writes it.
fn outcome(result: Result<String, AgentError>) -> (Json, Option<String>) {
    match result {
        Ok(text) => (json!({"outcome": "answer"}), Some(text.trim().to_owned())),
        Err(error) => (serde_json::to_value(error.failure).unwrap(), None),
    }
}

/// An answer in which words stand for the reviews of the recorded calls.
pub(crate) fn spelled(text: &str) -> String {
    let text = text.replace("{pass}", REVIEW_PASS);
    text.replace("{revise}", REVIEW_REVISE)
}

/// A word stands for an outcome that has no data.
fn expected(is: &Json) -> Json {
    match is {
        Json::String(word) => json!({"outcome": word}),
        whole => whole.clone(),
    }
}

impl Scenario {
    /// What `backend` makes of it: nothing to say, or how that is wrong.
    fn check(&self, backend: Backend) -> Result<&'static str, String> {
        let cell = backend.cell(self);
        let ways = [
            cell.case.is_some(),
            cell.script.is_some(),
            cell.reply.is_some(),
        ];
        if let Some(reason) = &cell.cannot {
            let is_reason = ways == [false; 3] && !reason.trim().is_empty();
            return if is_reason {
                Ok("-")
            } else {
                Err("a reason and a way".to_owned())
            };
        }
        if ways == [false; 3] {
            return Err("no cell".to_owned());
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let limits = [cell.idle_ms.or(self.idle_ms), self.connect_ms];
        let limits = limits.map(|time| time.map(Duration::from_millis));
        let (came, text) = outcome(runtime.unwrap().block_on(backend.run(&cell, limits)));
        let expected = expected(cell.is.as_ref().unwrap_or(&self.is));
        if came != expected {
            return Err(format!("{came}, not {expected}"));
        }
        let said = spelled(cell.text.as_ref().unwrap_or(&self.text));
        match text {
            Some(text) if text != said => Err(format!("it says {text:?}, not {said:?}")),
            Some(_) | None => Ok("ok"),
        }
    }
}

#[tokio::test]
async fn every_backend_makes_the_same_of_the_same() {
    // Clients that end by SIGHUP start with the usual one, also where the tests
    // were started without it (`nohup`).
    let _hangups = unix::signal(SignalKind::hangup()).unwrap();
    let path = folder().join("../conformance/scenarios.json");
    let scenarios = std::fs::read(path).unwrap();
    let scenarios: Vec<Scenario> = serde_json::from_slice(&scenarios).unwrap();
    assert!(scenarios.len() >= 40);
    let scenarios = &scenarios;
    let columns: Vec<Vec<_>> = std::thread::scope(|scope| {
        let columns = BACKENDS.map(|backend| {
            scope.spawn(move || {
                scenarios
                    .iter()
                    .map(|scenario| scenario.check(backend))
                    .collect()
            })
        });
        columns
            .into_iter()
            .map(|column| column.join().unwrap())
            .collect()
    });
    let mut table = String::new();
    for (at, scenario) in scenarios.iter().enumerate() {
        let row = BACKENDS.iter().zip(&columns);
        let cells = row.map(|(backend, column)| match &column[at] {
            Ok(word) => format!("{} {word}", backend.name()),
            Err(wrong) => format!("\n    {}: {wrong}\n   ", backend.name()),
        });
        let cells: Vec<_> = cells.collect();
        writeln!(table, "{}: {}", scenario.name, cells.join("  ")).unwrap();
    }
    print!("{table}");
    assert!(columns.iter().flatten().all(Result::is_ok), "\n{table}");
}
