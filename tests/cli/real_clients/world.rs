//! A project, a client, and the model that it asks.

use std::sync::{Mutex, MutexGuard, PoisonError};

use review_test_support::model_server::ModelServer;
use serde_json::{Value as Json, json};

use super::installed::Client;
use crate::support::{RalphCommand, Ran, TestEnvironment};

/// Clients take hundreds of megabytes: one at a time.
static TURN: Mutex<()> = Mutex::new(());

const SPEC: &str = "# Demo\n\n## Goal\n\nBe fast.\n";

/// A project of one spec, and a client that is installed.
pub(crate) struct World {
    pub(crate) environment: TestEnvironment,
    pub(crate) client: Client,
    _turn: MutexGuard<'static, ()>,
}

impl World {
    /// `None` when the client is not there.
    pub(crate) fn new(client: Client) -> Option<Self> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let programs = client.folder()?;
        let environment = TestEnvironment::new();
        let link = environment.bin().join(client.name());
        std::os::unix::fs::symlink(programs.join(client.name()), link).unwrap();
        environment.write("specs/DEMO.md", SPEC);
        let world = Self {
            environment,
            client,
            _turn: turn,
        };
        Some(world)
    }

    /// The absolute path of the spec, as clients want it.
    pub(crate) fn spec(&self) -> String {
        let path = self.environment.root().join("specs/DEMO.md");
        path.to_str().unwrap().to_owned()
    }

    /// Has a line of shell run before the client, which it knows as `$PROGRAM`.
    pub(crate) fn wrap(&self, line: &str) {
        let name = self.client.name();
        let link = self.environment.bin().join(name);
        let program = std::fs::read_link(&link).unwrap();
        std::fs::remove_file(&link).unwrap();
        let program = program.display();
        let script = format!("PROGRAM='{program}'\n{line}\nexec \"$PROGRAM\" \"$@\"");
        self.environment.program(name, &script);
    }

    /// A service that plays `script`, known to the client.
    pub(crate) fn serve(&self, script: Json) -> ModelServer {
        let server = ModelServer::start(serde_json::from_value(script).unwrap());
        let url = server.url();
        match self.client {
            Client::Claude => {}
            Client::Gemini => self.at_home(".gemini/settings.json", &gemini_settings().to_string()),
            Client::Codex => self.at_home(".codex/config.toml", &codex_settings(&url)),
            Client::Opencode => {
                let settings = opencode_settings(&url).to_string();
                self.at_home(".config/opencode/opencode.json", &settings);
                // It would install a package of its own in the background.
                let packages = json!({"dependencies": {"@opencode-ai/plugin": "*"}});
                let lock = json!({"packages": {"": packages}}).to_string();
                self.at_home(".config/opencode/package-lock.json", &lock);
                self.at_home(".config/opencode/node_modules/.keep", "");
            }
        }
        server
    }

    fn at_home(&self, path: &str, text: &str) {
        let path = self.environment.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// `ralph review` of the spec, with the client in both roles.
    pub(crate) fn review(&self, server: &ModelServer, arguments: &[&str]) -> RalphCommand<'_> {
        let client = self.client.name();
        let review = [
            "review",
            "specs/DEMO.md",
            "--reviewer",
            client,
            "--applier",
            client,
        ];
        self.command(server, &[&review, arguments].concat())
    }

    /// `ralph run` of the spec, with the client in both roles.
    pub(crate) fn run(&self, server: &ModelServer, arguments: &[&str]) -> RalphCommand<'_> {
        let client = self.client.name();
        let run = [
            "run",
            "--spec",
            "specs/DEMO.md",
            "--reviewer",
            client,
            "--applier",
            client,
        ];
        self.command(server, &[&run, arguments].concat())
    }

    /// A command line of `ralph` in whose environment the client finds its
    /// service.
    pub(crate) fn command(&self, server: &ModelServer, arguments: &[&str]) -> RalphCommand<'_> {
        let command = self.environment.command(arguments);
        match self.client {
            Client::Claude => command
                .env("ANTHROPIC_BASE_URL", server.url())
                .env("ANTHROPIC_API_KEY", "none"),
            Client::Codex => command.env("CODEX_API_KEY", "none"),
            Client::Gemini => command
                .env("GOOGLE_GEMINI_BASE_URL", server.url())
                .env("GEMINI_API_KEY", "none"),
            Client::Opencode => command,
        }
    }
}

