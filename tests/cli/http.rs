//! Models over HTTP.

use serde_json::json;

use crate::scripted::{REVISE, SPEC, answering, named_pass};
use crate::support::TestEnvironment;
use review_test_support::http_server::{Part, Server, answer, stream};

const KEY: &str = "k3y-of-the-eels";

/// A stream of Chat Completions that says `text`, for 1600 tokens and 20.
fn chat(text: &str) -> Vec<Part> {
    let said =
        json!({"model": "m-1", "choices": [{"delta": {"content": text}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 1600, "completion_tokens": 20}});
    stream(&format!(
        "data: {said}\n\ndata: {usage}\n\ndata: [DONE]\n\n"
    ))
}

/// A server that gives these answers in turn, the last one for ever.
fn saying<const N: usize>(texts: [String; N]) -> Server {
    Server::answering(move |call, request| {
        let text = &texts[call.min(N - 1)];
        chat(&answering(text, &request.body))
    })
}

/// A project with one spec whose profile `local` is at `server`.
fn project(server: &Server) -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/DEMO.md", SPEC);
    let url = server.url();
    environment.write(
        "ralph.toml",
        format!(
            "[http.local]\napi = \"chat_completions\"\nbase_url = \"{url}\"\nmodel = \"m-1\"\n\
             key_env = \"EELS\"\n"
        ),
    );
    environment
}

#[test]
fn a_model_behind_an_api_reviews() {
    let server = saying([named_pass()]);
    let environment = project(&server);
    let arguments = [
        "run",
        "--reviewer",
        "http:local",
        "--no-tasks",
        "--format",
        "json",
    ];
    let ran = environment.command(arguments).env("EELS", KEY).run();
    let report = ran.exits(0).json();
    assert_eq!(report["outcome"], "passed");
    assert_eq!(report["reviewer"], "http:local");
    assert_eq!(
        server.asked()[0].header("authorization"),
        Some("Bearer k3y-of-the-eels")
    );
}

#[test]
fn a_model_behind_an_api_reviews_and_applies_until_it_is_content() {
    let bad = json!({"edits": [{"path": "specs/DEMO.md", "search": "nowhere", "replace": ""}]});
    let edits = json!({
        "applied_feedback": {"items": [{"id": "goal-01", "status": "accepted",
            "reason_code": null, "explanation": null}]},
        "edits": [{"path": "specs/DEMO.md", "search": "A demo.", "replace": "A fixed demo."}],
    });
    let revise = REVISE.to_owned();
    let server = saying([revise, bad.to_string(), edits.to_string(), named_pass()]);
    let environment = project(&server);
    let arguments = ["run", "--reviewer", "http:local", "--applier", "http:local"];
    let ran = environment
        .command(
            arguments
                .into_iter()
                .chain(["--no-tasks", "--format", "json"]),
        )
        .env("EELS", KEY)
        .run();
    let report = ran.exits(0).json();
    assert_eq!(report["outcome"], "passed");
    assert_eq!(report["iterations"].as_array().unwrap().len(), 2);
    assert_eq!(
        environment.read("specs/DEMO.md"),
        SPEC.replace("A demo", "A fixed demo")
    );
    let asked = server.asked();
    assert_eq!(asked.len(), 4);
    assert!(
        asked[2]
            .body
            .contains("edits[0].search - is not in the file")
    );
    assert!(asked[3].body.contains("A fixed demo."));
    assert_eq!(server.connections(), 1);
    for file in environment.files(".ralph-review") {
        let text = std::fs::read(environment.root().join(&file)).unwrap();
        let found = text.windows(KEY.len()).any(|bytes| bytes == KEY.as_bytes());
        assert!(!found, "{file}");
    }
}

#[test]
fn edits_after_prose_with_braces_need_no_second_call() {
    let edits = json!({
        "applied_feedback": {"items": [{"id": "goal-01", "status": "accepted",
            "reason_code": null, "explanation": "as asked"}]},
        "edits": [{"path": "specs/DEMO.md", "search": "A demo.", "replace": "A {title}."}],
    });
    let prose = format!("I leave {{title}} as it is.\n\n```json\n{edits}\n```\nThat is {{all}}.");
    let server = saying([REVISE.to_owned(), prose, named_pass()]);
    let environment = project(&server);
    let ran = run(&environment, &["--format", "json"]);
    let report = ran.exits(0).json();
    assert_eq!(report["outcome"], "passed");
    assert_eq!(
        report["iterations"][0]["decisions"][0]["decision"],
        json!({"id": "goal-01", "status": "accepted", "explanation": "as asked"})
    );
    assert_eq!(
        environment.read("specs/DEMO.md"),
        SPEC.replace("A demo.", "A {title}.")
    );
    assert_eq!(server.asked().len(), 3);
}

