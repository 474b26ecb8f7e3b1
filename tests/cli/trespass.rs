//! Reviewers that write, and appliers that write where they must not.

use serde_json::json;

use crate::scripted::{PASS, REVISE, SPEC, Scripted};

fn project(proof: &str) -> Scripted {
    let project = Scripted::new(&["grep -q Demo specs/DEMO.md"]);
    project.write("ralph.toml", proof);
    project.write("src/lib.rs", "");
    project.write(".gitignore", "/ignored\n");
    project
}

const WATCHED: &str = "agent.read_only_proof = true\n";

#[test]
fn a_reviewer_that_changes_files_gives_no_verdict() {
    for (script, changed) in [
        ("echo x > src/lib.rs", "src/lib.rs"),
        ("echo x > src/new.rs", "src/new.rs"),
        ("rm src/lib.rs", "src/lib.rs"),
        ("echo x >> specs/DEMO.md", "changed specs/DEMO.md"),
        ("chmod +x src/lib.rs", "src/lib.rs"),
        (
            "sed -i s/pending/complete/ tasks/demo/01-step.md",
            "tasks/demo/01-step.md",
        ),
    ] {
        let project = project(WATCHED);
        project.reviewer(&format!("{script}; echo '{PASS}'"));
        let ran = project.run(&["--format", "json"]).run().exits(3);
        let report = ran.json();
        assert_ne!(report["outcome"], json!("passed"), "{script}");
        let reason = report["block_reason"].as_str().unwrap();
        assert!(reason.contains(changed), "{script}: {reason}");
    }
}

const VERDICT: &str = ".ralph-review/records/specs%2FDEMO.md.json";
const TASK: &str = ".ralph-review/records/demo/1.json";

#[test]
fn records_that_an_agent_writes_are_put_back_and_it_gave_no_answer() {
    let project = project("");
    project.reviewer(&format!("echo '{PASS}'"));
    project.run(&[]).run().exits(0);
    let known = [VERDICT, TASK].map(|path| project.environment.read(path));
    for (script, path) in [
        (format!("echo {{}} > {VERDICT}"), VERDICT),
        (format!("rm {VERDICT}"), VERDICT),
        (format!("echo {{}} > {TASK}"), TASK),
        (
            format!("cp {TASK} .ralph-review/records/demo/2.json"),
            "demo/2.json",
        ),
    ] {
        for (reviewer, applier, code) in [
            (script.as_str(), "", "reviewer_failed"),
            ("", script.as_str(), "applier_failed"),
        ] {
            project.reviewer(&format!("{reviewer}\necho '{REVISE}'"));
            project.applier(&format!("{applier}\necho more >> specs/DEMO.md"));
            let report = project.run(&["--format", "json"]).run().exits(3).json();
            assert_eq!(report["block_code"], code, "{script}");
            let reason = report["block_reason"].as_str().unwrap();
            assert!(reason.contains(path), "{script}: {reason}");
            let now = [VERDICT, TASK].map(|path| project.environment.read(path));
            assert_eq!(now, known, "{script}");
            let other = project
                .environment
                .root()
                .join(".ralph-review/records/demo/2.json");
            assert!(!other.exists(), "{script}");
        }
    }
}

const OTHER: &str = ".ralph-review/records/specs%2FOTHER.md.json";
const OTHER_TASK: &str = ".ralph-review/records/other/1.json";

#[test]
fn records_of_other_specs_are_put_back_as_well() {
    let project = project("");
    project.reviewer(&format!("echo '{PASS}'"));
    project.run(&[]).run().exits(0);
    let verdict = project.environment.read(VERDICT);
    project.write(OTHER, verdict.replace("\"pass\"", "\"needs_revision\""));
    let known = project.environment.read(OTHER);
    for (script, path) in [
        (format!("cp {VERDICT} {OTHER}"), OTHER),
        (
            format!("mkdir -p .ralph-review/records/other; cp {TASK} {OTHER_TASK}"),
            OTHER_TASK,
        ),
    ] {
        project.reviewer(&format!("{script}\necho '{PASS}'"));
        let report = project.run(&["--format", "json"]).run().exits(3).json();
        assert_eq!(report["block_code"], "reviewer_failed", "{script}");
        let reason = report["block_reason"].as_str().unwrap();
        assert!(reason.contains(path), "{script}: {reason}");
        assert_eq!(project.environment.read(OTHER), known, "{script}");
        let task = project.environment.root().join(OTHER_TASK);
        assert!(!task.exists(), "{script}");
    }
}

