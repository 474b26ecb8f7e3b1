//! `ralph learn config check`.

use serde_json::json;

use crate::support::TestEnvironment;

const YAML: &str = ".aiwg/agent-learning.yaml";
const VALID: &str = "version: 1.0.0\nfeedback_collection: {}\nlearning_pipeline: {}\n";

#[test]
fn a_valid_file_passes_and_says_that_it_is_used() {
    let environment = TestEnvironment::new();
    let none = environment.ralph(["learn", "config", "check"]).exits(0);
    assert_eq!(
        none.stdout,
        "nothing is learned: there is no .aiwg/agent-learning.yaml, \
         and no table [learning] in ralph.toml\n"
    );
    environment.write(YAML, VALID);
    let human = environment.ralph(["learn", "config", "check"]).exits(0);
    let expected = ".aiwg/agent-learning.yaml: valid\n.aiwg/agent-learning.yaml is used\n";
    assert_eq!(human.stdout, expected);
    let json = environment
        .ralph(["learn", "config", "check", "--format", "json"])
        .exits(0)
        .json();
    let expected = json!({
        "v": 1,
        "files": [{"path": YAML, "count": 1, "valid": 1, "diagnostics": []}],
        "used": YAML,
    });
    assert_eq!(json, expected);
}

#[test]
fn nonsense_is_refused_with_line_pointer_and_fix() {
    let environment = TestEnvironment::new();
    let text = "version: 1.0.0\nfeedback_collection:\n  storage_path: ../../etc\nlearning_pipeline:\n  analysis:\n    min_samples: -5\n    pattern_detection:\n      frequency_threshold: 7\n    clustering:\n      algorithm: dbscan\n";
    environment.write("other.yaml", text);
    let ran = environment
        .ralph(["learn", "config", "check", "other.yaml", "--format", "json"])
        .exits(1)
        .json();
    let file = &ran["files"][0];
    assert_eq!((&file["count"], &file["valid"]), (&json!(1), &json!(0)));
    let told: Vec<_> = file["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["line"].as_u64().unwrap(), one["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            (3, "learning.path_outside"),
            (6, "learning.out_of_range"),
            (8, "learning.out_of_range"),
            (10, "learning.algorithm_unknown"),
        ]
    );
    assert_eq!(ran["used"], json!(null));
    let human = environment
        .ralph(["learn", "config", "check", "other.yaml"])
        .exits(1)
        .stdout;
    assert!(
        human.contains(
            "other.yaml:6: /learning_pipeline/analysis/min_samples \
             error[learning.out_of_range]: expected an integer from 1, found -5\n  fix: "
        ) && human.ends_with("other.yaml: not valid\n"),
        "{human}"
    );
    let missing = environment
        .ralph(["learn", "config", "check", "none.yaml"])
        .exits(2);
    assert!(missing.stderr.contains("cannot read none.yaml"));
}

#[test]
fn the_table_of_the_configuration_wins_over_the_file() {
    let environment = TestEnvironment::new();
    environment.write(YAML, VALID);
    environment.write("ralph.toml", "[lint]\nprofile = \"default\"\n");
    let check = ["learn", "config", "check", "--format", "json"];
    let report = environment.ralph(check).exits(0).json();
    assert_eq!(report["used"], YAML);
    environment.write(
        "ralph.toml",
        "[learning.learning_pipeline.analysis]\nmin_samples = 0\n",
    );
    let report = environment.ralph(check).exits(1).json();
    assert_eq!(report["used"], "ralph.toml");
    assert_eq!(report["files"][0]["diagnostics"][0]["line"], 2);
    let human = environment.ralph(&check[..3]).exits(1).stdout;
    let last = "ralph.toml is used; .aiwg/agent-learning.yaml is not read\n";
    assert!(human.ends_with(last), "{human}");
    let refused = environment.ralph(["config"]).exits(2).stderr;
    assert!(
        refused.contains("learning_pipeline.analysis.min_samples"),
        "{refused}"
    );
}

#[test]
fn an_unknown_key_of_the_table_is_refused_by_each_command() {
    let environment = TestEnvironment::new();
    let table = "[learning.learning_pipeline.approval_gate]\napprovers = [\"bob\"]\n";
    environment.write("ralph.toml", table);
    for command in [
        &["learn", "review"][..],
        &["learn", "apply", "applier"],
        &["run"],
    ] {
        let ran = environment.ralph(command.iter().copied()).exits(2);
        let expected = "unknown key \"approval_gate\"";
        assert!(ran.stderr.contains(expected), "{command:?}: {}", ran.stderr);
    }
}

#[test]
fn a_template_that_is_not_there_is_named_with_its_line() {
    let environment = TestEnvironment::new();
    let text = VALID.replace(
        "learning_pipeline: {}",
        "learning_pipeline:\n  lesson_extraction:\n    template: prompts/lesson.md",
    );
    environment.write(YAML, text);
    let command = ["learn", "config", "check", "--format", "json"];
    let file = environment.ralph(command).exits(1).json()["files"][0].clone();
    assert_eq!((&file["count"], &file["valid"]), (&json!(1), &json!(0)));
    let told = &file["diagnostics"][0];
    assert_eq!(
        (&told["line"], &told["code"], &told["pointer"]),
        (
            &json!(5),
            &json!("learning.template_missing"),
            &json!("/learning_pipeline/lesson_extraction/template")
        )
    );
    let why = told["message"].as_str().unwrap();
    assert!(why.contains("prompts/lesson.md"), "{why}");
    environment.write("prompts/lesson.md", "Write a lesson.");
    environment.ralph(command).exits(0);
    // The instructions themselves are no file.
    environment.write(
        YAML,
        environment
            .read(YAML)
            .replace("prompts/lesson.md", "Teach it."),
    );
    environment.ralph(command).exits(0);
}
