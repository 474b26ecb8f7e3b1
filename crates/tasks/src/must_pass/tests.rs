use std::sync::Arc;

use review_process::Stream;

use super::*;
use crate::runners::{Listed, TestReader};

fn observed(outputs: &[&str], names: &[&str]) -> ObservedTests {
    let listed = Arc::new(Listed::new(names.iter().copied()));
    let mut observed = ObservedTests::default();
    for output in outputs {
        let mut reader = TestReader::new(&listed);
        reader.push(Stream::Stdout, output.as_bytes());
        observed.add(&reader.finish());
    }
    observed
}

/// Returns the results of listed tests after commands with this output, one step
/// each, and why some are unknown.
fn judged(steps: &[(&str, &str)], names: &[&str]) -> (Vec<TestResult>, Option<String>) {
    let outputs: Vec<_> = steps.iter().map(|(_, output)| *output).collect();
    let scripts: Vec<_> = steps
        .iter()
        .map(|(script, _)| (*script).to_owned())
        .collect();
    let observed = observed(&outputs, names);
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    let found = judge(&names, &scripts, &observed).expect("tests are listed");
    assert!(found.is_of(&names));
    let results = found.tests.iter().map(|test| test.result).collect();
    (results, found.unknown_because)
}

const CARGO: &str = "test store::keeps ... ok\ntest net ... ignored\ntest result: ok. 1 passed; 0 failed; 1 ignored\n";
const QUIET: &str = "..\ntest result: ok. 2 passed; 0 failed; 0 ignored\n";
const GO: &str = "ok  \tx/a\t0.1s\n";
const GO_VERBOSE: &str = "=== RUN   TestA\n--- PASS: TestA (0.00s)\nok  \tx/a\t0.1s\n";
const JEST: &str = "PASS a.js\n  ✓ adds two numbers\n\nTests: 1 passed, 1 total\n";

#[test]
fn a_test_is_missing_if_all_passed_tests_are_named() {
    use TestResult::{NotRun, Passed, Skipped};
    for (script, output, names, expected) in [
        (
            "cargo test",
            CARGO,
            ["keeps", "gone", "net"],
            [Passed, NotRun, Skipped],
        ),
        (
            "make test",
            CARGO,
            ["keeps", "gone", "net"],
            [Passed, NotRun, Skipped],
        ),
        (
            "cargo test | tee log",
            CARGO,
            ["keeps", "gone", "net"],
            [Passed, NotRun, Skipped],
        ),
        (
            "cargo test 2>/dev/null",
            CARGO,
            ["keeps", "gone", "net"],
            [Passed, NotRun, Skipped],
        ),
        (
            "go test -v ./...",
            GO_VERBOSE,
            ["TestA", "TestB", "TestA/x"],
            [Passed, NotRun, NotRun],
        ),
        (
            "npx jest",
            JEST,
            ["adds two numbers", "adds no numbers", "is a sum"],
            [Passed, NotRun, NotRun],
        ),
    ] {
        assert_eq!(
            judged(&[(script, output)], &names),
            (expected.to_vec(), None),
            "{script}"
        );
    }
}

#[test]
fn a_result_that_the_output_does_not_show_is_unknown() {
    let unnamed = "tests are not all named by `cargo test` with `-q` or `--nocapture`";
    let silent = "no known test runner reported its tests";
    let hidden = "the command hides a part of the output of its tests";
    for (steps, name, why) in [
        (&[("cargo test -q", QUIET)] as &[_], "keeps", unnamed),
        (
            &[("cargo test -q", QUIET), ("cargo test b", CARGO)],
            "gone",
            unnamed,
        ),
        (
            &[("go test ./...", GO)],
            "TestA",
            "tests are not named by `go test` without `-v` or `-json`",
        ),
        (&[("./check.sh", "fine\n")], "gone", silent),
        (&[("cargo test > log", "")], "gone", hidden),
        (&[("cargo test | tail -5", CARGO)], "gone", hidden),
        (
            &[("cargo test a >/dev/null && cargo test b", CARGO)],
            "gone",
            hidden,
        ),
        (
            &[("pytest && cargo test", CARGO)],
            "test_gone",
            "`pytest` reported no tests",
        ),
        (
            &[("python3.12 -m pytest -qqqqq -rN", "...s  [100%]\n")],
            "test_gone",
            "`pytest` reported no tests",
        ),
        (
            &[("node --test-reporter dot --test", "..\n")],
            "greets",
            "`node --test` reported no tests",
        ),
        (
            &[("npx mocha -R dot", "\n  .\n\n  1 passing (1ms)\n")],
            "greets",
            "tests are not named by `mocha` without `--reporter spec`",
        ),
        (
            &[(
                "npx vitest run",
                "\n ✓ a.test.ts (2 tests) 2ms\n      Tests  2 passed (2)\n",
            )],
            "greets",
            "tests are not named by `vitest` without `--reporter=verbose`",
        ),
        (
            &[("cargo test", CARGO)],
            "crate::store::keeps",
            "a listed name resembles that of a different test that ran",
        ),
    ] {
        let expected = (vec![TestResult::Unknown], Some(why.to_owned()));
        assert_eq!(judged(steps, &[name]), expected, "{steps:?} {name}");
    }
}

