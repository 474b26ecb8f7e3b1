//! The task tables of the plan, which map rows to tasks.

use std::collections::{BTreeSet, HashMap, HashSet};

use review_document::markdown::{Cell, Table};
use review_document::workspace::Document;
use review_document::{Edit, Span, TaskFile, Unit};
use review_types::TaskNumber;

use super::file_name::FileName;
use super::numbers::{task_list, task_number, without_remarks};
use crate::words::WordList;
use crate::words::begins;

/// The maximum number of task numbers in a plan, with ranges expanded.
const MAX_NUMBERS: usize = 100_000;

/// The plan of the unit with its task tables.
pub(crate) struct PlanTables<'a> {
    pub(crate) document: &'a Document,
    /// The tables, in document order.
    pub(crate) tables: Vec<PlanTable<'a>>,
    pub(crate) unit: &'a Unit,
    /// The task files without a row.
    pub(crate) unlisted: Vec<&'a TaskFile>,
}

/// A table whose rows are tasks.
pub(crate) struct PlanTable<'a> {
    pub(crate) table: &'a Table,
    /// Whether it writes dependencies as `#1`.
    pub(crate) writes_hashes: bool,
    pub(crate) rows: Vec<PlanRow<'a>>,
}

/// The columns of a task table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) number: Option<usize>,
    pub(crate) file: Option<usize>,
    pub(crate) dependencies: Option<usize>,
    pub(crate) check: Option<usize>,
}

/// A row of a task table; it names a file or has a number.
pub(crate) struct PlanRow<'a> {
    pub(crate) number: Option<TaskNumber>,
    pub(crate) file: Option<FileName<'a>>,
    /// The task file of the row: the file that it names, or the file with its number if
    /// it names none.
    pub(crate) task: Option<&'a TaskFile>,
    pub(crate) dependencies: Option<&'a Cell>,
    /// The listed tasks; `None` if the cell has other content or the plan lists too
    /// many.
    pub(crate) depends_on: Option<BTreeSet<TaskNumber>>,
    pub(crate) check: Option<&'a Cell>,
    /// All cells of the row.
    pub(crate) cells: &'a [Cell],
}

impl<'a> PlanTables<'a> {
    pub(crate) fn of(unit: &'a Unit, document: &'a Document) -> Self {
        let mut tasks = Tasks::of(unit);
        let tables = document.outline.tables.iter();
        let tables = tables.filter_map(|table| PlanTable::of(table, document, &mut tasks));
        let tables: Vec<_> = tables.collect();
        let rows = tables.iter().flat_map(|table: &PlanTable<'_>| &table.rows);
        let listed = rows.filter_map(|row| Some(row.task?.path.as_str()));
        let listed: HashSet<_> = listed.collect();
        let unlisted = unit.tasks.iter();
        let unlisted = unlisted.filter(|task| !listed.contains(task.path.as_str()));
        Self {
            document,
            unit,
            unlisted: unlisted.collect(),
            tables,
        }
    }

    /// All rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &PlanRow<'a>> {
        self.tables.iter().flat_map(|table| &table.rows)
    }
}

impl PlanTables<'_> {
    /// The edit that replaces the content of a cell; `None` if the cell has text in
    /// brackets, which would be lost.
    pub(crate) fn rewritten(&self, cell: &Cell, text: String) -> Option<Edit> {
        if without_remarks(&cell.text) != cell.text {
            return None;
        }
        if let Some(span) = self.content(cell) {
            return Some(Edit { span, text });
        }
        let (before, behind) = self.document.source.split_at_checked(cell.span.end)?;
        let before = before.trim_end_matches([' ', '\t']);
        let span = Span::new(before.len(), cell.span.end);
        let is_between = before.ends_with('|') && behind.starts_with('|');
        is_between.then(|| Edit {
            span,
            text: format!(" {text} "),
        })
    }

    /// The content of a cell without blanks around it; `None` if it is empty.
    pub(crate) fn content(&self, cell: &Cell) -> Option<Span> {
        let written = cell.span.slice(&self.document.source)?;
        let start = cell.span.start + written.len() - written.trim_start().len();
        let text = written.trim();
        (!text.is_empty()).then(|| Span::new(start, start + text.len()))
    }
}

impl<'a> PlanTable<'a> {
    /// Its first row, from the first cell to the last.
    pub(crate) fn head(&self) -> Span {
        span_of(&self.table.header)
    }

