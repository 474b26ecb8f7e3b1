//! What is known of how a prompt was read, for every backend, as one table.
//!
//! The rows are data. A cell is the state that the report has, `unread` for a run that
//! ends so, or the reason why the backend cannot show the row.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use review_test_support::http_server::Server;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::delivery::{chat, events, long_spec, numbered};
use crate::questions::prompt;
use crate::scripted::{PASS, SPEC};
use crate::support::TestEnvironment;

const BACKENDS: [&str; 6] = ["cmd", "claude", "codex", "gemini", "opencode", "http"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The command that reads the prompt.
    #[serde(default = "all")]
    reads: String,
    /// The command that leaves of it what the model gets.
    #[serde(default = "all")]
    model_gets: String,
    /// The number of input tokens that is reported, if it is not that of the words.
    tokens: Option<usize>,
    /// Whether the answer has none of the ids.
    #[serde(default)]
    no_ids: bool,
    /// The number of lines that are opened, of a file whose path the prompt names.
    opens: Option<usize>,
    cells: BTreeMap<String, Cell>,
}

fn all() -> String {
    "cat".to_owned()
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Cell {
    Shows(String),
    Cannot { cannot: String },
}

/// Finds what the model sees: the ids, and the number of words, which is the least number
/// of tokens. The id at the end is a JSON value within a JSON string.
const SEES: &str = r#"seen=$HOME/seen
START=$(sed -nE 's/.*"review_id"(: ?| is )"([^"]*)".*/\2/p' "$seen" | head -n 1)
END=$(sed -nE 's/.*"end_id"(:| is )"([^"]*)".*/\\"\2\\"/p' "$seen" | tail -n 1)
END=${END:-null}
TOKENS=$(grep -oE '[[:alpha:]]+|[[:digit:]]+' "$seen" | wc -l)
"#;

/// A pass, with the ids that the model sees or without any.
fn answer(backend: &str, no_ids: bool) -> String {
    let mut pass: Json = serde_json::from_str(PASS).unwrap();
    if !no_ids {
        pass["review_id"] = json!("$START");
        pass["end_id"] = json!("$END");
    }
    let pass = match backend {
        "opencode" => {
            pass.as_object_mut().unwrap().remove("feedback");
            json!({"protocol_version": "1.2", "iteration": 1, "status": "success",
                "feedback": {
                    "confidence": {"level": "high", "justification": "All of it was read."},
                    "positive_points": [], "areas_for_improvement": [],
                    "general_summary": "Short."},
                "review": pass})
        }
        _ => pass,
    };
    pass.to_string().replace("\"$END\"", "$END")
}

impl Row {
    /// What the program of a backend prints, in which `$START`, `$END` and `$TOKENS` stand
    /// for what the model sees.
    fn printed(&self, backend: &str) -> String {
        let (answer, tokens) = (answer(backend, self.no_ids), "$TOKENS");
        let said = match (backend, self.opens) {
            ("claude" | "codex", Some(last)) => {
                return events(backend, "specs/DEMO.md", &numbered(1, last), &answer);
            }
            ("claude", None) => json!({"type": "result", "subtype": "success",
                "is_error": false, "result": answer, "stop_reason": "end_turn",
                "session_id": "s", "usage": {"input_tokens": tokens, "output_tokens": 20}}),
            ("codex", None) => {
                let said = json!({"type": "item.completed",
                    "item": {"id": "i", "type": "agent_message", "text": answer}});
                let usage = json!({"type": "turn.completed",
                    "usage": {"input_tokens": tokens, "output_tokens": 20}});
                return format!("{said}\n{usage}");
            }
            ("gemini", _) => {
                let said = json!({"type": "message", "role": "assistant", "content": answer});
                let used = json!({"input_tokens": tokens, "output_tokens": 20});
                let result = json!({"type": "result", "status": "success",
                    "stats": {"models": {"flash": used}}});
                return format!("{said}\n{result}");
            }
            ("opencode", None) => {
                let part = json!({"messageID": "m", "type": "text", "text": answer,
                    "time": {"start": 1, "end": 2}});
                let said = json!({"type": "text", "timestamp": 1, "sessionID": "s", "part": part});
                let part = json!({"messageID": "m", "type": "step-finish", "reason": "stop",
                    "cost": 0, "tokens": {"input": tokens, "output": 20, "reasoning": 0,
                        "cache": {"read": 0, "write": 0}}});
                let end = json!({"type": "step_finish", "timestamp": 1, "sessionID": "s",
                    "part": part});
                return format!("{said}\n{end}");
            }
            _ => return answer,
        };
        said.to_string()
    }

    fn script(&self, backend: &str) -> String {
        let tokens = self
            .tokens
            .map_or_else(String::new, |n| format!("TOKENS={n}\n"));
        let unescape = match backend {
            "cmd" => "END=$(printf %s \"$END\" | tr -d '\\\\')\n",
            _ => "",
        };
        let printed = self.printed(backend).replace("\"$TOKENS\"", "$TOKENS");
        format!(
            "{} > \"$HOME/sent\"\n{} < \"$HOME/sent\" > \"$HOME/seen\"\n{SEES}{tokens}{unescape}\
             cat <<END\n{printed}\nEND",
            self.reads, self.model_gets
        )
    }

    /// What a service streams for a prompt.
    fn served(&self, prompt: &str) -> (String, u64) {
        let seen = run(&self.model_gets, prompt);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("seen"), seen).unwrap();
        let script = format!(
            "HOME={}\n{SEES}echo \"$START $TOKENS $END\"",
            folder.path().display()
        );
        let found = run(&script, "");
        let found: Vec<_> = found.trim_end().splitn(3, ' ').collect();
        let end = found[2].replace('\\', "");
        let answer = answer("http", self.no_ids)
            .replace("$START", found[0])
            .replace("$END", &end);
        let counted = found[1].parse().unwrap();
        (answer, self.tokens.map_or(counted, |n| n as u64))
    }

    /// What the report of a run with this backend has.
    fn shown(&'static self, backend: &str) -> String {
        let environment = TestEnvironment::new();
        let mut config = String::new();
        let mut reviewer = backend;
        let server = Server::answering(|_, request| {
            let (answer, tokens) = self.served(&prompt(request));
            chat(&answer, tokens)
        });
        match backend {
            "http" => {
                reviewer = "http:local";
                write!(
                    config,
                    "[http.local]\napi = \"chat_completions\"\nbase_url = \"{}\"\nmodel = \"m\"\n\
                     key_env = \"EELS\"\n",
                    server.url()
                )
                .unwrap();
            }
            "cmd" => {
                reviewer = "cmd:judge";
                environment.program("judge", &self.script(backend));
            }
            client => drop(environment.program(client, &self.script(client))),
        }
        let spec = match self.opens {
            Some(_) => long_spec(),
            None => SPEC.to_owned(),
        };
        if self.opens.is_some() {
            config.push_str("[agent]\nmax_inline = 1000\n");
        }
        environment.write("specs/DEMO.md", spec);
        environment.write("ralph.toml", config);
        let options = ["run", "--no-apply", "--no-tasks", "--format", "json"];
        let command = [&options[..], &["--reviewer", reviewer]].concat();
        let ran = environment.command(command).env("EELS", "k3y").run();
        let report = ran.json();
        match report["block_code"].as_str() {
            Some(code) => code.to_owned(),
            None => report["iterations"][0]["reading"]["state"]
                .to_string()
                .replace('"', ""),
        }
    }
}

/// What a shell prints that runs `script` with this standard input.
fn run(script: &str, input: &str) -> String {
    let mut child = Command::new("sh")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn the_reading_of_every_backend_is_that_of_the_table() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/conformance/reading.json"
    );
    let rows = std::fs::read(path).unwrap();
    let rows: Vec<Row> = serde_json::from_slice(&rows).unwrap();
    let rows: &'static [Row] = rows.leak();
    let mut wrong = String::new();
    for row in rows {
        for backend in BACKENDS {
            match &row.cells[backend] {
                Cell::Cannot { cannot } => assert!(!cannot.is_empty()),
                Cell::Shows(expected) => {
                    let shown = row.shown(backend);
                    if shown != *expected {
                        writeln!(wrong, "{}: {backend}: {shown}, not {expected}", row.name)
                            .unwrap();
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
