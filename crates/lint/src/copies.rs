//! Values repeated from the front matter of a task. A fix that changes the front matter
//! changes the copies too, otherwise they would be reported as different.

use std::collections::BTreeSet;

use review_document::{Edit, Span};
use review_types::TaskNumber;

use crate::facts::numbers::listed;
use crate::facts::{Facts, PlanTables, Task, command_cell};
use crate::finding::Fix;
use crate::rules::plan_check_differs::cell_differs;
use crate::rules::validation_command_differs::Section;

/// A change of the dependencies of a task.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Adds(TaskNumber),
    Removes(TaskNumber),
}

impl Change {
    fn made(self, numbers: &BTreeSet<TaskNumber>) -> BTreeSet<TaskNumber> {
        let mut numbers = numbers.clone();
        match self {
            Self::Adds(number) => numbers.insert(number),
            Self::Removes(number) => numbers.remove(&number),
        };
        numbers
    }
}

/// Extends a fix of the dependencies of the task at `path` to the rows of the plan that
/// repeat them; `None` if one of them cannot be written.
pub(crate) fn in_plan(facts: &Facts<'_>, path: &str, change: Change, fix: Fix) -> Option<Fix> {
    let Some(plan) = facts.plan() else {
        return Some(fix);
    };
    let edits = dependencies(facts, plan, path, change)?;
    Some(fix.and_in(&plan.document.path, edits))
}

fn dependencies(
    facts: &Facts<'_>,
    plan: &PlanTables<'_>,
    path: &str,
    change: Change,
) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    for (table, row) in plan.rows_of(path) {
        let (Some(task), Some(cell), Some(planned)) = (row.task, row.dependencies, &row.depends_on)
        else {
            continue;
        };
        let all = task.depends_on.iter().map(|number| number.value).collect();
        let sound = |numbers: &BTreeSet<_>| facts.sound(task, numbers.iter().copied());
        let after = change.made(&all);
        let was_right = *planned == all || *planned == sound(&all);
        let sound_after = sound(&after);
        if was_right && *planned != after && *planned != sound_after {
            let text = listed(&sound_after, table.writes_hashes);
            edits.push(plan.rewritten(cell, text)?);
        }
    }
    Some(edits)
}

/// Extends a fix of a command of `task` to the cells of the plan and the section of the
/// task that repeat it; `None` if one of them cannot be written.
pub(crate) fn in_checks(facts: &Facts<'_>, task: &Task<'_>, mut fix: Fix) -> Option<Fix> {
    let steps = changed(task, &fix)?;
    let steps: Vec<_> = steps.iter().map(String::as_str).collect();
    if let Some(section) = Section::of(task)
        && section.differs(task) == Some(false)
    {
        fix.edits.push(section.rewritten(&steps.join("\n"))?);
    }
    let Some(plan) = facts.plan() else {
        return Some(fix);
    };
    let mut edits = Vec::new();
    for (_, row) in plan.rows_of(&task.file.path) {
        if let Some(cell) = row.check
            && cell_differs(cell, task.file, Some(task)) == Some(false)
        {
            let span = plan.content(cell)?;
            let text = command_cell(&steps)?;
            edits.push(Edit { span, text });
        }
    }
    Some(fix.and_in(&plan.document.path, edits))
}

/// The commands of a task after a fix of one of them.
fn changed(task: &Task<'_>, fix: &Fix) -> Option<Vec<String>> {
    let [edit] = fix.edits.as_slice() else {
        return None;
    };
    let steps = task.steps.iter().map(|step| {
        let whole = step.exact(Span::new(0, step.text.len()));
        let inside =
            whole.filter(|whole| whole.start <= edit.span.start && edit.span.end <= whole.end);
        let mut text = step.text.to_owned();
        if let Some(whole) = inside {
            let range = edit.span.start - whole.start..edit.span.end - whole.start;
            text.replace_range(range, &edit.text);
        }
        text
    });
    (task.steps.len() == task.file.backpressure.len()).then(|| steps.collect())
}
