//! P1.

use review_document::{TaskFile, near};
use review_types::excerpt;

use crate::facts::{Facts, PlanRow, PlanTables};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a row of the plan whose task file does not exist.
    ///
    /// ## What it does
    /// Looks up every row of the plan's task tables among the task files of the unit:
    /// by the file that the row names, or by its number if it names none.
    ///
    /// ## Why is this bad
    /// Only task files run. The work of the row is planned but never done, and the unit
    /// still counts as complete.
    ///
    /// ## Example
    /// A row `| 3 | 03-criteria.md | ... |` in a folder with `01-types.md` and
    /// `02-schema.md` alone.
    ///
    /// ## Fix
    /// Write the task file, or remove the row.
    PlanRowWithoutTask {
        code: "P1",
        name: "plan-row-without-task",
        criterion: Completeness,
        severity: Error,
        summary: "A row of the plan has no task file.",
    }
}

/// The maximum number of unlisted task files that are searched for a similar name.
const MAX_NEAR: usize = 500;

/// The maximum number of findings that are examined.
const MAX_MISSING: usize = 200;

impl PlanRowWithoutTask {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(plan) = facts.plan() else { return };
        let mut missing = 0;
        for row in plan.rows() {
            sink.look_at(1);
            if row.task.is_some() || exists(facts, plan, row) || missing == MAX_MISSING {
                continue;
            }
            missing += 1;
            let what = match (row.file, row.number) {
                (Some(file), _) => format!("`{}`, which does not exist", excerpt(file.path, 120)),
                (None, Some(number)) => format!("task #{number}, which has no file"),
                (None, None) => continue,
            };
            sink.push(
                plan.document,
                row.file.map_or_else(|| row.span(), |file| file.span),
                format!("The plan lists {what}."),
                suggestion(plan, row),
            );
        }
    }
}

/// Whether the file exists elsewhere, such as in a folder of finished tasks.
fn exists(facts: &Facts<'_>, plan: &PlanTables<'_>, row: &PlanRow<'_>) -> bool {
    let paths = &facts.workspace.paths;
    let folder = plan.document.path.rsplit_once('/').map_or("", |(f, _)| f);
    row.file.is_some_and(|file| {
        let path = file.path.trim_start_matches("./");
        path.contains('/')
            && (paths.contains(&format!("{folder}/{path}"))
                || paths.contains(path.trim_start_matches('/')))
    })
}

/// Suggests the task that the row may refer to: with its number, or with a similar
/// name.
fn suggestion(plan: &PlanTables<'_>, row: &PlanRow<'_>) -> String {
    let same = row.number.and_then(|number| plan.unit.task(number));
    let unlisted = plan.unlisted.iter().map(|task| task.file_name());
    let near = || near::nearest(&row.file?.name(), unlisted.take(MAX_NEAR), 1).pop();
    match same.map(TaskFile::file_name).or_else(near) {
        Some(name) => {
            format!(
                "Write `{name}` if you mean that task; otherwise write the file or remove the row."
            )
        }
        None => "Write the task file, or remove the row.".to_owned(),
    }
}
