//! What an agent does instead of the task is caught.

use super::{Project, untouched};

/// A project with a test that exists, which `code.txt` makes pass.
fn tested() -> Project {
    let project = Project::new(&[]);
    project.task(1, "[]", "sh tests/check.sh");
    project
        .environment
        .write("tests/check.sh", "grep -qx right code.txt\n");
    project.environment.write("tests/lib.sh", "wanted=right\n");
    project.environment.write(
        "tests/all.sh",
        ". tests/lib.sh; grep -qx $wanted code.txt\n",
    );
    project.environment.write("code.txt", "wrong\n");
    project.commit();
    project
}

#[test]
pub(super) fn a_file_that_the_command_runs_is_put_back() {
    let project = tested();
    project.agent(1, "echo true > tests/check.sh; echo x > x.txt");
    project.run(&["--attempts", "2"]).run().exits(1);
    assert_eq!(project.rejected(1), ["gate_red", "gate_red"]);
    assert_eq!(project.log(), ["Start"]);
    let why = "exit status 1; restored, since it may not change them: tests/check.sh";
    assert_eq!(project.report()["tasks"][0]["attempts"][0]["reason"], why);
    assert!(
        project.prompt(1, 2).contains(why),
        "{}",
        project.prompt(1, 2)
    );
}

#[test]
fn what_judges_another_task_is_put_back() {
    let project = Project::new(&[]);
    let environment = &project.environment;
    project.task(1, "[]", "sh tests/t1.sh");
    project.task(2, "[1]", "sh tests/t2.sh");
    environment.write("tests/t1.sh", "grep -qx one code.txt\n");
    environment.write("tests/t2.sh", "grep -qx two code.txt\n");
    environment.write("code.txt", "none\n");
    project.commit();
    project.agent(
        1,
        "echo one > code.txt; echo true | tee tests/t2.sh > tests/t3.sh",
    );
    project.agent(2, "echo x > x.txt");
    let ran = project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.rejected(2), ["gate_red"]);
    let restored = "restored: tests/t2.sh\n";
    assert!(ran.stdout.contains(restored), "{}", ran.stdout);
}

#[test]
fn a_task_that_runs_all_tests_may_change_those_of_another_task() {
    let project = Project::new(&[]);
    let environment = &project.environment;
    project.task(1, "[]", "sh tests/all.sh");
    project.task(2, "[1]", "sh tests/t2.sh");
    environment.write("tests/all.sh", "sh tests/t2.sh && grep -q one code.txt\n");
    environment.write("tests/t2.sh", "grep -q none code.txt\n");
    environment.write("code.txt", "none\n");
    project.commit();
    project.agent(1, "echo one >> code.txt; echo '# Slow.' >> tests/t2.sh");
    project.agent(2, "echo x > x.txt");
    project.run(&["--attempts", "1"]).run().exits(0);
    assert_eq!(project.states(), ["landed", "landed"]);
    let landed = environment.root().join("tests/t2.sh");
    assert!(std::fs::read_to_string(landed).unwrap().contains("Slow"));
}

#[test]
pub(super) fn hidden_tests_are_seen_by_gates_alone() {
    let project = Project::new(&["[]", "[]"]);
    let test = "grep -qx 1 1.txt || { echo the secret is 1; exit 1; }\n";
    project.environment.write("tests/secret.txt", test);
    project
        .environment
        .write("check.sh", ". ./tests/secret.txt\n");
    project.task(1, "[]\nhidden: tests/secret*", "sh check.sh");
    project.commit();
    project.agent(
        1,
        "{ ls -R; cat tests/secret.txt; git log -p --all; git show HEAD:tests/secret.txt; } \
         >> \"$HOME/seen\" 2>&1\n\
         if [ $RALPH_ATTEMPT = 1 ]; then echo 2 > 1.txt; else\n\
         mkdir -p tests; echo exit 0 > tests/secret.txt; echo 1 > 1.txt; fi",
    );
    project.agent(2, "ls tests >> \"$HOME/seen\" 2>&1; echo 2 > 2.txt");
    let ran = project.run(&[]).run().exits(0);
    assert!(ran.stdout.contains("| the secret is 1\n"), "{}", ran.stdout);
    assert_eq!(project.rejected(1), ["gate_red"]);
    assert_eq!(project.environment.read("tests/secret.txt"), test);
    let change = &project.report()["tasks"][0]["change"];
    assert_eq!(change["restored"], serde_json::json!(["tests/secret.txt"]));
    let prompt = project.prompt(1, 2);
    assert!(prompt.contains("exit status 1"), "{prompt}");
    assert!(!prompt.contains("the secret is"), "{prompt}");
    let seen = std::fs::read_to_string(project.environment.home().join("seen")).unwrap();
    assert!(seen.contains("+# Task 1"), "{seen}");
    assert!(
        !seen.contains("the secret is") && !seen.contains("\nsecret.txt\n"),
        "{seen}"
    );
}

