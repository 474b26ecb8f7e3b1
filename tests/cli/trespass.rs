//! Reviewers that write, and appliers that write where they must not.

use serde_json::json;

use crate::scripted::{PASS, REVISE, SPEC, Scripted};
use crate::support::Ran;

fn project(config: &str) -> Scripted {
    let project = Scripted::new(&["grep -q Demo specs/DEMO.md"]);
    project.write("ralph.toml", config);
    project.write("src/lib.rs", "");
    project.write(".gitignore", "/ignored\n");
    project
}

/// A run whose applier is a client that does this.
fn applied(project: &Scripted, script: &str) -> Ran {
    let result = json!({"type": "result", "subtype": "success", "result": "Done."});
    let script = format!("cat > /dev/null\n{script}\necho '{result}'");
    project.environment.program("claude", &script);
    let agents = ["--reviewer", "cmd:judge", "--applier", "claude"];
    let run = [&["run", "--format", "json"], &agents[..]].concat();
    project.environment.ralph(run)
}

#[test]
fn a_reviewer_that_changes_the_artifact_gives_no_verdict() {
    for (script, changed) in [
        ("echo x >> specs/DEMO.md", "changed specs/DEMO.md"),
        ("rm tasks/demo/01-step.md", "tasks/demo/01-step.md"),
    ] {
        let project = project("");
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
fn an_applier_that_strays_ends_the_run_and_its_edits_are_taken_back() {
    let project = project("");
    project.reviewer(&format!("echo '{REVISE}'"));
    let script = "echo more >> specs/DEMO.md; echo x > src/lib.rs; echo x > other.md";
    let report = applied(&project, script).exits(3).json();
    assert_eq!(report["block_code"], "applier_failed");
    let reason =
        "the applier `claude` changed files outside the artifact; restored: other.md, src/lib.rs";
    assert_eq!(report["block_reason"], reason);
    assert_eq!(project.environment.read("specs/DEMO.md"), SPEC);
    assert_eq!(project.environment.read("src/lib.rs"), "");
    assert!(!project.environment.root().join("other.md").exists());
}

#[test]
fn a_stray_that_cannot_be_put_back_is_left_and_told() {
    let project = project("");
    project.reviewer(&format!("echo '{REVISE}'"));
    let script = "rm src/lib.rs; ln -s DEMO.md specs/link.md";
    let report = applied(&project, script).exits(3).json();
    let reason = "the applier `claude` changed files outside the artifact; restored: src/lib.rs; \
                  left unchanged: specs/link.md";
    assert_eq!(report["block_reason"], reason);
    assert_eq!(project.environment.read("src/lib.rs"), "");
    assert!(
        project
            .environment
            .root()
            .join("specs/link.md")
            .is_symlink()
    );
}

/// Passes once the applier has worked.
fn reviewer(project: &Scripted) {
    project.reviewer(&format!(
        "if grep -q more specs/DEMO.md; then echo '{PASS}'; else echo '{REVISE}'; fi"
    ));
}

#[test]
fn an_applier_may_change_every_file_where_its_scope_is_the_root() {
    let project = project("[agent]\napply_scope = \"root\"\n");
    reviewer(&project);
    applied(&project, "echo more >> specs/DEMO.md; echo x > src/lib.rs").exits(0);
    assert_eq!(project.environment.read("src/lib.rs"), "x\n");
}

#[test]
fn an_applier_that_leaves_its_scope_and_fails_is_blocked_for_the_change() {
    let project = project("");
    project.reviewer(&format!("echo '{REVISE}'"));
    let script = "echo more >> specs/DEMO.md; echo x > other.md; exit 1";
    let report = applied(&project, script).exits(3).json();
    assert_eq!(report["block_code"], "applier_failed");
    let reason = "the applier `claude` changed files outside the artifact; restored: other.md";
    assert_eq!(report["block_reason"], reason);
    assert_eq!(project.environment.read("specs/DEMO.md"), SPEC);
}

#[test]
fn an_applier_may_change_the_artifact_and_what_is_ignored() {
    let project = project("");
    reviewer(&project);
    let script = "echo more >> specs/DEMO.md; echo x > ignored";
    let remove = "rm tasks/demo/IMPLEMENTATION_PLAN.md";
    applied(&project, &format!("{script}; {remove}")).exits(0);
}

#[test]
fn of_what_programs_of_the_user_do_only_the_artifact_is_watched() {
    let project = project("");
    reviewer(&project);
    project.applier("echo more >> specs/DEMO.md; echo x > src/new.rs");
    project.run(&[]).run().exits(0);
    assert_eq!(project.environment.read("src/new.rs"), "x\n");
}