#[test]
fn a_listed_test_is_missing_whatever_it_looks_like() {
    for (script, output, name) in [
        ("cargo test", CARGO, "cargo clippy"),
        ("cargo test", CARGO, "clippy"),
        ("cargo test", CARGO, "TestStore"),
        ("go test -v", GO_VERBOSE, "PRDStatusDraft"),
        ("go test -v", GO_VERBOSE, "in german"),
        ("jest", JEST, "npm run build"),
        ("jest", JEST, "adds %i + %i"),
        ("jest", JEST, "uploads"),
        ("jest", JEST, "two numbers"),
    ] {
        let expected = (vec![TestResult::NotRun], None);
        assert_eq!(
            judged(&[(script, output)], &[name]),
            expected,
            "{script} {name}"
        );
    }
}

#[test]
fn a_test_in_the_output_is_known_whatever_else_is_unknown() {
    use TestResult::{Failed, Passed, Unknown};
    let failed = "test store::keeps ... FAILED\ntest result: FAILED. 0 passed; 1 failed\n";
    let steps = [("cargo test -q", QUIET), ("cargo test store | tail", CARGO)];
    assert_eq!(judged(&steps, &["keeps", "gone"]).0, [Passed, Unknown]);
    let steps = [
        ("cargo test -p a", CARGO),
        ("cargo test -p b || true", failed),
    ];
    assert_eq!(judged(&steps, &["keeps"]), (vec![Failed], None));
}

#[test]
fn a_runner_that_could_not_name_a_test_does_not_hide_that_it_is_missing() {
    let steps = [("go test ./...", GO), ("cargo test", CARGO)];
    assert_eq!(
        judged(&steps, &["store::gone"]),
        (vec![TestResult::NotRun], None)
    );
    assert_eq!(judged(&steps, &["TestA"]).0, [TestResult::Unknown]);
    let zero = "No tests were found!!!\n";
    let steps = [("ctest", zero), ("cargo test", CARGO)];
    assert_eq!(judged(&steps, &["gone"]).0, [TestResult::NotRun]);
}

#[test]
fn without_listed_tests_there_are_no_results() {
    assert_eq!(
        judge(&[], &["cargo test".to_owned()], &observed(&[CARGO], &[])),
        None
    );
}

/// Why tests are not named, and whether that is certain.
fn unnamed(command: &str, files: &[(&str, &str)]) -> Option<(String, bool)> {
    let read = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| (*text).to_owned())
    };
    let found = why_unnamed(&[command.to_owned()], &read)?;
    Some((found.why, found.is_certain))
}

#[test]
fn a_command_that_cannot_name_its_tests_shows_it() {
    let go = "tests are not named by `go test` without `-v` or `-json`";
    let cargo = "tests are not all named by `cargo test` with `-q` or `--nocapture`";
    let unittest = "tests are not named by `unittest` without `-v`";
    let hidden = "the command hides a part of the output of its tests";
    let nextest = "tests are not all named by `cargo nextest run` below `--status-level pass`";
    let vitest = "tests are not named by `vitest` without `--reporter=verbose`";
    let node = "not every test is named by this reporter of `node --test`";
    let mocha = "tests are not named by `mocha` without `--reporter spec`";
    let jest = "tests of several files are not named by `jest` without `--verbose`";
    for (command, why) in [
        ("go test ./...", Some(go)),
        ("cd a && go test ./...", Some(go)),
        ("go test -v ./...", None),
        ("go test -json ./...", None),
        ("cargo test -q", Some(cargo)),
        ("cargo test a -- --nocapture", Some(cargo)),
        ("cargo test a", None),
        ("python3 -m unittest test_a", Some(unittest)),
        ("python3 -m unittest -v test_a", None),
        ("ctest", Some("the names that `ctest` prints are not read")),
        (
            "npx playwright test a",
            Some("the names that `playwright` prints are not read"),
        ),
        (
            "./gradlew test",
            Some("the names that `gradle` prints are not read"),
        ),
        ("ctest --output-junit junit.xml", None),
        (
            "gotestsum ./...",
            Some("the names that `gotestsum` prints are not read"),
        ),
        ("gotestsum --format standard-verbose", None),
        ("prove -v t", None),
        ("pytest -q --junitxml=a/junit.xml", None),
        ("cargo test > log", Some(hidden)),
        ("cargo test | tail -5", Some(hidden)),
        ("cargo test -- --format=terse", Some(cargo)),
        ("cargo nextest run --status-level fail", Some(nextest)),
        ("npx vitest run --reporter=dot", Some(vitest)),
        ("npx vitest run --reporter=json", Some(vitest)),
        ("npx vitest run --reporter dot --reporter verbose", None),
        ("npx vitest run --reporter=verbose", None),
        ("node --test --test-reporter=dot", Some(node)),
        ("node --test-reporter dot --test a.mjs", Some(node)),
        ("node --test --test-reporter=dot --test-reporter=spec", None),
        ("tsx --test --test-reporter=dot", Some(node)),
        ("mocha -R dot", Some(mocha)),
        ("npx mocha --reporter=min", Some(mocha)),
        ("mocha -R spec", None),
        ("jest --silent", None),
        ("jest --verbose=false", Some(jest)),
        (
            "mvn -q test",
            Some("the names that `maven` prints are not read"),
        ),
        ("go test ./... && cargo test", None),
        ("pytest", None),
        ("pytest -qq -rN", None),
        ("python3.11 -m pytest -qq", None),
        ("coverage run --source src -m pytest", None),
        ("test -f a", Some("its command calls no known test runner")),
    ] {
        let why = why.map(|why| (why.to_owned(), true));
        assert_eq!(unnamed(command, &[]), why, "{command}");
    }
}