fn codex_settings(url: &str) -> String {
    format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\nweb_search = \"disabled\"\n\
         [analytics]\nenabled = false\n\
         [model_providers.scripted]\nname = \"Scripted\"\nbase_url = \"{url}/v1\"\n\
         env_key = \"CODEX_API_KEY\"\nwire_api = \"responses\"\n\
         request_max_retries = 0\nstream_max_retries = 0\n"
    )
}

fn gemini_settings() -> Json {
    json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "model": {"name": "gemini-2.5-flash"},
        "general": {"maxAttempts": 1, "enableAutoUpdate": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    })
}

fn opencode_settings(url: &str) -> Json {
    let limit = json!({"context": 128_000, "output": 8_192});
    json!({
        "provider": {"scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": format!("{url}/v1"), "apiKey": "none"},
            "models": {"scripted": {"name": "Scripted", "limit": limit}},
        }},
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "enabled_providers": ["scripted"],
        "share": "disabled",
        "autoupdate": false,
        "snapshot": false,
    })
}

/// A review in the form that a prompt asks for.
pub(crate) fn verdict(passes: bool) -> Json {
    let score = if passes { 95 } else { 60 };
    let item = json!({
        "section": "Goal",
        "issue": "No target is given.",
        "suggestion": "State a limit.",
        "severity": "major",
        "quote": "Be fast.",
    });
    let feedback = if passes { json!([]) } else { json!([item]) };
    json!({
        "review_id": "{{review_id}}",
        "end_id": "{{end_id}}",
        "verdict": if passes { "pass" } else { "needs_revision" },
        "score": {
            "completeness": score, "consistency": score,
            "testability": score, "architecture": score,
        },
        "feedback": feedback,
    })
}

/// The same as a response of the Agent Feedback Protocol: the first one of its
/// session asks for a revision, the second one passes.
pub(crate) fn response(passes: bool) -> Json {
    let review = verdict(passes);
    let area = json!({
        "id": "goal-01",
        "aspect": "Goal",
        "description": "No target is given.",
        "recommendation": "State a limit.",
    });
    let areas = if passes { json!([]) } else { json!([area]) };
    let mut response = json!({
        "protocol_version": "1.2",
        "iteration": if passes { 2 } else { 1 },
        "status": "success",
        "feedback": {
            "confidence": {"level": "high", "justification": "It is short."},
            "positive_points": [],
            "areas_for_improvement": areas,
            "general_summary": "",
        },
        "review": {
            "review_id": review["review_id"],
            "end_id": review["end_id"],
            "verdict": review["verdict"],
            "score": review["score"],
        },
    });
    if passes {
        let ack = json!([{"id": "goal-01", "processing_status": "acknowledged"}]);
        response["applied_feedback_ack"] = json!({ "items": ack });
    }
    response
}

/// A reply that is one string.
pub(crate) fn text(text: &impl ToString) -> Json {
    json!({"parts": [{"text": text.to_string()}]})
}

/// A reply that calls one tool.
pub(crate) fn tool(name: &str, args: &Json) -> Json {
    json!({"parts": [{"tool": {"name": name, "args": args}}]})
}

/// The outcome of a review that failed, as its event names it.
pub(crate) fn failure(ran: &Ran) -> Json {
    let events = ran.json_lines();
    let failed = events
        .iter()
        .find(|event| event["type"] == "spec.review.reviewer_failed");
    failed
        .map(|event| event["payload"]["error"]["failure"].clone())
        .unwrap_or_default()
}