#[test]
fn an_agent_that_changes_only_what_it_may_not_change_has_changed_nothing() {
    let project = tested();
    project.agent(1, "echo true > tests/check.sh");
    project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.rejected(1), ["no_change"]);
    assert_eq!(
        project.report()["tasks"][0]["attempts"][0]["reason"],
        "the agent changed only files that it may not change; restored, since it may not change \
         them: tests/check.sh"
    );
}

#[test]
pub(super) fn a_weakened_test_holds_the_task() {
    let project = tested();
    project.task(1, "[]", "cd . && . ./tests/all.sh");
    project.commit();
    project.agent(1, "echo wanted=wrong > tests/lib.sh");
    let ran = project.run(&[]).run().exits(6);
    assert_eq!(project.calls(), ["1.1"]);
    assert_eq!(project.rejected(1), ["tamper_test"]);
    assert_eq!(project.states(), ["held"]);
    assert_eq!(project.log(), ["Start"]);
    assert!(
        ran.stdout.contains("tests/lib.sh") || ran.stdout.contains("test"),
        "{}",
        ran.stdout
    );
}

#[test]
pub(super) fn the_spec_the_task_and_the_configuration_are_put_back() {
    let project = Project::committed(&["[]"]);
    project.agent(
        1,
        "echo 1 > 1.txt; echo easier > specs/DEMO.md; rm tasks/demo/01-task.md; \
         mkdir -p .github/workflows; echo off > .github/workflows/ci.yml; echo x > ralph.toml",
    );
    project.run(&[]).run().exits(0);
    assert!(
        project
            .environment
            .read("specs/DEMO.md")
            .starts_with("# Demo")
    );
    assert!(!project.environment.root().join("ralph.toml").exists());
    assert!(!project.environment.root().join(".github").exists());
    let changed = project.git(&["show", "--name-only", "--format="]);
    assert_eq!(changed, "1.txt\ntasks/demo/01-task.md");
}

#[test]
fn what_an_agent_does_with_git_stays_in_its_checkout() {
    let project = Project::committed(&["[]"]);
    project.environment.write("users.txt", "stashed\n");
    project.git(&["add", "-A"]);
    project.git(&["stash"]);
    let before = untouched(&project).2;
    project.agent(
        1,
        "git stash pop; git config core.hooksPath .; git update-ref refs/heads/other HEAD; \
         git remote add origin /; git commit -q --allow-empty -m mine; \
         printf '#!/bin/sh\\ntouch \"$HOME/hooked\"\\n' > .git/hooks-x; echo 1 > 1.txt",
    );
    project.run(&[]).run().exits(0);
    assert_eq!(untouched(&project).2, before);
    assert_eq!(
        project.git(&["branch", "--format=%(refname:short)"]),
        "main"
    );
    assert_eq!(project.log(), ["Task 1", "Start"]);
    assert!(!project.environment.home().join("hooked").exists());
}

#[test]
pub(super) fn a_nested_repository_and_a_link_out_are_named() {
    for (script, reason) in [
        (
            "mkdir sub; git -C sub init -q; echo b > sub/b; echo 1 > 1.txt",
            "sub/ is a git repository of its own; its files are not part of the change",
        ),
        (
            "ln -s /etc/passwd secret; echo 1 > 1.txt",
            "secret is a link to /etc/passwd, which is outside of the project",
        ),
    ] {
        let project = Project::committed(&["[]"]);
        project.agent(1, script);
        project.run(&["--attempts", "1"]).run().exits(1);
        assert_eq!(project.rejected(1), ["file_refused"]);
        let report = project.report();
        assert_eq!(report["tasks"][0]["attempts"][0]["reason"], reason);
        assert_eq!(project.log(), ["Start"]);
    }
}

/// A project whose command prints the tests in `code.txt` as TAP, and wants that it says
/// `done`. No file of it is known to be a test.
pub(super) fn inline_tests() -> Project {
    let project = Project::new(&[]);
    project.task(1, "[]", "sh run.sh");
    let environment = &project.environment;
    environment.write(
        "run.sh",
        "grep '^ok' code.txt; echo 1..$(grep -c '^ok' code.txt); grep -q done code.txt\n",
    );
    environment.write("code.txt", "ok 1 - adds\nok 2 - subtracts\n");
    project.commit();
    project
}

