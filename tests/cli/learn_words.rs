//! The words of lessons: instructions, from the feedback, a model or a user.

use serde_json::{Value as Json, json};

use crate::learn_analyze::{analyzed, feedback, worded};
use crate::learn_collect::entries;
use crate::learn_writer::{LESSON, answer, says};
use crate::scripted::{PASS, Scripted};
use crate::support::{Ran, TestEnvironment};

const CONFIG: &str = "[learning.learning_pipeline.analysis]\nmin_samples = 3\n";
const PANIC: &str = "thread 'upload::retries' panicked at src/up.rs:4:5:\n\
                     assertion failed: upload has a timeout";

fn lessons(environment: &TestEnvironment) -> Vec<Json> {
    let report = environment.ralph(["learn", "review", "--format", "json"]);
    let report = report.exits(0).json();
    let proposals = report["proposals"].as_array().unwrap();
    proposals.iter().map(|one| one["lesson"].clone()).collect()
}

fn learn(environment: &TestEnvironment, arguments: &[&str]) -> Ran {
    environment.ralph([&["learn"], arguments].concat())
}

/// A project whose task fails with these words on standard error in three runs.
fn failing(words: &str) -> Scripted {
    let project = Scripted::new(&["cat \"$HOME/words\" >&2; exit 1"]);
    std::fs::write(project.outside("words"), words).unwrap();
    project.write("ralph.toml", CONFIG);
    project.reviewer(&format!("cat >/dev/null; echo '{PASS}'"));
    for _ in 0..3 {
        project.run(&[]).run().exits(1);
    }
    project
}

#[test]
fn failed_tests_wait_for_words_with_what_failed() {
    let project = failing(PANIC);
    let environment = &project.environment;
    assert_eq!(lessons(environment), Vec::<Json>::new());
    let listed = learn(environment, &["show", "--format", "json"]).exits(0);
    let waiting = listed.json()["waiting"][0].clone();
    let failed = "thread 'upload::retries' panicked at src/up.rs:4:5:; assertion failed: \
                  upload has a timeout";
    assert_eq!(
        waiting["quotes"],
        json!([failed]),
        "what is the same is quoted once"
    );
    let id = waiting["id"].as_str().unwrap();
    learn(environment, &["decide", id, "--approve", "--by", "ann"]).exits(2);
    for (text, why) in [
        ("Lint!", "`text` must have 8 to 300 characters, found 5"),
        (
            "It could be better",
            "contains \"could be better\", which is not specific",
        ),
    ] {
        let edit = ["decide", id, "--by", "ann", "--text", text];
        let error = learn(environment, &edit).exits(2).stderr;
        assert!(error.contains(why), "{error}");
    }
    let text = "Lint before each commit with the project's rules";
    let edit = ["decide", id, "--by", "ann", "--text", text];
    let edited = learn(environment, &edit).exits(0).stdout;
    assert!(edited.contains(&format!("-> {text}\n")), "{edited}");
    let again = "Schreibe f\u{fc}r jeden Upload die Frist auf";
    let edit = ["decide", id, "--by", "ann", "--text", again];
    learn(environment, &edit).exits(0);
    learn(environment, &["decide", id, "--approve", "--by", "ann"]).exits(0);
    let prompt = environment.ralph(["prompts", "applier"]).exits(0).stdout;
    assert!(prompt.contains(&format!("\n- {again}\n")), "{prompt}");
    learn(environment, &edit).exits(2);
}

#[test]
fn a_bare_exit_status_and_scores_propose_nothing() {
    let silent = failing("");
    assert_eq!(lessons(&silent.environment), Vec::<Json>::new());
    let entries = entries(&silent.environment);
    let messages = entries.iter();
    let messages: Vec<_> = messages
        .map(|one| &one["details"]["error_message"])
        .collect();
    assert_eq!(messages, ["exit status 1"; 3]);

    let environment = TestEnvironment::new();
    environment.write(
        "ralph.toml",
        "[learning]\nfeedback_collection.retention.max_age_days = 100000\n",
    );
    for number in 0..6 {
        let id = format!("0192f0c1-2d3e-7a4b-8c5d-{number:012}");
        let entry = json!({
            "id": &id, "agent": "applier", "type": "quality_score", "severity": "high",
            "timestamp": "2026-03-01T12:00:00Z", "context": {"session": format!("r-{number}")},
            "details": {"error_message": "completeness is below its minimum"},
        });
        let file = format!(".aiwg/.feedback/applier/20260301T120000Z-{id}.json");
        environment.write(file, entry.to_string());
    }
    let applier = &analyzed(&environment, &[])[0];
    assert_eq!(
        (&applier["entries"], &applier["proposed"]),
        (&json!(6), &json!([]))
    );
}

