//! Findings held against a commit: only what changed since counts.

use serde_json::Value;

use crate::scripted::Scripted;

const SPEC: &str = "# Demo\n\n## Goal\n\nA demo.\n\n## Limits\n\nNone.\n";

/// Raises something about the goal in each round, and about the limits until
/// they are fixed.
const JUDGE: &str = r#"cat > /dev/null
goal='{"section":"Goal","issue":"no one feeds the otter","suggestion":"feed it"}'
limits=',{"section":"Limits","issue":"the zebra has no limit","suggestion":"name one"}'
if grep -q fixed "$RALPH_SPEC"; then limits=; fi
echo '{"verdict":"needs_revision","score":{"completeness":60,"consistency":90,"testability":90,"architecture":90},"feedback":['"$goal$limits"']}'"#;

/// A project whose spec differs from its only commit in the section on limits.
fn changed() -> Scripted {
    let project = Scripted::new(&["true"]);
    project.write("specs/DEMO.md", SPEC);
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "--all"],
        &[
            "-c",
            "user.name=ann",
            "-c",
            "user.email=ann@example.com",
            "commit",
            "--quiet",
            "--message=first",
        ],
    ] {
        let status = std::process::Command::new("git")
            .args(arguments)
            .current_dir(project.environment.root())
            .status();
        assert!(status.unwrap().success(), "git {arguments:?}");
    }
    project.write("specs/DEMO.md", SPEC.replace("None.", "Few."));
    project.reviewer(JUDGE);
    project.applier("cat > \"$HOME/asked\"\necho fixed >> \"$RALPH_SPEC\"");
    project
}

/// Whether each finding is out of scope, by its issue.
fn scopes(report: &Value) -> Vec<(&str, bool)> {
    let ledger = report["ledger"].as_array().unwrap().iter();
    let mut scopes: Vec<_> = ledger
        .map(|finding| {
            let is_out = finding["out_of_scope"].as_bool().unwrap_or_default();
            (finding["issue"].as_str().unwrap(), is_out)
        })
        .collect();
    scopes.sort_unstable();
    scopes
}

const EXPECTED: [(&str, bool); 2] = [
    ("no one feeds the otter", true),
    ("the zebra has no limit", false),
];

#[test]
fn what_did_not_change_since_the_base_is_shown_and_does_not_block() {
    let project = changed();
    let run = [
        "--base",
        "HEAD",
        "--max-iterations",
        "9",
        "--format",
        "json",
    ];
    let report = project.run(&run).run().exits(1).json();
    assert_eq!(report["block_code"], "no_blocking_finding", "{report:#}");
    assert_eq!(scopes(&report), EXPECTED);
    assert_eq!(
        project.calls(),
        ["review 1", "apply 1", "review 2", "review 3"]
    );
    let asked = std::fs::read_to_string(project.outside("asked")).unwrap();
    assert!(asked.contains("the zebra has no limit"), "{asked}");
    assert!(!asked.contains("no one feeds the otter"), "{asked}");
    let list = project.environment.ralph(["findings", "list"]).exits(0);
    let line = "Goal: no one feeds the otter  raised 3 times, out of scope\n";
    assert!(list.stdout.contains(line), "{}", list.stdout);
}

#[test]
fn one_round_shows_what_is_out_of_scope_too() {
    let project = changed();
    let run = ["--base", "HEAD", "--no-apply", "--format", "json"];
    let report = project.run(&run).run().exits(1).json();
    assert_eq!(scopes(&report), EXPECTED);
    assert_eq!(report["block_code"], "max_iterations");
    let without = project.run(&["--no-apply", "--format", "json"]).run();
    let all = without.exits(1).json();
    assert_eq!(scopes(&all).len(), EXPECTED.len());
    assert!(scopes(&all).iter().all(|finding| !finding.1), "{all:#}");
}

#[test]
fn a_base_is_a_commit_of_a_loop_that_follows_findings() {
    let project = changed();
    for (arguments, told) in [
        (
            &["--base", "no-such-branch"][..],
            "base no-such-branch: git has no such commit\n  hint: name a commit, a branch or a tag",
        ),
        (
            &["--base", "HEAD", "--set", "review.patience=0"],
            "--base needs a review.patience above 0",
        ),
    ] {
        let ran = project.run(arguments).run().exits(2);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
    let nowhere = Scripted::new(&["true"]);
    let ran = nowhere.run(&["--base", "HEAD"]).run().exits(2);
    let told = "base HEAD: git cannot look at the root: fatal: not a git repository";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}
