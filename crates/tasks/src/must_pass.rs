//! The results of the tests that a task lists, by the output of its command.
//!
//! A test is missing if every runner that could have named it named all tests that
//! passed, whatever the listed name looks like. Otherwise its result is unknown.

use std::collections::VecDeque;

use review::events::{ListedTest, MustPass, TestResult};
use review_document::command::{
    FollowedScript, Invocation, Joint, Runner, RunsTests, Script, SimpleCommand,
};

use crate::runners::{Marks, ObservedTests, TestRunner, test_runners};

/// The reason that the result of a listed test is unknown.
#[derive(Clone, Copy, Debug)]
enum Unknown {
    /// Its runner does not name every test.
    Unnamed(&'static TestRunner),
    /// No program that is known to run tests reported any.
    Unheard,
    /// A program that runs tests reported none.
    Silent(&'static TestRunner),
    /// The command hides a part of the output.
    Hidden,
    /// It started and its end is not in the output.
    Unfinished,
    /// The name of another test may mean it.
    Near,
}

impl Unknown {
    fn why(self) -> String {
        let why = match self {
            Self::Unnamed(runner) => return runner.unnamed(),
            Self::Silent(runner) => return format!("`{}` reported no tests", runner.name),
            Self::Unheard => "no known test runner reported its tests",
            Self::Hidden => "the command hides a part of the output of its tests",
            Self::Unfinished => "the output does not show how a started test ended",
            Self::Near => "a listed name resembles that of a different test that ran",
        };
        why.to_owned()
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
    let mut because: Vec<String> = Vec::new();
    let tests = names.iter().enumerate().map(|(at, name)| {
        let marks = observed.marks.get(at).copied().unwrap_or_default();
        let result = output.result(name, marks).unwrap_or_else(|unknown| {
            let why = unknown.why();
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

    fn result(&self, name: &str, marks: Marks) -> Result<TestResult, Unknown> {
        if marks.has(Marks::FAILED) {
            return Ok(TestResult::Failed);
        }
        if marks.has(Marks::PASSED) {
            return Ok(TestResult::Passed);
        }
        if self.is_hidden {
            return Err(Unknown::Hidden);
        }
        let unnamed = || self.runners.iter().filter(|(_, all)| !all);
        let may_be = |(row, _): &&(&TestRunner, bool)| row.form.name(name).is_some();
        let names_none = unnamed().count() == self.runners.len();
        let mut unnamed = unnamed().filter(|runner| names_none || may_be(runner));
        if let Some((row, _)) = unnamed.next() {
            return Err(Unknown::Unnamed(row));
        }
        let may_run = |silent: &&&TestRunner| silent.form.name(name).is_some();
        let silent = self.silent.iter().find(may_run);
        if let Some(silent) = silent {
            return Err(Unknown::Silent(silent));
        }
        if self.runners.is_empty() {
            return Err(Unknown::Unheard);
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
        Ok(TestResult::NotRun)
    }
}

/// Returns whether the output of these scripts says of their tests, whatever ends them: they
/// call a runner that may name the tests that ran, and hide nothing of it.
pub(crate) fn name_tests(scripts: &[String]) -> bool {
    let scripts: Vec<_> = scripts.iter().map(|script| Script::parse(script)).collect();
    let may_name = |call: TestCall<'_>| {
        let runner = call.runner;
        runner.is_some_and(|row| row.names_with(&call.arguments) != Some(false))
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
    let runs = script.invocations().iter();
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

/// Why the output of a command may not name the tests that ran.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unnamed {
    pub(crate) why: String,
    /// Whether it never names them; otherwise, only its output shows it.
    pub(crate) is_certain: bool,
}

/// Maximum number of scripts that are followed.
const MAX_FOLLOWED: usize = 100;

/// Returns why the output of these scripts may not name the tests that ran; `None` if it
/// does. `read` reads a file of the project, for the scripts and recipes that they run.
pub(crate) fn why_unnamed(
    scripts: &[String],
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<Unnamed> {
    let from_root = |text: &String| FollowedScript {
        folder: String::new(),
        text: text.clone(),
    };
    let mut due: VecDeque<_> = scripts.iter().map(from_root).collect();
    let mut why = None;
    let mut is_certain = true;
    let mut followed = 0;
    while let Some(next) = due.pop_front() {
        followed += 1;
        if followed > MAX_FOLLOWED {
            is_certain = false;
            break;
        }
        let script = Script::parse(&next.text);
        if followed > scripts.len() && script.is_unfinished() {
            is_certain = false;
            continue;
        }
        let is_hidden = hides(&script);
        let calls_runner = || test_calls(&script).any(|call| call.runner.is_some());
        if prints_plan(&script) && !(is_hidden && calls_runner()) {
            return None;
        }
        if is_hidden {
            let why = Unknown::Hidden.why();
            return Some(Unnamed { why, is_certain });
        }
        for call in test_calls(&script) {
            let Some(runner) = call.runner else {
                let scripts = next.follow(&script, call.run, read);
                is_certain &= !scripts.is_empty();
                due.extend(scripts);
                continue;
            };
            match runner.names_with(&call.arguments) {
                Some(true) => return None,
                names => is_certain &= names.is_some(),
            }
            why = Some(runner.unnamed());
        }
    }
    let why = why.unwrap_or_else(|| "its command calls no known test runner".to_owned());
    Some(Unnamed { why, is_certain })
}

/// Returns whether a script prints the plan of the Test Anything Protocol itself.
fn prints_plan(script: &Script<'_>) -> bool {
    let mut programs = script.commands().iter().filter_map(SimpleCommand::program);
    programs.any(|program| {
        let is_plan = || program.args.first()?.text.strip_prefix("1..");
        matches!(program.name, "echo" | "printf") && is_plan().is_some()
    })
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