#[test]
fn captured_corrections_of_a_common_pattern_have_its_lesson() {
    let environment = TestEnvironment::new();
    environment.write("ralph.toml", CONFIG);
    environment.write(".claude/agents/claude.md", "Write code.\n");
    for (session, words) in [
        "This is overkill, please make it a plain loop",
        "too complex, keep it simple please",
        "That's way too complicated for a date check",
        "You overcomplicated the upload",
        "keep it simple: one function is enough",
    ]
    .iter()
    .enumerate()
    {
        said(&environment, session, words);
    }
    learn(&environment, &["run"]).exits(0);
    let list = learn(&environment, &["show", "claude"]).exits(0).stdout;
    let said = "the user said about src/m0.py: This is overkill, please make it a plain loop";
    assert!(list.contains(said), "{list}");
    let lessons = lessons(&environment);
    let [lesson] = &lessons[..] else {
        panic!("one lesson: {lessons:#?}")
    };
    let instruction = "Prefer the simplest solution that meets the request.";
    assert_eq!(lesson["constraint_update"], instruction);
    assert_eq!(lesson["pattern"], "overly-complex-solution");
    assert_eq!(lesson["source_feedback"].as_array().map(Vec::len), Some(5));
    let status = learn(&environment, &[]).exits(0).stdout;
    assert!(
        status.ends_with("next:\ndecide on what is proposed:\nralph learn review\n"),
        "{status}"
    );
}

/// A comment of the user on a file, in a session that the agent wrote it in.
fn said(environment: &TestEnvironment, session: usize, words: &str) {
    let hook = |event: Json| {
        let capture = environment.command(["corrections", "capture"]);
        capture.stdin(event.to_string()).run().exits(0);
    };
    let file = environment.write(format!("src/m{session}.py"), "pass\n");
    hook(json!({
        "session_id": format!("s-{session}"), "cwd": environment.root(),
        "hook_event_name": "PostToolUse",
        "tool_name": "Write", "tool_input": {"file_path": file},
    }));
    hook(json!({
        "session_id": format!("s-{session}"), "cwd": environment.root(),
        "hook_event_name": "UserPromptSubmit", "prompt": words,
    }));
}

#[test]
fn a_model_words_lessons_when_a_run_proposes_them() {
    let project = Scripted::new(&["cat \"$HOME/words\" >&2; exit 1"]);
    std::fs::write(project.outside("words"), PANIC).unwrap();
    project.write("ralph.toml", CONFIG);
    let lesson = json!({
        "lesson_text": LESSON, "constraint_update": "Set a timeout on every upload.", "cites": ["ID"],
    });
    // The reviewer cites the first entry that it is shown.
    let script = format!(
        "asked=$(cat)\ncase \"$asked\" in\n*constraint_update*)\n\
         id=$(printf '%s' \"$asked\" | grep -o '\"id\": *\"[^\"]*\"' | head -1 | cut -d'\"' -f4)\n\
         echo '{lesson}' | sed \"s/ID/$id/\";;\n*) echo '{PASS}';;\nesac"
    );
    project.reviewer(&script);
    for _ in 0..3 {
        project.run(&[]).run().exits(1);
    }
    let lessons = lessons(&project.environment);
    assert_eq!(lessons[0]["lesson_text"], LESSON, "{lessons:#?}");
    assert!(
        lessons[0]["written_by"]
            .as_str()
            .unwrap()
            .starts_with("cmd ")
    );
}

#[test]
fn a_model_words_what_waited_without_one() {
    let environment = TestEnvironment::new();
    feedback(&environment, "applier", 9);
    let waiting = &analyzed(&environment, &[])[0]["waiting"][0];
    let cites = [crate::learn_analyze::id(0)];
    environment.program(
        "sage",
        &format!("cat >/dev/null\n{}", says(&answer(&cites))),
    );
    let applier = &analyzed(&environment, &["--reviewer", "cmd:sage"])[0];
    assert_eq!(applier["writing"]["calls"], 1);
    let lesson = &applier["proposed"][0];
    assert_eq!(
        (&lesson["id"], &lesson["lesson_text"]),
        (&waiting["id"], &json!(LESSON))
    );
    let again = &analyzed(&environment, &["--reviewer", "cmd:sage"])[0];
    assert_eq!(again["writing"]["calls"], 0, "it is worded already");
}

