//! The words of lessons: instructions, from the feedback, a model or a user.

use serde_json::{Value as Json, json};

use crate::learn_analyze::{analyzed, feedback};
use crate::learn_writer::{LESSON, answer, says};
use crate::scripted::{PASS, Scripted};
use crate::support::{Ran, TestEnvironment};

const CONFIG: &str = "[learning.learning_pipeline.analysis]\nmin_samples = 3\n";
const PANIC: &str = "thread 'upload::retries' (7) panicked at src/up.rs:4:5:\n\
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
fn the_lesson_of_failed_tests_says_what_failed_and_waits_for_words() {
    let project = failing(PANIC);
    let environment = &project.environment;
    let lessons = lessons(environment);
    let [lesson] = &lessons[..] else {
        panic!("one lesson: {lessons:#?}")
    };
    let failed = "upload::retries: assertion failed: upload has a timeout";
    assert_eq!(lesson["lesson_text"], failed);
    assert_eq!(lesson["needs_words"], true);
    assert_eq!(lesson.get("constraint_update"), None);
    let id = lesson["id"].as_str().unwrap();
    let error = learn(environment, &["approve", id, "--by", "ann"])
        .exits(1)
        .stderr;
    assert!(error.contains("needs words"), "{error}");
    assert!(
        error.contains(&format!("`ralph learn edit {id} --text TEXT`")),
        "{error}"
    );
    for (text, why) in [
        (
            "You forgot the timeout of uploads",
            "`constraint_update` must be an instruction",
        ),
        ("Set a timeout", "must have 20 to 1000 characters, found 13"),
        (
            "Consider a timeout on each upload",
            "contains \"consider\", which is not specific",
        ),
    ] {
        let edit = ["edit", id, "--by", "ann", "--text", text];
        let error = learn(environment, &edit).exits(2).stderr;
        assert!(error.contains(why), "{error}");
    }
    let edit = [
        "edit",
        id,
        "--by",
        "ann",
        "--text",
        "Set a timeout on each upload.",
    ];
    let edited = learn(environment, &edit).exits(0);
    assert!(
        edited.stdout.contains("-> Set a timeout on each upload."),
        "{}",
        edited.stdout
    );
    learn(environment, &["approve", id, "--by", "ann"]).exits(0);
    let prompt = environment
        .ralph(["prompts", "show", "applier"])
        .exits(0)
        .stdout;
    assert!(
        prompt.contains("\n- Set a timeout on each upload.\n"),
        "{prompt}"
    );
    learn(environment, &edit).exits(2);
}

#[test]
fn a_bare_exit_status_and_scores_propose_nothing() {
    let silent = failing("");
    assert_eq!(lessons(&silent.environment), Vec::<Json>::new());
    let entries = learn(&silent.environment, &["list", "--format", "json"]);
    let entries = entries.exits(0).json();
    let messages = entries["entries"].as_array().unwrap().iter();
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
fn captured_corrections_speak_in_the_words_of_the_user() {
    let environment = TestEnvironment::new();
    environment.write("ralph.toml", CONFIG);
    environment.write(".claude/agents/claude.md", "Write code.\n");
    for (number, words) in [
        "You forgot the error handling in the upload",
        "You forgot error handling in the upload again",
        "You forgot to add error handling to the upload",
    ]
    .iter()
    .enumerate()
    {
        let session = format!("s-{number}");
        let hook = |event: Json| {
            let capture = environment.command(["corrections", "capture"]);
            capture.stdin(event.to_string()).run().exits(0);
        };
        let file = environment.write(format!("src/m{number}.py"), "pass\n");
        hook(json!({
            "session_id": session, "cwd": environment.root(), "hook_event_name": "PostToolUse",
            "tool_name": "Write", "tool_input": {"file_path": file},
        }));
        hook(json!({
            "session_id": session, "cwd": environment.root(),
            "hook_event_name": "UserPromptSubmit", "prompt": words,
        }));
    }
    learn(&environment, &["collect"]).exits(0);
    let list = learn(&environment, &["list"]).exits(0).stdout;
    let said = "the user said of src/m0.py: You forgot the error handling in the upload";
    assert!(list.contains(said), "{list}");
    learn(&environment, &["analyze"]).exits(0);
    let lessons = lessons(&environment);
    let text = lessons[0]["lesson_text"].as_str().unwrap();
    assert!(text.starts_with("the user said of src/m"), "{text}");
    assert_eq!(lessons[0]["needs_words"], true);
    let shown = learn(&environment, &["review"]).exits(0).stdout;
    assert!(shown.contains("the lesson needs words"), "{shown}");
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
    assert_eq!(lessons[0].get("needs_words"), None);
    assert!(
        lessons[0]["written_by"]
            .as_str()
            .unwrap()
            .starts_with("cmd ")
    );
}

#[test]
fn a_model_words_what_was_proposed_without_one() {
    let environment = TestEnvironment::new();
    feedback(&environment, "applier", 9);
    let quoted = &analyzed(&environment, &[])[0]["proposed"][0];
    assert_eq!(quoted["constraint_update"], "Set a timeout on the upload");
    let cites = [crate::learn_analyze::id(0)];
    environment.program(
        "sage",
        &format!("cat >/dev/null\n{}", says(&answer(&cites))),
    );
    let applier = &analyzed(&environment, &["--reviewer-cmd", "sage"])[0];
    assert_eq!(applier["writing"]["calls"], 1);
    let raised = &applier["raised"][0];
    assert_eq!(
        (&raised["id"], &raised["lesson_text"]),
        (&quoted["id"], &json!(LESSON))
    );
    let again = &analyzed(&environment, &["--reviewer-cmd", "sage"])[0];
    assert_eq!(again["writing"]["calls"], 0, "it is worded already");
}