#[test]
fn whether_a_script_names_its_tests_is_seen_in_what_it_runs() {
    let go = "tests are not named by `go test` without `-v` or `-json`";
    let other = "its command calls no known test runner";
    let vitest = "tests are not named by `vitest` without `--reporter=verbose`";
    let hidden = "the command hides a part of the output of its tests";
    for (command, file, text, why) in [
        (
            "sh t.sh",
            "t.sh",
            "set -e\ngo test ./...\n",
            Some((go, true)),
        ),
        ("sh t.sh", "t.sh", "set -e\ngo test -v ./...\n", None),
        ("sh t.sh", "t.sh", "echo 1..1\necho ok 1 - a\n", None),
        (
            "sh t.sh",
            "t.sh",
            "echo 1..2\ngo test ./... > log\n",
            Some((hidden, true)),
        ),
        (
            "sh t.sh",
            "t.sh",
            "echo 1..1\n./build/tests > log && echo ok 1 - a\n",
            None,
        ),
        ("sh t.sh", "t.sh", "test -f out.txt\n", Some((other, true))),
        ("sh t.sh", "t.sh", "./build/tests\n", Some((other, false))),
        (
            "sh t.sh",
            "t.sh",
            "go test ./... > log\n",
            Some((hidden, true)),
        ),
        (
            "sh t.sh",
            "t.sh",
            "echo 'never closed\n",
            Some((other, false)),
        ),
        ("sh t.sh", "t.sh", "sh t.sh\n", Some((other, false))),
        (
            "make test",
            "Makefile",
            "test:\n\tgo test ./...\n",
            Some((go, true)),
        ),
        (
            "make test",
            "Makefile",
            "test:\n\t$(GO) test\n",
            Some((other, false)),
        ),
        ("just test", "justfile", "test:\n    cargo test\n", None),
        (
            "npm test",
            "package.json",
            r#"{"scripts":{"test":"vitest run"}}"#,
            Some((vitest, false)),
        ),
        (
            "npm test",
            "package.json",
            r#"{"scripts":{"test":"node --test"}}"#,
            None,
        ),
        ("npm run e2e && go test ./...", "a", "", Some((go, false))),
        ("make test", "a", "", Some((other, false))),
        ("./check.sh", "a", "", Some((other, false))),
        ("npx vitest run", "a", "", Some((vitest, false))),
    ] {
        let why = why.map(|(why, is_certain)| (why.to_owned(), is_certain));
        assert_eq!(unnamed(command, &[(file, text)]), why, "{command} {text}");
    }
}

#[test]
fn the_junit_files_of_a_command_are_found_from_the_root() {
    for (command, expected) in [
        (
            "ctest --output-junit build/junit.xml",
            &[("ctest", "build/junit.xml")] as &[_],
        ),
        (
            "cd api && pytest --junitxml=out.xml -q",
            &[("pytest", "api/out.xml")],
        ),
        (
            "gotestsum --junitfile j.xml -- ./...",
            &[("gotestsum", "j.xml")],
        ),
        (
            "npx vitest run --reporter=junit --outputFile=v.xml",
            &[("vitest", "v.xml")],
        ),
        ("ctest --output-junit /tmp/junit.xml", &[]),
        ("ctest --output-junit", &[]),
        ("cargo test --junitxml=a.xml", &[]),
    ] {
        let found = reports(command);
        let found: Vec<_> = found
            .iter()
            .map(|(row, path)| (&*row.name, &**path))
            .collect();
        assert_eq!(found, expected, "{command}");
    }
}
