//! B2.

use review_document::Span;
use review_document::command::Vacuous;
use review_types::excerpt;

use crate::facts::{Facts, Step, Task};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a command that succeeds whatever the code does.
    ///
    /// ## What it does
    /// Reports commands that consist of `true`, `echo`, `sleep` or `exit 0`, suffixes
    /// that replace the exit status (`|| true`, `; exit 0`, `|| echo failed`), and a
    /// last command in the background; also inside `sh -c`. After `set -e` a
    /// suffix after `;` replaces nothing. A command with groups, conditions, loops or
    /// other features of the shell is assumed to be able to fail.
    ///
    /// ## Why is this bad
    /// The task counts as done although nothing was proved.
    ///
    /// ## Example
    /// `backpressure: "go test ./store/... || true"`
    ///
    /// ## Fix
    /// Remove the suffix: `backpressure: "go test ./store/..."`.
    VacuousBackpressure {
        code: "B2",
        name: "vacuous-backpressure",
        criterion: Testability,
        severity: Error,
        fixes: [Unsafe],
        summary: "A backpressure command cannot fail.",
    }
}

impl VacuousBackpressure {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for task in &facts.tasks {
            sink.look_at(task.steps.len());
            for step in &task.steps {
                if let Some(vacuous) = step.script.vacuous() {
                    report(task, step, vacuous, sink);
                }
            }
        }
    }
}

fn report(task: &Task<'_>, step: &Step<'_>, vacuous: Vacuous, sink: &mut Sink) {
    let part = vacuous.span();
    let written = excerpt(part.slice(step.text).unwrap_or_default().trim(), 80);
    let (message, suggestion) = match vacuous {
        Vacuous::Whole(_) => (
            format!("The command `{written}` cannot fail."),
            format!(
                "Replace `{written}` with a command that fails until the task is done, such as its tests."
            ),
        ),
        Vacuous::Tail(_) => (
            format!(
                "`{written}` at the end of the command replaces the exit status of what runs before it."
            ),
            format!("Change the command to `{}`.", rest(step, part)),
        ),
        Vacuous::Background(_) => (
            "The last command runs in the background, so its exit status is lost.".to_owned(),
            format!("Change the command to `{}`.", rest(step, part)),
        ),
    };
    let document = task.document;
    let before = step
        .text
        .get(..part.start)
        .unwrap_or_default()
        .trim_end()
        .len();
    let fix = match vacuous {
        Vacuous::Whole(_) => None,
        Vacuous::Tail(span) | Vacuous::Background(span) => step
            .exact(Span::new(before, span.end))
            .map(|span| Fix::one(Safety::Unsafe, span, "")),
    };
    sink.push(document, step.locate(part), message, suggestion)
        .fix(fix);
}

/// The command without its suffix.
fn rest(step: &Step<'_>, part: Span) -> String {
    let before = step.text.get(..part.start).unwrap_or_default();
    let behind = step.text.get(part.end..).unwrap_or_default();
    let rest = format!("{}{behind}", before.trim_end());
    excerpt(rest.trim(), 200)
}