    /// A task table has a column of numbers or task files, and another column that only
    /// tasks have; or both numbers and task files.
    fn of(table: &'a Table, document: &'a Document, tasks: &mut Tasks<'a>) -> Option<Self> {
        let columns = Columns::of(table, document);
        let keys = usize::from(columns.number.is_some()) + usize::from(columns.file.is_some());
        let speaks_of_tasks = columns.dependencies.is_some() || columns.check.is_some();
        let is_plan = keys == 2 || (keys == 1 && speaks_of_tasks);
        is_plan.then(|| {
            let rows = table.rows.iter();
            let rows = rows.filter_map(|cells| PlanRow::of(cells, columns, document, tasks));
            let rows: Vec<_> = rows.collect();
            let mut dependencies = rows.iter().filter_map(|row| row.dependencies);
            Self {
                table,
                writes_hashes: dependencies.any(|cell| cell.text.contains('#')),
                rows,
            }
        })
    }
}

impl Columns {
    fn of(table: &Table, document: &Document) -> Self {
        let is_empty = |column: usize| cells(table, column).all(|cell| cell.text.is_empty());
        let number = table.header.iter().enumerate().position(|(column, head)| {
            let numbered = |cell: &Cell| cell.text.is_empty() || task_number(&cell.text).is_some();
            is_number_head(&head.text) && !is_empty(column) && cells(table, column).all(numbered)
        });
        let names_file = |cell: &Cell| FileName::of(cell, document).is_some();
        let file = (0..table.header.len())
            .find(|&column| Some(column) != number && cells(table, column).any(names_file));
        let other = |heads: &[&str]| {
            let is_it = |head: &str| heads.iter().any(|known| begins(head, known));
            let free = |column: &usize| Some(*column) != number && Some(*column) != file;
            (0..table.header.len()).filter(free).find(|&column| {
                table
                    .header
                    .get(column)
                    .is_some_and(|head| is_it(&head.text))
            })
        };
        Self {
            number,
            file,
            dependencies: other(WordList::DependencyHead.words()),
            check: other(WordList::CheckHead.words()),
        }
    }
}

fn cells(table: &Table, column: usize) -> impl Iterator<Item = &Cell> {
    table.rows.iter().filter_map(move |row| row.get(column))
}

fn is_number_head(head: &str) -> bool {
    let known = ["#", "no", "nr", "num", "number", "id", "task", "step"];
    let bare = head.trim_end_matches(['.', '#', ' ']);
    known.iter().any(|known| bare.eq_ignore_ascii_case(known)) || head.trim() == "#"
}

/// The tasks of a unit by file name.
struct Tasks<'a> {
    unit: &'a Unit,
    by_name: HashMap<&'a str, &'a TaskFile>,
    /// The number of task numbers that the plan may still list.
    room: usize,
}

impl<'a> Tasks<'a> {
    fn of(unit: &'a Unit) -> Self {
        let by_name = unit.tasks.iter().rev().map(|task| (task.file_name(), task));
        let by_name = by_name.collect();
        Self {
            unit,
            by_name,
            room: MAX_NUMBERS,
        }
    }

    fn find(&self, number: Option<TaskNumber>, file: Option<FileName<'_>>) -> Option<&'a TaskFile> {
        match file {
            Some(file) => self.by_name.get(&*file.name()).copied(),
            None => self.unit.task(number?),
        }
    }
}

impl<'a> PlanRow<'a> {
    fn of(
        cells: &'a [Cell],
        columns: Columns,
        document: &'a Document,
        tasks: &mut Tasks<'a>,
    ) -> Option<Self> {
        let cell = |column: Option<usize>| cells.get(column?);
        let number = cell(columns.number).and_then(|cell| task_number(&cell.text));
        let file = cell(columns.file).and_then(|cell| FileName::of(cell, document));
        let dependencies = cell(columns.dependencies);
        (number.is_some() || file.is_some()).then(|| Self {
            number,
            file,
            task: tasks.find(number, file),
            dependencies,
            depends_on: dependencies.and_then(|cell| task_list(&cell.text, &mut tasks.room)),
            check: cell(columns.check),
            cells,
        })
    }

    /// The span from its first cell to its last.
    pub(crate) fn span(&self) -> Span {
        span_of(self.cells)
    }
}

fn span_of(cells: &[Cell]) -> Span {
    let start = cells.first().map_or(0, |cell| cell.span.start);
    let end = cells.iter().map(|cell| cell.span.end).max();
    Span::new(start, end.unwrap_or(start))
}

#[cfg(test)]
mod tests {
    use review_document::workspace::DocumentRole;

