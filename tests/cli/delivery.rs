//! Whether the content of a review was delivered to its reviewer.

use review_test_support::http_server::{Part, Server, stream};
use serde_json::{Value as Json, json};

use crate::scripted::{
    PASS, REVISE, SPEC, Scripted, answering as answering_service, named_pass, once, timeless,
};
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

fn reviewed(project: &Scripted) -> Ran {
    project.run(&["--no-apply", "--format", "json"]).run()
}

#[test]
fn a_program_that_leaves_its_prompt_counts_and_the_report_shows_how_much_it_read() {
    for (reads, count) in [("true", 0), ("dd bs=1 count=100 2>&1 > /dev/null", 100)] {
        let project = Scripted::new(&["true"]);
        project.reviewer(&format!("{reads} 2> /dev/null\necho '{PASS}'"));
        let report = reviewed(&project).exits(0).json();
        let left = &report["iterations"][0]["left_unread"];
        assert_eq!(left["read"], count, "{report:#}");
        let shown = project.environment.ralph(["report", "latest"]).stdout;
        let warning = format!(
            "    warning the reviewer read {count} of {} bytes",
            left["bytes"]
        );
        assert!(shown.contains(&warning), "{shown}");
    }
}

#[test]
fn a_prompt_that_is_cut_before_the_model_is_noticed_by_its_end() {
    for (cut, code, end) in [
        ("cat", 0, Json::Null),
        ("sed 5,8d", 0, Json::Null),
        ("head -c 1500", 3, json!("unread")),
    ] {
        let project = Scripted::new(&["true"]);
        project.reviewer(&answering(PASS, cut));
        let report = reviewed(&project).exits(code).json();
        assert_eq!(report["block_code"], end, "{cut}: {report:#}");
        assert!(
            report["iterations"][0]["left_unread"].is_null(),
            "{report:#}"
        );
        let calls = if code == 0 { 1 } else { 2 };
        assert_eq!(project.calls().len(), calls, "{cut}");
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
    reviewed(&project).exits(0);
    assert_eq!(project.calls(), ["review 1", "review 1"]);
    let shown = project.environment.ralph(["report", "latest"]).stdout;
    let told = "the prompt did not arrive: cmd:judge answered that its prompt has no end_id: the end \
                was cut off";
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
        let ran = reviewed(&project);
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
    assert_eq!((&undisturbed["outcome"], none), (&json!("passed"), 0));
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
    assert_eq!(project.calls(), ["review 1", "review 1"]);
}

#[test]
fn a_revision_whose_prompt_did_not_arrive_is_no_round() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&answering(REVISE, "head -c 1500"));
    let report = project.run(&["--format", "json"]).run().exits(3).json();
    assert_eq!(report["block_code"], "unread", "{report:#}");
    assert_eq!(report["iterations"], json!([]));
    let text = report["next"][1]["text"].as_str().unwrap();
    assert!(text.starts_with("or give the model a context"), "{text}");
    project.reviewer(&answering(PASS, "cat"));
    let resumed = project.resume(&["--format", "json"]).run().exits(0).json();
    assert_eq!(resumed["outcome"], "passed", "{resumed:#}");
}

/// A stream of Chat Completions that says `text`.
fn chat(text: &str) -> Vec<Part> {
    let said =
        json!({"model": "m-1", "choices": [{"delta": {"content": text}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 9_000, "completion_tokens": 20}});
    stream(&format!(
        "data: {said}\n\ndata: {usage}\n\ndata: [DONE]\n\n"
    ))
}

#[test]
fn a_service_whose_answer_misses_the_end_cut_the_prompt() {
    let ended = named_pass().replace("\"END_ID\"", "null");
    for (said, code, asked) in [(ended, 3, 2), (named_pass(), 0, 1)] {
        let text = said.clone();
        let server =
            Server::answering(move |_, request| chat(&answering_service(&text, &request.body)));
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
        ];
        let ran = environment.command(run).env("EELS", "k3y").run();
        ran.exits(code);
        assert_eq!(server.asked().len(), asked, "{said}");
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
