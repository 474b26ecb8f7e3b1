//! B8.

use review_document::Span;
use review_document::command::Runner;

use super::tests_not_run::tests;
use crate::facts::{Facts, Step};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a command that only compiles, although the task implements functions.
    ///
    /// ## What it does
    /// Checks tasks with a section on functions to implement and without listed tests.
    /// Their commands must do more than compile, format or lint.
    ///
    /// ## Why is this bad
    /// A function that compiles but returns the wrong value counts as done.
    ///
    /// ## Example
    /// `go build ./internal/store/...` in a task with a section "Functions to
    /// Implement".
    ///
    /// ## Fix
    /// Run a test that calls the functions: `go test ./internal/store/... -run
    /// TestKeep`.
    CompileOnly {
        code: "B8",
        name: "compile-only",
        criterion: Testability,
        severity: Info,
        summary: "A command only compiles, although the task implements functions.",
    }
}

impl CompileOnly {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for task in facts.tasks.iter().filter(|task| !task.steps.is_empty()) {
            let Some(heading) = task.deliverables.functions else {
                continue;
            };
            sink.look_at(1);
            let compiling = task.steps.iter().find(|step| compiles(step));
            let (Some(step), true) = (compiling, task.steps.iter().all(Step::runs_no_tests)) else {
                continue;
            };
            if tests(task).next().is_some() {
                continue;
            }
            let heading = heading.slice(&task.document.source).unwrap_or_default();
            let message = format!(
                "`{}` runs none of the functions in \"{}\".",
                excerpt(step.text, 120),
                excerpt(heading.trim().trim_matches('#').trim(), 80)
            );
            let suggestion = "List a test that calls these functions under Must Pass, and run it \
                 in the command."
                .to_owned();
            let span = step.locate(Span::new(0, step.text.len()));
            sink.push(task.document, span, message, suggestion);
        }
    }
}

fn compiles(step: &Step<'_>) -> bool {
    step.script
        .invocations()
        .iter()
        .any(|run| run.runner == Runner::Build)
}