#[test]
fn a_test_that_is_gone_or_skipped_holds_the_task_and_is_named() {
    for (change, code, named) in [
        (
            "sed -i /subtracts/d code.txt",
            "tests_gone",
            "gone: subtracts",
        ),
        (
            "sed -i 's/subtracts/divides/' code.txt",
            "tests_gone",
            "gone: subtracts",
        ),
        (
            "sed -i 's/subtracts/& # SKIP/' code.txt",
            "tests_skipped",
            "skipped: subtracts",
        ),
    ] {
        let project = inline_tests();
        project.agent(1, &format!("{change}; echo done >> code.txt"));
        let ran = project.run(&[]).run().exits(6);
        assert_eq!(project.rejected(1), [code]);
        assert_eq!(project.states(), ["held"]);
        assert_eq!(project.log(), ["Start"]);
        assert!(ran.stdout.contains(named), "{}", ran.stdout);
    }
}

#[test]
fn a_test_that_another_task_added_has_to_stay() {
    let project = inline_tests();
    project.task(2, "[1]", "sh run.sh");
    project.commit();
    project.agent(1, "printf 'ok 3 - divides\\ndone\\n' >> code.txt");
    project.agent(2, "sed -i /divides/d code.txt");
    let ran = project.run(&[]).run().exits(6);
    assert_eq!(project.rejected(2), ["tests_gone"]);
    assert_eq!(project.states(), ["landed", "held"]);
    assert!(ran.stdout.contains("gone: divides"), "{}", ran.stdout);
}

#[test]
fn allowed_changes_of_tests_are_flagged() {
    let project = inline_tests();
    project
        .environment
        .write("ralph.toml", "[lane]\ntests = \"flag\"\n");
    project.commit();
    project.agent(1, "sed -i /subtracts/d code.txt; echo done >> code.txt");
    project.run(&[]).run().exits(0);
    let flags = &project.report()["tasks"][0]["change"]["flags"];
    assert_eq!(flags[0]["code"], "tests_changed");
    assert_eq!(flags[0]["reason"], "1 of 2 tests gone: subtracts");
}

#[test]
fn a_task_may_change_what_its_file_or_the_configuration_opens() {
    for is_own in [true, false] {
        let project = tested();
        let environment = &project.environment;
        let path = "tasks/demo/01-task.md";
        let text = environment.read(path);
        let (text, config) = match is_own {
            true => (
                text.replace("status:", "may_change: tests/*.sh\nstatus:"),
                "",
            ),
            false => (text, "[lane]\nmay_change = [\"tests/check.sh\"]\n"),
        };
        environment.write(path, text);
        environment.write("ralph.toml", config);
        project.commit();
        project.agent(
            1,
            "echo 'grep -qx better code.txt' > tests/check.sh; echo better > code.txt; \
             echo x >> ralph.toml",
        );
        project.run(&[]).run().exits(0);
        assert_eq!(
            environment.read("tests/check.sh"),
            "grep -qx better code.txt\n"
        );
        assert_eq!(environment.read("ralph.toml"), config);
        let change = &project.report()["tasks"][0]["change"];
        assert_eq!(change["flags"][0]["code"], "tamper_config");
        assert_eq!(change["restored"], serde_json::json!(["ralph.toml"]));
    }
}

/// A project whose command runs each file of `tests` as a test.
fn tests_in_files() -> Project {
    let project = Project::new(&[]);
    project.task(1, "[]", "sh run.sh");
    let environment = &project.environment;
    environment.write(
        "run.sh",
        "n=0; bad=0\nfor file in tests/*.sh; do n=$((n+1)); if sh $file; then echo ok $n - \
         $file; else echo not ok $n - $file; bad=1; fi; done; echo 1..$n\n\
         [ -e wanted ] && exit $bad; exit 1\n",
    );
    environment.write("tests/old.sh", "true\n");
    project.commit();
    project
}

#[test]
fn failures_from_before_park_a_task_whose_own_tests_pass() {
    let project = tests_in_files();
    let environment = &project.environment;
    environment.write("tests/broken.sh", "false\n");
    let path = "tasks/demo/01-task.md";
    let listed = "\n## Must Pass\n\n| Test | Why |\n|---|---|\n| `tests/new.sh` | it does |\n";
    let text = environment.read(path) + listed;
    environment.write(path, text);
    project.commit();
    project.agent(1, "echo '[ -e wanted ]' > tests/new.sh; touch wanted");
    project.run(&[]).run().exits(1);
    assert_eq!(project.calls(), ["1.1"]);
    assert_eq!(project.states(), ["parked"]);
    let why = &project.report()["tasks"][0]["attempts"][0];
    assert_eq!(why["code"], "baseline_red");
    assert_eq!(
        why["reason"],
        "only tests fail that failed before: tests/broken.sh"
    );
}
