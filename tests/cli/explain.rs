//! `ralph explain`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::scripted::{SPEC, Scripted};
use crate::support::TestEnvironment;

#[test]
fn a_rule_is_found_by_code_and_by_name_in_any_case() {
    let environment = TestEnvironment::new();
    let by_code = environment.ralph(["explain", "B3"]).exits(0).stdout;
    assert!(
        by_code.starts_with("B3 filter-selects-nothing\nerror, testability, unsafe fix\n\n"),
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
            "not_passed and exits with 1",
        ),
        (
            "artifact_changed",
            "Another program changed the artifact during the run.",
            "exits with 2",
        ),
        (
            "run_time",
            "The run's time is used up.",
            "limit and exits with 5",
        ),
        ("hung", "A limit of the call ran out.", "--idle-timeout"),
        (
            "issue.vague",
            "An issue is vague: it uses a phrase that leaves open what is wrong.",
            "observable effect",
        ),
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
    for kind in [
        "skipped\nThe state of a task after its turn\n\n",
        "skipped\nWhat becomes of a claim in the gate\n\n",
        "skipped\nThe result of a test that a task lists\n\n",
    ] {
        assert!(text.contains(kind), "{kind}: {text}");
    }
    let kinds: Vec<_> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["kind"])
        .collect();
    assert_eq!(kinds, ["block_code", "agent_outcome"]);
}

#[test]
fn without_a_word_there_is_an_overview_of_all_words() {
    let environment = TestEnvironment::new();
    let list = environment.ralph(["explain"]).exits(0).stdout;
    for part in [
        "Rules of the embedded reviewer\n  45 codes: `ralph explain rules`\n",
        "\nOutcomes: how a run ends\n  passed not_passed no_verdict limit",
        "\nCriteria: what scores are about\n  completeness consistency testability architecture\n",
        "\n`ralph explain NAME` explains one of them, `ralph explain GROUP` lists a group:\n",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
    assert!(list.lines().count() <= 80, "{list}");
    let json = environment
        .ralph(["explain", "--format", "json"])
        .exits(0)
        .json();
    let entries = json["entries"].as_array().unwrap();
    let count = |kind: &str| entries.iter().filter(|entry| entry["kind"] == kind).count();
    assert_eq!(count("exit_code"), 10);
    assert_eq!(count("block_code"), 27);
    assert_eq!(count("agent_outcome"), 18);
    assert_eq!(count("task_state"), 12);
    for entry in entries {
        let is_large = entry["kind"] == "rule" || entry["kind"] == "diagnostic";
        let mut words = list.split_whitespace();
        let code = entry["code"].as_str().unwrap();
        assert!(is_large || words.any(|word| word == code), "{code}");
    }
}

#[test]
fn a_group_is_listed_with_a_line_for_each_word() {
    let environment = TestEnvironment::new();
    let list = environment.ralph(["explain", "criteria"]).exits(0).stdout;
    let lines: Vec<_> = list.lines().collect();
    assert_eq!(lines[0], "Criteria: what scores are about");
    assert_eq!(lines.len(), 5);
    let rules = environment.ralph(["explain", "rules"]).exits(0).stdout;
    assert!(rules.contains("\n  B3   filter-selects-nothing"), "{rules}");
}

/// The words of the closed lists in a JSON Schema.
fn words_of(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            let word = fields.get("const").and_then(Value::as_str);
            words.extend(word.map(str::to_owned));
            fields.values().for_each(|value| words_of(value, words));
        }
        Value::Array(values) => values.iter().for_each(|value| words_of(value, words)),
        _ => {}
    }
}

#[test]
fn every_word_of_a_report_is_explained() {
    let environment = TestEnvironment::new();
    let mut words = BTreeSet::new();
    for report in ["run", "gate", "lint", "finding"] {
        let schema = environment.ralph(["schema", report]).exits(0).json();
        words_of(&schema, &mut words);
    }
    for word in [
        "passed",
        "completeness",
        "recorded",
        "needs_revision",
        "open",
        "unsafe",
    ] {
        assert!(words.contains(word), "{word}");
    }
    let others = [
        "backpressure",
        "cached",
        "claim",
        "unit",
        "round",
        "blocked",
        "pass",
        "builtin",
        "kept",
        "restored",
        "unchanged",
        "applying",
        "running",
    ];
    words.extend(others.map(str::to_owned));
    for word in words {
        let ran = environment.ralph(["explain", &word]);
        assert!(
            ran.exits(0).stdout.starts_with(&format!("{word}\n")),
            "{word}"
        );
    }
}