/// The project with prices of 3 and 15 dollars.
fn priced(server: &Server) -> TestEnvironment {
    let environment = project(server);
    let profile = environment.read("ralph.toml");
    let prices = "[models.m-1]\nwindow = 4000\ninput = 3\noutput = 15.0\n";
    environment.write("ralph.toml", format!("{profile}{prices}"));
    environment
}

fn run(environment: &TestEnvironment, arguments: &[&str]) -> crate::support::Ran {
    let common = [
        "run",
        "--reviewer",
        "http:local",
        "--applier",
        "http:local",
        "--no-tasks",
    ];
    let command = environment.command([&common, arguments].concat());
    command.env("EELS", KEY).run()
}

#[test]
fn a_limit_of_cost_ends_a_run_and_what_was_spent_is_told() {
    let server = Server::always(chat(REVISE));
    let environment = priced(&server);
    let report = run(&environment, &["--max-cost", "0.005", "--format", "json"]);
    let report = report.exits(5).json();
    assert_eq!(
        (&report["block_code"], server.asked().len()),
        (&json!("budget"), 1)
    );
    assert_eq!(
        report["usage"],
        json!({"calls": 1, "input_tokens": 1600, "output_tokens": 20, "cost_micro_usd": 5100,
            "calls_without_tokens": 0, "calls_without_cost": 0})
    );
    assert_eq!(report["calls"][0]["usage"]["cost_micro_usd"], 5100);
    assert!(
        report["next"][0]["command"]
            .as_str()
            .unwrap()
            .ends_with(" --max-cost 0.01"),
        "{report}"
    );
    let human = run(&environment, &["--max-tokens", "100"]).exits(5).stdout;
    assert!(human.contains("1620 tokens in 1 call, $0.0051"), "{human}");
}

#[test]
fn a_limit_that_nobody_could_keep_is_refused_before_the_first_call() {
    let server = saying([named_pass()]);
    let environment = project(&server);
    let ran = run(&environment, &["--max-cost", "1"]).exits(2);
    let told = "error: a limit of cost cannot be kept: what a call of http:local consumes is \
                unknown\n  hint: name a model, and its prices in a table [models.NAME] of \
                ralph.toml\n";
    assert_eq!(ran.stderr, told);
    let command = [
        "run",
        "--reviewer",
        "cmd:cat",
        "--max-tokens",
        "9",
        "--no-apply",
    ];
    let ran = environment.ralph(command).exits(2);
    assert!(
        ran.stderr.contains("a limit of tokens cannot be kept"),
        "{}",
        ran.stderr
    );
    run(&environment, &["--max-tokens", "1000"]).exits(0);
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn an_artifact_over_the_window_of_a_model_is_refused_with_its_count() {
    let server = saying([named_pass()]);
    let environment = priced(&server);
    environment.write("specs/DEMO.md", "x".repeat(12_001));
    let ran = run(&environment, &[]).exits(2);
    let told = "error: the artifact has about 4001 tokens (bytes / 3), and m-1 reads 4000\n  \
                hint: split the spec, review fewer files at a time, or name a model that reads more\n";
    assert_eq!((ran.stderr.as_str(), server.asked().len()), (told, 0));
}

#[test]
fn a_missing_profile_is_led_to_the_one_that_was_meant() {
    let environment = project(&Server::always(vec![]));
    let ran = environment
        .ralph(["run", "--reviewer", "http:loca"])
        .exits(2);
    let told = "error: backend `http:loca`: table [http.loca] not found\n  \
                hint: did you mean `http:local`?\n";
    assert_eq!(ran.stderr, told);
}

#[test]
fn doctor_asks_an_api_for_its_models_alone() {
    for (status, code, told) in [
        (200, 0, "model m-1"),
        (404, 0, "lists no models: status 404"),
        (401, 1, "refuses the key, with status 401"),
    ] {
        let server = Server::always(answer(status, "", "{}"));
        let environment = project(&server);
        let profile = environment.read("ralph.toml");
        let text = format!("reviewer = \"http:local\"\n{profile}");
        environment.write("ralph.toml", text);
        let ran = environment
            .command(["doctor"])
            .env("EELS", KEY)
            .run()
            .exits(code);
        assert!(ran.stdout.contains(told), "{}", ran.stdout);
        let asked: Vec<_> = server.asked().into_iter().map(|asked| asked.line).collect();
        assert_eq!(asked, ["GET /models HTTP/1.1"]);
    }
}
