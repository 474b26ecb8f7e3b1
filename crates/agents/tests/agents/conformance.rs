//! What every backend makes of the same things, as one table.
//!
//! The scenarios are data. A cell is what a backend's program does (a `case`
//! that was recorded, or a `script`), what a service replies, or the reason why
//! the backend cannot show the scenario.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use review::Reviewer;
use review::types::AgentError;
use review_agents::{AgentContext, Api, Client, Connections, HttpAgent, HttpProfile};
use review_model_server::{ModelServer, Reply, Rule, When};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::client_support::{Fake, play};
use crate::support::{Project, review_request, sh};
use crate::transcripts::{REVIEW_PASS, folder};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    /// What it comes to, unless a cell says otherwise.
    is: Json,
    /// What a program does whose cell is not listed.
    script: Option<String>,
    /// The time without a byte that a call may take.
    idle_ms: Option<u64>,
    cells: BTreeMap<String, Cell>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Cell {
    case: Option<String>,
    script: Option<String>,
    reply: Option<Json>,
    cannot: Option<String>,
    is: Option<Json>,
}

#[derive(Clone, Copy)]
enum Backend {
    Client(Client),
    Cmd,
    Http,
}

const BACKENDS: [Backend; 6] = [
    Backend::Client(Client::Opencode),
    Backend::Client(Client::Claude),
    Backend::Client(Client::Codex),
    Backend::Client(Client::Gemini),
    Backend::Cmd,
    Backend::Http,
];

impl Backend {
    fn name(self) -> &'static str {
        match self {
            Self::Client(client) => client.as_str(),
            Self::Cmd => "cmd",
            Self::Http => "http",
        }
    }

    /// The command that prints a review that passes.
    fn pass(self) -> String {
        match self {
            Self::Client(client) => {
                let case = folder().join(client.as_str()).join("review-pass.stdout");
                format!("cat '{}'", case.display())
            }
            Self::Cmd | Self::Http => format!("echo '{REVIEW_PASS}'"),
        }
    }

    async fn run(self, cell: &Cell, idle: Option<Duration>) -> Result<(), AgentError> {
        let limited = |mut context: AgentContext| {
            context.limits.idle = idle.or(context.limits.idle);
            context.watches_programs = true;
            context
        };
        let script = cell.script.as_ref();
        let script = script.map(|script| script.replace("{pass}", &self.pass()));
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
            Self::Http => {
                let project = Project::new();
                let reply = cell.reply.clone().unwrap();
                ask(reply, limited(project.context())).await
            }
        };
        answer.map(drop)
    }
}

/// Asks a model whose service always replies the same.
async fn ask(reply: Json, context: AgentContext) -> Result<review::ReviewAnswer, AgentError> {
    let reply: Reply = serde_json::from_value(reply).unwrap();
    let server = ModelServer::start(vec![Rule {
        name: "always".to_owned(),
        when: When::default(),
        times: None,
        reply,
    }]);
    let profile = HttpProfile {
        api: Api::Anthropic,
        base_url: Some(server.url().parse().unwrap()),
        model: "m-1".parse().unwrap(),
        key_env: None,
        max_tokens: None,
        structured_output: true,
    };
    let name = "local".parse().unwrap();
    let agent = HttpAgent::new(&name, profile, Connections::default(), Arc::new(context));
    agent.review(review_request()).await
}

/// What a cell comes to, as the table of the scenarios writes it.
fn outcome(result: Result<(), AgentError>) -> Json {
    match result {
        Ok(()) => json!({"outcome": "answer"}),
        Err(error) => serde_json::to_value(error.failure).unwrap(),
    }
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
        let cell = self.cells.get(backend.name()).cloned();
        let cell = cell.unwrap_or_else(|| Cell {
            case: (self.script.as_deref() == Some("{pass}")).then(|| "review-pass".to_owned()),
            script: self.script.clone(),
            ..Cell::default()
        });
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
        let idle = self.idle_ms.map(Duration::from_millis);
        let came = outcome(runtime.unwrap().block_on(backend.run(&cell, idle)));
        let expected = expected(cell.is.as_ref().unwrap_or(&self.is));
        if came == expected {
            Ok("ok")
        } else {
            Err(format!("{came}, not {expected}"))
        }
    }
}

#[test]
fn every_backend_makes_the_same_of_the_same() {
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
    assert!(columns.iter().flatten().all(Result::is_ok), "\n{table}");
}