/// The single words that a screen sets apart by a style.
fn styled(shown: &str) -> Vec<&str> {
    let is_word = |word: &&str| {
        let mut letters = word.bytes();
        !word.is_empty() && letters.all(|letter| letter.is_ascii_lowercase() || letter == b'_')
    };
    let parts = shown.split("\u{1b}[").skip(1);
    let parts = parts.filter_map(|part| part.split_once('m'));
    let styled = parts.filter(|(style, _)| *style != "0");
    styled
        .map(|(_, text)| text.trim())
        .filter(is_word)
        .collect()
}

#[test]
fn every_word_that_a_screen_sets_apart_is_explained() {
    let project = Scripted::working();
    let mut seen = BTreeSet::new();
    let mut show = |words: &[&str]| {
        let ran = project
            .environment
            .ralph([words, &["--color", "always"]].concat());
        for shown in [&ran.stdout, &ran.stderr] {
            seen.extend(styled(shown).into_iter().map(str::to_owned));
        }
    };
    let run = ["run", "--reviewer-cmd", "judge", "--applier-cmd", "fix"];
    show(&["status"]);
    show(&["doctor"]);
    show(&["gate", "--offline"]);
    show(&[&run[..], &["--max-iterations", "1"]].concat());
    show(&["findings", "list", "latest"]);
    show(&["clean"]);
    project.write("specs/DEMO.md", "# Demo\n\n## Goal\n\nfixed\nA demo.\n");
    show(&["resume", "latest", "--max-iterations", "5"]);
    show(&["status"]);
    show(&["report", "latest"]);
    show(&["report"]);
    show(&["gate"]);
    show(&["lint"]);
    show(&["init"]);
    project.applier("exit 1");
    project.write("specs/DEMO.md", SPEC);
    show(&run);
    project.reviewer("exit 1");
    show(&run);
    project.reviewer("echo nothing");
    show(&run);
    show(&["clean", "--runs-older-than", "0s"]);
    for word in ["passed", "resumed", "reviewed", "removed", "malformed"] {
        assert!(seen.contains(word), "{word}: {seen:?}");
    }
    let environment = &project.environment;
    let is_unknown = |word: &String| environment.ralph(["explain", word]).code != 0;
    let unknown: Vec<_> = seen.into_iter().filter(is_unknown).collect();
    assert_eq!(unknown, [""; 0]);
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
fn the_rules_are_a_page_in_markdown() {
    let environment = TestEnvironment::new();
    let explain = |word: &str| {
        let ran = environment.ralph(["explain", word, "--format", "markdown"]);
        ran.exits(0).stdout
    };
    let page = explain("ALL");
    let head = "# Rules of the embedded reviewer\n\n\
                | code | name | severity | criterion | fix | finds |\n\
                |---|---|---|---|---|---|\n\
                | [G1](#g1-duplicate-task-number) | `duplicate-task-number` | error | consistency |  | ";
    assert!(page.starts_with(head), "{page}");
    for part in [
        "| [S3](#s3-unclosed-fence) | `unclosed-fence` | error | consistency | safe or unsafe | ",
        "\n## B3 filter-selects-nothing\n\n*error, testability, unsafe fix*\n\n",
        "\n### Why is this bad\n",
        "on with `lint.profile = \"ears\"`*\n",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let alone = explain("unclosed-fence");
    assert!(alone.starts_with("# S3 unclosed-fence\n\n*error, consistency, safe or unsafe fix*\n"));
    assert!(alone.contains("\n## Example\n"), "{alone}");
    let code = explain("3");
    assert!(code.starts_with("# 3\n\nNo verdict.\n\n"), "{code}");
    let ran = environment.ralph(["explain", "--format", "markdown"]);
    let all = ran.exits(0).stdout;
    assert!(all.starts_with(&page) && all.contains("\n# Exit codes\n\n## 0\n"));
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
            "profile": "default",
        })
    );
}