    use super::*;

    fn document(table: &str) -> Document {
        let text = format!("---\nunit: web\n---\n# Plan\n\n{table}");
        Document::parse("tasks/web/IMPLEMENTATION_PLAN.md", DocumentRole::Plan, text)
    }

    fn unit(files: &[(&str, u32)]) -> Unit {
        let files = files.iter().map(|(name, number)| {
            let text = format!("---\ntask: {number}\nbackpressure: x\n---\n");
            (format!("tasks/web/{name}"), text)
        });
        let id = "web".parse().expect("a legal name");
        Unit::load(id, "tasks/web", files)
    }

    /// `number path | dependencies | check` of each row.
    fn rows(table: &str) -> Vec<String> {
        let (document, unit) = (document(table), unit(&[]));
        let plan = PlanTables::of(&unit, &document);
        let text = |cell: Option<&Cell>| cell.map_or(String::new(), |cell| cell.text.to_owned());
        plan.rows()
            .map(|row| {
                let number = row.number.map_or(0, TaskNumber::get);
                let path = row.file.map_or("", |file| file.path);
                let (dependencies, check) = (text(row.dependencies), text(row.check));
                format!("{number} {path} | {dependencies} | {check}")
            })
            .collect()
    }

    #[test]
    fn columns_are_recognized_by_heads_and_cells() {
        for (table, expected) in [
            (
                "| # | Task Spec | Description | Dependencies | Backpressure |\n|---|---|---|---|---|\n| 1 | 01-a.md | A | None | `go test` |\n",
                "1 01-a.md | None | go test",
            ),
            (
                "| Task | File | Depends on | Check |\n|--|--|--|--|\n| #2 | [a](./02-a.md#x) | 1 | `x` |\n",
                "2 ./02-a.md | 1 | x",
            ),
            (
                "| Order | Deps | Validation | Task |\n|--|--|--|--|\n| 9 | - | `x` | `03-a` |\n",
                "0 03-a | - | x",
            ),
            (
                "| No. | Title | Blocked by | Verify |\n|--|--|--|--|\n| 4. | Types | 3 | y |\n",
                "4  | 3 | y",
            ),
            (
                "| ID | Path |\n|--|--|\n| 5 | `tasks/web/5.md` |\n",
                "5 tasks/web/5.md |  | ",
            ),
        ] {
            assert_eq!(rows(table), [expected], "{table}");
        }
    }

    #[test]
    fn other_tables_are_not_task_tables() {
        for table in [
            "| # | Question |\n|--|--|\n| 1 | Why? |\n",
            "| File | Change |\n|--|--|\n| 01-a.md | new |\n",
            "| Test | Assertion |\n|--|--|\n| `a` | b |\n",
            "| Date | Check |\n|--|--|\n| 2024-01-02 | x |\n",
            "| # | Command |\n|--|--|\n| first | x |\n",
            "| Task | Command |\n|--|--|\n|  | x |\n",
        ] {
            assert_eq!(rows(table), [""; 0], "{table}");
        }
    }

    #[test]
    fn the_task_numbers_of_a_plan_are_limited() {
        let rows = "| 1 | 1-999 |\n".repeat(102);
        let document = document(&format!("| # | Deps |\n|--|--|\n{rows}"));
        let unit = unit(&[("01-a.md", 1)]);
        let plan = PlanTables::of(&unit, &document);
        let listed = plan.rows().filter(|row| row.depends_on.is_some());
        assert_eq!((listed.count(), plan.rows().count()), (100, 102));
    }

    #[test]
    fn a_row_is_matched_by_file_before_number() {
        let table = "| # | File | Deps |\n|--|--|--|\n| 1 | 02-b | |\n| 1 | | |\n| 2 | 09-x.md | |\n| | | |\n";
        let (document, unit) = (document(table), unit(&[("01-a.md", 1), ("02-b.md", 2)]));
        let plan = PlanTables::of(&unit, &document);
        let found: Vec<_> = plan
            .rows()
            .map(|row| row.task.map(TaskFile::file_name))
            .collect();
        assert_eq!(found, [Some("02-b.md"), Some("01-a.md"), None]);
        let first = plan.rows().next().expect("a row");
        assert_eq!(
            first.span().slice(&document.source).map(str::trim),
            Some("1 | 02-b |")
        );
    }
}
