//! B10.

use std::collections::BTreeSet;

use review_document::near;
use review_types::excerpt;

use crate::Severity;
use crate::declared::{Declared, Missing};
use crate::facts::{Facts, Step, Task};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a program, package script, recipe or package in a command that does not
    /// exist.
    ///
    /// ## What it does
    /// Looks up package scripts in `package.json`, recipes in the justfile, targets in
    /// the makefile, and the packages after `cargo -p` in the workspace. Nothing is
    /// reported if the documents of the unit mention the file that would have to
    /// change, or if that file takes names from elsewhere; if the unit depends on other
    /// units, which may add the name, the finding is a warning. A program that is not
    /// on the `PATH` is reported once per unit, as informational: another machine may
    /// have it.
    ///
    /// ## Why is this bad
    /// The command always fails, whatever the code does.
    ///
    /// ## Example
    /// `npm run tests`, where `package.json` has a script `test`.
    ///
    /// ## Fix
    /// Write an existing name, or list the file that will declare it in the
    /// deliverables of a task.
    UnknownProgram {
        code: "B10",
        name: "unknown-program",
        criterion: Testability,
        severity: Error,
        summary: "A command uses a program, script, recipe or package that does not exist.",
    }
}

impl UnknownProgram {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let plan = facts
            .workspace
            .unit
            .as_ref()
            .and_then(|unit| unit.plan.as_ref());
        let severity = if plan.is_some_and(|plan| !plan.depends_on.is_empty()) {
            Severity::Warning
        } else {
            Severity::Error
        };
        let mut told = BTreeSet::new();
        let mut declared = Declared::new(facts);
        for task in &facts.tasks {
            for step in &task.steps {
                missing_programs(facts, task, step, &mut told, sink);
                for run in &step.script.invocations {
                    for missing in declared.missing(step, run) {
                        report(task, step, &missing, severity, sink);
                    }
                }
            }
        }
        sink.look_at(declared.looked());
    }
}

fn missing_programs<'a>(
    facts: &Facts<'_>,
    task: &Task<'_>,
    step: &'a Step<'_>,
    told: &mut BTreeSet<&'a str>,
    sink: &mut Sink,
) {
    let programs = &facts.workspace.programs;
    for word in step.script.programs() {
        let name = &*word.text;
        let Some(found) = programs.get(name) else {
            continue;
        };
        sink.look_at(1);
        if *found || !told.insert(name) {
            continue;
        }
        let others = programs.iter().filter(|(_, found)| **found);
        let near = near::nearest(name, others.map(|(name, _)| name.as_str()), 1);
        let shown = excerpt(name, 80);
        let suggestion = match near.first() {
            Some(near) => format!("Write `{near}`, or install `{shown}` where the tasks run."),
            None => format!("Install `{shown}` where the tasks run, or correct the name."),
        };
        let message = format!("The program `{shown}` is not on the `PATH`.");
        sink.push(task.document, step.locate(word.span), message, suggestion)
            .severity(Severity::Info);
    }
}

fn report(
    task: &Task<'_>,
    step: &Step<'_>,
    missing: &Missing<'_>,
    severity: Severity,
    sink: &mut Sink,
) {
    let Missing {
        word, what, place, ..
    } = missing;
    let name = excerpt(&word.text, 80);
    let message = format!("There is no {what} `{name}` in {place}.");
    let suggestion = match &missing.near {
        Some(near) => format!("Write `{near}` instead of `{name}`, or add the {what}."),
        None => format!("Add the {what} `{name}` to {place}, or correct the name."),
    };
    sink.push(task.document, step.locate(word.span), message, suggestion)
        .severity(severity);
}
