//! D1.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use review_document::markdown::Outline;
use review_document::workspace::Document;
use review_document::{Fault, Graph, Span, TaskFile, Unit};
use review_types::TaskNumber;

use crate::facts::Facts;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds a task whose text names a dependency that `depends_on` lacks.
    ///
    /// ## What it does
    /// Reads sentences such as "Task #1 must be complete", and the items under
    /// a heading of dependencies that begin with a task's number. A task that
    /// comes before by way of others is no finding, nor is "None (parallel
    /// with Task #1)".
    ///
    /// ## Why is this bad
    /// Only `depends_on` orders the tasks: this one may run before what it
    /// needs is there.
    ///
    /// ## Example
    /// `- Task #1 must be complete (provides: types)` with `depends_on: []`.
    ///
    /// ## Fix
    /// Add the number: `depends_on: [1]`.
    UndeclaredDependency {
        code: "D1",
        name: "undeclared-dependency",
        criterion: Consistency,
        severity: Warning,
        fixes: [Unsafe],
        summary: "The text of a task names a dependency that its front matter lacks.",
    }
}

/// The most mentions of tasks that are looked up in the graph.
const MAX_LOOKED_UP: usize = 200;

/// `Task #3 must be complete`, and the task before which it must be.
const MUST_BE: &str = r"(?i)\btask\s+#?(\d{1,9})\s+(?:must|has to|needs to)\s+be\s+(?:complete|completed|done|finished|implemented|merged)\b(?:\s+before\s+task\s+#?(\d{1,9})\b)?";

/// `Task #3` or `#3` at the beginning of an item.
const ITEM: &str = r"^(?:(?i:task)\s+#?|#)(\d{1,9})\b";

/// Words of an item that say something else than that the task waits.
const OTHERWISE: [&str; 11] = [
    "parallel",
    "optional",
    "independent",
    "not required",
    "no dependency",
    "depends on this",
    "calls th",
    "uses th",
    "needs th",
    "waits for th",
    "after th",
];

static MENTIONS: LazyLock<Option<Mentions>> = LazyLock::new(|| {
    Some(Mentions {
        must_be: Regex::new(MUST_BE).ok()?,
        item: Regex::new(ITEM).ok()?,
    })
});

impl UndeclaredDependency {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let (Some(unit), Some(mentions)) = (&facts.workspace.unit, MENTIONS.as_ref()) else {
            return;
        };
        let mut order = Order::new(unit);
        for task in &unit.tasks {
            let (Some(own), Some(document)) = (&task.number, facts.document(&task.path)) else {
                continue;
            };
            if task.faults.iter().any(Fault::stops_tasks) {
                continue;
            }
            let mut seen: BTreeSet<_> = task.depends_on.iter().map(|known| known.value).collect();
            seen.insert(own.value);
            for (number, span) in mentions.of(document, own.value) {
                sink.look_at(1);
                if !seen.insert(number) || unit.task(number).is_none() {
                    continue;
                }
                if order.comes_before(number, own.value) != Some(false) {
                    continue;
                }
                let message = format!(
                    "The text says that the task waits for task #{number}, which `depends_on` lacks."
                );
                if order.comes_before(own.value, number) == Some(true) {
                    let suggestion = format!(
                        "Correct the text, or the dependencies of task #{number}, which waits for this one."
                    );
                    sink.push(document, span, message, suggestion);
                } else {
                    let suggestion = format!("Write `depends_on: {}`.", with(task, number));
                    sink.push(document, span, message, suggestion)
                        .fix(addition(task, document, number));
                }
            }
        }
    }
}

/// Which task runs before which, looked up a limited number of times.
struct Order {
    graph: Graph,
    left: usize,
}

impl Order {
    fn new(unit: &Unit) -> Self {
        Self {
            graph: unit.graph(),
            left: MAX_LOOKED_UP,
        }
    }

    /// Whether `second` waits for `first`, directly or not.
    fn comes_before(&mut self, first: TaskNumber, second: TaskNumber) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        Some(self.graph.dependents(first).contains(&second))
    }
}

