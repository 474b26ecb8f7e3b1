//! Which task waits for which: as text, Mermaid and Graphviz.

use review_document::{Fault, Severity, Unit};
use review_types::{TaskNumber, TaskStatus, plural};
use serde::Serialize;

use crate::json::Version;
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG};
use crate::text::printable;

/// The tasks of a unit and what they depend on. This is the object that
/// `--format json` prints.
#[derive(Debug, Serialize)]
pub struct GraphReport {
    v: Version,
    spec: String,
    unit: String,
    tasks: Vec<GraphTask>,
    /// Numbers in the order in which the tasks run; empty if they cannot run.
    order: Vec<TaskNumber>,
    /// What is wrong with the unit.
    pub faults: Vec<GraphFault>,
}

#[derive(Debug, Serialize)]
struct GraphTask {
    id: String,
    number: TaskNumber,
    title: String,
    status: TaskStatus,
    path: String,
    depends_on: Vec<TaskNumber>,
}

/// Something that is wrong with a unit.
#[derive(Debug, Serialize)]
pub struct GraphFault {
    /// The file.
    pub path: String,
    /// Its line.
    pub line: usize,
    severity: &'static str,
    /// What is wrong.
    pub message: String,
}

impl GraphReport {
    /// The graph of a unit.
    #[must_use]
    pub fn new(spec: &str, unit: &Unit) -> Self {
        let graph = unit.graph();
        let numbered = unit
            .tasks
            .iter()
            .filter_map(|task| Some((task.number.as_ref()?.value, task)));
        let order = graph.runnable().map(|order| {
            let tasks = order
                .tasks()
                .iter()
                .filter_map(|at| unit.tasks[*at].number.as_ref());
            tasks.map(|number| number.value).collect()
        });
        Self {
            v: Version,
            spec: spec.to_owned(),
            unit: unit.id.to_string(),
            tasks: numbered
                .map(|(number, task)| GraphTask {
                    id: format!("{}/{number}", unit.id),
                    number,
                    title: task
                        .title
                        .as_ref()
                        .map_or_else(|| task.file_name().to_owned(), |title| title.value.clone()),
                    status: task.status,
                    path: task.path.clone(),
                    depends_on: task.depends_on.iter().map(|number| number.value).collect(),
                })
                .collect(),
            order: order.unwrap_or_default(),
            faults: unit.faults().iter().map(GraphFault::new).collect(),
        }
    }
}

impl GraphFault {
    fn new(fault: &Fault) -> Self {
        Self {
            path: fault.path.clone(),
            line: fault.place.position.line,
            severity: match fault.severity() {
                Severity::Warning => "warning",
                Severity::Error => "error",
            },
            message: match fault.hint() {
                Some(hint) => format!("{fault}; {hint}"),
                None => fault.to_string(),
            },
        }
    }
}

/// Returns the tasks in the order in which they run, with what they wait for.
#[must_use]
pub fn human(shown: &GraphReport) -> String {
    let count = plural(shown.tasks.len(), "task", "tasks");
    let mut text = format!(
        "{STRONG}{}{RESET}: {count}, spec {}\n",
        shown.unit, shown.spec
    );
    // The tasks of a unit are sorted by number.
    let task = |number| shown.tasks.binary_search_by_key(number, |task| task.number);
    let in_order = shown.order.iter().filter_map(|number| task(number).ok());
    let listed: Vec<&GraphTask> = if shown.order.is_empty() {
        shown.tasks.iter().collect()
    } else {
        in_order.map(|at| &shown.tasks[at]).collect()
    };
    for task in listed {
        let style = match task.status {
            TaskStatus::Complete => GOOD,
            TaskStatus::Failed => ERROR,
            TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Blocked => FAINT,
        };
        text.push_str(&format!(
            "{:>4} {} {style}{}{RESET}",
            task.number,
            printable(&task.title),
            task.status
        ));
        if !task.depends_on.is_empty() {
            text.push_str(&format!(
                " {FAINT}after {}{RESET}",
                numbers(&task.depends_on)
            ));
        }
        text.push('\n');
    }
    if shown.order.is_empty() && !shown.tasks.is_empty() {
        text.push_str("The tasks cannot run until the faults are fixed.\n");
    }
    text
}

fn numbers(numbers: &[TaskNumber]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}

/// Returns a Mermaid flowchart.
#[must_use]
pub fn mermaid(shown: &GraphReport) -> String {
    let mut text = String::from("flowchart TD\n");
    for task in &shown.tasks {
        let title = escaped(&task.title, |char| match char {
            '"' => Some("#quot;"),
            '#' => Some("#35;"),
            _ => None,
        });
        text.push_str(&format!(
            "  t{}[\"{}. {title}\"]:::{}\n",
            task.number, task.number, task.status
        ));
    }
    edges(shown, |before, after| {
        text.push_str(&format!("  t{before} --> t{after}\n"));
    });
    text.push_str("  classDef complete fill:#d5f5d5\n  classDef failed fill:#f5d5d5\n");
    text
}

/// Returns a Graphviz graph.
#[must_use]
pub fn dot(shown: &GraphReport) -> String {
    let name = escaped(&shown.unit, quoted);
    let mut text = format!("digraph \"{name}\" {{\n  rankdir=LR;\n  node [shape=box];\n");
    for task in &shown.tasks {
        let title = escaped(&task.title, quoted);
        let color = match task.status {
            TaskStatus::Complete => ", style=filled, fillcolor=\"#d5f5d5\"",
            TaskStatus::Failed => ", style=filled, fillcolor=\"#f5d5d5\"",
            TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Blocked => "",
        };
        text.push_str(&format!(
            "  t{} [label=\"{}. {title}\"{color}];\n",
            task.number, task.number
        ));
    }
    edges(shown, |before, after| {
        text.push_str(&format!("  t{before} -> t{after};\n"));
    });
    text.push_str("}\n");
    text
}

fn edges(shown: &GraphReport, mut edge: impl FnMut(TaskNumber, TaskNumber)) {
    for task in &shown.tasks {
        for before in &task.depends_on {
            edge(*before, task.number);
        }
    }
}

fn quoted(char: char) -> Option<&'static str> {
    match char {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        _ => None,
    }
}

/// The text in one line with some characters replaced.
fn escaped(text: &str, replacement: impl Fn(char) -> Option<&'static str>) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        match replacement(char) {
            Some(replacement) => escaped.push_str(replacement),
            None if char.is_control() => escaped.push(' '),
            None => escaped.push(char),
        }
    }
    escaped
}