#[test]
fn learn_alone_says_where_things_stand_and_what_to_do_next() {
    let environment = TestEnvironment::new();
    let status = || environment.ralph(["learn"]).exits(0).stdout;
    let off = "learning is off here; 0 corrections noticed so far\n\
               next:\nadd an empty table [learning] to ralph.toml\n";
    assert_eq!(status(), off);
    feedback(&environment, "applier", 9);
    let text = status();
    assert!(
        text.starts_with("0 corrections, 9 entries of feedback, 0 lessons\n"),
        "{text}"
    );
    let group = text.lines().nth(1).unwrap();
    assert!(
        group.ends_with("  needs words  applier  5 entries"),
        "{text}"
    );
    let next = format!(
        "next:\nword what the feedback asks for: `ralph learn decide {} --text TEXT`\n",
        &group[..8]
    );
    assert!(text.ends_with(&next), "{text}");
    worded(&environment, "Set a timeout on each upload.");
    let text = status();
    assert!(
        text.ends_with("next:\ndecide on what is proposed:\nralph learn review\n"),
        "{text}"
    );
    let lesson = lessons(&environment)[0].clone();
    let id = lesson["id"].as_str().unwrap();
    let line = |state: &str| format!("{}  {state:<11}  applier", &id[..8]);
    let list = || learn(&environment, &["show"]).exits(0).stdout;
    assert!(list().starts_with(&line("proposed")), "{}", list());
    learn(
        &environment,
        &["decide", id, "--by", "ann", "--until", "2999-01-01"],
    )
    .exits(0);
    assert!(list().starts_with(&line("deferred")), "{}", list());
    assert!(list().contains(" until 2999-01-01T00:00:00Z"), "{}", list());
    learn(&environment, &["decide", id, "--approve", "--by", "ann"]).exits(0);
    let json = learn(&environment, &["show", "--format", "json"]);
    let json = json.exits(0).json();
    assert_eq!(json["lessons"][0]["state"], "applied");
    assert_eq!(json["lessons"][0]["lesson"]["id"], id);
    let next = "lessons are proposed once an agent has 5 entries, several of them \
                about the same\n";
    assert!(status().ends_with(next), "{}", status());
}

#[test]
fn findings_keep_the_severity_of_their_reviewer() {
    let project = Scripted::new(&["true"]);
    project.write("ralph.toml", "[learning]\n");
    let item = |section: &str, severity: &str| {
        json!({"section": section, "severity": severity, "issue": "The token is written to the log.",
               "suggestion": "Mask the token before it is logged."})
    };
    let with_aspect = |section: &str, aspect: &str| {
        let mut item = item(section, "major");
        item["aspect"] = json!(aspect);
        item["issue"] = json!(format!("The {section} leaves the token in a file."));
        item
    };
    let answer = json!({
        "verdict": "needs_revision",
        "score": {"completeness": 90, "consistency": 90, "testability": 90, "architecture": 90},
        "feedback": [
            item("API security", "critical"), item("Data", "minor"),
            with_aspect("Login", "security"), with_aspect("Security", "clarity"),
        ],
    });
    project.reviewer(&format!("cat >/dev/null; echo '{answer}'"));
    project.applier("cat >/dev/null; echo more >> \"$RALPH_SPEC\"");
    project.run(&["--max-iterations", "1"]).run().exits(1);
    let entries = entries(&project.environment);
    let mut found: Vec<_> = entries
        .iter()
        .map(|one| (&one["type"], &one["severity"]))
        .collect();
    found.sort_by_key(|(feedback_type, severity)| format!("{feedback_type} {severity}"));
    let expected = [
        (&json!("review_rejection"), &json!("high")),
        (&json!("review_rejection"), &json!("medium")),
        (&json!("security_finding"), &json!("critical")),
        (&json!("security_finding"), &json!("high")),
    ];
    assert_eq!(found, expected);
}