/// Finds the tasks that a text says come before.
struct Mentions {
    must_be: Regex,
    item: Regex,
}

impl Mentions {
    /// The tasks that come before `own`, and where the text says so.
    fn of(&self, document: &Document, own: TaskNumber) -> Vec<(TaskNumber, Span)> {
        let mut found = Vec::new();
        let paragraphs = document.outline.paragraphs();
        for sentence in self.must_be.captures_iter(&document.source) {
            let (Some(whole), Some(first)) = (sentence.get(0), number(&sentence, 1)) else {
                continue;
            };
            let span = Span::from(whole.range());
            let at = paragraphs.partition_point(|paragraph| paragraph.span.end < span.end);
            let Some(paragraph) = paragraphs.get(at).filter(|p| p.span.start <= span.start) else {
                continue;
            };
            let is_own = number(&sentence, 2).is_none_or(|later| later == own);
            let before = document.source.get(paragraph.span.start..span.start);
            if is_own && !is_foreign(before.unwrap_or_default()) {
                found.push((first, span));
            }
        }
        for paragraph in paragraphs.iter().filter(|paragraph| paragraph.opens_item) {
            let text = paragraph.span.slice(&document.source).unwrap_or_default();
            if text.starts_with(['#', 't', 'T'])
                && let Some(item) = self.item.captures(text)
                && let Some(first) = number(&item, 1)
                && lists_dependencies(&document.outline, paragraph.span)
                && !is_otherwise(text)
            {
                let line = text.find(['\n', '\r']).unwrap_or(text.len());
                let span = Span::new(0, line).shifted(paragraph.span.start);
                found.push((first, span));
            }
        }
        found.sort_by_key(|(_, span)| span.start);
        found
    }
}

fn number(found: &Captures<'_>, group: usize) -> Option<TaskNumber> {
    let digits = found.get(group)?.as_str();
    TaskNumber::new(digits.parse().ok()?)
}

/// Whether the words before a task's number give it to another unit.
fn is_foreign(before: &str) -> bool {
    let word = before.split_whitespace().next_back().unwrap_or_default();
    let ends = word.ends_with(['.', ',', ':', ';', '(', '-', '*', '_', '[']);
    let plain = word.chars().all(char::is_lowercase) || ["The", "That", "If"].contains(&word);
    !ends && !plain
}

/// Whether a place is listed under a heading of the unit's own dependencies.
fn lists_dependencies(outline: &Outline, span: Span) -> bool {
    outline.heading_at(span.start).is_some_and(|heading| {
        let head = heading.text.to_lowercase();
        let speaks = head.contains("dependencies") || head.contains("depends on");
        speaks && !head.contains("external")
    })
}

fn is_otherwise(text: &str) -> bool {
    let text = text.to_lowercase();
    OTHERWISE.iter().any(|word| text.contains(word))
}

/// The dependencies of `task` and one more.
fn with(task: &TaskFile, number: TaskNumber) -> String {
    let numbers = task.depends_on.iter().map(|known| known.value);
    let numbers: Vec<_> = numbers
        .chain([number])
        .map(|known| known.to_string())
        .collect();
    format!("[{}]", numbers.join(", "))
}

/// Adds a number to the list between brackets, or the list to front matter
/// without one.
fn addition(task: &TaskFile, document: &Document, number: TaskNumber) -> Option<Fix> {
    let Some(list) = task.depends_on_place else {
        let head = task.front_matter?;
        let line = format!("depends_on: [{number}]\n");
        let at = Span::empty(head.yaml.end);
        let ends = document.source[..at.start].ends_with('\n');
        return ends.then(|| Fix::one(Safety::Unsafe, at, line));
    };
    let written = list.span.slice(&document.source)?.trim_end();
    let inner = written.strip_prefix('[')?.strip_suffix(']')?;
    let text = if inner.trim().is_empty() {
        number.to_string()
    } else if inner.trim_end().ends_with(',') || inner.contains('#') {
        return None;
    } else {
        format!(", {number}")
    };
    let at = list.span.start + 1 + inner.trim_end().len();
    Some(Fix::one(Safety::Unsafe, Span::empty(at), text))
}
