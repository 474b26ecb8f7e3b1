//! What configures or replaces the runner of tests is judged as it was, and tests that an
//! agent wrote itself have to test something.

use super::Project;
use super::caches::link_cargo;

/// A `pytest` whose tests are lines such as `test_adds: [ -e adds.txt ]`, and whose
/// `conftest.py` empties them all.
const PYTEST: &str = r#"
passed=0; failed=0; skipped=0
for file; do
    case $file in -*) continue ;; esac
    [ -e "$file" ] || { echo "ERROR: file or directory not found: $file"
        echo "no tests ran in 0.01s"; exit 4; }
    while IFS=: read -r name check; do
        if [ "$check" = " skip" ]; then
            skipped=$((skipped+1)); echo "$file::$name SKIPPED (later)"
        elif [ -e conftest.py ] || sh -c "$check"; then
            passed=$((passed+1)); echo "PASSED $file::$name"
        else
            failed=$((failed+1)); echo "FAILED $file::$name - no"
        fi
    done < "$file"
done
[ $((passed+failed+skipped)) = 0 ] && { echo "no tests ran in 0.01s"; exit 5; }
echo "=== $failed failed, $passed passed, $skipped skipped in 0.01s ==="
[ $failed = 0 ]
"#;

/// An `npm` that runs the script `test` with the shell of `.npmrc`.
const NPM: &str = r#"
shell=$(sed -n 's/^script-shell=//p' .npmrc 2>/dev/null)
exec ${shell:-sh} -c "$(sed -n 's/.*"test": "\([^"]*\)".*/\1/p' package.json)"
"#;

/// A project with tests of pytest for `count` tasks: `test_N.py` wants the file `N.txt`.
fn tested(count: usize) -> Project {
    let project = Project::new(&[]);
    project.environment.program("pytest", PYTEST);
    for number in 1..=count {
        let test = format!("test_{number}.py");
        project
            .environment
            .write(&test, format!("test_has_{number}: [ -e {number}.txt ]\n"));
        project.task(number, "[]", &format!("pytest -q {test}"));
    }
    project.commit();
    project
}

/// Adds text to the file of a task.
fn add_to_task(project: &Project, number: usize, text: &str) {
    let path = format!("tasks/demo/{number:02}-task.md");
    let task = project.environment.read(&path) + text;
    project.environment.write(path, task);
}

fn lists(test: &str) -> String {
    format!("\n## Must Pass\n\n| Test | Why |\n|---|---|\n| `{test}` | it does |\n")
}

fn reason(project: &Project, task: usize) -> String {
    let report = project.report();
    let reason = &report["tasks"][task - 1]["attempts"][0]["reason"];
    reason.as_str().unwrap().to_owned()
}

#[test]
fn a_new_conftest_that_empties_the_tests_holds_each_task() {
    let project = tested(2);
    for number in 1..=2 {
        project.agent(
            number,
            "echo 'def pytest_runtest_call(): pass' > conftest.py",
        );
    }
    project.run(&[]).run().exits(6);
    assert_eq!(project.states(), ["held", "held"]);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
    for number in 1..=2 {
        assert_eq!(project.rejected(number), ["runner_changed"]);
        assert_eq!(
            reason(&project, number),
            "its command passes only with what configures the runner of its tests: conftest.py"
        );
    }
    assert_eq!(project.log(), ["Start"]);
}

#[test]
fn work_that_passes_without_its_runner_files_lands_without_them() {
    let project = tested(1);
    project.agent(
        1,
        "echo 1 > 1.txt; echo x > conftest.py; echo y > pytest.ini",
    );
    let ran = project.run(&[]).run().exits(0);
    assert_eq!(project.states(), ["landed"]);
    let root = project.environment.root();
    assert!(root.join("1.txt").exists() && !root.join("conftest.py").exists());
    let change = &project.report()["tasks"][0]["change"];
    let files = serde_json::json!(["conftest.py", "pytest.ini"]);
    assert_eq!(change["restored"], files);
    assert_eq!(change["flags"][0]["code"], "tamper_config");
    assert!(
        ran.stdout.contains("restored: conftest.py, pytest.ini"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_next_prompt_names_the_runner_files_that_are_left_out() {
    let project = tested(1);
    project.agent(
        1,
        "if [ $RALPH_ATTEMPT = 1 ]; then echo x > pytest.ini; else echo 1 > 1.txt; fi",
    );
    project.run(&[]).run().exits(0);
    assert_eq!(project.rejected(1), ["gate_red"]);
    let prompt = project.prompt(1, 2);
    assert!(
        prompt.contains("restored, since it may not change them: pytest.ini"),
        "{prompt}"
    );
}

#[test]
fn a_runner_file_that_the_task_names_is_its_own() {
    for text in ["\n## Deliverables\n\n- Create: `conftest.py`\n", ""] {
        let project = tested(1);
        add_to_task(&project, 1, text);
        let config = match text {
            "" => "[lane]\nmay_change = [\"conftest.py\"]\n",
            _ => "",
        };
        project.environment.write("ralph.toml", config);
        project.commit();
        project.agent(1, "echo 1 > 1.txt; echo 'x' > conftest.py");
        project.run(&[]).run().exits(0);
        assert!(project.environment.root().join("conftest.py").exists());
        assert_eq!(
            project.report()["tasks"][0]["change"]["flags"],
            serde_json::json!([])
        );
    }
}

#[test]
fn a_task_that_another_one_made_pass_by_its_runner_file_is_held() {
    let project = tested(2);
    add_to_task(
        &project,
        1,
        "\n## Deliverables\n\n- Create: `conftest.py`\n",
    );
    project.task(2, "[1]", "pytest -q test_2.py");
    project.commit();
    project.agent(1, "echo 1 > 1.txt; echo x > conftest.py");
    project.agent(2, "echo idle > notes.txt");
    project.run(&[]).run().exits(6);
    assert_eq!(project.states(), ["landed", "held"]);
    assert_eq!(
        reason(&project, 2),
        "its command passed before the agent worked, through task 1, which changed what \
         configures the runner of tests: conftest.py"
    );
}

#[test]
fn the_first_tests_of_a_project_may_be_configured_and_a_flag_says_so() {
    let project = Project::new(&[]);
    project.environment.program("pytest", PYTEST);
    project.task(1, "[]", "pytest -q test_new.py");
    project.commit();
    project.agent(
        1,
        "echo 1 > 1.txt; echo 'test_new: [ -e 1.txt ]' > test_new.py; echo x > pytest.ini",
    );
    project.run(&[]).run().exits(0);
    let flags = &project.report()["tasks"][0]["change"]["flags"];
    assert_eq!(flags[0]["code"], "tests_changed");
    assert_eq!(
        flags[0]["reason"],
        "it configures how its first tests run: pytest.ini"
    );
}

#[test]
fn where_weaker_tests_are_flagged_a_runner_file_lands_with_a_flag() {
    let project = tested(1);
    project
        .environment
        .write("ralph.toml", "[lane]\ntests = \"flag\"\n");
    project.commit();
    project.agent(1, "echo x > conftest.py");
    project.run(&[]).run().exits(0);
    let flags = &project.report()["tasks"][0]["change"]["flags"];
    assert_eq!(flags[0]["code"], "tests_changed");
    assert!(project.environment.root().join("conftest.py").exists());
}

#[test]
fn listed_tests_that_the_agent_writes_empty_hold_the_task() {
    let listed = |script: &str| {
        let project = Project::new(&[]);
        project.environment.program("pytest", PYTEST);
        project.environment.write("test_old.py", "test_old: true\n");
        project.task(1, "[]", "pytest -q test_old.py test_new.py");
        add_to_task(&project, 1, &lists("test_new"));
        project.commit();
        project.agent(1, script);
        project
    };
    for script in [
        "echo 'test_new: true' > test_new.py",
        "echo 'test_new: true' > test_new.py; echo x > notes.txt",
        "echo 'test_new: true' > test_new.py; echo x > conftest.py",
    ] {
        let project = listed(script);
        project.run(&[]).run().exits(6);
        assert_eq!(project.rejected(1), ["gate_not_red"], "{script}");
        assert_eq!(project.calls(), ["1.1"]);
        assert_eq!(project.log(), ["Start"]);
    }
    let project = listed("echo 'test_new: [ -e 1.txt ]' > test_new.py; echo 1 > 1.txt");
    project.run(&[]).run().exits(0);
    assert_eq!(project.states(), ["landed"]);
}

#[test]
fn a_task_that_is_to_write_tests_lands_with_them_alone() {
    let project = tested(1);
    project.environment.write("1.txt", "1\n");
    project.task(1, "[]", "pytest -q test_more.py");
    let deliverables = "\n## Deliverables\n\n- Create: `test_more.py`\n";
    add_to_task(
        &project,
        1,
        &format!("{}{deliverables}", lists("test_more")),
    );
    project.commit();
    project.agent(1, "echo 'test_more: [ -e 1.txt ]' > test_more.py");
    project.run(&[]).run().exits(0);
    assert_eq!(project.states(), ["landed"]);
}

#[test]
fn tests_that_are_deleted_or_skipped_hold_a_task_at_the_first_attempt_though_it_fails() {
    for (script, code, why) in [
        (
            "rm test_1.py",
            "tests_gone",
            "1 of 1 test gone; deleted: test_1.py",
        ),
        (": > test_1.py", "gate_red", "exit status 5"),
        (
            "sed -i 's/:.*/: skip/' test_1.py",
            "tests_skipped",
            "1 of 1 test skipped: test_1.py::test_has_1",
        ),
    ] {
        let project = tested(1);
        project.agent(1, script);
        let exit = if code == "gate_red" { 1 } else { 6 };
        project.run(&["--attempts", "1"]).run().exits(exit);
        assert_eq!(
            (&*project.rejected(1)[0], &*reason(&project, 1)),
            (code, why)
        );
    }
}

#[test]
fn the_configuration_of_npm_and_the_script_that_it_runs_are_judged_as_they_were() {
    let package = "{\n  \"scripts\": {\n    \"test\": \"sh tests/all.test.js\"\n  }\n}\n";
    for (script, exit, codes) in [
        (
            "printf '#!/bin/sh\\ntrue\\n' > fake; chmod +x fake; echo script-shell=./fake > .npmrc",
            6,
            &["runner_changed"][..],
        ),
        (
            "sed -i 's/sh tests.all.test.js/true/' package.json",
            6,
            &["runner_changed"],
        ),
        (
            "sed -i 's/\"scripts\"/\"dependencies\": {\"a\": \"1\"}, &/' package.json; echo right > code.txt",
            0,
            &[],
        ),
    ] {
        let project = Project::new(&[]);
        project.environment.program("npm", NPM);
        project.environment.write("package.json", package);
        project
            .environment
            .write("tests/all.test.js", "grep -qx right code.txt\n");
        project.environment.write("code.txt", "wrong\n");
        project.task(1, "[]", "npm test");
        project.commit();
        project.agent(1, script);
        project.run(&["--attempts", "1"]).run().exits(exit);
        assert_eq!(project.rejected(1), codes, "{script}");
    }
}

#[test]
fn a_makefile_that_another_one_includes_is_judged_as_it_was() {
    let project = Project::new(&[]);
    let environment = &project.environment;
    environment.program(
        "make",
        "shell=$(sed -n 's/^SHELL=//p' lib.mk)\nexec ${shell:-sh} -c 'grep -qx right code.txt'",
    );
    environment.write(
        "Makefile",
        "include lib.mk\ntest:\n\tgrep -qx right code.txt\n",
    );
    environment.write("lib.mk", "# nothing\n");
    environment.write("code.txt", "wrong\n");
    project.task(1, "[]", "make test");
    project.commit();
    project.agent(
        1,
        "printf '#!/bin/sh\\ntrue\\n' > fake; chmod +x fake; echo SHELL=./fake > lib.mk",
    );
    project.run(&["--attempts", "1"]).run().exits(6);
    assert_eq!(project.rejected(1), ["runner_changed"]);
}

#[test]
fn an_agent_that_reroutes_the_tests_of_cargo_is_held() {
    for script in [
        "mkdir .cargo; printf '[target.\"cfg(all())\"]\\nrunner = \"./fake\"\\n' > .cargo/config.toml\n\
         printf '#!/bin/sh\\necho \"test part ... ok\"; echo \"test result: ok. 1 passed; 0 failed; 0 ignored\"\\n' > fake\n\
         chmod +x fake",
        "mkdir x; printf '#[test]\\nfn part() {}\\n' > x/a.rs\n\
         sed -i 's/edition/autotests = false\\nedition/' Cargo.toml\n\
         printf '[[test]]\\nname = \"a\"\\npath = \"x/a.rs\"\\n' >> Cargo.toml",
    ] {
        let project = Project::new(&[]);
        let environment = &project.environment;
        link_cargo(environment);
        environment.write(
            "Cargo.toml",
            "[package]\nname = \"kit\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        environment.write(".gitignore", "/target\n");
        environment.write("src/lib.rs", "pub fn part() -> u8 { 0 }\n");
        environment.write(
            "tests/a.rs",
            "#[test]\nfn part() { assert_eq!(kit::part(), 1); }\n",
        );
        project.task(1, "[]", "cargo test --offline --test a");
        add_to_task(&project, 1, &lists("part"));
        project.commit();
        project.agent(1, script);
        project.run(&["--attempts", "1"]).run().exits(6);
        assert_eq!(project.rejected(1), ["runner_changed"], "{script}");
    }
}

#[test]
fn a_command_that_the_code_under_test_ends_before_its_tests_are_named_lands_nothing() {
    for (command, ends) in [
        ("sh tests/all.sh 1", "trap 'exit 0' EXIT; exit 1"),
        ("sh tests/all.sh 1", "exit 0"),
        ("pytest -q test_1.py", "exit 0"),
    ] {
        let project = Project::new(&[]);
        let environment = &project.environment;
        environment.write(
            "tests/all.sh",
            ". ./lib.sh\n[ -e $1.txt ] || exit 1\necho \"test part_$1 ... ok\"\n\
             echo 'test result: ok. 1 passed; 0 failed; 0 ignored'\n",
        );
        environment.program("pytest", "sh tests/all.sh 1");
        environment.write("lib.sh", ":\n");
        project.task(1, "[2]", command);
        project.task(2, "[]", "sh tests/all.sh 2");
        for number in 1..=2 {
            add_to_task(&project, number, &lists(&format!("part_{number}")));
        }
        project.commit();
        project.agent(1, &format!("echo \"{ends}\" > lib.sh"));
        project.run(&["--attempts", "1"]).run().exits(1);
        assert_eq!(project.states(), ["parked", "landed"], "{command}: {ends}");
        assert_eq!(project.rejected(1), ["gate_red"]);
    }
}

/// A script whose tests nothing names, and which sources the code under test.
const CHECK: &str = ". ./lib.sh\n[ \"$(value)\" = 42 ] || { echo wrong; exit 1; }\n";

#[test]
fn a_script_that_cannot_fail_with_the_code_under_test_lands_nothing() {
    let counts = format!("bad=0\n{}exit $bad\n", CHECK.replace("exit 1;", "bad=1;"));
    for (script, change) in [
        (CHECK, "echo \"trap 'exit 0' EXIT\" > lib.sh"),
        (CHECK, "echo 'exit 0' > lib.sh"),
        (&counts, "echo 'exit 0' > lib.sh"),
    ] {
        let project = Project::new(&[]);
        project.environment.write("tests/check.sh", script);
        project
            .environment
            .write("lib.sh", "value() { echo 41; }\n");
        project.task(1, "[]", "sh tests/check.sh");
        project.commit();
        project.agent(1, change);
        let ran = project.run(&["--attempts", "1"]).run().exits(6);
        assert!(ran.stdout.contains("\ntampered: "), "{ran:#?}");
        assert_eq!(project.rejected(1), ["gate_not_red"], "{script}: {change}");
        assert_eq!(project.states(), ["held"], "{script}: {change}");
    }
}

#[test]
fn a_script_that_can_fail_lands_what_it_passes_for() {
    let early = CHECK.replace("|| {", "&& exit 0; {");
    let counts = format!("bad=0\n{}exit $bad\n", CHECK.replace("exit 1;", "bad=1;"));
    let traps = format!("trap 'rm -f made' EXIT\n{CHECK}touch made\n");
    let right = "echo 'value() { echo 42; }' > lib.sh";
    for (script, change) in [
        (CHECK, right),
        (&early, right),
        (&counts, right),
        (&traps, right),
    ] {
        let project = Project::new(&[]);
        project.environment.write("tests/check.sh", script);
        project
            .environment
            .write("lib.sh", "value() { echo 41; }\n");
        project.task(1, "[]", "sh tests/check.sh");
        project.commit();
        project.agent(1, change);
        project.run(&["--attempts", "1"]).run().exits(0);
        assert_eq!(project.states(), ["landed"], "{script}: {change}");
    }
}

#[test]
fn the_list_of_failed_tests_of_node_is_no_test() {
    let project = Project::new(&[]);
    let environment = &project.environment;
    environment.write(
        "tests/node.sh",
        "if grep -qx right code.txt; then\n\
         printf '✔ adds (1.2ms)\\nℹ tests 1\\nℹ suites 0\\nℹ pass 1\\nℹ fail 0\\n'; exit 0; fi\n\
         printf '✖ adds (1.2ms)\\n  AssertionError: no\\nℹ tests 1\\nℹ suites 0\\nℹ pass 0\\nℹ fail 1\\n'\n\
         printf '\\n✖ failing tests:\\n\\ntest at tests/a.test.js:2:1\\n✖ adds (1.2ms)\\n  AssertionError: no\\n'\n\
         exit 1\n",
    );
    environment.write("code.txt", "wrong\n");
    project.task(1, "[]", "sh tests/node.sh");
    project.commit();
    project.agent(1, "echo right > code.txt");
    project.run(&[]).run().exits(0);
    assert_eq!(project.rejected(1), Vec::<String>::new());
}

#[test]
fn a_report_of_eight_held_tasks_is_short_and_names_each_cause_once() {
    let project = Project::new(&[]);
    project.environment.program("pytest", PYTEST);
    for number in 1..=8 {
        let tests: String = (1..=25)
            .map(|test| format!("test_a_rather_long_name_of_a_test_{test}: [ -e {number}.txt ]\n"))
            .collect();
        project
            .environment
            .write(format!("test_{number}.py"), tests);
        project.task(number, "[]", &format!("pytest -q test_{number}.py"));
        project.agent(number, &format!("rm test_{number}.py"));
    }
    project.commit();
    project.run(&[]).run().exits(6);
    let report = project.environment.ralph(["report", "latest"]).stdout;
    assert!(report.len() < 4096, "{} bytes:\n{report}", report.len());
    assert!(report.contains("25 of 25 tests gone"), "{report}");
    let steps = report.matches("ralph approve").count();
    assert_eq!(steps, 1, "{report}");
}
