//! Corrections of a client's agent, from the hook to the file that the client reads.

use serde_json::json;

use crate::learn_collect::entries;
use crate::scripted::{PASS, Scripted};
use crate::support::TestEnvironment;

const ID: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a201";
const LESSONS: &str = ".claude/ralph-lessons.md";
const CORRECTIONS: &str = ".claude/user-corrections.jsonl";

fn proposed(agent: &str) -> TestEnvironment {
    let environment = TestEnvironment::new();
    let lesson = json!({
        "id": ID, "agent": agent, "lesson_text": "Uploads hang without a timeout.",
        "constraint_update": "Set a timeout on each upload.", "source_feedback": [],
    });
    environment.write(
        format!(".aiwg/.lessons/{agent}/{ID}.json"),
        lesson.to_string(),
    );
    environment
}

/// A correction of a user, as a line.
fn correction(day: u32) -> String {
    let line = json!({
        "date": format!("2026-11-0{day}"), "timestamp": format!("2026-11-0{day}T10:00:00Z"),
        "agent": "claude", "correction_type": "code_completeness", "source": "explicit",
        "ai_action": {"summary": "Wrote an upload without a timeout"},
        "user_correction": {"summary": "Set a timeout on each upload.", "verbatim": "no timeout!"},
    });
    format!("{line}\n")
}

#[test]
fn an_approved_lesson_is_in_a_file_that_the_client_includes() {
    let environment = proposed("claude");
    let approved = environment
        .ralph(["learn", "decide", ID, "--approve", "--by", "ann"])
        .exits(0);
    let note = "claude reads .claude/ralph-lessons.md once CLAUDE.md has the line: @.claude/ralph-lessons.md";
    assert!(approved.stderr.contains(note), "{}", approved.stderr);
    let lessons = environment.read(LESSONS);
    assert!(
        lessons.contains("\n- Set a timeout on each upload.\n"),
        "{lessons}"
    );

    environment.write("CLAUDE.md", "# Rules\n\nBe brief.");
    let init = ["init", "--hooks", "claude", "--yes"];
    let said = environment.ralph(init).exits(0).stdout;
    assert!(
        said.contains("wrote CLAUDE.md: the line `@.claude/ralph-lessons.md`"),
        "{said}"
    );
    let included = "# Rules\n\nBe brief.\n\n@.claude/ralph-lessons.md\n";
    assert_eq!(environment.read("CLAUDE.md"), included);
    environment.ralph(init).exits(0);
    assert_eq!(environment.read("CLAUDE.md"), included);

    let back = ["learn", "rollback", "claude", "--by", "ann"];
    environment.ralph(back).exits(0);
    let lessons = environment.read(LESSONS);
    assert!(!lessons.contains("timeout"), "{lessons}");
    let again = environment
        .ralph(["learn", "decide", ID, "--approve", "--by", "ann"])
        .exits(0);
    assert_eq!(again.stderr, "");
}

#[test]
fn corrections_are_collected_when_a_run_ends() {
    let project = Scripted::new(&["true"]);
    let environment = &project.environment;
    project.write(
        "ralph.toml",
        "[learning.feedback_collection.retention]\nmax_age_days = 36500\n",
    );
    project.write(CORRECTIONS, (1..=5).map(correction).collect::<String>());
    project.reviewer(&format!("cat >/dev/null; echo '{PASS}'"));
    project.run(&[]).run().exits(0);
    let mut found = entries(environment);
    found.retain(|entry| entry["agent"] == "claude");
    assert_eq!(found.len(), 5);
    let listed = environment.ralph(["learn", "show", "--format", "json"]);
    let waiting = listed.exits(0).json()["waiting"][0].clone();
    assert_eq!(
        (&waiting["agent"], &waiting["entries"]),
        (&json!("claude"), &json!(5))
    );

    let off = "[learning]\nfeedback_collection.sources = [{type = \"human_correction\", auto_collect = false}]\n";
    project.write("ralph.toml", off);
    project.write(CORRECTIONS, correction(6));
    project.run(&[]).run().exits(0);
    let found = entries(environment);
    let mut days = found
        .iter()
        .map(|entry| entry["timestamp"].as_str().unwrap());
    assert!(!days.any(|day| day.starts_with("2026-11-06")), "{found:#?}");
}

#[test]
fn a_wrong_correction_is_removed_with_its_feedback() {
    let environment = TestEnvironment::new();
    environment.write(
        "ralph.toml",
        "[learning.feedback_collection.retention]\nmax_age_days = 36500\n",
    );
    let lines = [
        correction(1),
        correction(2),
        "{\"date\": \"2025-".to_owned(),
    ]
    .concat();
    environment.write(CORRECTIONS, lines);
    let collected = environment.ralph(["learn", "run"]).exits(0);
    assert!(
        collected.stdout.contains("2 entries added\n"),
        "{collected:#?}"
    );
    let left_out = "1 line of .claude/user-corrections.jsonl left out";
    assert!(collected.stderr.contains(left_out), "{collected:#?}");
    let count = || Some(entries(&environment).len());
    assert_eq!(count(), Some(2));
    let validate = || environment.ralph(["corrections", "validate"]);
    let told = validate().exits(1).stdout;
    assert!(told.contains("ralph corrections remove 3"), "{told}");
    let removed = environment
        .ralph(["corrections", "remove", "3"])
        .exits(0)
        .stdout;
    assert_eq!(removed, "removed line 3: {\"date\": \"2025-\n");
    validate().exits(0);
    let removed = environment
        .ralph(["corrections", "remove", "1"])
        .exits(0)
        .stdout;
    let expected = "removed line 1 and the feedback that was collected from it: Set a timeout on each upload.\n";
    assert_eq!(removed, expected);
    assert_eq!(environment.read(CORRECTIONS), correction(2));
    assert_eq!(count(), Some(1));
    environment.ralph(["corrections", "remove", "7"]).exits(4);
}
