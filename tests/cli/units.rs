//! Which units, tasks and specs `status`, `lint` and `gate` see without arguments.

use std::os::unix::fs::symlink;

use crate::support::TestEnvironment;

const SPEC: &str = "# Demo\n\nThe program prints a greeting.\n";

fn task(number: &str, status: &str) -> String {
    format!(
        "---\n{number}status: {status}\nbackpressure: test -d specs\n---\n\n# Task\n\n\
         **Parent spec**: `/specs/DEMO.md`\n\n## Deliverables\n\n- Create: `{}.txt`\n",
        number.trim_end().replace(": ", "-")
    )
}

/// A spec whose unit has one task, which is complete.
fn project() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/DEMO.md", SPEC);
    environment.write("tasks/demo/01-first.md", task("task: 1\n", "complete"));
    environment.ralph(["gate"]).exits(0);
    environment
}

#[test]
fn a_file_that_is_plainly_a_task_and_cannot_run_is_an_error_everywhere() {
    let number = task("task: 2\n", "pending");
    let is_below = "the task is in a folder below tasks/demo, the folder of its unit; move the \
                    file to tasks/demo";
    for (path, text, fault) in [
        ("tasks/demo/backend/02-more.md", &number, is_below),
        ("tasks/demo/backend/more.markdown", &number, is_below),
        (
            "tasks/demo/more.md",
            &task("", "pending"),
            "the task has no number; add task: with an integer from 1",
        ),
    ] {
        let environment = project();
        environment.write(path, text);
        let fault = format!("{path}:1: {fault}");
        let status = environment.ralph(["status"]).exits(1);
        assert!(status.stdout.contains(&fault), "{}", status.stdout);
        let gate = environment.ralph(["gate"]).exits(1);
        assert!(gate.stdout.contains(&fault), "{}", gate.stdout);
        let lint = environment.ralph(["lint", "--format", "json"]).exits(1);
        let findings = lint.json()["findings"].clone();
        let findings = findings.as_array().unwrap().iter();
        let of_file: Vec<_> = findings
            .filter(|finding| finding["path"] == path)
            .map(|finding| finding["rule"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(of_file, ["F1"], "{path}");
    }
}

#[test]
fn tasks_of_a_spec_beside_its_unit_are_an_error_that_says_where_they_belong() {
    for stray in ["tasks", "tasks/other", "tasks/x/y"] {
        let environment = project();
        environment.write(format!("{stray}/02-more.md"), task("task: 2\n", "pending"));
        let expected = format!(
            "error: tasks in {stray} name specs/DEMO.md, whose tasks are in tasks/demo\n  hint: \
             move them to tasks/demo, or give them a plan that names their spec\n"
        );
        for command in [&["status"][..], &["gate"], &["run", "DEMO", "--tasks-only"]] {
            let ran = environment.ralph(command).exits(2);
            assert_eq!(ran.stderr, expected, "{command:?}");
        }
    }
}

#[test]
fn a_task_file_with_the_longer_extension_is_a_task() {
    let environment = project();
    environment.write("tasks/demo/02-more.markdown", task("task: 2\n", "pending"));
    let gate = environment.ralph(["gate", "--require-all"]).exits(1);
    assert!(gate.stdout.contains("task 2"), "{}", gate.stdout);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_of_its_spec_alone() {
    for (path, spec) in [
        ("tasks/demo/02-more.md", "specs/DEMO.md"),
        ("specs/OTHER.md", "specs/OTHER.md"),
    ] {
        let environment = project();
        environment.write("specs/THIRD.md", "# Third\n\n## Goal\n\nNothing.\n");
        symlink("nowhere.md", environment.root().join(path)).unwrap();
        let why = format!("{path} is a dangling symbolic link");
        let hint = "remove it, or make it a file that can be read";
        let fault = format!("{why}; {hint}");
        let status = environment.ralph(["status"]).exits(1).stdout;
        let rows = format!("{spec}  not reviewed as it is\n  fault  {fault}\n");
        assert!(status.contains(&rows), "{status}");
        assert!(status.contains("specs/THIRD.md  not reviewed"), "{status}");
        let gate = environment.ralph(["gate", "--offline", "--format", "json"]);
        let gate = gate.exits(3).json();
        let specs = gate["specs"].as_array().unwrap();
        let of = |name: &str| specs.iter().find(|one| one["spec"] == name).unwrap();
        assert_eq!(of(spec)["faults"][0], fault);
        assert_eq!(of("specs/THIRD.md")["faults"], serde_json::json!([]));
        let lint = environment.ralph(["lint"]).exits(2);
        let error = format!("error: {why}\n  hint: {hint}\n");
        assert!(lint.stderr.contains(&error), "{}", lint.stderr);
        assert!(lint.stdout.contains("pass, says"), "{}", lint.stdout);
        let run = environment.ralph(["run", "--spec", spec]).exits(2);
        assert!(run.stderr.contains(&why), "{}", run.stderr);
    }
}

#[test]
fn a_dangling_link_of_no_unit_is_an_error() {
    for path in ["tasks/02-more.md", "tasks/other/01-first.md"] {
        let environment = project();
        environment.write("tasks/other/notes.txt", "no document\n");
        symlink("nowhere.md", environment.root().join(path)).unwrap();
        let error = format!("error: {path} is a dangling symbolic link\n  hint: remove it");
        for command in ["status", "lint", "gate"] {
            let ran = environment.ralph([command]).exits(2);
            assert!(ran.stderr.starts_with(&error), "{command}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_unit_whose_task_names_a_spec_elsewhere_is_seen() {
    let environment = TestEnvironment::new();
    environment.write("prd.json", "{\"name\": \"x\"}\n");
    let text = task("task: 1\n", "complete").replace("/specs/DEMO.md", "/prd.json");
    environment.write(
        "tasks/prd/01-first.md",
        text.replace("-d specs", "-d tasks"),
    );
    let status = environment.ralph(["status"]).exits(0);
    assert!(status.stdout.starts_with("prd.json "), "{}", status.stdout);
    let gate = environment.ralph(["gate"]).exits(0);
    assert!(
        gate.stdout.contains("passed 2 claims in 1 spec"),
        "{}",
        gate.stdout
    );
    environment.ralph(["run", "--no-tasks"]).exits(0);
}

#[test]
fn the_spec_of_a_feature_is_a_spec_by_the_name_of_its_folder() {
    let environment = TestEnvironment::new();
    environment.write("specs/001-login/spec.md", "# Login\n\nText.\n");
    environment.write("specs/NOTES.markdown", "# Notes\n\nText.\n");
    let status = environment.ralph(["status"]).exits(0);
    for spec in ["specs/001-login/spec.md  ", "specs/NOTES.markdown  "] {
        assert!(status.stdout.contains(spec), "{}", status.stdout);
    }
    for (name, feature) in [("001-login", "001-login"), ("notes", "NOTES")] {
        let ran = environment
            .ralph(["run", "--spec", name, "--no-tasks"])
            .exits(0);
        let line = format!("review {feature} (");
        assert!(ran.stdout.contains(&line), "{}", ran.stdout);
    }
}

#[test]
fn a_spec_is_found_by_its_name_however_its_letters_are_stored() {
    let environment = TestEnvironment::new();
    environment.write("specs/Cafe\u{301}.md", "# A\n\nSee [it](Caf\u{e9}.md).\n");
    for name in ["Caf\u{e9}", "specs/Caf\u{e9}.md"] {
        environment
            .ralph(["run", "--spec", name, "--no-tasks"])
            .exits(0);
    }
    environment.ralph(["lint"]).exits(0);
}
