//! P3.

use std::borrow::Cow;
use std::collections::HashMap;

use review_document::TaskFile;
use review_document::command::{Runner, Script, SimpleCommand};
use review_document::markdown::Cell;

use crate::facts::numbers::without_remarks;
use crate::facts::{Facts, Step, Task, command_cell};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

use super::validation_command_differs::is_proof;

rule! {
    /// Finds a row of the plan whose check is not the command of the task.
    ///
    /// ## What it does
    /// Compares the command in the check or backpressure column of the plan's
    /// task tables with `backpressure` of the task file, by what they do:
    /// quotes, verbosity, the order of a test runner's options and filters that
    /// are split make no difference. A cell that is no command is left alone.
    ///
    /// ## Why is this bad
    /// Only the command of the task file runs. Whoever goes by the plan checks
    /// something else.
    ///
    /// ## Example
    /// A row with `go test ./...` for a task with
    /// `backpressure: "go build ./..."`.
    ///
    /// ## Fix
    /// Copy the command of the task file. Where the plan is right, change the
    /// task instead; a command that proves nothing is not copied.
    PlanCheckDiffers {
        code: "P3",
        name: "plan-check-differs",
        criterion: Consistency,
        severity: Warning,
        fixes: [Unsafe],
        summary: "The plan and the task file disagree on the command that proves a task.",
    }
}

/// The most bytes of a cell or of a task's commands that are compared.
const MAX_COMMAND: usize = 4096;

impl PlanCheckDiffers {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(plan) = facts.plan() else { return };
        let read: HashMap<&str, &Task<'_>> = facts
            .tasks
            .iter()
            .map(|task| (task.file.path.as_str(), task))
            .collect();
        for row in plan.rows() {
            if let (Some(cell), Some(task)) = (row.check, plan.task(row))
                && let read = read.get(task.path.as_str()).copied()
                && let Some(declared) = Declared::of(task, read)
                && let Some(planned) = planned(cell, &declared)
            {
                sink.look_at(1);
                if declared.differs(&planned) {
                    let span = plan.content(cell).unwrap_or_else(|| row.span());
                    let is_proved = read.is_none_or(|task| is_proof(task, facts));
                    let copy = command_cell(task).filter(|_| is_proved);
                    sink.push(
                        plan.document,
                        span,
                        message(cell, task),
                        suggestion(copy.as_deref(), is_proved),
                    )
                    .fix(copy.map(|copy| Fix::one(Safety::Unsafe, span, copy)));
                }
            }
        }
    }
}

fn message(cell: Cell<'_>, task: &TaskFile) -> String {
    let steps: Vec<_> = task
        .backpressure
        .iter()
        .map(|step| step.value.as_str())
        .collect();
    format!(
        "The plan checks `{}` with `{}`, its `backpressure` is `{}`.",
        excerpt(task.file_name(), 120),
        excerpt(cell.text, 200),
        excerpt(&steps.join(" && "), 200)
    )
}

fn suggestion(copy: Option<&str>, is_proved: bool) -> String {
    match copy {
        _ if !is_proved => {
            "Give the task a command that proves it, and name the same in the plan.".to_owned()
        }
        Some(copy) => format!("Write {copy} in the plan, as the task file has it."),
        None => "Name the command of the task file in the plan.".to_owned(),
    }
}

/// The commands of a task as one script.
struct Declared<'a> {
    text: Cow<'a, str>,
    script: Cow<'a, Script>,
    /// The only one, where it was read.
    only: Option<&'a Step<'a>>,
}

impl<'a> Declared<'a> {
    /// Joins the commands; `None` when there are none, or when they are too
    /// long. A task that was `read` lends the script of its only one.
    fn of(task: &'a TaskFile, read: Option<&'a Task<'_>>) -> Option<Self> {
        if let ([only], Some([step])) = (
            task.backpressure.as_slice(),
            read.map(|t| t.steps.as_slice()),
        ) {
            return (only.value.len() <= MAX_COMMAND).then_some(Self {
                text: Cow::Borrowed(&only.value),
                script: Cow::Borrowed(&step.script),
                only: Some(step),
            });
        }
        let steps = task.backpressure.iter().map(|step| step.value.as_str());
        let steps: Vec<_> = steps.collect();
        let text = steps.join("\n");
        (!steps.is_empty() && text.len() <= MAX_COMMAND).then(|| Self {
            script: Cow::Owned(Script::parse(&text)),
            text: Cow::Owned(text),
            only: None,
        })
    }

    /// Whether a planned command does something else.
    fn differs(&self, planned: &Planned) -> bool {
        match planned {
            Planned::Same => false,
            Planned::Other(script) => {
                let planned = script.normal_form();
                match self.only {
                    Some(step) => planned != *step.normal_form(),
                    None => planned != self.script.normal_form(),
                }
            }
        }
    }
}

/// The command that a cell states.
enum Planned {
    /// The text of the task's own.
    Same,
    /// One that is written in another way.
    Other(Script),
}

/// The command that a cell states; `None` when it is prose, or too long.
fn planned(cell: Cell<'_>, declared: &Declared<'_>) -> Option<Planned> {
    let codes: Vec<_> = cell.codes.iter().map(|code| code.text.trim()).collect();
    let command = if codes.is_empty() {
        cell.text.to_owned()
    } else if codes == [cell.text] || is_nothing_between(cell.text, &codes) {
        codes.join("\n")
    } else {
        return None;
    };
    if command == declared.text {
        return is_command(&declared.script, &declared.script).then_some(Planned::Same);
    }
    let is_short = command.len() <= MAX_COMMAND;
    let script = is_short.then(|| Script::parse(&command))?;
    is_command(&script, &declared.script).then_some(Planned::Other(script))
}

/// Whether a cell holds pieces of code and nothing but words that join them.
fn is_nothing_between(text: &str, codes: &[&str]) -> bool {
    let mut between = String::new();
    let mut rest = text;
    for code in codes {
        let Some((before, after)) = rest.split_once(code) else {
            return false;
        };
        between.push_str(before);
        between.push(' ');
        rest = after;
    }
    between.push_str(rest);
    let joins = |word: &str| matches!(word, "," | ";" | "&&" | "&" | "+" | "and" | "then");
    without_remarks(&between).split_whitespace().all(joins)
}

/// Whether a text begins with a program: one that is known, or one that the
/// task runs as well.
fn is_command(script: &Script, declared: &Script) -> bool {
    let name = |command: &SimpleCommand| Some(command.program()?.name.to_owned());
    let first = script.commands().first().and_then(name);
    let runner = script.invocations().first().map(|first| first.runner);
    let known = runner.is_some_and(|runner| !matches!(runner, Runner::Other | Runner::Check));
    known
        || (first.is_some()
            && declared
                .commands()
                .iter()
                .any(|command| name(command) == first))
}
