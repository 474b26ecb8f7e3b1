//! The results of the tests that a task lists, by the output of its command.
//!
//! A test is missing if every runner that could have named it named all tests that
//! passed, whatever the listed name looks like. Otherwise its result is unknown.

use review::events::{ListedTest, MustPass, TestResult};
use review_document::command::{Invocation, Joint, Runner, RunsTests, Script, SimpleCommand};

use crate::runners::{Marks, ObservedTests, TestRunner, test_runners};

/// Why results are unknown where the output is not whole.
const HIDDEN: &str = "the command hides a part of the output of its tests";

/// Returns the results of the tests with these names; `None` without names.
pub(crate) fn judge(
    names: &[String],
    scripts: &[String],
    observed: &ObservedTests,
) -> Option<MustPass> {
    if names.is_empty() {
        return None;
    }
    let output = Output::new(scripts, observed);
    let mut because: Vec<String> = Vec::new();
    let tests = names.iter().enumerate().map(|(at, name)| {
        let marks = observed.marks.get(at).copied().unwrap_or_default();
        let result = output.result(name, marks).unwrap_or_else(|why| {
            if !because.contains(&why) {
                because.push(why);
            }
            TestResult::Unknown
        });
        ListedTest {
            name: name.clone(),
            result,
        }
    });
    let tests = tests.collect();
    Some(MustPass {
        tests,
        unknown_because: (!because.is_empty()).then(|| because.join("; ")),
    })
}

/// How completely the output of a command shows which tests ran.
struct Output {
    /// The runners that reported tests, and whether they named all that passed. One
    /// that never names tests counts only if it is alone.
    runners: Vec<(&'static TestRunner, bool)>,
    /// The runners that must have run tests but reported nothing.
    silent: Vec<&'static TestRunner>,
    is_hidden: bool,
}

impl Output {
    fn new(scripts: &[String], observed: &ObservedTests) -> Self {
        let spoke = |row: &'static TestRunner| {
            let mut runners = observed.runners.iter();
            let (_, all) = runners.find(|(name, _)| *name == row.name)?;
            Some((row, *all))
        };
        let mut runners: Vec<_> = test_runners().iter().filter_map(spoke).collect();
        let is_heard = |called: &&'static TestRunner| {
            let mut runners = runners.iter();
            runners.any(|(row, _)| {
                row.standard || row.is_or_wraps(&called.name) || called.is_or_wraps(&row.name)
            })
        };
        let mut silent = Vec::new();
        let mut is_hidden = false;
        for script in scripts {
            let script = Script::parse(script);
            is_hidden |= hides(&script);
            let called = test_calls(&script).filter_map(|call| call.runner);
            silent.extend(called.filter(|runner| !is_heard(runner)));
        }
        if runners.iter().any(|(row, _)| row.names_tests()) {
            runners.retain(|(row, _)| row.names_tests());
        }
        Self {
            runners,
            silent,
            is_hidden,
        }
    }

    /// Returns the result of a listed test, or why it is unknown.
    fn result(&self, name: &str, marks: Marks) -> Result<TestResult, String> {
        if marks.has(Marks::FAILED) {
            return Ok(TestResult::Failed);
        }
        if marks.has(Marks::PASSED) {
            return Ok(TestResult::Passed);
        }
        if self.is_hidden {
            return Err(HIDDEN.to_owned());
        }
        let unnamed = || self.runners.iter().filter(|(_, all)| !all);
        let may_be = |(row, _): &&(&TestRunner, bool)| row.form.name(name).is_some();
        let names_none = unnamed().count() == self.runners.len();
        let mut unnamed = unnamed().filter(|runner| names_none || may_be(runner));
        if let Some((row, _)) = unnamed.next() {
            return Err(row.unnamed());
        }
        let may_run = |silent: &&&TestRunner| silent.form.name(name).is_some();
        let silent = self.silent.iter().find(may_run);
        if let Some(silent) = silent {
            return Err(format!("`{}` reported no tests", silent.name));
        }
        if self.runners.is_empty() {
            return Err("no known test runner reported its tests".to_owned());
        }
        if marks.has(Marks::SKIPPED) {
            return Ok(TestResult::Skipped);
        }
        if marks.has(Marks::BEGUN) {
            return Err("the output does not show how a started test ended".to_owned());
        }
        if marks.has(Marks::NEAR) {
            return Err("a listed name resembles that of a different test that ran".to_owned());
        }
        Ok(TestResult::NotRun)
    }
}

