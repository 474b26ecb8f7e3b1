//! Whether the text of a review was delivered to its reviewer.

use review_test_support::http_server::{Part, Server, stream};
use serde_json::{Value as Json, json};

use crate::scripted::{PASS, REVISE, SPEC, Scripted, once, timeless};
use crate::support::{Ran, TestEnvironment};

/// Puts the prompt, cut by a command, in `$PROMPT`, and the ids that it names in
/// `$IDS`, as the fields of an answer.
fn seen(cut: &str) -> String {
    format!(
        "cat > \"$HOME/sent\"\n{cut} < \"$HOME/sent\" > \"$HOME/seen\"\n\
         START=$(sed -n 's/.*\"review_id\": \"\\([^\"]*\\)\".*/\\1/p' \"$HOME/seen\" | head -n 1)\n\
         END=$(sed -n 's/.*Its \"end_id\" is \"\\([^\"]*\\)\".*/\"\\1\"/p' \"$HOME/seen\")\n\
         IDS=\"\\\"review_id\\\":\\\"$START\\\",\\\"end_id\\\":${{END:-null}}\"\n"
    )
}

/// Answers with the ids of what was seen.
fn answering(answer: &str, cut: &str) -> String {
    let answer = answer.strip_prefix('{').unwrap();
    format!("{}printf '{{%s,' \"$IDS\"; echo '{answer}'", seen(cut))
}

fn reviewed(project: &Scripted, policy: &str) -> Ran {
    let run = ["--no-apply", "--format", "json", "--reading", policy];
    project.run(&run).run()
}

fn state(report: &Json) -> &Json {
    &report["iterations"][0]["reading"]["state"]
}

#[test]
fn a_program_that_leaves_its_prompt_counts_unless_reading_is_required() {
    for (reads, count) in [("true", 0), ("dd bs=1 count=100 2>&1 > /dev/null", 100)] {
        let project = Scripted::new(&["true"]);
        project.reviewer(&format!("{reads} 2> /dev/null\necho '{PASS}'"));
        for policy in ["off", "ask"] {
            let report = reviewed(&project, policy).exits(0).json();
            let reading = &report["iterations"][0]["reading"];
            assert_eq!(reading["state"], "unknown", "{reads}");
            assert_eq!(reading["prompt"]["read"], count, "{reads}");
            let why = reading["why"].as_str().unwrap();
            let expected = format!("cmd:judge read {count} of ");
            assert!(why.starts_with(&expected), "{why}");
            assert!(
                why.ends_with(" bytes of its prompt and counts no tokens"),
                "{why}"
            );
        }
        project.forget_calls();
        let report = reviewed(&project, "require").exits(3).json();
        assert_eq!(report["block_code"], "unread", "{report:#}");
        assert_eq!(report["outcome"], "no_verdict");
        assert_eq!(report["iterations"], json!([]));
        assert_eq!(project.calls(), ["review 1", "review 1"]);
    }
}

#[test]
fn a_program_that_names_both_ends_of_its_prompt_received_it() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&answering(PASS, "cat"));
    let report = reviewed(&project, "require").exits(0).json();
    let reading = &report["iterations"][0]["reading"];
    assert_eq!(reading["state"], "delivered", "{reading:#}");
    assert_eq!(reading["ends"], true);
    assert_eq!(reading["prompt"]["read"], reading["prompt"]["bytes"]);
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    assert!(shown.contains("    reading delivered: all "), "{shown}");
    assert!(shown.contains("text delivered in 1 of 1 round"), "{shown}");
}

#[test]
fn a_prompt_that_is_cut_before_the_model_is_noticed_by_its_ends() {
    for (cut, policy, code, expected) in [
        ("tail -c 400", "ask", 0, json!("unknown")),
        ("tail -c 400", "require", 3, Json::Null),
        ("head -c 1500", "ask", 3, Json::Null),
        ("head -c 1500", "off", 0, json!("contradicted")),
        ("sed 5,8d", "ask", 0, json!("delivered")),
    ] {
        let project = Scripted::new(&["true"]);
        project.reviewer(&answering(PASS, cut));
        let report = reviewed(&project, policy).exits(code).json();
        assert_eq!(state(&report), &expected, "{cut} {policy}: {report:#}");
    }
}

