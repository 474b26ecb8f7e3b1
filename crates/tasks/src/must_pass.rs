//! The results of the tests that a task lists, by the output of its command.
//!
//! A test is missing only if a reporter that would have named it named every
//! test that passed. Otherwise its result is unknown.

use review::events::{ListedTest, MustPass, TestResult};
use review_document::command::{
    Invocation, IsTest, Joint, Reporter, Runner, RunsTests, Script, SimpleCommand,
};

use crate::runners::{Marks, ObservedTests};

/// The reason that the result of a listed test is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unknown {
    /// Its reporter does not name every test.
    Unnamed(Reporter),
    /// A program that runs tests reported none.
    Silent,
    /// The command hides a part of the output.
    Hidden,
    /// It started and its end is not in the output.
    Unfinished,
    /// The name of another test may mean it.
    Near,
    /// It may not be a test.
    NoTest,
}

impl Unknown {
    const fn why(self) -> &'static str {
        match self {
            Self::Unnamed(reporter) => reporter.unnamed(),
            Self::Silent => "no known test runner reported its tests",
            Self::Hidden => "the command hides a part of the output of its tests",
            Self::Unfinished => "the output does not show how a started test ended",
            Self::Near => "a listed name resembles that of a different test that ran",
            Self::NoTest => "a listed name may not be the name of a test",
        }
    }
}

/// Returns the results of the tests with these names; `None` when there are none.
pub(crate) fn judge(
    names: &[String],
    scripts: &[String],
    observed: &ObservedTests,
) -> Option<MustPass> {
    if names.is_empty() {
        return None;
    }
    let output = Output::new(scripts, observed);
    let mut because: Vec<Unknown> = Vec::new();
    let tests = names.iter().enumerate().map(|(at, name)| {
        let marks = observed.marks.get(at).copied().unwrap_or_default();
        let result = output.result(name, marks).unwrap_or_else(|unknown| {
            if !because.contains(&unknown) {
                because.push(unknown);
            }
            TestResult::Unknown
        });
        ListedTest {
            name: name.clone(),
            result,
        }
    });
    let tests = tests.collect();
    let because: Vec<_> = because.into_iter().map(Unknown::why).collect();
    Some(MustPass {
        tests,
        unknown_because: (!because.is_empty()).then(|| because.join("; ")),
    })
}

/// How completely the output of a command shows which tests ran.
struct Output<'h> {
    observed: &'h ObservedTests,
    /// Reporters that must have run tests but printed nothing.
    silent: Vec<Reporter>,
    is_hidden: bool,
}

impl<'h> Output<'h> {
    fn new(scripts: &[String], observed: &'h ObservedTests) -> Self {
        let mut silent = Vec::new();
        let mut is_hidden = false;
        let is_standard = observed
            .reporters
            .iter()
            .any(|(reporter, _)| matches!(reporter, Reporter::Tap | Reporter::JUnit));
        let is_heard = |reporter| {
            is_standard
                || observed
                    .reporters
                    .iter()
                    .any(|(known, _)| *known == reporter)
        };
        for script in scripts {
            let script = Script::parse(script);
            is_hidden |= hides(&script);
            let runs = script.invocations().iter();
            let reporters = runs.filter_map(|run| run.runner.reporter());
            silent.extend(reporters.filter(|reporter| !is_heard(*reporter)));
        }
        Self {
            observed,
            silent,
            is_hidden,
        }
    }

    fn result(&self, name: &str, marks: Marks) -> Result<TestResult, Unknown> {
        if marks.has(Marks::FAILED) {
            return Ok(TestResult::Failed);
        }
        if marks.has(Marks::PASSED) {
            return Ok(TestResult::Passed);
        }
        let may_be = |reporter: Reporter| reporter.is_test(name) != IsTest::No;
        let mut reporters = self.observed.reporters.iter();
        if self.is_hidden {
            return Err(Unknown::Hidden);
        }
        if let Some((unnamed, _)) = reporters.find(|(reporter, all)| !all && may_be(*reporter)) {
            return Err(Unknown::Unnamed(*unnamed));
        }
        if self.observed.reporters.is_empty() || self.silent.iter().any(|silent| may_be(*silent)) {
            return Err(Unknown::Silent);
        }
        if marks.has(Marks::SKIPPED) {
            return Ok(TestResult::Skipped);
        }
        if marks.has(Marks::BEGUN) {
            return Err(Unknown::Unfinished);
        }
        if marks.has(Marks::NEAR) {
            return Err(Unknown::Near);
        }
        let is_sure = |reporter: Reporter| reporter.is_test(name) == IsTest::Surely;
        match self
            .observed
            .reporters
            .iter()
            .any(|(reporter, _)| is_sure(*reporter))
        {
            true => Ok(TestResult::NotRun),
            false => Err(Unknown::NoTest),
        }
    }
}

/// Returns whether the tests of these scripts are named in their output, whatever ends them:
/// they call a runner that says which tests ran, and hide nothing of it.
pub(crate) fn name_tests(scripts: &[String]) -> bool {
    let scripts = || scripts.iter().map(|script| Script::parse(script));
    let calls_runner = |script: Script<'_>| {
        let mut runs = script.invocations().iter();
        runs.any(|run| run.runner.reporter().is_some())
    };
    scripts().any(calls_runner) && !scripts().any(|script| hides(&script))
}

/// Returns whether a script may hide a part of the output of its tests.
fn hides(script: &Script<'_>) -> bool {
    let commands = script.commands();
    let command = |run: &Invocation<'_>| commands.get(run.command);
    let tests: Vec<_> = script
        .invocations()
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
    script.is_unfinished()
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
mod tests;
