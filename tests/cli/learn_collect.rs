//! What runs collect by themselves, and what `ralph learn run` collects.

use std::io::Seek;

use serde_json::{Value, json};

use crate::scripted::{PASS, REVISE, Scripted, fixing};
use crate::support::TestEnvironment;

const YAML: &str = ".aiwg/agent-learning.yaml";
const VALID: &str = "version: 1.0.0\nfeedback_collection: {}\nlearning_pipeline: {}\n";
const FOLDER: &str = ".aiwg/.feedback";

/// A project that learns, whose reviewer wants one change and then is content,
/// and whose only task fails.
fn learning(config: &str) -> Scripted {
    let project = Scripted::new(&["echo the otter is hungry; exit 7"]);
    project.write(YAML, config);
    project.reviewer(&format!(
        "if [ $RALPH_ITERATION = 1 ]; then echo '{REVISE}'; else echo '{PASS}'; fi"
    ));
    project.applier(&fixing("", ""));
    project
}

/// The entries that are kept, oldest first.
pub(crate) fn entries(environment: &TestEnvironment) -> Vec<Value> {
    let files = environment.files(FOLDER).into_iter();
    let files = files.filter(|path| path.ends_with(".json"));
    let mut entries: Vec<Value> = files
        .map(|path| serde_json::from_str(&environment.read(&path)).unwrap())
        .collect();
    entries.sort_by_key(|entry| entry["timestamp"].to_string());
    entries
}

/// What `ralph learn run` collected.
fn collected(environment: &TestEnvironment) -> Value {
    let ran = environment.ralph(["learn", "run", "--format", "json"]);
    ran.exits(0).json()["collected"].take()
}

/// The types of entries, sorted: entries of the same time come in the order of their
/// ids, which are made of that of the run.
fn types(entries: &[Value]) -> Vec<&str> {
    let types = entries.iter().map(|entry| entry["type"].as_str().unwrap());
    let mut types: Vec<_> = types.collect();
    types.sort_unstable();
    types
}

fn of_type<'e>(entries: &'e [Value], word: &str) -> &'e Value {
    let mut entries = entries.iter();
    entries.find(|entry| entry["type"] == word).unwrap()
}

#[test]
fn a_run_collects_its_feedback_by_the_steps_of_the_protocol() {
    let project = learning(VALID);
    let ran = project.run(&[]).run().exits(1);
    assert!(
        ran.stderr.contains("3 entries of feedback collected"),
        "{}",
        ran.stderr
    );
    let environment = &project.environment;
    let found = entries(environment);
    assert_eq!(
        types(&found),
        ["quality_score", "review_rejection", "test_failure"]
    );
    let rejection = of_type(&found, "review_rejection");
    assert_eq!(rejection["agent"], "applier");
    assert_eq!(rejection["context"]["artifact_path"], "specs/DEMO.md");
    assert_eq!(rejection["context"]["iteration"], 1);
    assert_eq!(
        rejection["details"],
        json!({"error_message": "it is not fixed", "correction": "fix it"})
    );
    assert_eq!(rejection["tags"], json!(["review_rejection", "goal"]));
    let score = of_type(&found, "quality_score");
    assert_eq!(score["severity"], "medium");
    assert_eq!(
        score["details"]["quality_scores"],
        json!({"completeness": 60.0})
    );
    let failure = of_type(&found, "test_failure");
    assert_eq!(
        (&failure["severity"], &failure["context"]["task"]),
        (&json!("high"), &json!("demo/1"))
    );
    assert!(
        failure["details"]["actual"]
            .as_str()
            .unwrap()
            .contains("the otter is hungry")
    );
    let files: Vec<_> = environment
        .files(FOLDER)
        .into_iter()
        .filter(|path| path.ends_with(".json"))
        .collect();
    assert_eq!(files.len(), 3);
    for file in files {
        let name = file.strip_prefix(".aiwg/.feedback/applier/").unwrap();
        let (timestamp, id) = name.split_once('-').unwrap();
        assert!(timestamp.len() == 16 && timestamp.ends_with('Z'), "{file}");
        let entry: Value = serde_json::from_str(&environment.read(&file)).unwrap();
        assert_eq!(id, format!("{}.json", entry["id"].as_str().unwrap()));
    }
    let journal = environment.read(".ralph-review/learning.jsonl");
    let steps: Vec<Value> = journal
        .lines()
        .take(5)
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].take())
        .collect();
    let expected = [
        "capture_context",
        "extract_details",
        "assign_severity",
        "tag_feedback",
        "store_entry",
    ];
    assert_eq!(
        steps,
        expected.map(|step| format!("learning.feedback_collection.{step}"))
    );
    assert_eq!(journal.lines().count(), 15);
    let show =
        |of: &str, format: &str| environment.ralph(["learn", "show", of, "--format", format]);
    let json = show("applier", "json").exits(0).json();
    let shown = json["entries"].as_array().unwrap();
    assert_eq!((shown.len(), &json["agent"]), (3, &json!("applier")));
    let human = show("applier", "human").exits(0).stdout;
    let line = "applier  quality_score  completeness is below its minimum\n";
    assert!(human.contains(line), "{human}");
    assert!(human.ends_with("\n3 entries\n"), "{human}");
    let id = rejection["id"].as_str().unwrap();
    let shown = show(&id[..13], "json").exits(0).json();
    assert_eq!((&shown["v"], &shown["id"]), (&json!(1), &json!(id)));
    let human = show(id, "human").exits(0).stdout;
    assert!(human.contains("  correction: fix it\n"), "{human}");
    let none = show("zz", "human").exits(2).stderr;
    let why = "no lesson, group or entry has the id \"zz\"";
    assert!(none.contains(why), "{none}");
    let again = json!({"found": 3, "added": 0, "pruned": 0, "left_out": 0, "entries": []});
    assert_eq!(collected(environment), again);
}

