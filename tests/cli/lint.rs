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
fn rules_are_chosen_in_the_configuration() {
    let environment = project();
    for (config, expected) in [
        ("select = [\"G\", \"undecided-text\"]", &["S2", "G2"][..]),
        ("ignore = [\"B2\"]", &["S2", "G2"]),
        ("select = [\"G\"]\nignore = [\"G2\"]", &[]),
        ("select = [\"G2\"]\nignore = [\"G\"]", &["G2"]),
        ("select = [\"S\", \"+self-dependency\"]", &["S2", "G2"]),
        ("ignore = [\"S\"]\nselect = [\"+S2\"]", &["S2", "B2", "G2"]),
        (
            "select = [\"S\", \"G\"]\nper_file_ignores = { \"specs/**\" = [\"S\"] }",
            &["G2"],
        ),
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
fn a_spec_that_units_share_is_told_once() {
    let environment = TestEnvironment::new();
    environment.write("specs/A.md", "# A\n\nThe size is TBD.\n");
    for unit in ["first", "second"] {
        let task = format!(
            "---\ntask: 1\nbackpressure: grep -q x specs/A.md\n---\n\n# Task of {unit}\n\n\
             **Parent spec**: `/specs/A.md`\n\n## Deliverables\n\nspecs/A.md\n"
        );
        environment.write(format!("tasks/{unit}/01-task.md"), task);
    }
    let ran = environment.ralph(["lint", "--format", "json"]).exits(1);
    assert_eq!(codes(&ran), ["S2"]);
}

#[test]
fn suppressed_findings_are_counted_rule_by_rule() {
    let environment = TestEnvironment::new();
    let silent = "# A\n\n<!-- ralph-ignore S: a template -->\n\nTBD\n\n## B\n\n## C\n\nTBD\n";
    environment.write("specs/A.md", silent);
    environment.write(
        "specs/B.md",
        "# B\n\n## C\n\n<!-- ralph-ignore S2: later -->\n\nTBD\n",
    );
    let ran = environment.ralph(["lint", "--format", "json"]).exits(0);
    assert_eq!(ran.json()["suppressed"], json!({"S1": 1, "S2": 3}));
    let ran = environment.ralph(["lint"]).exits(0);
    assert!(
        ran.stdout
            .starts_with("0 findings\n4 findings suppressed by comments: S1 1, S2 3\n"),
        "{}",
        ran.stdout
    );
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
        (&["--select", "+B2,+S2"], &["S2", "B2", "G2"]),
        (&["--ignore", "G"], &[]),
        (&["--select", "S"], &["S2"]),
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
fn severities_are_chosen_in_the_configuration() {
    let environment = TestEnvironment::new();
    environment.write("specs/CACHE.md", "# Cache\n\n## Limits\n\n## Size\n\nTBD\n");
    environment.write(
        "ralph.toml",
        "[lint.severities]\nS = \"info\"\nempty-section = \"error\"\n",
    );
    let ran = environment.ralph(["lint", "--format", "json"]).exits(1);
    let report = ran.json();
    let seen: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (&finding["rule"], &finding["severity"]))
        .collect();
    assert_eq!(json!(seen), json!([["S1", "error"], ["S2", "info"]]));
}

#[test]
fn comments_that_name_no_rule_or_no_reason_are_reported_once() {
    let environment = TestEnvironment::new();
    let spec = "# A\n\n<!-- ralph-ignore S2, X1: later -->\n\nTBD\n";
    environment.write("specs/A.md", spec);
    for unit in ["first", "second"] {
        let task = "---\ntask: 1\nbackpressure: grep -q x specs/A.md\n---\n\n# Task\n\n\
                    **Parent spec**: `/specs/A.md`\n\n## Deliverables\n\nspecs/A.md\n";
        environment.write(format!("tasks/{unit}/01-task.md"), task);
    }
    let report = environment.ralph(["lint", "--format", "json"]).json();
    let message = "Unknown rule \"X1\".";
    assert_eq!(
        report["invalid_suppressions"],
        json!([{ "path": "specs/A.md", "line": 3, "message": message }])
    );
    assert_eq!(report["suppressed"]["S2"], 1);
    let told = format!("S2 1\nspecs/A.md:3: {message}\n");
    let text = environment.ralph(["lint"]).stdout;
    assert!(text.contains(&told), "{text}");
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
fn sections_that_are_required_are_missed() {
    let environment = TestEnvironment::new();
    environment.write("specs/A.md", "# A\n\n## Goal\n\nText.\n");
    environment.write(
        "ralph.toml",
        "[lint]\nrequired_sections = [\"Goal\", \"Limits\"]\n",
    );
    let ran = environment.ralph(["lint", "--format", "json"]);
    assert_eq!(codes(&ran), ["S4"]);
    let message = ran.json()["findings"][0]["message"].to_string();
    assert!(message.contains("Limits"), "{message}");
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
    let ran = environment.ralph(["lint"]).exits(3);
    let end = "no verdict: no rule has anything to check; the embedded reviewer needs a \
               Markdown file, or a unit with task files, in which rules are enabled\n";
    assert!(ran.stdout.ends_with(end), "{}", ran.stdout);
    environment.write("notes.txt", "Text.\n");
    let ran = environment.ralph(["lint", "notes.txt"]).exits(3);
    assert!(ran.stdout.ends_with(end), "{}", ran.stdout);
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
fn the_points_that_scores_lack_are_accounted_for() {
    let environment = project();
    let text = environment.ralph(["lint"]).exits(1).stdout;
    for line in [
        "\n  architecture 100\n",
        "\n  completeness 71  (-29: S2 specs/CACHE.md:5)\n",
        "\n  consistency 71  (-29: G2 tasks/cache/01-store.md:5)\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let ran = environment.ralph(["lint", "--format", "json"]);
    let report = ran.exits(1).json();
    let deductions = report["deductions"].as_array().unwrap();
    for (criterion, score) in report["scores"].as_object().unwrap() {
        let of_criterion = deductions.iter();
        let of_criterion = of_criterion.filter(|lost| lost["criterion"] == **criterion);
        let points: u64 = of_criterion
            .map(|lost| lost["points"].as_u64().unwrap())
            .sum();
        assert_eq!(points + score.as_u64().unwrap(), 100, "{criterion}");
    }
    let rule = json!({"code": "G2", "path": "tasks/cache/01-store.md", "line": 5, "findings": 1});
    let expected = json!({"criterion": "consistency", "points": 29, "cause": {"rule": rule}});
    assert!(deductions.contains(&expected), "{deductions:?}");
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
