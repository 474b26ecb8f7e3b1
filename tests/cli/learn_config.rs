//! The configuration of learning, as `ralph doctor` and other commands see it.

use crate::support::TestEnvironment;

const YAML: &str = ".aiwg/agent-learning.yaml";
const VALID: &str = "version: 1.0.0\nfeedback_collection: {}\nlearning_pipeline: {}\n";

/// The state of the check of learning, and its message.
fn checked(environment: &TestEnvironment) -> (String, String) {
    let ran = environment.ralph(["doctor", "--format", "json"]);
    let report = ran.json();
    let checks = report["checks"].as_array().unwrap().iter();
    let mut checks = checks.filter(|check| check["name"] == "learning");
    let check = checks.next().unwrap_or_else(|| panic!("{report:#}"));
    let text = |key: &str| check[key].as_str().unwrap().to_owned();
    (text("state"), text("message"))
}

fn told(state: &str, message: &str) -> (String, String) {
    (state.to_owned(), message.to_owned())
}

#[test]
fn the_doctor_says_by_what_is_learned() {
    let environment = TestEnvironment::new();
    let off = told("ok", "off: no table [learning] in ralph.toml");
    assert_eq!(checked(&environment), off);
    environment.write(YAML, VALID);
    assert_eq!(checked(&environment), told("ok", &format!("by {YAML}")));
    environment.write("ralph.toml", "[learning]\n");
    let both = format!("by [learning] in ralph.toml; {YAML} is not read");
    assert_eq!(checked(&environment), told("warning", &both));
}

#[test]
fn nonsense_is_refused_with_its_lines_and_pointers() {
    let environment = TestEnvironment::new();
    let text = "version: 1.0.0\nfeedback_collection:\n  storage_path: ../../etc\nlearning_pipeline:\n  analysis:\n    min_samples: -5\n    pattern_detection:\n      frequency_threshold: 7\n    clustering:\n      algorithm: dbscan\n";
    environment.write(YAML, text);
    let (state, message) = checked(&environment);
    assert_eq!(state, "error");
    let lines: Vec<_> = message
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let places = [6, 8, 10].map(|line| format!("{YAML}:{line}:"));
    assert_eq!(lines, places, "{message}");
    let pointer = "/learning_pipeline/analysis/min_samples expected an integer from 1, found -5";
    assert!(message.contains(pointer), "{message}");
    environment.write(YAML, VALID.replace("{}\nl", "{storage_path: ../../etc}\nl"));
    let outside =
        "/feedback_collection/storage_path expected a path below the root, found \"../../etc\"";
    assert!(checked(&environment).1.contains(outside));
}

#[test]
fn an_unknown_key_of_the_table_is_refused_by_each_command() {
    let environment = TestEnvironment::new();
    let table = "[learning.learning_pipeline.approval_gate]\napprovers = [\"bob\"]\n";
    environment.write("ralph.toml", table);
    for command in [&["learn", "review"][..], &["learn", "run"], &["run"]] {
        let ran = environment.ralph(command.iter().copied()).exits(2);
        let expected = "unknown key \"approval_gate\"";
        assert!(ran.stderr.contains(expected), "{command:?}: {}", ran.stderr);
    }
}

#[test]
fn a_template_that_is_not_there_is_named() {
    let environment = TestEnvironment::new();
    let text = VALID.replace(
        "learning_pipeline: {}",
        "learning_pipeline:\n  lesson_extraction:\n    template: prompts/lesson.md",
    );
    environment.write(YAML, text);
    let (state, message) = checked(&environment);
    assert_eq!(state, "error");
    assert!(message.contains("prompts/lesson.md"), "{message}");
    environment.write("prompts/lesson.md", "Write a lesson.");
    assert_eq!(checked(&environment).0, "ok");
    // The instructions themselves are no file.
    let text = environment.read(YAML);
    environment.write(YAML, text.replace("prompts/lesson.md", "Teach it."));
    assert_eq!(checked(&environment).0, "ok");
}