#[test]
fn a_run_of_another_spec_records_its_verdict_meanwhile() {
    let project = project("");
    project.write("specs/OTHER.md", SPEC);
    project
        .environment
        .program("other-judge", &format!("echo '{PASS}'"));
    let ralph = env!("CARGO_BIN_EXE_ralph");
    let other = "run --spec specs/OTHER.md --reviewer cmd:other-judge --no-apply --no-tasks";
    project.reviewer(&format!(
        "'{ralph}' {other} > \"$HOME/said\" 2>&1; echo '{PASS}'"
    ));
    project.run(&["--spec", "specs/DEMO.md"]).run().exits(0);
    let said = std::fs::read_to_string(project.outside("said")).unwrap();
    assert!(project.environment.root().join(OTHER).exists(), "{said}");
}

#[test]
fn a_verdict_that_a_reviewer_forges_is_none_for_the_gate() {
    let real = project("");
    real.reviewer(&format!("echo '{PASS}'"));
    real.run(&[]).run().exits(0);
    let forged = real.environment.read(VERDICT);
    let project = project("");
    std::fs::write(project.outside("forged"), forged).unwrap();
    project.reviewer(&format!(
        "mkdir -p .ralph-review/records; cp \"$HOME/forged\" {VERDICT}; echo '{REVISE}'"
    ));
    project.run(&["--max-iterations", "1"]).run().exits(3);
    let gate = project.environment.ralph(["gate", "--offline"]);
    gate.exits(3);
}

#[test]
fn a_reviewer_may_write_what_is_ignored() {
    let project = project(WATCHED);
    project.reviewer(&format!("echo x > ignored; echo '{PASS}'"));
    project.run(&[]).run().exits(0);
}

#[test]
fn an_applier_that_strays_ends_the_run_and_its_edits_are_taken_back() {
    let project = project(WATCHED);
    project.reviewer(&format!("echo '{REVISE}'"));
    project.applier("echo more >> specs/DEMO.md; echo x > src/lib.rs; echo x > other.md");
    let ran = project.run(&["--format", "json"]).run().exits(3);
    let report = ran.json();
    assert_eq!(report["block_code"], "applier_failed");
    let reason =
        "the applier `cmd:fix` changed files outside the artifact; restored: other.md, src/lib.rs";
    assert_eq!(report["block_reason"], reason);
    assert_eq!(project.environment.read("specs/DEMO.md"), SPEC);
    assert_eq!(project.environment.read("src/lib.rs"), "");
    assert!(!project.environment.root().join("other.md").exists());
}

#[test]
fn a_stray_that_cannot_be_put_back_is_left_and_told() {
    let project = project(WATCHED);
    project.reviewer(&format!("echo '{REVISE}'"));
    project.applier("rm src/lib.rs; ln -s DEMO.md specs/link.md");
    let ran = project.run(&["--format", "json"]).run().exits(3);
    let reason = "the applier `cmd:fix` changed files outside the artifact; restored: src/lib.rs; \
                  left unchanged: specs/link.md";
    assert_eq!(ran.json()["block_reason"], reason);
    assert_eq!(project.environment.read("src/lib.rs"), "");
    assert!(
        project
            .environment
            .root()
            .join("specs/link.md")
            .is_symlink()
    );
}

#[test]
fn an_applier_may_change_every_file_where_its_scope_is_the_root() {
    let project = project("[agent]\nread_only_proof = true\napply_scope = \"root\"\n");
    project.reviewer(&format!(
        "if grep -q more specs/DEMO.md; then echo '{PASS}'; else echo '{REVISE}'; fi"
    ));
    project.applier("echo more >> specs/DEMO.md; echo x > src/lib.rs");
    project.run(&[]).run().exits(0);
    assert_eq!(project.environment.read("src/lib.rs"), "x\n");
}

#[test]
fn an_applier_that_leaves_its_scope_and_fails_is_blocked_for_the_change() {
    let project = project(WATCHED);
    project.reviewer(&format!("echo '{REVISE}'"));
    project.applier("echo more >> specs/DEMO.md; echo x > other.md; exit 1");
    let ran = project.run(&["--format", "json"]).run().exits(3);
    let report = ran.json();
    assert_eq!(report["block_code"], "applier_failed");
    let reason = "the applier `cmd:fix` changed files outside the artifact; restored: other.md";
    assert_eq!(report["block_reason"], reason);
    assert_eq!(project.environment.read("specs/DEMO.md"), SPEC);
}

#[test]
fn an_applier_may_change_the_artifact_and_add_to_it() {
    let project = project(WATCHED);
    project.reviewer(&format!(
        "if grep -q more specs/DEMO.md; then echo '{PASS}'; else echo '{REVISE}'; fi"
    ));
    project.applier("echo more >> specs/DEMO.md; rm tasks/demo/IMPLEMENTATION_PLAN.md");
    project.run(&[]).run().exits(0);
}

#[test]
fn programs_are_not_watched_unless_the_user_says_so() {
    let project = project("");
    project.reviewer(&format!("echo x > src/new.rs; echo '{PASS}'"));
    project.run(&[]).run().exits(0);
}