#[test]
fn a_reviewer_that_missed_the_end_is_told_and_can_answer_again() {
    let project = Scripted::new(&["true"]);
    let script = format!(
        "{}if ! grep -q 'has no end_id' \"$HOME/sent\"; then \
         IDS='\"end_id\":null'; fi\nprintf '{{%s,' \"$IDS\"; echo '{}'",
        seen("cat"),
        PASS.strip_prefix('{').unwrap()
    );
    project.reviewer(&script);
    let report = reviewed(&project, "ask").exits(0).json();
    assert_eq!(state(&report), "delivered", "{report:#}");
    assert_eq!(project.calls(), ["review 1", "review 1"]);
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    let told = "unread cmd:judge answered that its prompt has no end_id: the end was cut off; \
                asked again\n";
    assert!(shown.contains(told), "{shown}");
}

#[test]
fn a_run_that_is_killed_while_it_asks_again_asks_for_the_end_again_when_resumed() {
    let end = |kill: &str| {
        let project = Scripted::new(&["true"]);
        let script = format!(
            "{}if grep -q 'has no end_id' \"$HOME/sent\"; then {kill}\n\
             else IDS='\"end_id\":null'; fi\nprintf '{{%s,' \"$IDS\"; echo '{}'",
            seen("cat"),
            PASS.strip_prefix('{').unwrap()
        );
        project.reviewer(&script);
        let ran = reviewed(&project, "ask");
        let calls = project.calls().len();
        if kill != ":" {
            ran.exits(137);
            project.resume(&[]).run().exits(0);
        }
        let report = ["report", "latest", "--format", "json"];
        let report = timeless(project.environment.ralph(report).exits(0).json());
        (report, project.calls().len() - calls)
    };
    let (undisturbed, none) = end(":");
    assert_eq!((state(&undisturbed), none), (&json!("delivered"), 0));
    assert_eq!(undisturbed["unread"].as_array().map(Vec::len), Some(1));
    assert_eq!(end(&once("kill -9 $PPID")), (undisturbed, 1));
}

#[test]
fn the_next_of_the_chain_reviews_what_the_first_did_not_receive() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&answering(PASS, "head -c 1500"));
    project
        .environment
        .program("second", &answering(PASS, "cat"));
    let run = [
        "run",
        "--no-apply",
        "--format",
        "json",
        "--reviewer",
        "cmd:judge,cmd:second",
    ];
    let report = project.environment.ralph(run).exits(0).json();
    assert_eq!(report["reviewer"], "cmd:second");
    assert_eq!(state(&report), "delivered");
    assert_eq!(project.calls(), ["review 1", "review 1"]);
}

