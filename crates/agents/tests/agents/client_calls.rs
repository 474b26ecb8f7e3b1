//! How clients are called, and what of their answers is passed on.

use std::num::NonZeroU32;

use review::types::{AppliedFeedback, ModelId, Usage};
use review::{Applier as _, FollowUp, Reviewer as _};
use review_agents::{AgentContext, Client};
use review_process::Redactor;
use serde_json::Value as Json;

use crate::client_support::{Fake, play, text};
use crate::support::{SPEC, apply_request, environment, review_request};
use crate::transcripts::{REVIEW_PASS, REVIEW_REVISE};

const MARK: &str = "The hovercraft is full of eels.";

#[tokio::test]
async fn a_follow_up_of_codex_consumed_what_its_thread_did_since() {
    let fake = Fake::new(Client::Codex, &play(Client::Codex, "review-revise"));
    let agent = fake.agent(fake.context(), None);
    let mut request = review_request();
    request.follow_up = Some(FollowUp {
        session: "th-2".to_owned(),
        iteration: NonZeroU32::MIN,
        applied_feedback: AppliedFeedback::default(),
        used: Some(Usage {
            input_tokens: 150,
            output_tokens: 30,
            cost_micro_usd: None,
        }),
    });

    let answer = agent.review(request).await.unwrap();
    let usage = answer.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (50, 10));
    assert!(
        fake.args()
            .ends_with(&["resume".to_owned(), "th-2".to_owned(), "-".to_owned()])
    );
}

