//! The tasks of a run by what each waits for, drawn from left to right.

use std::collections::BTreeMap;

use review_types::{TaskNumber, excerpt};

use super::Html;
use super::plots::as_f64;
use super::run::state_of;
use crate::run::RunReport;

/// The table alone says more of more tasks than this.
const MAX_TASKS: usize = 150;
/// The most characters of a title.
const MAX_TITLE: usize = 24;

const WIDTH: f64 = 220.0;
const HEIGHT: f64 = 26.0;
/// The room between two columns, and between two rows.
const GAP: (f64, f64) = (44.0, 10.0);

/// The graph; nothing where no task waits for another one.
pub(super) fn graph(html: &mut Html, report: &RunReport) {
    let tasks = &report.tasks;
    if tasks.len() > MAX_TASKS || tasks.iter().all(|task| task.depends_on.is_empty()) {
        return;
    }
    let columns = columns(report);
    let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for (task, column) in &columns {
        let row = rows.entry(*column).or_default();
        let x = as_f64(*column as u64) * (WIDTH + GAP.0) + 1.0;
        places.insert(*task, (x, as_f64(*row as u64) * (HEIGHT + GAP.1) + 1.0));
        *row += 1;
    }
    let most = rows.values().max().copied().unwrap_or_default();
    let size = (
        as_f64(rows.len() as u64) * (WIDTH + GAP.0) - GAP.0 + 2.0,
        as_f64(most as u64) * (HEIGHT + GAP.1) - GAP.1 + 2.0,
    );
    html.drawing("tasks by what they wait for", size, |html| {
        for task in tasks {
            let end = places[&task.id];
            let starts = task.depends_on.iter();
            for start in starts.filter_map(|before| places.get(before)) {
                edge(html, *start, end);
            }
        }
        for task in tasks {
            let (x, y) = places[&task.id];
            let (class, state) = state_of(task);
            let title = format!("task {} {} · {state}", task.id, task.title);
            html.rect(&format!("node {class}"), (x, y), (WIDTH, HEIGHT), &title);
            let sign = state.chars().next().unwrap_or_default();
            let text = format!("{sign} {} {}", task.id, excerpt(&task.title, MAX_TITLE));
            html.label("", (x + 8.0, y + 18.0), &text);
        }
    });
}

/// The column of each task: one after those of all tasks that it waits for.
fn columns(report: &RunReport) -> BTreeMap<TaskNumber, usize> {
    let mut columns: BTreeMap<TaskNumber, usize> =
        report.tasks.iter().map(|task| (task.id, 0)).collect();
    // Each pass settles one column more.
    for _ in 0..report.tasks.len() {
        for task in &report.tasks {
            let before = task.depends_on.iter();
            let before = before.filter_map(|before| columns.get(before));
            let column = before.map(|column| column + 1).max();
            columns.insert(task.id, column.unwrap_or_default());
        }
    }
    columns
}

/// A line from the right of one task to the left of another one.
fn edge(html: &mut Html, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
    let (x, y, to_y) = (x + WIDTH, y + HEIGHT / 2.0, to_y + HEIGHT / 2.0);
    let (early, late) = (x + GAP.0 / 2.0, to_x - GAP.0 / 2.0);
    let path = format!("M{x},{y}C{early},{y} {late},{to_y} {to_x},{to_y}");
    html.empty("path.edge", &[("d", &path)]);
}
