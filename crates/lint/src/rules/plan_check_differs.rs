//! P3.

use std::borrow::Cow;
use std::collections::HashMap;

use review_document::TaskFile;
use review_document::command::{Runner, Script, SimpleCommand};
use review_document::markdown::Cell;
use review_types::excerpt;

use crate::facts::numbers::without_remarks;
use crate::facts::{Facts, Task, commands};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

use super::validation_command_differs::is_proof;

rule! {
    /// Finds a row of the plan whose check differs from the command of the task.
    ///
    /// ## What it does
    /// Compares the command in the check or backpressure column of the plan's task
    /// tables with `backpressure` in the task file, by their effect: quotes, verbosity,
    /// the order of a test runner's options and filters that are split are ignored. A
    /// cell that is not a command is not checked.
    ///
    /// ## Why is this bad
    /// Only the command in the task file runs. A user who follows the plan runs a
    /// different check.
    ///
    /// ## Example
    /// A row with `go test ./...` for a task with
    /// `backpressure: "go build ./..."`.
    ///
    /// ## Fix
    /// Copy the command from the task file. If the plan is right, change the task
    /// instead; a command that proves nothing is not copied.
    PlanCheckDiffers {
        code: "P3",
        name: "plan-check-differs",
        criterion: Consistency,
        severity: Warning,
        fixes: [Unsafe],
        summary: "The plan and the task file disagree on the command that proves a task.",
    }
}

/// The maximum length of a command that is copied into a table.
const MAX_COPIED: usize = 400;

/// The maximum length in bytes of a cell or of a task's commands that are compared.
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
            if let (Some(cell), Some(task)) = (row.check, row.task)
                && let read = read.get(task.path.as_str()).copied()
                && let Some(differs) = cell_differs(cell, task, read)
            {
                sink.look_at(1);
                if differs {
                    let span = plan.content(cell).unwrap_or_else(|| row.span());
                    let is_proved = read.is_none_or(|task| is_proof(task, facts));
                    let copy = command_cell(&steps(task)).filter(|_| is_proved);
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

fn message(cell: &Cell, task: &TaskFile) -> String {
    format!(
        "The plan checks `{}` with `{}`, but its `backpressure` is `{}`.",
        excerpt(task.file_name(), 120),
        excerpt(&cell.text, 200),
        excerpt(&steps(task).join(" && "), 200)
    )
}

fn suggestion(copy: Option<&str>, is_proved: bool) -> String {
    match copy {
        _ if !is_proved => {
            "Give the task a command that proves it, and copy it to the plan.".to_owned()
        }
        Some(copy) => format!("Write {copy} in the plan, as in the task file."),
        None => "Copy the command from the task file to the plan.".to_owned(),
    }
}

/// Whether a cell has a different command from a task; `None` if one of them has none
/// or one that is too long. The script of a parsed task's only command is reused.
pub(crate) fn cell_differs(cell: &Cell, task: &TaskFile, read: Option<&Task<'_>>) -> Option<bool> {
    let declared = commands(task).filter(|text| text.len() <= MAX_COMMAND)?;
    let script = match read.map(|read| read.steps.as_slice()) {
        Some([step]) if task.backpressure.len() == 1 => Cow::Borrowed(&step.script),
        _ => Cow::Owned(Script::parse(&declared)),
    };
    let planned = planned(cell)?;
    if planned == declared {
        return is_command(&script, &script).then_some(false);
    }
    let is_short = planned.len() <= MAX_COMMAND;
    let other = is_short.then(|| Script::parse(&planned))?;
    is_command(&other, &script).then(|| other.normal_form() != script.normal_form())
}

/// The command in a cell; `None` if the cell is prose.
fn planned(cell: &Cell) -> Option<Cow<'_, str>> {
    let codes = cell.codes.iter().map(|code| code.text.trim());
    if codes.len() == 0 || codes.clone().eq([cell.text.as_str()]) {
        return Some(Cow::Borrowed(&cell.text));
    }
    let codes: Vec<_> = codes.collect();
    is_nothing_between(&cell.text, &codes).then(|| Cow::Owned(codes.join("\n")))
}

/// Whether a cell consists of code and words that join it.
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

/// Whether a string starts with a program: a known one, or one that the task also runs.
fn is_command(script: &Script<'_>, declared: &Script<'_>) -> bool {
    let Some(program) = script.commands().first().and_then(SimpleCommand::program) else {
        return false;
    };
    let runner = script.invocations.first().map(|first| first.runner);
    let known = runner.is_some_and(|runner| !matches!(runner, Runner::Other | Runner::Check));
    let mut programs = declared
        .commands()
        .iter()
        .filter_map(SimpleCommand::program);
    known || programs.any(|other| other.name == program.name)
}

/// The commands of a task, one per step.
fn steps(task: &TaskFile) -> Vec<&str> {
    let steps = task.backpressure.iter();
    steps.map(|step| step.value.as_str()).collect()
}

/// Commands as one code span in a cell; `None` if they do not fit or cannot be joined.
fn command_cell(steps: &[&str]) -> Option<String> {
    if steps.is_empty() {
        return Some(String::new());
    }
    let joins = |step: &&str| !step.contains('#') && !step.ends_with(['&', ';']);
    let command = cell_text(&steps.join(" && "))?;
    let fits = !command.contains('`') && (steps.len() == 1 || steps.iter().all(joins));
    fits.then(|| format!("`{command}`"))
}

/// A string as the content of a cell.
fn cell_text(text: &str) -> Option<String> {
    let fits = text.len() <= MAX_COPIED && !text.contains(char::is_control);
    fits.then(|| text.replace('|', "\\|"))
}