/// Returns whether the output of these scripts says of their tests, whatever ends them: they
/// call a runner that may name the tests that ran, and hide nothing of it.
pub(crate) fn name_tests(scripts: &[String]) -> bool {
    let scripts: Vec<_> = scripts.iter().map(|script| Script::parse(script)).collect();
    let may_name = |call: TestCall<'_>| {
        let runner = call.runner;
        runner.is_some_and(|row| row.may_name(&call.arguments))
    };
    scripts.iter().flat_map(test_calls).any(may_name) && !scripts.iter().any(hides)
}

/// A command of a script that may run tests.
struct TestCall<'s> {
    run: &'s Invocation<'s>,
    runner: Option<&'static TestRunner>,
    arguments: Vec<&'s str>,
}

fn test_calls<'s>(script: &'s Script<'s>) -> impl Iterator<Item = TestCall<'s>> {
    let runs = script.invocations.iter();
    let runs = runs.filter(|run| run.runner.runs_tests() != RunsTests::No);
    runs.filter_map(|run| {
        let program = script.commands()[run.command].program()?;
        let arguments: Vec<_> = program.args.iter().map(|word| &*word.text).collect();
        let mut rows = test_runners().iter();
        let called = rows
            .clone()
            .find(|row| row.is_called(program.name, &arguments));
        let known = run.runner.reporter();
        let known = || known.and_then(|(name, _)| rows.find(|row| row.name == name));
        let runner = called.or_else(known);
        Some(TestCall {
            run,
            runner,
            arguments,
        })
    })
}

/// Returns why the output of these scripts does not name the tests that ran; `None` if it may,
/// or if they call no known runner themselves.
pub(crate) fn why_unnamed(scripts: &[String]) -> Option<String> {
    if name_tests(scripts) {
        return None;
    }
    let scripts: Vec<_> = scripts.iter().map(|script| Script::parse(script)).collect();
    let calls = scripts.iter().flat_map(test_calls);
    let runners: Vec<_> = calls.map(|call| call.runner).collect();
    let runner = runners.iter().flatten().next()?;
    match scripts.iter().any(hides) {
        true => Some(HIDDEN.to_owned()),
        // A program that is not known may name them.
        false if runners.iter().any(Option::is_none) => None,
        false => Some(runner.unnamed()),
    }
}

/// Returns the JUnit files that a script writes, relative to the root, with their runners.
pub(crate) fn reports(script: &str) -> Vec<(&'static TestRunner, String)> {
    let script = Script::parse(script);
    let reports = test_calls(&script).filter_map(|call| {
        let runner = call.runner?;
        let path = call.run.folder.join(runner.report(&call.arguments)?)?;
        Some((runner, path))
    });
    reports.collect()
}