#[tokio::test]
async fn settings_of_the_user_are_overridden_before_the_other_arguments_of_codex() {
    let fake = Fake::new(Client::Codex, &play(Client::Codex, "review-revise"));
    std::fs::create_dir(fake.project.path("home/.codex")).unwrap();
    let settings = "[mcp_servers.notes]\ncommand = \"notes\"\n";
    std::fs::write(fake.project.path("home/.codex/config.toml"), settings).unwrap();
    fake.review().await.unwrap();
    let off = ["-c", r#"mcp_servers={"notes"={enabled=false}}"#, "exec"];
    assert_eq!(fake.args()[..3], off);
}

#[tokio::test]
async fn a_prompt_holds_a_long_artifact_in_full_and_an_agent_gets_none_of_one_that_is_too_long() {
    let room = 1024 * 1024;
    for client in Client::ALL {
        let fake = Fake::new(client, &play(client, "review-revise"));
        fake.project.write(SPEC, "x".repeat(room));
        let answer = fake.review().await.unwrap();
        let asked = fake.given("stdin");
        assert!(asked.contains(&"x".repeat(room)), "{client}");
        let prompt = answer.by.prompt.unwrap();
        let form = match client {
            Client::Opencode => "afp-review/v5",
            Client::Claude | Client::Codex | Client::Gemini => "review/v10",
        };
        assert_eq!(prompt.split_once(' ').unwrap().0, form);
        fake.project.write(SPEC, "x".repeat(room + 1));
        let agent = fake.agent(fake.context(), None);
        let told = "was not started: the artifact has 1048577 bytes, and a prompt holds 1048576";
        for error in [
            fake.review().await.unwrap_err(),
            agent.apply(apply_request()).await.unwrap_err(),
        ] {
            assert!(error.message.ends_with(told), "{client}: {error}");
        }
    }
}

#[tokio::test]
async fn an_answer_comes_with_its_session_model_and_usage() {
    for (client, session, model, input, output, cost) in [
        (
            Client::Claude,
            "5e55-2",
            Some("chosen"),
            143,
            20,
            Some(2_000),
        ),
        (Client::Codex, "th-2", None, 200, 40, None),
        (Client::Gemini, "9e-2", Some("flash"), 110, 24, None),
        (Client::Opencode, "ses_2", None, 137, 25, None),
    ] {
        let fake = Fake::new(client, &play(client, "review-revise"));
        let answer = fake.review().await.unwrap();
        let by = ModelId {
            backend: client.to_string(),
            model: model.map(str::to_owned),
            prompt: Some(match client {
                Client::Opencode => "afp-review/v5 reviewer/v1".to_owned(),
                Client::Claude | Client::Codex | Client::Gemini => {
                    "review/v10 reviewer/v1".to_owned()
                }
            }),
        };
        assert_eq!(answer.by, by);
        assert_eq!(answer.session.as_deref(), Some(session), "{client}");
        let usage = Usage {
            input_tokens: input,
            output_tokens: output,
            cost_micro_usd: cost,
        };
        assert_eq!(answer.usage, Some(usage), "{client}");
        assert_eq!(text(answer), REVIEW_REVISE, "{client}");
    }
}

#[tokio::test]
async fn a_secret_in_two_texts_is_neither_logged_nor_passed_on() {
    for (client, said, end) in [
        (
            Client::Opencode,
            r#"{"type":"text","sessionID":"ses_1","part":{"messageID":"m1","text":"TEXT"}}"#,
            r#"{"type":"step_finish","sessionID":"ses_1","part":{"messageID":"m1","reason":"stop"}}"#,
        ),
        (
            Client::Gemini,
            r#"{"type":"message","role":"assistant","content":"TEXT","delta":true}"#,
            r#"{"type":"result","status":"success"}"#,
        ),
    ] {
        let said = |text| said.replace("TEXT", text);
        let lines =
            [&said("a k3y-of"), &said("-the-eels z"), end].map(|line| format!("echo '{line}'"));
        let fake = Fake::new(client, &lines.join("\n"));
        let context = AgentContext {
            redactor: Redactor::new(["k3y-of-the-eels"]),
            ..fake.context()
        };
        let answer = fake.review_in(context, None).await.unwrap();
        assert_eq!(text(answer), "a [redacted] z", "{client}");
        let whole = r#"{"content":"a [redacted] z","type":"message"}"#;
        let log = &fake.project.logs()["review.review-2.1-1.stdout"];
        assert_eq!(*log, format!("{whole}\n{end}\n"), "{client}");
    }
}

#[tokio::test]
async fn the_answer_of_an_applier_is_its_report() {
    for client in Client::ALL {
        let script = format!(
            "echo more >> specs/DEMO.md\n{}",
            play(client, "review-pass")
        );
        let fake = Fake::new(client, &script);
        let report = fake.apply().await.unwrap();
        assert_eq!(String::from_utf8(report.text).unwrap(), REVIEW_PASS);
        assert!(report.out_of_scope.is_empty(), "{client}");
        assert_eq!(report.by.prompt.as_deref(), Some("apply/v5 applier/v1"));
        assert!(
            report.session.is_some() && report.usage.is_some(),
            "{client}"
        );
        assert_eq!(fake.project.read("specs/DEMO.md"), "# Demo\nmore\n");
    }
}

#[tokio::test]
async fn the_role_decides_what_a_client_may_do() {
    for (client, reviewer, applier, implementer) in [
        (Client::Claude, "Read,Grep,Glob", "acceptEdits", "Bash"),
        (
            Client::Codex,
            "read-only",
            "workspace-write",
            "workspace-write",
        ),
        (Client::Gemini, "default", "auto_edit", "yolo"),
        (
            Client::Opencode,
            "qualitative-reviewer",
            "feedback-applier",
            "task-implementer",
        ),
    ] {
        let fake = Fake::new(client, &play(client, "review-pass"));
        fake.review().await.unwrap();
        assert!(fake.args().contains(&reviewer.to_owned()), "{client}");
        assert!(!fake.args().contains(&applier.to_owned()), "{client}");
        fake.apply().await.unwrap();
        assert!(fake.args().contains(&applier.to_owned()), "{client}");
        assert!(!fake.args().contains(&reviewer.to_owned()), "{client}");
        fake.implement().await.unwrap();
        assert!(fake.args().contains(&implementer.to_owned()), "{client}");
        assert!(!fake.args().contains(&reviewer.to_owned()), "{client}");
    }
}

#[tokio::test]
async fn the_model_that_is_asked_for_is_named() {
    for (client, option) in [
        (Client::Claude, "--model"),
        (Client::Codex, "-m"),
        (Client::Gemini, "-m"),
        (Client::Opencode, "--model"),
    ] {
        let fake = Fake::new(client, &play(client, "review-pass"));
        fake.review().await.unwrap();
        assert!(!fake.args().contains(&option.to_owned()), "{client}");
        let answer = fake.review_in(fake.context(), Some("a/b:c")).await.unwrap();
        let args = fake.args();
        let pair = args.windows(2).find(|pair| pair[0] == option).unwrap();
        assert_eq!(pair[1], "a/b:c", "{client}");
        assert_eq!(answer.by.model.as_deref(), Some("a/b:c"), "{client}");
    }
}

#[tokio::test]
async fn sessions_are_named_by_the_request_and_titles_by_run_and_step() {
    let fake = Fake::new(Client::Claude, &play(Client::Claude, "review-pass"));
    fake.review().await.unwrap();
    let args = fake.args();
    let at = args.iter().position(|arg| arg == "--session-id").unwrap();
    assert_eq!(args[at + 1], "5e55");
    let fake = Fake::new(Client::Opencode, &play(Client::Opencode, "review-pass"));
    fake.review().await.unwrap();
    assert_eq!(fake.args().last().unwrap(), "ralph run-1 review/review-2.1");
}

#[tokio::test]
async fn a_schema_is_an_argument_of_claude_and_a_file_of_codex() {
    let is_schema = |text: &str| {
        let schema: Json = serde_json::from_str(text).unwrap();
        assert_eq!(schema["required"][4], "verdict");
        assert_eq!(schema["properties"]["score"]["required"][0], "architecture");
    };
    let fake = Fake::new(Client::Claude, &play(Client::Claude, "review-pass"));
    fake.review().await.unwrap();
    let args = fake.args();
    let at = args.iter().position(|arg| arg == "--json-schema").unwrap();
    is_schema(&args[at + 1]);
    let fake = Fake::new(Client::Codex, &play(Client::Codex, "review-pass"));
    fake.review().await.unwrap();
    let args = fake.args();
    let at = args
        .iter()
        .position(|arg| arg == "--output-schema")
        .unwrap();
    is_schema(&std::fs::read_to_string(&args[at + 1]).unwrap());
}

#[tokio::test]
async fn the_artifact_comes_on_standard_input_and_nowhere_else() {
    for client in Client::ALL {
        let fake = Fake::new(client, &play(client, "review-pass"));
        fake.project.write("specs/DEMO.md", MARK);
        fake.review().await.unwrap();
        assert!(fake.given("stdin").contains(MARK), "{client}");
        assert!(!fake.given("args").contains("hovercraft"), "{client}");
        assert!(!fake.given("env").contains("hovercraft"), "{client}");
        fake.apply().await.unwrap();
        assert!(fake.given("stdin").contains("is empty"), "{client}");
        assert!(!fake.given("args").contains("is empty"), "{client}");
        assert!(!fake.given("env").contains("is empty"), "{client}");
    }
}

#[tokio::test]
async fn a_client_sees_the_listed_variables_its_own_and_no_other() {
    let all = [
        "ANTHROPIC_API_KEY",
        "CODEX_HOME",
        "GEMINI_API_KEY",
        "OPENROUTER_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "OPENCODE_PERMISSION",
    ];
    for (client, own) in [
        (Client::Claude, &["ANTHROPIC_API_KEY"] as &[&str]),
        (Client::Codex, &["CODEX_HOME"]),
        (Client::Gemini, &["GEMINI_API_KEY"]),
        (
            Client::Opencode,
            &["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
        ),
    ] {
        let fake = Fake::new(client, &play(client, "review-pass"));
        let mut context = fake.context();
        context
            .env
            .extend(environment(&all.map(|name| (name, "v"))));
        fake.review_in(context, None).await.unwrap();
        let seen = fake.given("env");
        let seen: Vec<_> = all
            .into_iter()
            .filter(|name| seen.lines().any(|line| line == format!("{name}=v")))
            .collect();
        assert_eq!(seen, own, "{client}");
    }
}

#[tokio::test]
async fn a_client_finds_its_folders_and_its_way_to_the_network() {
    let own = [
        "ALL_PROXY",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NODE_EXTRA_CA_CERTS",
        "NO_PROXY",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "all_proxy",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    ];
    let others = ["FTP_PROXY", "MY_XDG_HOME", "SSL_CERT"];
    for client in Client::ALL {
        let fake = Fake::new(client, &play(client, "review-pass"));
        let mut context = fake.context();
        context
            .env
            .extend(environment(&own.map(|name| (name, "v"))));
        context
            .env
            .extend(environment(&others.map(|name| (name, "v"))));
        fake.review_in(context, None).await.unwrap();
        let seen = fake.given("env");
        let mut seen: Vec<_> = seen
            .lines()
            .filter_map(|line| line.strip_suffix("=v"))
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, own, "{client}");
    }
}

#[tokio::test]
async fn a_client_is_configured_to_be_quiet_and_not_to_retry_for_long() {
    for (client, variable) in [
        (Client::Claude, "CLAUDE_CODE_MAX_RETRIES=1"),
        (Client::Gemini, "GEMINI_CLI_NO_RELAUNCH=true"),
        (Client::Opencode, "OPENCODE_DISABLE_AUTOUPDATE=1"),
    ] {
        let fake = Fake::new(client, &play(client, "review-pass"));
        fake.review().await.unwrap();
        assert!(fake.given("env").lines().any(|line| line == variable));
    }
}
