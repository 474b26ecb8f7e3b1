//! The words of lessons: instructions, from the feedback, a model or a user.

use serde_json::{Value as Json, json};

use crate::learn_analyze::{feedback, worded};
use crate::learn_writer::LESSON;
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
fn learn_alone_says_where_things_stand_and_what_to_do_next() {
    let environment = TestEnvironment::new();
    let status = || environment.ralph(["learn"]).exits(0).stdout;
    let off = "learning is off here; 0 corrections noticed so far\n\
               next:\nadd an empty table [learning] to ralph.toml\n";
    assert_eq!(status(), off);
    learn(&environment, &["stats"]).exits(0);
    assert!(!environment.root().join(".ralph-review").exists());
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
    let decide = |id: &str, what: &[&str]| {
        learn(
            &environment,
            &[&["decide", id, "--by", "ann"], what].concat(),
        )
    };
    decide(&group[..8], &["--approve"]).exits(2);
    let short = decide(&group[..8], &["--text", "Lint!"]).exits(2).stderr;
    let why = "`text` must have 8 to 300 characters, found 5";
    assert!(short.contains(why), "{short}");
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
    decide(id, &["--until", "2999-01-01"]).exits(0);
    assert!(list().starts_with(&line("deferred")), "{}", list());
    assert!(list().contains(" until 2999-01-01T00:00:00Z"), "{}", list());
    let other = "Set a timeout of 30 s on each upload.";
    let worded = decide(id, &["--text", other]).exits(0).stdout;
    assert!(worded.contains(&format!("  -> {other}\n")), "{worded}");
    decide(id, &["--approve"]).exits(0);
    decide(id, &["--text", other]).exits(2);
    let json = learn(&environment, &["show", "--format", "json"]);
    let json = json.exits(0).json();
    assert_eq!(json["lessons"][0]["state"], "applied");
    assert_eq!(json["lessons"][0]["lesson"]["id"], id);
    let next = "lessons are proposed once an agent has 5 entries, several of them \
                about the same\n";
    assert!(status().ends_with(next), "{}", status());
}
