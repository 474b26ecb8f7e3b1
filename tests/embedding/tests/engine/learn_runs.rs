//! What runs show of the versions of prompts that they used.

use review::NoSink;
use review_engine::learn::{AfterRun, Learned, active_prompts};
use review_engine::start;
use review_learning::measure::{Outcome, compare};
use review_process::Redactor;
use review_types::error_chain;
use serde_json::{Value as Json, json};

use crate::learn::{Learning, agent, lesson_path, now, told, version};
use crate::support::{PASS, json as value, program, read, settings};

const AGENTS: &str = "reviewer = \"cmd:judge\"\napplier = \"cmd:fix\"\n";
const LESSON: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3";
const SECOND: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b4";

/// A project whose reviewer wants one change, which the applier does not make.
fn project(toml: &str) -> Learning {
    let learning = Learning::new(toml);
    let revise = PASS.replace("\"pass\"", "\"needs_revision\"");
    let item = r#"{"section":"Goal","issue":"it is not fixed","suggestion":"fix it"}"#;
    let revise = revise.replace("[]", &format!("[{item}]"));
    let workspace = &learning.workspace;
    let spec = "# Demo\n\n## Goal\n\nA demo.\n";
    workspace.write("specs/DEMO.md", spec).unwrap();
    program(
        workspace,
        "judge",
        &format!("cat >/dev/null\necho '{revise}'"),
    );
    program(workspace, "fix", "cat >/dev/null");
    learning
}

/// What is learned from a run.
async fn run(learning: &Learning, config: &str) -> Learned {
    let project = learning.workspace.project(&NoSink).unwrap();
    let mut settings = settings(&learning.workspace, config);
    let config = learning.workspace.config("").unwrap();
    settings.prompts = active_prompts(&learning.workspace.root(), &config).unwrap();
    let ended = Box::pin(start(&project, settings)).await.unwrap();
    let after = AfterRun {
        project: &project,
        learner: &learning.learner(),
        dir: &project.state.run(&ended.run),
        redactor: &Redactor::new([""; 0]),
        operators: None,
    };
    Box::pin(after.learn()).await.unwrap()
}

/// Writes what runs showed of a version of the applier, of which the first ones erred.
fn put(learning: &Learning, version: u32, errors: usize, runs: usize) {
    let seen = |run: usize| {
        json!({
            "run": format!("r-{version}-{run}"), "task": "a", "error": run < errors,
            "quality": null, "completed": run >= errors,
        })
    };
    let since = (version > 1).then(now);
    let known = json!({
        "v": 1, "agent": "applier", "version": version, "activated_at": since,
        "watched_from": 0, "observations": (0..runs).map(seen).collect::<Vec<Json>>(),
    });
    learning
        .workspace
        .write(&path(version), &known.to_string())
        .unwrap();
}

fn path(version: u32) -> String {
    format!(".aiwg/.prompts/applier/v{version}.performance.json")
}

/// Puts a lesson into the next version of the prompt of the applier.
async fn approve(learning: &Learning, id: &str) {
    let lesson = json!({
        "id": id, "agent": "applier", "lesson_text": "Edits did harm.",
        "constraint_update": format!("Mind {id}."), "source_feedback": [],
    });
    let path = lesson_path("applier", id);
    learning
        .workspace
        .write(&path, &lesson.to_string())
        .unwrap();
    learning.approve(id).await.unwrap();
}

/// A project whose applier has a second version after 6 runs without an error, and erred
/// in 4 runs under it.
async fn degraded(toml: &str) -> Learning {
    let learning = project(toml);
    put(&learning, 1, 0, 6);
    approve(&learning, LESSON).await;
    put(&learning, 2, 4, 4);
    learning
}

const WHY: &str =
    "version 2 of the prompt of applier failed in 5 of 5 runs, earlier ones in 0 of 6 runs";

