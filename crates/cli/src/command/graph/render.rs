//! A graph as text, Mermaid and Graphviz.

use review_types::TaskStatus;
use review_types::{TaskNumber, plural};

use super::{Shown, ShownTask};
use crate::output::printable;
use crate::output::style::{ERROR, FAINT, GOOD, RESET, STRONG};

/// The tasks in the order in which they run, with what they wait for.
pub(super) fn human(shown: &Shown) -> String {
    let count = plural(shown.tasks.len(), "task", "tasks");
    let mut text = format!(
        "{STRONG}{}{RESET}: {count}, spec {}\n",
        shown.unit, shown.spec
    );
    // The tasks of a unit are sorted by number.
    let task = |number| shown.tasks.binary_search_by_key(number, |task| task.number);
    let in_order = shown.order.iter().filter_map(|number| task(number).ok());
    let listed: Vec<&ShownTask> = if shown.order.is_empty() {
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
        text.push_str("The tasks cannot run until what is wrong is mended.\n");
    }
    text
}

fn numbers(numbers: &[TaskNumber]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}

/// A Mermaid flowchart.
pub(super) fn mermaid(shown: &Shown) -> String {
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

/// A Graphviz graph.
pub(super) fn dot(shown: &Shown) -> String {
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

fn edges(shown: &Shown, mut edge: impl FnMut(TaskNumber, TaskNumber)) {
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
