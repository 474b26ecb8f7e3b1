//! `ralph mcp`: what a coding agent can see and start, and what it cannot.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::fifo::Fifo;
use crate::implement::commit;
use crate::scripted::{PASS, REVISE, Scripted};

/// A server at work, and a client of it.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Server {
    fn start(project: &Scripted, variables: &[(&str, &str)]) -> Self {
        let arguments = ["mcp", "--allow", "review"];
        let command = variables.iter().fold(
            project.environment.command(arguments),
            |command, (name, value)| command.env(name, value),
        );
        let mut child = command.into_std().stdin(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            input: child.stdin.take(),
            output,
            child,
        }
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
    }

    /// The next message.
    fn next(&mut self) -> Value {
        serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap()
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
        self.next()["result"].clone()
    }

    /// Closes its input, and waits for its end.
    fn end(mut self) -> (Option<i32>, Vec<Value>) {
        drop(self.input.take());
        let rest = self
            .output
            .by_ref()
            .map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        let rest = rest.collect();
        (self.child.wait().unwrap().code(), rest)
    }
}

/// A project whose committed configuration names the script `judge`.
fn reviewed(script: &str) -> Scripted {
    let project = Scripted::new(&["true"]);
    project.reviewer(script);
    project.write("ralph.toml", "reviewer = \"cmd:judge\"\n");
    let identity = "[user]\n\tname = Ann\n\temail = ann@example.com\n";
    std::fs::write(project.outside(".gitconfig"), identity).unwrap();
    commit(&project.environment);
    project
}

#[test]
fn messages_of_both_eras_are_answered_until_the_input_ends() {
    let project = Scripted::new(&["true"]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "server/discover", "params": {"_meta": meta}}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": {"_meta": meta}}),
        json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
            "params": {"name": "explain", "arguments": {"code": "B3"}}}),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let ran = project
        .environment
        .command(["mcp"])
        .stdin(input + "{\n")
        .run()
        .exits(0);
    assert_eq!(ran.stderr, "");
    let mut answers = ran.json_lines();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let codes: Vec<_> = answers
        .iter()
        .map(|answer| &answer["error"]["code"])
        .collect();
    assert_eq!(codes[0], -32700);
    let results: Vec<_> = answers[1..]
        .iter()
        .map(|answer| &answer["result"])
        .collect();
    assert_eq!(results[0]["protocolVersion"], "2025-06-18");
    assert_eq!(*results[1], json!({}));
    assert_eq!(results[2]["supportedVersions"][0], "2026-07-28");
    let tools = results[3]["tools"].as_array().unwrap().iter();
    let tools: Vec<_> = tools.map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(tools, ["lint", "explain", "status", "findings", "report"]);
    assert_eq!(results[3]["resultType"], "complete");
    assert_eq!(results[4]["structuredContent"]["entries"][0]["code"], "B3");
    let text = results[4]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("B3 filter-selects-nothing\n"), "{text}");
}

#[test]
fn an_agent_gets_what_a_user_would_and_errors_in_words() {
    let project = Scripted::new(&["true"]);
    project.write("specs/FAST.md", "# Fast\n\n## Goal\n\nIt must be fast.\n");
    let mut server = Server::start(&project, &[]);
    let linted = server.call("lint", json!({"paths": ["specs/FAST.md"]}));
    let shown = ["lint", "--format", "json", "specs/FAST.md"];
    let shown = project.environment.ralph(shown).json();
    assert_eq!(linted["structuredContent"], shown);
    let text = json!({"text": "# Fast\n\n## Goal\n\nIt must be fast.\n", "path": "specs/FAST.md"});
    let of_text = server.call("lint", text);
    assert_eq!(of_text["structuredContent"]["verdict"], shown["verdict"]);
    let status = server.call("status", json!({"spec": "DEMO"}));
    assert_eq!(status["structuredContent"]["specs"][0]["tasks"][0]["id"], 1);
    for (tool, arguments, expected) in [
        (
            "status",
            json!({"spec": "DEMO2"}),
            "error: spec \"DEMO2\" not found",
        ),
        ("report", json!({}), "error: no runs in "),
        ("approve", json!({"run": "latest"}), "a person decides this"),
    ] {
        let refused = server.call(tool, arguments);
        assert_eq!(refused["isError"], true, "{refused}");
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(expected), "{text}");
    }
    assert_eq!(server.end(), (Some(0), Vec::new()));
}