#[tokio::test]
async fn a_version_that_errs_more_often_is_rolled_back_with_its_lesson() {
    let learning = degraded("[learning]\n").await;
    run(&learning, AGENTS).await;
    assert_eq!(learning.active("applier"), (1, Some(2)));
    let note = &learning.lesson("applier", LESSON)["note"];
    assert_eq!(*note, format!("rolled back to version 1: {WHY}"));
    // The version before is not watched for what came after it.
    run(&learning, AGENTS).await;
    assert_eq!(learning.active("applier"), (1, Some(2)));
}

#[tokio::test]
async fn a_lesson_from_runs_of_a_version_goes_with_it() {
    let learning = degraded("[learning]\n").await;
    let entry = |number: usize| {
        let id = format!("0192f0c1-2d3e-7a4b-8c5d-{number:012}");
        let entry = json!({
            "id": id, "agent": "applier", "timestamp": "2026-03-01T12:00:00Z",
            "type": "review_rejection", "context": {"session": format!("r-2-{number}")},
            "details": {"error_message": "it is not fixed"},
        });
        let path = format!(".aiwg/.feedback/applier/20260301T120000Z-{id}.json");
        learning.workspace.write(&path, &entry.to_string()).unwrap();
        id
    };
    let sources = [0, 1, 2, 3].map(entry);
    let lesson = json!({
        "id": SECOND, "agent": "applier", "lesson_text": "Nothing was changed.",
        "constraint_update": "Change what the review names.",
        "source_feedback": sources,
    });
    let path = lesson_path("applier", SECOND);
    learning
        .workspace
        .write(&path, &lesson.to_string())
        .unwrap();
    run(&learning, AGENTS).await;
    assert_eq!(learning.active("applier"), (1, Some(2)));
    let lesson = learning.lesson("applier", SECOND);
    let note = "its feedback is of a version that was rolled back";
    assert_eq!(lesson["note"], note);
    assert!(lesson["rolled_back_at"].is_string(), "{lesson:#}");
}

#[tokio::test]
async fn lessons_approved_one_after_the_other_are_rolled_back_together() {
    for toml in [
        "[learning]\n",
        "[learning.prompt_evolution.approval_gate]\nrequired = false\n",
    ] {
        let learning = project(toml);
        put(&learning, 1, 0, 6);
        approve(&learning, LESSON).await;
        approve(&learning, SECOND).await;
        assert_eq!(learning.active("applier"), (3, Some(2)));
        put(&learning, 3, 4, 4);
        run(&learning, AGENTS).await;
        assert_eq!(learning.active("applier"), (1, Some(3)));
        let why = WHY.replacen('2', "3", 1);
        let both = "it is not known whether version 2 does the harm, so both are rolled back";
        for id in [LESSON, SECOND] {
            let lesson = learning.lesson("applier", id);
            assert!(lesson["rolled_back_at"].is_string(), "{lesson:#}");
            let note = format!("rolled back to version 1: {why} ({both})");
            assert_eq!(lesson["note"], note);
        }
    }
}

#[tokio::test]
async fn a_version_stays_where_the_one_before_cannot_be_used() {
    let learning = degraded("[learning]\n").await;
    let first = ".aiwg/.prompts/applier/v1.md";
    learning.workspace.write(first, "no version").unwrap();
    run(&learning, AGENTS).await;
    assert_eq!(learning.active("applier"), (2, Some(1)));
}

#[tokio::test]
async fn a_version_stays_where_rollbacks_are_switched_off_and_is_told() {
    let learning = degraded("[learning.prompt_evolution.rollback]\nenabled = false\n").await;
    run(&learning, AGENTS).await;
    assert_eq!(learning.active("applier"), (2, Some(1)));
    let stats = learning.learner().stats(&learning.state()).unwrap();
    let stats = value(&stats);
    let applier = stats["agents"].as_array().unwrap();
    let applier = applier
        .iter()
        .find(|one| one["agent"] == "applier")
        .unwrap();
    assert_eq!(applier["watch"]["is_worse"], true);
    assert_eq!(applier["versions"][1]["compared"]["outcome"], "worse");
}

