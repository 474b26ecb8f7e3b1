//! `ralph lint`.

use serde_json::{Value, json};

use crate::support::{Ran, TestEnvironment};

pub(crate) const TASK: &str = "---\ntask: 1\nstatus: pending\nbackpressure: \"true\"\ndepends_on: [1]\n---\n\n# Store\n\n## Deliverables\n\nsrc/store.rs\n";

pub(crate) fn project() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write(
        "specs/CACHE.md",
        "# Cache\n\n## Limits\n\nThe size is TBD.\n",
    );
    environment.write("tasks/cache/01-store.md", TASK);
    environment
}

pub(crate) fn codes(ran: &Ran) -> Vec<String> {
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
    assert_eq!(report["suppressed"], json!({}));
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
        ran.stdout
            .ends_with("next:\nsee what the rule means:\nralph explain S2\n"),
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
        "# Cache\n\n## Limits\n\n<!-- How many? -->\n\n## Size\n\nOne.\n",
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
fn nothing_to_check_is_no_pass() {
    let environment = TestEnvironment::new();
    let empty = environment.ralph(["lint"]).exits(4);
    assert_eq!(
        empty.stderr,
        "error: no Markdown file to check\n\
         \x20 hint: name files or folders; `ralph doctor` says how to begin here\n"
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
fn options_have_the_last_word_on_rules() {
    let environment = project();
    environment.write(
        "ralph.toml",
        "[lint]\nselect = [\"S\", \"G\"]\nignore = [\"S2\"]\n",
    );
    for (options, expected) in [
        (&[][..], &["G2"][..]),
        (
            &["--select", "ALL", "--ignore", "B,self-dependency"],
            &["S2"],
        ),
    ] {
        let arguments = [&["lint", "--format", "json"], options].concat();
        assert_eq!(
            codes(&environment.ralph(arguments)),
            expected,
            "{options:?}"
        );
    }
    let unknown = environment.ralph(["lint", "--select", "B2,self-dependancy"]);
    let message = "unknown rule \"self-dependancy\"; did you mean self-dependency?";
    assert!(unknown.exits(2).stderr.contains(message));
    let far = environment.ralph(["lint", "--ignore", "Q"]).exits(2).stderr;
    assert!(
        far.contains("unknown rule \"Q\"; `ralph explain` lists the rules"),
        "{far}"
    );
}

#[test]
fn the_hooks_of_pre_commit_are_commands() {
    let hooks = include_str!("../../.pre-commit-hooks.yaml");
    let entries: Vec<_> = hooks
        .lines()
        .filter_map(|line| line.trim().strip_prefix("entry: ralph "))
        .collect();
    assert_eq!(entries, ["lint", "lint --fix"]);
    let environment = TestEnvironment::new();
    environment.write("specs/A.md", "# A\n\nText.\n");
    for entry in entries {
        let arguments = entry.split(' ').chain(["specs/A.md"]);
        environment.ralph(arguments).exits(0);
    }
}

#[test]
fn what_is_off_in_every_file_is_not_passed_unread() {
    let environment = TestEnvironment::new();
    environment.write("specs/A.md", "# A\n\nThe size is TBD.\n");
    let off = "[lint.per_file_ignores]\n\"A.md\" = [\"ALL\"]\n";
    environment.write("ralph.toml", off);
    let report = environment
        .ralph(["lint", "--format", "json"])
        .exits(3)
        .json();
    assert_eq!(
        (&report["verdict"], &report["checked"]),
        (&Value::Null, &json!([]))
    );
    let run = [
        "run",
        "--spec",
        "specs/A.md",
        "--no-apply",
        "--format",
        "json",
    ];
    let report = environment.ralph(run).exits(3).json();
    assert_eq!(report["block_code"], "reviewer_failed");
}

#[test]
fn it_is_told_how_many_findings_of_a_file_are_left_out() {
    let environment = TestEnvironment::new();
    environment.write(
        "specs/A.md",
        format!("# A\n\n{}", "The size is TBD.\n\n".repeat(203)),
    );
    for format in ["human", "json", "sarif"] {
        let ran = environment.ralph(["lint", "--format", format]).exits(1);
        assert_eq!(
            ran.stderr,
            "warning: 3 further findings of S2 left out, of a file with many; fix some, then run again\n"
        );
    }
    let ignored = ["lint", "--ignore", "S2"];
    assert_eq!(environment.ralph(ignored).exits(0).stderr, "");
}

#[test]
fn a_quiet_lint_prints_findings_and_their_number() {
    let environment = project();
    let full = environment.ralph(["lint"]).exits(1).stdout;
    let quiet = environment.ralph(["lint", "-q"]).exits(1).stdout;
    let summary = "3 findings: 3 errors, 0 warnings\n";
    assert!(quiet.ends_with(summary), "{quiet}");
    assert!(full.starts_with(&quiet), "{full}");
    environment.write("specs/CACHE.md", "# Cache\n\n## Limits\n\nThe size is 5.\n");
    let clean = environment.ralph(["lint", "-q", "specs"]).exits(0).stdout;
    assert_eq!(clean, "0 findings\n");
}
