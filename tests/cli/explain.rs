//! `ralph explain`.

use crate::support::TestEnvironment;

#[test]
fn a_rule_is_found_by_code_and_by_name_in_any_case() {
    let environment = TestEnvironment::new();
    let by_code = environment.ralph(["explain", "B3"]).exits(0).stdout;
    assert!(
        by_code.starts_with("B3 filter-selects-nothing\nerror, testability\n\n"),
        "{by_code}"
    );
    assert!(by_code.contains("## Why is this bad"), "{by_code}");
    for word in ["b3", "filter-selects-nothing", "Filter-Selects-Nothing"] {
        assert_eq!(
            environment.ralph(["explain", word]).exits(0).stdout,
            by_code,
            "{word}"
        );
    }
}

#[test]
fn exit_codes_block_codes_and_outcomes_are_explained() {
    let environment = TestEnvironment::new();
    for (word, first, more) in [
        ("0", "Passed.", "says yes"),
        ("3", "No verdict.", "never a pass"),
        ("129", "Ended by SIGHUP.", "nohup"),
        ("143", "Ended by SIGTERM.", "ralph resume latest"),
        (
            "no_change",
            "The applier left the artifact as it was.",
            "Outcome `not_passed`, exit code 1.",
        ),
        (
            "artifact_changed",
            "Another program changed the artifact during the run.",
            "exit code 2.",
        ),
        (
            "run_time",
            "The run's time is used up.",
            "Outcome `limit`, exit code 5.",
        ),
        ("hung", "A limit of the call ran out.", "--idle-timeout"),
        (
            "no_tests",
            "The task's command passed and ran no test at all.",
            "proves nothing",
        ),
        (
            "tests_missing",
            "The task's command passed, and a test of its Must Pass table did not run and pass.",
            "correct it",
        ),
    ] {
        let text = environment.ralph(["explain", word]).exits(0).stdout;
        assert!(text.starts_with(&format!("{word}\n")), "{text}");
        assert!(text.contains(&format!("\n\n{first}\n")), "{text}");
        assert!(text.contains(more), "{word}: {text}");
    }
}

#[test]
fn a_word_with_two_meanings_gets_both() {
    let ran = TestEnvironment::new()
        .ralph(["explain", "rate_limited", "--format", "json"])
        .exits(0);
    let entries = ran.json()["entries"].clone();
    let text = TestEnvironment::new()
        .ralph(["explain", "skipped"])
        .exits(0)
        .stdout;
    for part in [
        "skipped\nTask states\n\n",
        "skipped\nGate claims\n\n",
        "skipped\nListed tests\n\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let groups: Vec<_> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["group"])
        .collect();
    assert_eq!(groups, ["Block codes", "Call failures"]);
}

#[test]
fn without_a_code_there_is_an_overview_of_all_codes() {
    let environment = TestEnvironment::new();
    let list = environment.ralph(["explain"]).exits(0).stdout;
    for part in [
        "Rules\n  35 codes: `ralph explain rules`\n",
        "\nRun outcomes\n  passed not_passed no_verdict limit",
        "\nCriteria\n  completeness consistency testability architecture\n",
        "\n`ralph explain CODE` explains one of them, `ralph explain GROUP` lists a group, such as block-codes.\n",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
    assert!(list.lines().count() <= 80, "{list}");
    let json = environment
        .ralph(["explain", "--format", "json"])
        .exits(0)
        .json();
    let entries = json["entries"].as_array().unwrap();
    for entry in entries {
        let mut words = list.split_whitespace();
        let code = entry["code"].as_str().unwrap();
        let is_rule = entry["group"] == "Rules";
        assert!(is_rule || words.any(|word| word == code), "{code}");
    }
}

#[test]
fn a_group_is_listed_with_a_line_for_each_code() {
    let environment = TestEnvironment::new();
    let list = environment.ralph(["explain", "criteria"]).exits(0).stdout;
    let lines: Vec<_> = list.lines().collect();
    assert_eq!(lines[0], "Criteria");
    assert_eq!(lines.len(), 5);
    let rules = environment.ralph(["explain", "rules"]).exits(0).stdout;
    assert!(rules.contains("\n  B3   filter-selects-nothing"), "{rules}");
}

#[test]
fn an_unknown_word_leads_to_near_ones() {
    let environment = TestEnvironment::new();
    let near = environment.ralph(["explain", "no_chnage"]).exits(2);
    assert_eq!(
        near.stderr,
        "error: nothing is called \"no_chnage\"\n  hint: did you mean no_change?\n"
    );
    let far = environment.ralph(["explain", "xyzzy"]).exits(2);
    assert_eq!(
        far.stderr,
        "error: nothing is called \"xyzzy\"\n  hint: `ralph explain` lists what there is\n"
    );
}

#[test]
fn a_group_of_rules_is_explained_rule_by_rule() {
    let environment = TestEnvironment::new();
    let group = environment.ralph(["explain", "g"]).exits(0).stdout;
    assert!(group.starts_with("G1 duplicate-task-number\n"), "{group}");
    assert!(group.contains("\n\nG2 self-dependency\nerror, "), "{group}");
    assert!(!group.contains("\nB1 "), "{group}");
}

#[test]
fn facts_about_a_rule_are_told_to_programs() {
    let ran = TestEnvironment::new().ralph(["explain", "S3", "--format", "json"]);
    assert_eq!(
        ran.exits(0).json()["entries"][0]["rule"],
        serde_json::json!({
            "severity": "error",
            "criterion": "consistency",
            "fixes": ["safe", "unsafe"],
        })
    );
}