#[test]
fn the_quoted_findings_of_an_undelivered_revision_stay_open() {
    let project = Scripted::new(&["true"]);
    let spec = format!("{SPEC}\n## Index\n\nThe index is built at night.\n");
    project.write("specs/DEMO.md", spec);
    let item = |issue: &str, quote: &str| json!({"section": "Index", "issue": issue, "suggestion": "say how", "quote": quote});
    let mut answer: Json = serde_json::from_str(REVISE).unwrap();
    answer["feedback"] = json!([
        item("No size is given", "the index is built at night"),
        item("No owner is named", "the owner of it is unknown"),
    ]);
    project.reviewer(&answering(&answer.to_string(), "head -c 1500"));
    project.applier("cat > /dev/null; exit 1");
    let report = project.run(&["--format", "json"]).run().exits(3).json();
    assert_eq!(report["block_code"], "unread", "{report:#}");
    let list = ["findings", "list", "latest", "--format", "json"];
    let list = project.environment.ralph(list).exits(0).json();
    let found: Vec<_> = list["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (&finding["issue"], &finding["status"], &finding["evidence"]))
        .collect();
    let expected = (&json!("No size is given"), &json!("open"), &json!("quoted"));
    assert_eq!(found, [expected], "{list:#}");
    project.reviewer(&answering(PASS, "cat"));
    let resumed = project.resume(&["--format", "json"]).run().exits(0).json();
    assert_eq!(resumed["outcome"], "passed", "{resumed:#}");
}

/// A stream of Chat Completions that says `text` and counts these tokens.
pub(crate) fn chat(text: &str, tokens: u64) -> Vec<Part> {
    let said =
        json!({"model": "m-1", "choices": [{"delta": {"content": text}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": tokens, "completion_tokens": 20}});
    stream(&format!(
        "data: {said}\n\ndata: {usage}\n\ndata: [DONE]\n\n"
    ))
}

#[test]
fn a_service_that_counts_fewer_tokens_than_words_cut_the_prompt() {
    for (tokens, code, asked) in [(20, 3, 2), (9_000, 0, 1)] {
        let server = Server::always(chat(PASS, tokens));
        let environment = TestEnvironment::new();
        environment.write("specs/DEMO.md", SPEC);
        let profile = format!(
            "[http.local]\napi = \"chat_completions\"\nbase_url = \"{}\"\nmodel = \"m-1\"\n\
             key_env = \"EELS\"\n",
            server.url()
        );
        environment.write("ralph.toml", profile);
        let run = [
            "run",
            "--reviewer",
            "http:local",
            "--no-apply",
            "--no-tasks",
            "--format",
            "json",
        ];
        let ran = environment.command(run).env("EELS", "k3y").run();
        let report = ran.exits(code).json();
        assert_eq!(server.asked().len(), asked, "{tokens}: {report:#}");
        if code == 0 {
            assert_eq!(state(&report), "delivered", "{report:#}");
            continue;
        }
        assert_eq!(report["block_code"], "unread", "{report:#}");
        let reason = report["block_reason"].as_str().unwrap();
        assert!(
            reason.contains("the service counted 20 tokens for a prompt of "),
            "{reason}"
        );
        assert!(reason.contains("(Ollama: num_ctx)"), "{reason}");
    }
}

#[test]
fn a_client_that_does_not_read_its_prompt_is_asked_again_and_then_not_believed() {
    let project = Scripted::new(&["true"]);
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": PASS});
    project.environment.program(
        "claude",
        &format!("echo called >> \"$HOME/calls\"\necho '{result}'"),
    );
    let run = [
        "run",
        "--no-apply",
        "--reviewer",
        "claude",
        "--format",
        "json",
    ];
    let report = project.environment.ralph(run).exits(3).json();
    assert_eq!(report["block_code"], "unread", "{report:#}");
    let reason = report["block_reason"].as_str().unwrap();
    assert!(reason.contains(": claude read 0 of "), "{reason}");
    assert_eq!(project.calls(), ["called", "called"]);
}

/// A spec that is longer than a prompt may contain here.
pub(crate) fn long_spec() -> String {
    let lines = (1..=60).map(|n| format!("The index of zone {n} is rebuilt in {} s.\n\n", n * 3));
    format!("{SPEC}\n## Index\n\n{}", lines.collect::<String>())
}

/// What a client prints that reads these lines of a spec, numbered, and passes it.
fn reading_lines(client: &str, path: &str, first: usize, last: usize) -> String {
    let events = events(client, path, &numbered(first, last), PASS);
    format!("cat <<'END'\n{events}\nEND\n")
}

/// These lines of the long spec with their numbers.
pub(crate) fn numbered(first: usize, last: usize) -> String {
    let text = long_spec();
    let lines = text.lines().zip(1..).skip(first - 1).take(last + 1 - first);
    lines
        .map(|(line, number)| format!("{number:>6}\t{line}\n"))
        .collect()
}

/// The events of a client that is shown a text of a file, and says an answer.
pub(crate) fn events(client: &str, path: &str, shown: &str, answer: &str) -> String {
    let events = match client {
        "claude" => vec![
            json!({"type": "system", "subtype": "init", "session_id": "s-1", "model": "m"}),
            json!({"type": "assistant", "message": {"id": "m1", "content": [
                {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": path}}]}}),
            json!({"type": "user", "message": {"content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": shown}]}}),
            json!({"type": "result", "subtype": "success", "is_error": false, "result": answer,
                "stop_reason": "end_turn", "session_id": "s-1"}),
        ],
        _ => vec![
            json!({"type": "thread.started", "thread_id": "th-1"}),
            json!({"type": "item.completed", "item": {"id": "i1", "type": "command_execution",
                "command": format!("nl -ba {path}"), "aggregated_output": shown,
                "exit_code": 0, "status": "completed"}}),
            json!({"type": "item.completed", "item": {"id": "i2", "type": "agent_message",
                "text": answer}}),
            json!({"type": "turn.completed",
                "usage": {"input_tokens": 9_000, "output_tokens": 20}}),
        ],
    };
    let events: Vec<_> = events.iter().map(Json::to_string).collect();
    events.join("\n")
}

/// A project with a spec that is longer than a prompt may contain, and a client that
/// first prints one thing, and another one when it is asked to open more.
fn long_project(client: &str, first: &str, then: &str) -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/DEMO.md", long_spec());
    environment.write("ralph.toml", "[agent]\nmax_inline = 1000\n");
    let script = format!(
        "cat > \"$HOME/sent\"\necho \"$@\" >> \"$HOME/calls\"\n\
         if grep -q 'open these lines before you judge' \"$HOME/sent\"; then\n{then}else\n{first}fi"
    );
    environment.program(client, &script);
    environment
}

fn review_long(environment: &TestEnvironment, client: &str, policy: &str) -> Ran {
    let run = ["run", "--no-apply", "--no-tasks", "--format", "json"];
    let asked = ["--reviewer", client, "--reading", policy];
    environment.ralph([&run[..], &asked].concat())
}

fn calls(environment: &TestEnvironment) -> Vec<String> {
    let log = std::fs::read_to_string(environment.home().join("calls")).unwrap();
    log.lines().map(str::to_owned).collect()
}

#[test]
fn a_client_that_opens_all_of_the_files_that_its_prompt_names_received_them() {
    for client in ["claude", "codex"] {
        let all = reading_lines(client, "specs/DEMO.md", 1, 128);
        let environment = long_project(client, &all, &all);
        let report = review_long(&environment, client, "require").exits(0).json();
        let reading = &report["iterations"][0]["reading"];
        assert_eq!(reading["state"], "delivered", "{report:#}");
        assert_eq!(reading["opened"], json!({"share": 1.0, "missing": []}));
        let why = reading["why"].as_str().unwrap();
        assert!(why.ends_with("100 % of the artifact was opened"), "{why}");
        assert_eq!(calls(&environment).len(), 1, "{client}");
    }
}

#[test]
fn a_client_that_opens_a_part_is_asked_for_the_rest_in_its_session() {
    let first = reading_lines("claude", "specs/DEMO.md", 1, 40);
    let then = reading_lines("claude", "specs/DEMO.md", 41, 128);
    let environment = long_project("claude", &first, &then);
    let report = review_long(&environment, "claude", "ask").exits(0).json();
    let reading = &report["iterations"][0]["reading"];
    assert_eq!(reading["state"], "delivered", "{report:#}");
    assert_eq!(reading["opened"]["missing"], json!([]));
    let calls = calls(&environment);
    assert_eq!(calls.len(), 2);
    assert!(!calls[0].contains("--resume"), "{calls:?}");
    assert!(calls[1].contains("--resume s-1"), "{calls:?}");
    let sent = std::fs::read_to_string(environment.home().join("sent")).unwrap();
    let asked = "open these lines before you judge: specs/DEMO.md lines 40-128";
    assert!(sent.contains(asked), "{sent}");
    let shown = environment.ralph(["report", "latest"]).stdout;
    let told = "unread claude opened 27 % of the artifact, not specs/DEMO.md lines 40-128; \
                asked again\n";
    assert!(shown.contains(told), "{shown}");
}

#[test]
fn a_pass_of_a_client_that_opens_too_little_does_not_count() {
    for (client, path, last, policy, code, state, asked) in [
        ("claude", "specs/DEMO.md", 40, "ask", 3, "contradicted", 2),
        ("claude", "specs/DEMO.md", 40, "off", 0, "contradicted", 1),
        ("codex", "specs/DEMO.md", 40, "ask", 3, "contradicted", 2),
        ("claude", "specs/OTHER.md", 128, "ask", 3, "contradicted", 2),
        ("claude", "specs/DEMO.md", 90, "ask", 0, "unknown", 1),
        ("claude", "specs/DEMO.md", 90, "require", 3, "unknown", 2),
    ] {
        let part = reading_lines(client, path, 1, last);
        let environment = long_project(client, &part, &part);
        let report = review_long(&environment, client, policy).exits(code).json();
        let case = format!("{client} {path} {last} {policy}: {report:#}");
        assert_eq!(calls(&environment).len(), asked, "{case}");
        if code == 0 {
            let reading = &report["iterations"][0]["reading"];
            assert_eq!(reading["state"], state, "{case}");
            assert_eq!(reading["opened"]["missing"][0]["last"], 128, "{case}");
            continue;
        }
        assert_eq!(report["block_code"], "unread", "{case}");
        let reason = report["block_reason"].as_str().unwrap();
        assert!(reason.contains(&format!("{client} opened ")), "{case}");
    }
}

#[test]
fn an_answer_that_does_not_count_is_in_the_report_and_the_next_step_follows_from_its_cause() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("echo '{PASS}'"));
    let report = reviewed(&project, "require").exits(3).json();
    let unread: Vec<_> = report["unread"].as_array().unwrap().iter().collect();
    let seen: Vec<_> = unread
        .iter()
        .map(|one| (&one["reading"]["state"], &one["asked_again"]))
        .collect();
    let unknown = json!("unknown");
    assert_eq!(seen, [(&unknown, &json!(true)), (&unknown, &json!(false))]);
    let reason = report["block_reason"].as_str().unwrap();
    let said = "nothing shows that the reviewer received the text that it judged, also when asked \
                again, and review.reading = \"require\" takes no such review: cmd:judge read 0 of ";
    assert!(reason.starts_with(said), "{reason}");
    let next = report["next"][0]["command"].as_str().unwrap();
    assert!(next.ends_with(" --reading ask"), "{next}");
    let resumed = project.resume(&["--reading", "ask", "--format", "json"]);
    let resumed = resumed.run().exits(0).json();
    assert_eq!(state(&resumed), "unknown", "{resumed:#}");
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    assert!(
        shown.contains("text delivery unknown in 1 of 1 round"),
        "{shown}"
    );
}

#[test]
fn a_cut_prompt_leads_to_a_larger_context_and_a_prompt_that_was_left_to_a_check() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&answering(PASS, "head -c 1500"));
    let report = reviewed(&project, "ask").exits(3).json();
    let text = report["next"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("make the program pass all of its prompt"),
        "{text}"
    );
    let environment = TestEnvironment::new();
    environment.write("specs/DEMO.md", SPEC);
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": PASS});
    environment.program("claude", &format!("echo '{result}'"));
    let report = review_long(&environment, "claude", "ask").exits(3).json();
    let command = report["next"][0]["command"].as_str().unwrap();
    assert!(command.starts_with("ralph resume "), "{command}");
    let text = report["next"][1]["text"].as_str().unwrap();
    assert!(text.starts_with("or check the agents first"), "{text}");
}

#[test]
fn a_reviewer_that_cannot_show_what_it_opens_is_refused_where_that_is_required() {
    let environment = long_project("gemini", "exit 1\n", "exit 1\n");
    let refused = review_long(&environment, "gemini", "require").exits(2);
    let said = "`review.reading` is `require`, and gemini does not report what it opens of an \
                artifact that is too large for its prompt";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);
    assert!(!environment.home().join("calls").exists());
}

#[test]
fn a_gate_that_requires_reading_believes_only_a_delivered_text() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("cat > /dev/null; echo '{PASS}'"));
    let config = "reviewer = \"cmd:judge\"\n[gate]\nrequire_reading = true\n";
    project.write("ralph.toml", config);
    let run = ["run", "--no-apply", "--no-tasks", "--format", "json"];
    let run = || project.environment.ralph(run);
    let gate = |exit| {
        let gate = ["gate", "--offline", "--format", "json"];
        project.environment.ralph(gate).exits(exit).json()["specs"][0].clone()
    };
    run().exits(0);
    let spec = gate(3);
    assert_eq!(
        spec["review"]["reason"],
        "no recorded pass of a review whose text was delivered belongs to this artifact"
    );
    project.reviewer(&answering(PASS, "cat"));
    run().exits(0);
    let spec = gate(0);
    assert_eq!(spec["review"]["status"], "recorded");
    assert_eq!(spec["reading"], "delivered");
    let shown = project
        .environment
        .ralph(["gate", "--offline"])
        .exits(0)
        .stdout;
    assert!(shown.contains("\n    reading: delivered\n"), "{shown}");
    let junit = ["gate", "--offline", "--format", "junit"];
    let junit = project.environment.ralph(junit).exits(0).stdout;
    let property = "<property name=\"reading\" value=\"delivered\"/>\n";
    assert!(junit.contains(property), "{junit}");
}

#[test]
fn a_gate_asks_for_a_delivered_text_where_its_option_requires_it() {
    let project = Scripted::new(&[]);
    project.reviewer(&format!("cat > /dev/null; echo '{PASS}'"));
    for (policy, exit, status) in [("ask", 0, "passed"), ("require", 3, "no_verdict")] {
        let gate = ["gate", "--reviewer", "cmd:judge", "--format", "json"];
        let gate = [&gate[..], &["--reading", policy]].concat();
        let report = project.environment.ralph(gate).exits(exit).json();
        assert_eq!(report["specs"][0]["review"]["status"], status, "{report:#}");
    }
}
