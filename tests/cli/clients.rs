//! Clients of language models as reviewers and appliers.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::scripted::Scripted;
use crate::support::{Ran, TestEnvironment};

const CLIENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// Prints what a client printed in a recording, with as many tokens as a prompt of
/// today has, and with the ids of the prompt in `$HOME/prompt` in its verdict.
pub(crate) fn play(client: &str, case: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/clients");
    let path = folder.join(client).join(case);
    let tokens = r#"s/"(input_tokens|input)": ?(100|110|200)\b/"\1":1600/g"#;
    // The last id of that name in the prompt: the form has dots in its place.
    let id = |name: &str| {
        let found = format!(r#"grep -aoE '"{name}"( is|:) ?"[a-z0-9-]+"' "$HOME/prompt""#);
        format!(r#"$({found} | tail -1 | sed -E 's/.*"([^"]*)"/\1/')"#)
    };
    let (review_id, end_id) = (id("review_id"), id("end_id"));
    // In a verdict as it stands, and in one inside a string.
    let named = |quote: &str| {
        let said = |key: &str, value: &str| format!("{quote}{key}{quote}:{quote}{value}{quote}");
        let verdict = said("verdict", "pass");
        let ids = [said("review_id", "'$R'"), said("end_id", "'$E'")].join(",");
        format!("-e 's/{verdict}/{verdict},{ids}/'").replace('\\', "\\\\")
    };
    let (bare, inside) = (named("\""), named("\\\""));
    let file = path.display();
    format!("R={review_id} E={end_id}\nsed -E -e '{tokens}' {bare} {inside} '{file}.stdout'")
}

/// A project whose spec must say that it is fixed, and a client that fixes it
/// and knows when it is.
fn project(client: &str, before: &str) -> Scripted {
    let project = Scripted::new(&["grep -q Demo specs/DEMO.md"]);
    let (pass, revise) = match client {
        "opencode" => ("afp-pass", "afp-revise"),
        _ => ("review-pass", "review-revise"),
    };
    let (pass, revise) = (play(client, pass), play(client, revise));
    let script = format!(
        "echo $RALPH_ROLE $RALPH_ITERATION >> \"$HOME/calls\"\ncat > \"$HOME/prompt\"\n{before}\n\
         if [ $RALPH_ROLE = applier ]; then echo fixed >> specs/DEMO.md; {pass}\n\
         elif grep -q fixed specs/DEMO.md; then {pass}\nelse {revise}\nfi"
    );
    project.environment.program(client, &script);
    project
}

fn run(project: &Scripted, reviewer: &str, applier: &str) -> Ran {
    let run = ["run", "--format", "json", "--reviewer", reviewer];
    let applier = ["--applier", applier];
    project
        .environment
        .command([&run, &applier[..]].concat())
        .run()
}

#[test]
fn a_client_reviews_what_it_applied_until_it_passes() {
    for client in CLIENTS {
        let project = project(client, "");
        let report = run(&project, client, client).exits(0).json();
        assert_eq!(report["outcome"], "passed", "{client}");
        assert_eq!(report["reviewer"], client);
        assert_eq!(report["iterations"].as_array().unwrap().len(), 2);
        assert_eq!(project.calls(), ["reviewer 1", "applier 1", "reviewer 2"]);
        assert!(
            project
                .environment
                .read("specs/DEMO.md")
                .ends_with("fixed\n")
        );
    }
}

#[test]
fn no_two_calls_begin_the_same_session() {
    let keep = "while [ $# -gt 0 ] && [ \"$1\" != --session-id ]; do shift; done\n\
                [ $# = 0 ] || echo $2 >> \"$HOME/sessions\"";
    let project = project("claude", keep);
    run(&project, "claude", "claude").exits(0);
    let sessions = std::fs::read_to_string(project.outside("sessions")).unwrap();
    let mut sessions: Vec<_> = sessions.lines().collect();
    assert!(sessions.iter().all(|id| id.len() == 36), "{sessions:?}");
    sessions.sort_unstable();
    sessions.dedup();
    assert_eq!(sessions.len(), 2);
}

#[test]
fn the_next_review_goes_on_in_the_session_of_the_last_one() {
    for (client, resumes) in [
        ("claude", "--resume 5e55-2"),
        ("codex", "resume th-2 -"),
        ("gemini", "--resume 9e-2"),
        ("opencode", "--session ses_7"),
    ] {
        let project = project(client, "echo \"$*\" >> \"$HOME/asked\"");
        run(&project, client, client).exits(0);
        let asked = std::fs::read_to_string(project.outside("asked")).unwrap();
        let asked: Vec<_> = asked.lines().map(|call| call.contains(resumes)).collect();
        assert_eq!(asked, [false, false, true], "{client}");
    }
}

#[test]
fn a_session_that_is_gone_is_begun_anew() {
    let gone = "case \"$*\" in *--resume*) echo 'No conversation found with session ID: x' >&2\n\
                exit 1;; esac";
    let project = project("claude", gone);
    run(&project, "claude", "claude").exits(0);
    let calls = ["reviewer 1", "applier 1", "reviewer 2", "reviewer 2"];
    assert_eq!(project.calls(), calls);
}

#[test]
fn a_limit_of_tokens_ends_a_call_before_its_answer() {
    let usage = json!({"input_tokens": 90, "output_tokens": 1});
    let message = json!({"type": "assistant", "message": {"id": "m", "usage": usage}});
    let project = project("claude", &format!("echo '{message}'"));
    for (tokens, code) in [("90", 5), ("5000", 0)] {
        let run = ["run", "--reviewer", "claude", "--format", "json"];
        let limits = ["--applier", "claude", "--max-tokens", tokens];
        let command = project.environment.command([&run, &limits[..]].concat());
        let report = command.run().exits(code).json();
        if code == 5 {
            assert_eq!(report["block_code"], "budget");
            assert_eq!(report["usage"]["input_tokens"], 90);
            assert_eq!(project.calls(), ["reviewer 1"]);
        }
    }
}

#[test]
fn a_limit_of_cost_needs_a_price_unless_only_the_answer_tells_it() {
    const PRICES: &str = "input = 1\noutput = 1\n";
    for (reviewer, model, code) in [
        ("opencode:a/b", None, 2),
        ("opencode:a/b", Some("a/b"), 0),
        ("opencode", None, 5),
        ("codex", Some("m"), 2),
        ("codex:m", Some("m"), 0),
        ("codex:other", Some("m"), 2),
        ("gemini", None, 2),
        ("gemini", Some("m"), 5),
        ("gemini:other", Some("m"), 2),
        ("claude", None, 0),
        ("claude:other", None, 0),
    ] {
        let (client, _) = reviewer.split_once(':').unwrap_or((reviewer, ""));
        let project = project(client, "");
        let prices = model.map(|model| format!("[models.\"{model}\"]\n{PRICES}"));
        project
            .environment
            .write("ralph.toml", prices.unwrap_or_default());
        let run = ["run", "--reviewer", reviewer, "--applier", reviewer];
        let limits = ["--max-cost", "100", "--format", "json"];
        let command = project.environment.command([&run, &limits[..]].concat());
        let ran = command.run().exits(code);
        let refused = format!(
            "error: a limit of cost cannot be kept: what a call of {reviewer} consumes is unknown\n"
        );
        let warned = format!(
            "what a call of {reviewer} costs is known once it has answered; a cost that is \
             unknown then ends the run\n"
        );
        let said = (ran.stderr.contains(&refused), ran.stderr.contains(&warned));
        assert_eq!(said, (code == 2, code == 5), "{reviewer}: {}", ran.stderr);
        match code {
            2 => assert!(!project.outside("calls").exists(), "{reviewer}"),
            5 => {
                assert_eq!(ran.json()["block_code"], "budget", "{reviewer}");
                assert_eq!(project.calls(), ["reviewer 1"], "{reviewer}");
            }
            _ => {}
        }
    }
}

#[test]
fn an_artifact_over_a_prompt_or_the_window_of_a_clients_model_is_refused_with_its_count() {
    for client in CLIENTS {
        let project = project(client, "");
        let environment = &project.environment;
        environment.write("ralph.toml", "[models.m]\nwindow = 1000\n");
        let reviewer = format!("{client}:m");
        for (bytes, what) in [(2_700, "prompt"), (3_003, "artifact")] {
            environment.write("specs/DEMO.md", "x".repeat(bytes));
            let run = ["run", "--reviewer", &reviewer, "--no-apply", "--no-tasks"];
            let ran = environment.ralph(run).exits(2);
            let what = format!("error: the {what} has about ");
            assert!(ran.stderr.starts_with(&what), "{}", ran.stderr);
            let end = " tokens (bytes / 3), and m reads 1000\n  hint: split the spec, review fewer \
                       files at a time, or name a model that reads more\n";
            assert!(ran.stderr.ends_with(end), "{}", ran.stderr);
        }
        environment.write("ralph.toml", "");
        environment.write("specs/DEMO.md", "x".repeat(1_048_577));
        let run = ["run", "--reviewer", &reviewer, "--no-apply", "--no-tasks"];
        let ran = environment.ralph(run).exits(2);
        let told = "error: the artifact has 1048";
        assert!(ran.stderr.starts_with(told), "{}", ran.stderr);
        let end = " bytes, and a prompt holds 1048576\n  \
                   hint: split the spec, or review fewer files at a time\n";
        assert!(ran.stderr.ends_with(end), "{}", ran.stderr);
        assert!(!project.outside("calls").exists(), "{client}");
    }
}

#[test]
fn a_client_is_asked_again_when_its_service_says_so() {
    let limited = play("opencode", "status-429");
    let once =
        format!("if ! [ -e \"$HOME/mark\" ]; then : > \"$HOME/mark\"; {limited}; exit 1; fi");
    let project = project("opencode", &once);
    run(&project, "opencode", "opencode").exits(0);
    let calls = ["reviewer 1", "reviewer 1", "applier 1", "reviewer 2"];
    assert_eq!(project.calls(), calls);
}

#[test]
fn the_limit_of_a_plan_ends_the_run_at_once_with_its_time() {
    let refusal = json!({"type": "result", "subtype": "success", "is_error": true,
        "result": "You have hit your weekly limit \u{b7} resets Jun 9 at 1am (UTC)"});
    let event = json!({"type": "rate_limit_event",
        "rate_limit_info": {"status": "rejected", "resetsAt": 4_102_444_800_u64}});
    let mark = json!({"type": "assistant", "error": "rate_limit",
        "message": {"id": "m", "content": [{"type": "text", "text": "limit"}]}});
    let made_up = json!({"type": "result", "subtype": "success", "is_error": true, "result": "no"});
    let of_codex = json!({"type": "turn.failed", "error": {"message":
        "You've hit your usage limit. Try again at Jan 1st, 2100 0:00 (UTC)."}});
    let no_time = json!({"type": "turn.failed",
        "error": {"message": "You've hit your usage limit."}});
    let at = "make the call again after 2100-01-01T00:00:00Z";
    for (client, lines, next) in [
        ("claude", vec![&event, &refusal], at),
        ("claude", vec![&event, &mark, &made_up], at),
        ("codex", vec![&of_codex], at),
        ("codex", vec![&no_time], "make the call again later"),
    ] {
        let said: Vec<_> = lines.iter().map(ToString::to_string).collect();
        let project = project(client, "");
        project.write("said", said.join("\n").as_str());
        let says = "echo call >> \"$HOME/calls\"; cat > /dev/null; cat said; exit 1";
        project.environment.program(client, says);
        let report = run(&project, client, client).exits(5).json();
        assert_eq!(report["block_code"], "rate_limited", "{client}");
        assert_eq!(report["next"][0]["text"], next, "{said:?}");
        assert_eq!(project.calls(), ["call"], "{said:?}");
    }
}

#[test]
fn the_next_client_is_asked_when_one_is_logged_out() {
    let project = project("codex", "");
    let logged_out = format!("{}; exit 1", play("claude", "logged-out"));
    project.environment.program("claude", &logged_out);
    let report = run(&project, "claude:opus,codex", "codex").exits(0).json();
    assert_eq!(report["reviewer"], "codex");
    let report = run(&project, "claude", "codex").exits(3).json();
    assert_eq!(report["block_code"], "reviewer_failed");
    let reason = report["block_reason"].as_str().unwrap();
    assert!(reason.contains("log in with `claude`"), "{reason}");
}

#[test]
fn clients_are_held_to_their_bounds() {
    let reviewer = project("claude", "echo x > src.rs");
    let report = run(&reviewer, "claude", "claude").exits(3).json();
    assert_eq!(report["block_code"], "reviewer_failed");
    let reason = report["block_reason"].as_str().unwrap();
    assert!(reason.contains("changed src.rs"), "{reason}");
    let strays = "if [ $RALPH_ROLE = applier ]; then echo x > src.rs; fi";
    let applier = project("codex", strays);
    let report = run(&applier, "codex", "codex").exits(3).json();
    assert_eq!(report["block_code"], "applier_failed");
}

#[test]
fn a_client_hears_what_the_embedded_rules_find() {
    let project = project("gemini", "");
    project.write(
        "specs/DEMO.md",
        "# Demo\n\n## Goal\n\nThe limit is TBD. fixed\n",
    );
    let report = run(&project, "gemini", "builtin").json();
    assert_eq!(report["verdict"], "needs_revision");
    let prompt = std::fs::read_to_string(project.outside("prompt")).unwrap();
    assert!(prompt.contains("\"blocks_a_pass\": true"), "{prompt}");
}

#[test]
fn secrets_of_a_client_are_in_no_file_of_a_run() {
    let project = project("claude", "echo \"$ANTHROPIC_API_KEY\" >&2");
    let run = ["run", "--reviewer", "claude", "--applier", "claude"];
    let command = project.environment.command(run);
    command
        .env("ANTHROPIC_API_KEY", "hush-hush-hush")
        .run()
        .exits(0);
    let files = project.environment.files(".ralph-review");
    let texts = files.iter().map(|file| {
        let bytes = std::fs::read(project.environment.root().join(file)).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let texts: Vec<_> = texts.collect();
    assert!(texts.iter().all(|text| !text.contains("hush-hush-hush")));
    assert!(texts.iter().any(|text| text.contains("[redacted]")));
}

fn diagnosis(environment: &TestEnvironment, code: i32) -> Json {
    let ran = environment.command(["doctor", "--format", "json"]);
    let ran = ran.env("FOREIGN", "hidden").run();
    let checks = ran.exits(code).json()["checks"].take();
    let mut checks = checks.as_array().unwrap().clone();
    checks.retain(|check| {
        ["reviewer", "applier"]
            .iter()
            .any(|name| check["name"] == *name)
    });
    Json::Array(checks)
}

#[test]
fn the_doctor_asks_clients_for_their_version_and_their_agents() {
    let environment = TestEnvironment::new();
    environment.write(
        "ralph.toml",
        "reviewer = \"opencode:x/y\"\napplier = \"claude\"\n",
    );
    let script = "case \"$*\" in\n--version) echo; echo 1.18.33;;\n\
                  \"debug agent qualitative-reviewer\") [ -n \"$OPENCODE_CONFIG_CONTENT\" ] && \
                  [ -z \"$FOREIGN\" ] && echo known && echo no such agent >&2 && exit 1;;\n\
                  *) exit 9;;\nesac";
    environment.program("opencode", script);
    let needs = |client: &str, package: &str| {
        format!("{client} or later, logged in: npm install --global {package}")
    };
    let found = diagnosis(&environment, 1);
    assert_eq!(
        found,
        json!([
            {
                "name": "reviewer",
                "state": "error",
                "message": "opencode:x/y: it does not know its agent: \
                            `opencode debug agent qualitative-reviewer` failed: no such agent; known",
                "hint": "fix its definition, or write it again: `ralph init --agent opencode`",
            },
            {
                "name": "applier",
                "state": "error",
                "message": "claude: program \"claude\" was not found; check its spelling and PATH",
                "hint": needs("claude 2.1", "@anthropic-ai/claude-code"),
            },
        ])
    );
    environment.program("opencode", &script.replace("exit 1", "exit 0"));
    environment.program(
        "claude",
        "[ \"$*\" = --version ] && echo '2.1.197 (Claude Code)'",
    );
    assert_eq!(
        diagnosis(&environment, 0),
        json!([
            {"name": "reviewer", "state": "ok", "message": "opencode:x/y, version 1.18.33"},
            {"name": "applier", "state": "ok", "message": "claude, version 2.1.197 (Claude Code)"},
        ])
    );
    environment.program("claude", "exit 3");
    let failed = &diagnosis(&environment, 1)[1]["message"];
    assert_eq!(failed, "claude: `claude --version` failed: exit status 3");
}
