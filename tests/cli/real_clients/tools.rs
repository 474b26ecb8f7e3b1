//! Clients that ask ralph by themselves, over the Model Context Protocol.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use super::installed::{Client, packages};
use super::world::{World, text, tool};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

/// Has the client lint the spec and read the findings of a review, and do then what `last`
/// says; it tells what came of that where the result holds `expected`.
fn asks(client: Client, arguments: &[&str], settings: &str, (last, expected): (&Json, &str)) {
    let Some(world) = World::new(client) else {
        return;
    };
    let spec = "# Demo\n\n## Goal\n\nThe limit is TBD.\n";
    world.environment.write("specs/DEMO.md", spec);
    let review = ["review", "specs/DEMO.md", "--no-apply"];
    world.environment.ralph(review).exits(1);
    std::os::unix::fs::symlink(RALPH, world.environment.bin().join("ralph")).unwrap();
    let linted = json!({"said": "leaves a decision open", "step": 2});
    let read = json!({"said": "raised", "step": 3});
    let done = json!({"said": expected, "step": 4});
    let server = world.serve(json!([
        {"name": "done", "when": done, "reply": text(&"It names no number.")},
        {"name": "read", "when": read, "reply": last},
        {"name": "linted", "when": linted,
            "reply": tool("mcp__ralph__findings", &json!({"run": "latest"}))},
        {"name": "lint", "when": {"step": 1},
            "reply": tool("mcp__ralph__lint", &json!({"paths": ["specs/DEMO.md"]}))},
        {"name": "lost", "reply": text(&"I saw nothing.")},
    ]));
    let config = world.environment.home().join(".codex/config.toml");
    if client == Client::Codex {
        let before = fs::read_to_string(&config).unwrap();
        fs::write(&config, before + settings).unwrap();
    }
    let ralph = world.command(&server, &[]).into_std();
    let variables = ralph
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let ran = Command::new(world.environment.bin().join(client.name()))
        .args(arguments)
        .current_dir(world.environment.root())
        .env_clear()
        .envs(variables)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let calls: Vec<_> = server
        .calls()
        .into_iter()
        .filter_map(|call| call.rule)
        .collect();
    assert!(
        said.contains("It names no number."),
        "{calls:?} {said} {ran:?}"
    );
}

#[test]
fn claude_lints_a_spec_reads_findings_and_is_refused_what_only_a_person_decides() {
    let servers = json!({"mcpServers": {"ralph": {"command": RALPH, "args": ["mcp"]}}});
    let servers = servers.to_string();
    let arguments = [
        "-p",
        "Lint the spec.",
        "--mcp-config",
        &servers,
        "--allowedTools",
        "mcp__ralph__lint,mcp__ralph__findings,Bash",
    ];
    let decides = "for it in 'approve latest --by me' 'findings waive f-1 --by me --why no' \
                   'land latest'; do ralph $it; done 2>&1 | grep -c 'a person decides this' | \
                   sed 's/^/refused: /'";
    let decides = tool("Bash", &json!({"command": decides}));
    asks(Client::Claude, &arguments, "", (&decides, "refused: 3"));
}

#[test]
fn codex_lints_a_spec_and_reads_findings() {
    let settings = format!("[mcp_servers.ralph]\ncommand = \"{RALPH}\"\nargs = [\"mcp\"]\n");
    let arguments = ["exec", "--skip-git-repo-check", "Lint the spec."];
    let again = tool("mcp__ralph__explain", &json!({"code": "B3"}));
    asks(Client::Codex, &arguments, &settings, (&again, "B3"));
}

/// Lists and calls every tool with the official clients of both eras.
const CALLS: &str = r#"
import { Client as OfHandshake } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Handshake } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as Stateless } from '@modelcontextprotocol/client';
import { StdioClientTransport as Transport } from '@modelcontextprotocol/client/stdio';

const [ralph, root] = process.argv.slice(2);
const calls = [['lint', {}], ['explain', {code: 'B3'}], ['status', {}],
  ['review', {spec: 'DEMO'}], ['status', {run: 'latest'}], ['findings', {}], ['report', {}],
  ['land', {}]];
for (const [name, Client, Over, options] of [
  ['handshake', OfHandshake, Handshake, {}],
  ['automatic', Stateless, Transport, {versionNegotiation: {mode: 'auto'}}],
  ['pinned', Stateless, Transport, {versionNegotiation: {mode: {pin: '2026-07-28'}}}],
]) {
  const client = new Client({name: 'test', version: '1'}, options);
  await client.connect(new Over({command: ralph, args: ['mcp', '--allow', 'review'],
    cwd: root, env: process.env}));
  const {tools} = await client.listTools();
  const answers = [];
  for (const [tool, arguments_] of calls) {
    const answer = await client.callTool({name: tool, arguments: arguments_});
    answers.push(answer.isError ? answer.content[0].text : Object.keys(answer.structuredContent)[0]);
  }
  console.log(JSON.stringify({name, tools: tools.map(tool => tool.name), answers}));
  await client.close();
}
"#;

#[test]
fn the_official_clients_list_and_call_every_tool() {
    let clients = [
        "@modelcontextprotocol/sdk@1.32.2",
        "@modelcontextprotocol/client@2.4.0",
    ];
    let Some(folder) = packages("mcp-clients", &clients) else {
        return;
    };
    let environment = crate::support::TestEnvironment::new();
    environment.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nBe fast.\n");
    let script = folder.join("calls.mjs");
    fs::write(&script, CALLS).unwrap();
    let ralph = environment.command::<&str>([]).into_std();
    let variables = ralph
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let ran = Command::new("node")
        .arg(&script)
        .arg(RALPH)
        .arg(environment.root())
        .env_clear()
        .envs(variables)
        .output()
        .unwrap();
    let lines = String::from_utf8(ran.stdout).unwrap();
    let answers: Vec<Json> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let eras: Vec<_> = answers
        .iter()
        .map(|answer| answer["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        eras,
        ["handshake", "automatic", "pinned"],
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    for answer in answers {
        let tools = ["lint", "explain", "status", "findings", "report", "review"];
        assert_eq!(answer["tools"], json!(tools));
        let expected = json!([
            "checked",
            "entries",
            "specs",
            "at",
            "at",
            "findings",
            "at",
            "a person decides this, in a terminal: `ralph land`"
        ]);
        assert_eq!(answer["answers"], expected);
    }
}