#[tokio::test]
async fn a_version_that_is_used_again_is_watched_anew() {
    let learning = project("[learning]\n");
    put(&learning, 1, 2, 20);
    let since = "2026-03-01T12:00:00Z";
    let active = json!({"v": 1, "version": 1, "since": since, "previous": 2});
    let file = ".aiwg/.prompts/applier/active.json";
    learning.workspace.write(file, &active.to_string()).unwrap();
    run(&learning, AGENTS).await;
    let known: Json = serde_json::from_str(&read(&learning.workspace, &path(1))).unwrap();
    assert_eq!(
        (&known["activated_at"], &known["watched_from"]),
        (&json!(since), &json!(20))
    );
    assert_eq!(known["observations"].as_array().map(Vec::len), Some(21));
}

#[tokio::test]
async fn nothing_is_noted_of_the_embedded_rules() {
    let learning = project("[learning]\n");
    run(&learning, "reviewer = \"builtin\"\napplier = \"cmd:fix\"\n").await;
    let noted = learning.workspace.root().join(".aiwg/.prompts/reviewer");
    assert!(!noted.exists());
}

#[test]
fn without_runs_there_is_nothing_to_tell_of_agents() {
    let learning = Learning::new("");
    let stats = value(&learning.learner().stats(&learning.state()).unwrap());
    let expected = json!({
        "error_rate_by_agent": {}, "average_quality_by_agent": {}, "lessons_applied_count": 0,
        "prompt_versions_count": 0, "rollback_frequency": 0.0, "agents": [],
    });
    assert_eq!(stats, expected);
}

#[test]
fn versions_are_compared_if_runs_used_them_or_there_is_no_other() {
    let learning = Learning::new("");
    let learner = learning.learner();
    let of = |number| learner.performance_of(&agent("applier"), version(number));
    let (message, hint) = told(&of(2).unwrap_err());
    assert_eq!(message, "no run used version 2 of applier");
    assert_eq!(
        hint,
        "`ralph learn stats` lists the agents and their versions"
    );
    let own = of(1).unwrap();
    let own = compare(own.observations(), own.observations());
    assert_eq!(own.outcome, Outcome::NotShown);
    learning.workspace.write(&path(2), "{}").unwrap();
    let damaged = error_chain(&of(2).unwrap_err());
    assert!(damaged.contains(&path(2)), "{damaged}");
}

#[tokio::test]
async fn the_lessons_of_a_client_are_in_a_file_that_a_line_of_its_own_includes() {
    for (client, file, read_by, line) in [
        (
            "claude",
            ".claude/ralph-lessons.md",
            "CLAUDE.md",
            "@.claude/ralph-lessons.md",
        ),
        (
            "gemini",
            ".gemini/ralph-lessons.md",
            "GEMINI.md",
            "@.gemini/ralph-lessons.md",
        ),
        (
            "codex",
            ".codex/ralph-lessons.md",
            "AGENTS.md",
            "Read `.codex/ralph-lessons.md` first, and follow it.",
        ),
        (
            "opencode",
            ".opencode/ralph-lessons.md",
            "AGENTS.md",
            "Read `.opencode/ralph-lessons.md` first, and follow it.",
        ),
    ] {
        let learning = Learning::new("");
        let lesson = json!({
            "id": LESSON, "agent": client, "lesson_text": "Uploads hang without a timeout.",
            "constraint_update": "Set a timeout on each upload.", "source_feedback": [],
        });
        let path = lesson_path(client, LESSON);
        learning
            .workspace
            .write(&path, &lesson.to_string())
            .unwrap();
        learning.approve(LESSON).await.unwrap();
        let learner = learning.learner();
        let unread = learner.unread(&agent(client)).unwrap().unwrap();
        assert_eq!(
            [&unread.file, unread.read_by, &unread.line],
            [file, read_by, line]
        );
        let lessons = read(&learning.workspace, file);
        assert!(
            lessons.contains("- Set a timeout on each upload."),
            "{lessons}"
        );
    }
}