#[test]
fn what_was_collected_is_said_before_the_command_that_comes_next() {
    let project = learning(VALID);
    let mut both = tempfile::tempfile().unwrap();
    let state = project.outside("state").display().to_string();
    let mut command = project.run(&["--state-dir", &state]).into_std();
    command.stdout(both.try_clone().unwrap());
    command.stderr(both.try_clone().unwrap());
    assert_eq!(command.status().unwrap().code(), Some(1));
    both.rewind().unwrap();
    let said = std::io::read_to_string(both).unwrap();
    let learn = format!("`ralph learn --state-dir {state}` says what is next");
    let collected = format!("entries of feedback collected; {learn}");
    assert!(said.contains(&collected), "{said}");
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("make task 1 pass: "), "{said}");
}

#[test]
fn nothing_is_collected_without_a_configuration_or_with_no_apply() {
    let project = learning(VALID);
    project.run(&["--no-apply"]).run().exits(1);
    assert!(!project.environment.root().join(FOLDER).exists());
    project.environment.ralph(["learn", "run"]).exits(4);
    std::fs::remove_file(project.environment.root().join(YAML)).unwrap();
    project.run(&[]).run().exits(1);
    for folder in [FOLDER, ".aiwg/.prompts"] {
        assert!(!project.environment.root().join(folder).exists());
    }
    let refused = project.environment.ralph(["learn", "run"]).exits(2);
    assert!(
        refused.stderr.contains("nothing is learned here"),
        "{}",
        refused.stderr
    );
    project.write("ralph.toml", "[learning]\n");
    assert_eq!(collected(&project.environment)["added"], 3);
}

#[test]
fn a_configuration_that_is_not_valid_stops_a_run_before_it_begins() {
    let project = learning("version: 1\n");
    let ran = project.run(&[]).run().exits(2);
    assert!(
        ran.stderr.contains(".aiwg/agent-learning.yaml:1: /"),
        "{}",
        ran.stderr
    );
    assert_eq!(project.calls(), Vec::<String>::new());
}

#[test]
fn events_of_learning_follow_those_of_the_run() {
    let project = learning(VALID);
    let events = project
        .run(&["--format", "jsonl"])
        .run()
        .exits(1)
        .json_lines();
    let types: Vec<_> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    let first = types
        .iter()
        .position(|word| word.starts_with("learning."))
        .unwrap();
    assert_eq!(
        (types[first - 1], types.len() - first),
        ("run.finished", 15)
    );
    // Each line has what its schema asks for.
    let schema = project.environment.ralph(["schema", "event"]).exits(0);
    let schema = schema.json();
    let of_run = schema["$defs"]["EventType"]["oneOf"].as_array().unwrap();
    let of_learning = &schema["properties"]["type"]["anyOf"][1]["enum"];
    for event in &events {
        for member in schema["required"].as_array().unwrap() {
            assert!(event.get(member.as_str().unwrap()).is_some(), "{event}");
        }
        let is_known = of_run.iter().any(|one| one["const"] == event["type"])
            || of_learning.as_array().unwrap().contains(&event["type"]);
        assert!(is_known, "{event}");
        assert_eq!(event["run"], events[0]["run"]);
    }
}

#[test]
fn a_task_that_passed_is_not_run_again_for_what_was_learned() {
    let project = learning(VALID);
    project.task(1, "[]", "echo task >> \"$HOME/calls\"");
    project.run(&[]).run().exits(0);
    assert_eq!(entries(&project.environment).len(), 2);
    project.forget_calls();
    project.run(&["--tasks-only"]).run().exits(0);
    assert_eq!(project.calls(), Vec::<String>::new());
}

#[test]
fn what_persons_say_is_collected() {
    let project = learning(VALID);
    project.run(&["--max-iterations", "1"]).run().exits(1);
    let environment = &project.environment;
    environment
        .ralph(["guide", "latest", "Mind the otter."])
        .exits(0);
    let found = entries(environment);
    let found = of_type(&found, "human_correction");
    assert_eq!(found["agent"], "applier");
    assert_eq!(found["details"]["correction"], "Mind the otter.");
    let list = environment
        .ralph(["findings", "list", "--format", "json"])
        .exits(0)
        .json();
    let id = list["findings"][0]["id"].as_str().unwrap();
    environment
        .ralph([
            "findings",
            "waive",
            id,
            "--by",
            "ann",
            "--why",
            "It is meant so.",
        ])
        .exits(0);
    let mut found = entries(environment);
    found.retain(|entry| entry["agent"] == "reviewer");
    assert_eq!(found[0]["tags"], json!(["human_correction", "waived"]));
    assert_eq!(found[0]["details"]["error_message"], "it is not fixed");
}
