//! The row that a task should have in the plan.

use review_document::markdown::Cell;
use review_document::{Span, TaskFile};
use review_types::TaskNumber;

use super::numbers::listed;
use super::plan::{PlanRow, PlanTable, PlanTables};
use crate::finding::{Fix, Safety};

/// The maximum length of a command or title that is copied into a table.
const MAX_TEXT: usize = 400;

/// A new row of a task table.
pub(crate) struct PlannedRow {
    /// The row, from the first bar to the last.
    pub(crate) text: String,
    at: usize,
    lines: String,
}

impl PlannedRow {
    /// Returns the row of `task`, in the style of a neighbouring row; `None` if there
    /// is no such row, or if a value does not fit into a cell.
    pub(crate) fn of(
        plan: &PlanTables<'_>,
        table: &PlanTable<'_>,
        task: &TaskFile,
    ) -> Option<Self> {
        let number = task.number.as_ref().map(|number| number.value);
        let is_before = |row: &&PlanRow<'_>| number.is_none() || row.number < number;
        let above = table.rows.iter().rev().find(is_before);
        let beside = above.or(table.rows.first())?;
        let mut text = "|".to_owned();
        for column in 0..table.table.header.len() {
            let value = value(plan, table, beside, column, task)?;
            text.push(' ');
            text.push_str(&value);
            if !value.is_empty() {
                text.push(' ');
            }
            text.push('|');
        }
        Some(Self::beside(plan, beside, above.is_some(), text))
    }

    /// A row directly below or above another one.
    fn beside(plan: &PlanTables<'_>, row: &PlanRow<'_>, below: bool, text: String) -> Self {
        let source = plan.document.source.as_str();
        let (before, after) = source
            .split_at_checked(row.span().start)
            .unwrap_or_default();
        let line = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let length = after.find(['\n', '\r']).unwrap_or(after.len());
        let end = if source.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        let marks = &source[line..];
        let marks = &marks[..marks.len() - marks.trim_start_matches([' ', '\t', '>']).len()];
        let (at, lines) = if below {
            (row.span().start + length, format!("{end}{marks}{text}"))
        } else {
            (line, format!("{marks}{text}{end}"))
        };
        Self { text, at, lines }
    }

    pub(crate) fn into_fix(self) -> Fix {
        Fix::one(Safety::Safe, Span::empty(self.at), self.lines)
    }
}

/// The value of a column in the new row; `None` if no cell can hold it.
fn value(
    plan: &PlanTables<'_>,
    table: &PlanTable<'_>,
    beside: &PlanRow<'_>,
    column: usize,
    task: &TaskFile,
) -> Option<String> {
    let columns = table.columns;
    let like = beside.cells.get(column);
    let is = |known: Option<usize>| known == Some(column);
    if is(columns.number) {
        let number = task.number.as_ref().map(|number| number.value);
        Some(number.map_or_else(String::new, |number| numbered(number, like)))
    } else if is(columns.file) {
        Some(named(plan, beside, like, task.file_name()))
    } else if is(columns.dependencies) {
        let numbers = task.depends_on.iter().map(|number| number.value).collect();
        Some(listed(&numbers, table.writes_hashes))
    } else if is(columns.check) {
        command_cell(&steps(task))
    } else if is(columns.title) {
        let title = task.title.as_ref().map_or("", |title| title.value.as_str());
        text(title)
    } else {
        Some(String::new())
    }
}

fn numbered(number: TaskNumber, like: Option<&Cell>) -> String {
    let mark = like.is_some_and(|cell| cell.text.starts_with('#'));
    format!("{}{number}", if mark { "#" } else { "" })
}

/// The name of a file, as code or as a link if the neighbouring row has one.
fn named(plan: &PlanTables<'_>, beside: &PlanRow<'_>, like: Option<&Cell>, name: &str) -> String {
    let written = like
        .and_then(|cell| plan.content(cell))
        .and_then(|span| span.slice(&plan.document.source));
    let other = beside.file.map(|file| file.name());
    match (written, other) {
        (Some(written), Some(other)) if written.contains(&*other) => written.replace(&*other, name),
        _ => name.to_owned(),
    }
}

/// The commands of a task, one per step.
pub(crate) fn steps(task: &TaskFile) -> Vec<&str> {
    let steps = task.backpressure.iter();
    steps.map(|step| step.value.as_str()).collect()
}

/// Commands as one code span in a cell; `None` if they do not fit or cannot be joined.
pub(crate) fn command_cell(steps: &[&str]) -> Option<String> {
    if steps.is_empty() {
        return Some(String::new());
    }
    let joins = |step: &&str| !step.contains('#') && !step.ends_with(['&', ';']);
    let command = text(&steps.join(" && "))?;
    let fits = !command.contains('`') && (steps.len() == 1 || steps.iter().all(joins));
    fits.then(|| format!("`{command}`"))
}

/// A string as the content of a cell.
fn text(text: &str) -> Option<String> {
    let fits = text.len() <= MAX_TEXT && !text.contains(char::is_control);
    fits.then(|| text.replace('|', "\\|"))
}