/// Returns whether a script may hide a part of the output of its tests.
fn hides(script: &Script<'_>) -> bool {
    let commands = script.commands();
    let command = |run: &Invocation<'_>| commands.get(run.command);
    let tests: Vec<_> = script
        .invocations
        .iter()
        .filter(|run| may_test(run, commands))
        .collect();
    let runs = tests
        .iter()
        .filter(|run| run.runner != Runner::Other)
        .count();
    let redirects = |command: &SimpleCommand<'_>| {
        let mut files = command.redirects.iter().filter(|redirect| redirect.writes);
        files.any(|file| match &*file.target.text {
            "/dev/stdout" | "/dev/stderr" | "/dev/tty" => false,
            // A single runner shows whether all tests were named.
            "/dev/null" => runs > 1,
            _ => true,
        })
    };
    let is_cut = |run: &Invocation<'_>| {
        let next = commands.get(run.command + 1);
        let reader = next.filter(|next| next.joint == Joint::Pipe);
        reader.is_some_and(|reader| {
            let program = reader.program();
            !program.is_some_and(|program| matches!(program.name, "tee" | "cat"))
        })
    };
    script.is_unfinished
        || tests
            .iter()
            .any(|run| is_cut(run) || command(run).is_some_and(redirects))
}

/// Returns whether a command may run tests, rather than read the output of others.
fn may_test(run: &Invocation<'_>, commands: &[SimpleCommand<'_>]) -> bool {
    let is_reader = commands
        .get(run.command)
        .is_some_and(|command| command.joint == Joint::Pipe);
    run.runner.runs_tests() != RunsTests::No && !is_reader
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn why_a_command_does_not_name_its_tests_is_said_of_the_runner_that_it_calls() {
        for (command, why) in [
            (
                "go test ./...",
                Some("tests are not named by `go test` without `-v` or `-json`"),
            ),
            (
                "npx vitest run --reporter=dot",
                Some("tests are not named by `vitest` without `--reporter=verbose`"),
            ),
            ("cargo test > log", Some(HIDDEN)),
            ("ctest", Some("the names that `ctest` prints are not read")),
            ("cargo test", None),
            ("npx vitest run", None),
            ("sh t.sh", None),
            ("go test ./... && sh t.sh", None),
            ("test -f a", None),
        ] {
            let found = why_unnamed(&[command.to_owned()]);
            assert_eq!(found.as_deref(), why, "{command}");
        }
    }

    #[test]
    fn whether_a_command_names_its_tests_is_seen_in_its_runner_and_its_options() {
        for (command, expected) in [
            ("go test ./...", false),
            ("cd a && go test ./...", false),
            ("go test -v ./...", true),
            ("go test -json ./...", true),
            ("cargo test -q", false),
            ("cargo test a -- --nocapture", false),
            ("cargo test a", true),
            ("python3 -m unittest test_a", false),
            ("python3 -m unittest -v test_a", true),
            ("ctest", false),
            ("npx playwright test a", false),
            ("./gradlew test", false),
            ("ctest --output-junit junit.xml", true),
            ("gotestsum ./...", false),
            ("gotestsum --format standard-verbose", true),
            ("prove -v t", true),
            ("pytest -q --junitxml=a/junit.xml", true),
            ("cargo test > log", false),
            ("cargo test | tail -5", false),
            ("cargo test -- --format=terse", false),
            ("cargo nextest run --status-level fail", false),
            ("npx vitest run", true),
            ("npx vitest run --reporter=dot", false),
            ("npx vitest run --reporter=json", false),
            ("npx vitest run --reporter dot --reporter verbose", true),
            ("npx vitest run --reporter=verbose", true),
            ("node --test --test-reporter=dot", false),
            ("node --test-reporter dot --test a.mjs", false),
            ("node --test --test-reporter=dot --test-reporter=spec", true),
            ("tsx --test --test-reporter=dot", false),
            ("mocha -R dot", false),
            ("npx mocha --reporter=min", false),
            ("mocha -R spec", true),
            ("jest --silent", true),
            ("jest --verbose=false", false),
            ("mvn -q test", false),
            ("go test ./... && cargo test", true),
            ("pytest", true),
            ("pytest -qq -rN", true),
            ("python3.11 -m pytest -qq", true),
            ("coverage run --source src -m pytest", true),
            ("test -f a", false),
        ] {
            assert_eq!(name_tests(&[command.to_owned()]), expected, "{command}");
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
}
