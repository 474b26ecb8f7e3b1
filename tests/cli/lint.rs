//! `ralph lint`.

use serde_json::{Value, json};

use crate::support::{Ran, TestEnvironment};

const TASK: &str = "---\ntask: 1\nstatus: pending\nbackpressure: \"true\"\ndepends_on: [1]\n---\n\n# Store\n\n## Deliverables\n\nsrc/store.rs\n";

fn project() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write(
        "specs/CACHE.md",
        "# Cache\n\n## Limits\n\nThe size is TBD.\n",
    );
    environment.write("tasks/cache/01-store.md", TASK);
    environment
}

fn codes(ran: &Ran) -> Vec<String> {
    let report = ran.json();
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn specs_and_tasks_are_checked_by_default() {
    let ran = project().ralph(["lint", "--format", "json"]).exits(1);
    assert_eq!(codes(&ran), ["S2", "B2", "G2"]);
    let report = ran.json();
    assert_eq!(report["v"], 1);
    assert_eq!(report["verdict"], "needs_revision");
    assert_eq!(report["scores"]["consistency"], 71);
    assert_eq!(report["suppressed"], 0);
    assert!(report["checked"].as_array().unwrap().contains(&json!("G2")));
    let names: Vec<_> = report["findings"][2]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let expected = [
        "column",
        "criterion",
        "end_line",
        "fix",
        "heading",
        "id",
        "line",
        "message",
        "name",
        "path",
        "rule",
        "severity",
        "suggestion",
    ];
    assert_eq!(names, expected);
    let place = |name: &str| report["findings"][2][name].clone();
    assert_eq!(place("path"), "tasks/cache/01-store.md");
    assert_eq!(place("line"), 5);
    assert_eq!(place("name"), "self-dependency");
    assert_eq!(place("severity"), "error");
    assert_eq!(place("criterion"), "consistency");
}

#[test]
fn a_person_sees_the_lines_and_what_they_cost() {
    let environment = TestEnvironment::new();
    environment.write(
        "specs/CACHE.md",
        "# Cache\n\n## Limits\n\nThe size is TBD.\n",
    );
    let ran = environment.ralph(["lint"]).exits(1);
    for part in [
        "error[S2]: ",
        " --> specs/CACHE.md:5:13\n",
        "5 | The size is TBD.\n  |             ^^^\n",
        "  = note: costs ",
        " points of completeness\n",
        "  = help: ",
        "\n1 finding: 1 error, 0 warnings\n",
        "needs_revision, says the embedded reviewer\n",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    assert!(
        ran.stdout.ends_with("Next: ralph explain S2\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "");
}

#[test]
fn each_finding_is_a_line_of_its_own_and_the_rest_is_the_last() {
    let lines = project()
        .ralph(["lint", "--format", "jsonl"])
        .exits(1)
        .json_lines();
    let rules: Vec<_> = lines.iter().map(|line| line["rule"].clone()).collect();
    assert_eq!(rules, [json!("S2"), json!("B2"), json!("G2"), Value::Null]);
    assert!(lines.iter().all(|line| line["v"] == 1), "{lines:?}");
    assert_eq!(lines[3]["verdict"], "needs_revision");
    assert_eq!(lines[3].get("findings"), None);
}

#[test]
fn the_fail_level_decides_on_the_exit_code() {
    let environment = TestEnvironment::new();
    environment.write(
        "specs/CACHE.md",
        "# Cache\n\n## Limits\n\n## Size\n\nOne.\n",
    );
    let warning = environment.ralph(["lint", "--format", "json"]).exits(0);
    assert_eq!(codes(&warning), ["S1"]);
    assert_eq!(warning.json()["verdict"], "pass");
    let human = environment.ralph(["lint"]).exits(0).stdout;
    assert!(human.starts_with("warning[S1]: "), "{human}");
    assert!(
        human.contains("pass, says the embedded reviewer\n"),
        "{human}"
    );
    for (level, code) in [("error", 0), ("warning", 1), ("info", 1), ("never", 0)] {
        environment
            .ralph(["lint", "--fail-level", level])
            .exits(code);
    }
    environment.write("ralph.toml", "[lint]\nfail_level = \"warning\"\n");
    environment.ralph(["lint"]).exits(1);
    environment
        .ralph(["lint", "--fail-level", "error"])
        .exits(0);
    let broken = project();
    broken.ralph(["lint", "--fail-level", "never"]).exits(0);
}

#[test]
fn rules_are_chosen_in_the_configuration() {
    let environment = project();
    for (config, expected) in [
        ("select = [\"G\", \"undecided-text\"]", &["S2", "G2"][..]),
        ("ignore = [\"B2\"]", &["S2", "G2"]),
        ("select = [\"G\"]\nignore = [\"G2\"]", &[]),
    ] {
        environment.write("ralph.toml", format!("[lint]\n{config}\n"));
        let ran = environment.ralph(["lint", "--format", "json"]);
        assert_eq!(codes(&ran), expected, "{config}");
    }
}

#[test]
fn paths_choose_documents_and_whole_units() {
    let environment = project();
    let open = "# Note\n\n```\nopen\n";
    environment.write("docs/NOTE.md", open);
    for skipped in [".hidden/NOTE.md", "target/NOTE.md", "NOTE.txt"] {
        environment.write(format!("docs/{skipped}"), open);
    }
    for (paths, expected) in [
        (&["specs/CACHE.md"][..], &["S2"][..]),
        (&["tasks/cache/01-store.md"], &["B2", "G2"]),
        (&["tasks"], &["B2", "G2"]),
        (&["docs"], &["S3"]),
        (&["docs/NOTE.md", "specs"], &["S3", "S2"]),
    ] {
        let arguments = [&["lint", "--format", "json"], paths].concat();
        let ran = environment.ralph(arguments);
        assert_eq!(codes(&ran), expected, "{paths:?}");
    }
}

#[test]
fn roots_are_checked_each_with_its_own_configuration() {
    let (here, there) = (project(), project());
    there.write("ralph.toml", "[lint]\nselect = [\"S2\"]\n");
    let there_root = there.root();
    let ran = here
        .ralph([
            "lint",
            "--format",
            "json",
            "specs",
            there_root.to_str().unwrap(),
        ])
        .exits(1);
    assert_eq!(codes(&ran), ["S2", "S2"]);
    assert!(!there.root().join(".ralph-review").exists());
    assert!(!here.root().join(".ralph-review").exists());
}

#[test]
fn nothing_to_check_is_no_pass() {
    let environment = TestEnvironment::new();
    let empty = environment.ralph(["lint"]).exits(4);
    assert_eq!(
        empty.stderr,
        "error: there is no Markdown file to check\n\
         \x20 hint: name files or folders, or write a first spec with `ralph init`\n"
    );
    let missing = environment.ralph(["lint", "specs/NO.md"]).exits(2);
    assert_eq!(missing.stderr, "error: specs/NO.md does not exist\n");
    environment.write("data.csv", "a,b\n");
    let unread = environment
        .ralph(["lint", "data.csv", "--format", "json"])
        .exits(3);
    assert_eq!(unread.json()["verdict"], Value::Null);
}

#[test]
fn in_github_actions_findings_become_annotations_beside_the_output() {
    let environment = project();
    environment.write("specs/NOTE.md", "# Note\n\n## Empty\n\n## Full\n\nText.\n");
    let ran = environment
        .command(["lint", "--format", "json"])
        .env("GITHUB_ACTIONS", "true")
        .run()
        .exits(1);
    assert_eq!(codes(&ran), ["S2", "B2", "G2", "S1"]);
    let lines: Vec<_> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 4, "{}", ran.stderr);
    let begin = "::error file=tasks/cache/01-store.md,line=5,endLine=5,col=";
    assert!(lines[2].starts_with(begin), "{}", lines[2]);
    assert!(
        lines[2].contains(",title=G2 self-dependency::"),
        "{}",
        lines[2]
    );
    let begin = "::warning file=specs/NOTE.md,line=3,";
    assert!(lines[3].starts_with(begin), "{}", lines[3]);
}

#[test]
fn several_units_come_to_the_lowest_scores_and_the_worst_verdict() {
    let environment = TestEnvironment::new();
    let task = |after: &str| {
        format!(
            "---\ntask: 1\nbackpressure: grep -q x specs/A.md\ndepends_on: {after}\n---\n\n\
             # Task\n\n## Deliverables\n\nspecs/A.md\n"
        )
    };
    environment.write("specs/A.md", "# A\n\nText.\n");
    for (unit, after) in [("first", "[]"), ("second", "[1]"), ("third", "[]")] {
        environment.write(format!("tasks/{unit}/01-task.md"), task(after));
    }
    let ran = environment.ralph(["lint", "--format", "json"]).exits(1);
    assert_eq!(codes(&ran), ["G2"]);
    assert_eq!(ran.json()["scores"]["consistency"], 71);
    assert_eq!(ran.json()["scores"]["testability"], 100);
    assert_eq!(ran.json()["verdict"], "needs_revision");
}

#[test]
fn unsafe_fixes_wait_for_their_own_option() {
    let environment = project();
    let ran = environment.ralph(["lint", "--fix"]).exits(1);
    assert_eq!(environment.read("tasks/cache/01-store.md"), TASK);
    assert!(
        ran.stdout
            .contains("\n1 can be mended with --fix --unsafe-fixes\n"),
        "{}",
        ran.stdout
    );
    let ran = environment
        .ralph(["lint", "--fix", "--unsafe-fixes", "--format", "json"])
        .exits(1);
    assert_eq!(codes(&ran), ["S2", "B2"]);
    assert_eq!(ran.json()["mended"], 1);
    assert_eq!(
        environment.read("tasks/cache/01-store.md"),
        TASK.replace("depends_on: [1]", "depends_on: []")
    );
}

#[test]
fn safe_fixes_are_applied_and_nothing_else_changes() {
    let environment = TestEnvironment::new();
    let open = "# Note\r\n\r\n## Code\r\n\r\n```\r\nlet a = 1;\r\n";
    environment.write("specs/NOTE.md", open);
    let ran = environment.ralph(["lint", "--fix"]).exits(0);
    let fixed = environment.read("specs/NOTE.md");
    assert!(
        fixed.starts_with(open) && fixed.trim_end().ends_with("```"),
        "{fixed:?}"
    );
    assert!(
        ran.stdout.contains("0 findings left, 1 mended\n"),
        "{}",
        ran.stdout
    );
}
