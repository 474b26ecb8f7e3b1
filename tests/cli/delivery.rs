//! Whether the text of a review was delivered to its reviewer.

use review_test_support::http_server::{Part, Server, stream};
use serde_json::{Value as Json, json};

use crate::scripted::{PASS, REVISE, SPEC, Scripted};
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
fn chat(text: &str, tokens: u64) -> Vec<Part> {
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
            "[http.local]\napi = \"openai-chat\"\nbase_url = \"{}\"\nmodel = \"m-1\"\n\
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