#[test]
fn a_review_that_takes_long_is_waited_for_by_its_run() {
    let project = reviewed("");
    let events = Fifo::new(&project);
    let go = project.outside("go");
    let made = std::process::Command::new("mkfifo").arg(&go).status();
    assert!(made.unwrap().success());
    project.reviewer(&format!(
        "exec 3> {events}; echo asked >&3; read word < \"$HOME/go\"; echo '{REVISE}'"
    ));
    let mut server = Server::start(&project, &[]);
    let begun = server.call("review", json!({"spec": "DEMO", "wait": 0}));
    assert_eq!(
        begun["structuredContent"]["outcome"],
        Value::Null,
        "{begun}"
    );
    let mut events = events.open();
    assert_eq!(events.line(), "asked");
    let second = server.call("review", json!({"spec": "DEMO", "wait": 0}));
    let run = second["structuredContent"]["run"]
        .as_str()
        .unwrap()
        .to_owned();
    let still = server.call("status", json!({"run": run, "wait": 0}));
    assert_eq!(still["structuredContent"]["run"], run.as_str(), "{still}");
    assert_eq!(still["structuredContent"]["outcome"], Value::Null);
    std::fs::write(go, "go\n").unwrap();
    let ended = server.call("status", json!({"run": run}));
    assert_eq!(
        ended["structuredContent"]["outcome"], "not_passed",
        "{ended}"
    );
    let findings = server.call("findings", json!({}));
    let found = &findings["structuredContent"]["findings"][0];
    assert_eq!(found["issue"], "it is not fixed", "{findings}");
    assert_eq!(project.calls(), ["review 1"]);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn the_end_of_the_input_or_of_interest_interrupts_a_review() {
    for is_cancelled in [true, false] {
        let project = reviewed("");
        let events = Fifo::new(&project);
        project.reviewer(&format!("exec 3> {events}; echo asked >&3; exec sleep 600"));
        let mut server = Server::start(&project, &[]);
        let params = json!({"name": "review", "arguments": {"spec": "DEMO"}});
        server.send(&json!({"jsonrpc": "2.0", "id": "r", "method": "tools/call",
            "params": params}));
        let mut events = events.open();
        assert_eq!(events.line(), "asked");
        if is_cancelled {
            server.send(
                &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": "r"}}),
            );
            assert_eq!(events.rest(), "", "the reviewer has ended");
        }
        let (code, answers) = server.end();
        assert_eq!(events.rest(), "");
        // What was cancelled is answered by nothing.
        assert_eq!((code, answers.len()), (Some(0), usize::from(!is_cancelled)));
        let report = ["report", "latest", "--format", "json"];
        let report = project.environment.ralph(report).json();
        assert_eq!(report["outcome"], "interrupted");
    }
}

/// The words with which a review is refused.
fn refusal(server: &mut Server) -> String {
    let refused = server.call("review", json!({"spec": "DEMO"}));
    assert_eq!(refused["isError"], true, "{refused}");
    refused["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_review_goes_by_what_is_committed_and_was_there_when_the_server_started() {
    let judge = format!("echo '{PASS}'\n");
    let easier = format!("echo easier; echo '{PASS}'\n");
    for (word, path, text) in [
        ("judge.sh", "judge.sh", &*easier),
        ("./judge.sh", "judge.sh", &easier),
        ("[ROOT]/judge.sh", "judge.sh", &easier),
        ("sub/../judge.sh", "judge.sh", &easier),
        ("judge.sh", "ralph.toml", "reviewer = \"builtin\"\n"),
        ("judge.sh", ".aiwg/agent-learning.yaml", "agents: {}\n"),
        ("judge.sh", ".aiwg/.prompts/reviewer/active.json", "{}\n"),
    ] {
        let project = reviewed("");
        let root = project.environment.root();
        let word = word.replace("[ROOT]", root.to_str().unwrap());
        project.write("judge.sh", &judge);
        project.write("sub/kept", "");
        project.write("ralph.toml", format!("reviewer = \"cmd:sh {word}\"\n"));
        commit(&project.environment);
        let mut server = Server::start(&project, &[]);
        let passed = server.call("review", json!({"spec": "DEMO"}));
        assert_eq!(passed["structuredContent"]["outcome"], "passed", "{passed}");
        project.write(path, text);
        let message = refusal(&mut server);
        let expected = format!("{path} changed since the server started, and decides");
        assert!(message.starts_with(&expected), "{word}: {message}");
        assert_eq!(server.end().0, Some(0));
        // One that starts afterwards goes by what is committed as well.
        let mut server = Server::start(&project, &[]);
        let message = refusal(&mut server);
        let expected = format!("{path} is not as it was committed when the server started, and");
        assert!(message.starts_with(&expected), "{word}: {message}");
        assert_eq!(server.end().0, Some(0));
    }
}

#[test]
fn a_server_that_started_with_another_configuration_does_not_review_by_the_committed_one() {
    let project = reviewed("");
    project.write("judge.sh", "echo no\n");
    let committed = "reviewer = \"cmd:sh judge.sh\"\n";
    project.write("ralph.toml", committed);
    commit(&project.environment);
    project.write("ralph.toml", "reviewer = \"builtin\"\n");
    let mut server = Server::start(&project, &[]);
    let message = refusal(&mut server);
    let expected = "ralph.toml is not as it was committed when the server started, and decides";
    assert!(message.starts_with(expected), "{message}");
    project.write("judge.sh", format!("echo '{PASS}'\n"));
    project.write("ralph.toml", committed);
    let message = refusal(&mut server);
    assert!(message.starts_with(expected), "{message}");
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_review_that_more_decides_about_than_is_committed_is_refused() {
    let project = reviewed(&format!("echo '{PASS}'"));
    let mut inside = Server::start(&project, &[("RALPH_RUN", "0192")]);
    let expected = "this is a call of run 0192, which has its own reviewer";
    assert_eq!(refusal(&mut inside), expected);
    assert_eq!(inside.end().0, Some(0));
    project.write(
        "ralph.toml",
        "reviewer = \"cmd:judge\"\nreview.check = \"true\"\n",
    );
    commit(&project.environment);
    let mut checked = Server::start(&project, &[]);
    let message = refusal(&mut checked);
    assert!(
        message.starts_with("review.check decides as well"),
        "{message}"
    );
    assert_eq!(checked.end().0, Some(0));
    for (options, expected) in [
        (
            &["--allow", "review", "--config", "ralph.toml"][..],
            "error: with --allow review, --config cannot be used\n",
        ),
        (
            &["--set", "review.patience=1"],
            "error: `--set review.patience` has no effect on the commands that answer\n",
        ),
    ] {
        let ran = project
            .environment
            .ralph([&["mcp"], options].concat())
            .exits(2);
        assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    }
    assert_eq!(project.calls(), [""; 0]);
}

#[test]
fn a_decision_inside_a_call_of_an_agent_is_refused() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("echo '{REVISE}'"));
    project.run(&["--no-apply", "--no-tasks"]).run().exits(1);
    for variable in ["RALPH_RUN", "CLAUDECODE", "CODEX_SANDBOX"] {
        for arguments in [
            &["approve", "latest"][..],
            &["land", "latest"],
            &["findings", "waive", "f-0", "--why", "no"],
            &["learn", "decide", "0", "--approve"],
            &["learn", "rollback", "reviewer"],
        ] {
            let ran = project
                .environment
                .command(arguments)
                .env(variable, "1")
                .run();
            let expected = "error: a person decides this, not an agent\n";
            assert!(
                ran.stderr.starts_with(expected),
                "{arguments:?}: {}",
                ran.stderr
            );
        }
    }
    let report = project
        .environment
        .ralph(["report", "latest", "--format", "json"]);
    assert_eq!(report.json()["outcome"], "not_passed");
}
