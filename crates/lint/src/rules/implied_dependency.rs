//! G6.

use std::collections::{BTreeSet, HashMap, HashSet};

use review_document::workspace::Document;
use review_document::{Precedence, Spanned, TaskFile, Unit};
use review_types::TaskNumber;

use crate::facts::{Facts, PlanTables};
use crate::list_item::without;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Finds dependencies that others imply, and isolated tasks.
    ///
    /// ## What it does
    /// Reports a dependency in `depends_on` on which another dependency of the task
    /// already depends; if the body of the task or the plan names it too, it is
    /// intended and not reported. In a unit of three or more tasks it also reports the
    /// only task that has no dependencies and on which no other task depends.
    ///
    /// ## Why is this bad
    /// Redundant entries hide what a task needs directly. An isolated task is often one
    /// whose dependencies were forgotten, or one that belongs to another unit.
    ///
    /// ## Example
    /// Task 3 has `depends_on: [1, 2]`, task 2 has `depends_on: [1]`.
    ///
    /// ## Fix
    /// Remove the number: `depends_on: [2]`.
    ImpliedDependency {
        code: "G6",
        name: "implied-dependency",
        criterion: Architecture,
        severity: Info,
        fixes: [Unsafe],
        summary: "A dependency is implied by others, or a task is isolated.",
    }
}

/// The maximum number of pairs of dependencies that are looked up in the graph.
const MAX_PAIRS: usize = 100_000;

/// The maximum number of dependencies of one task that are compared.
const MAX_DEPENDENCIES: usize = 64;

/// The minimum size of a unit in which an isolated task is reported.
const MIN_TASKS: usize = 3;

impl ImpliedDependency {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(unit) = &facts.workspace.unit else {
            return;
        };
        let edges = unit.tasks.iter().map(|task| task.depends_on.len());
        sink.look_at(edges.sum());
        implied(facts, unit, sink);
        if let Some(task) = alone(facts, unit)
            && let Some(document) = facts.document(&task.path)
        {
            let place = task
                .depends_on_place
                .or(task.number.as_ref().map(|n| n.place));
            let message = "This is the only task of the unit that has no dependencies and on which no other task depends.";
            let suggestion = "Add the tasks that it needs to its `depends_on`, or its number to the `depends_on` \
                 of tasks that need it.";
            sink.push(
                document,
                place.unwrap_or_default().span,
                message.to_owned(),
                suggestion.to_owned(),
            );
        }
    }
}

/// A dependency, and another one of the same task that may imply it.
struct Pair<'a> {
    task: &'a TaskFile,
    dependency: &'a Spanned<TaskNumber>,
    through: TaskNumber,
}

fn implied(facts: &Facts<'_>, unit: &Unit, sink: &mut Sink) {
    let Some(precedence) = facts.precedence() else {
        return;
    };
    let (pairs, places) = pairs(unit, precedence);
    let waits = precedence.waits(&places);
    let mut planned = None;
    let mut told = BTreeSet::new();
    for (pair, waits) in pairs.iter().zip(waits) {
        let Pair {
            task,
            dependency,
            through,
        } = pair;
        let Some(document) = facts.document(&task.path).filter(|_| waits == Some(true)) else {
            continue;
        };
        let number = dependency.value;
        let planned = planned.get_or_insert_with(|| in_plan(facts));
        let numbers = [number, *through]
            .into_iter()
            .chain(task.number.as_ref().map(|own| own.value));
        if numbers.into_iter().any(|number| facts.is_ambiguous(number)) {
            continue;
        }
        let is_planned = planned.contains(&(task.path.as_str(), number));
        if is_planned || !told.insert((&task.path, number)) || is_named(document, number) {
            continue;
        }
        let message = format!("Task #{through} already depends on task #{number}.");
        let suggestion = format!("Remove {number} from `depends_on`.");
        let span = dependency.place.span;
        sink.push(document, span, message, suggestion)
            .fix(without(&document.source, span));
    }
}

/// Pairs each dependency with later ones of the same task, and returns the indices of
/// both in the unit.
fn pairs<'a>(unit: &'a Unit, precedence: &Precedence) -> (Vec<Pair<'a>>, Vec<(usize, usize)>) {
    let mut index: HashMap<TaskNumber, usize> = HashMap::with_capacity(unit.tasks.len());
    for (place, task) in unit.tasks.iter().enumerate() {
        if let Some(number) = &task.number {
            index.entry(number.value).or_insert(place);
        }
    }
    let (mut pairs, mut places) = (Vec::new(), Vec::new());
    let mut known = Vec::new();
    for task in &unit.tasks {
        let few = task.depends_on.iter().take(MAX_DEPENDENCIES);
        known.clear();
        known.extend(few.filter_map(|dependency| {
            let is_itself = Some(dependency.value) == task.number.as_ref().map(|own| own.value);
            let place = *index.get(&dependency.value).filter(|_| !is_itself)?;
            Some((precedence.position(place)?, place, dependency))
        }));
        for &(position, place, dependency) in &known {
            let later = known.iter().filter(|(other, ..)| *other > position);
            for &(_, through_place, through) in later {
                pairs.push(Pair {
                    task,
                    dependency,
                    through: through.value,
                });
                places.push((place, through_place));
            }
        }
        if pairs.len() > MAX_PAIRS {
            break;
        }
    }
    (pairs, places)
}

/// Task files, each with a dependency that one of its rows in the plan names.
fn in_plan<'a>(facts: &'a Facts<'_>) -> HashSet<(&'a str, TaskNumber)> {
    let rows = facts.plan().into_iter().flat_map(PlanTables::rows);
    let rows = rows.filter_map(|row| Some((row.task?.path.as_str(), row.depends_on.as_ref()?)));
    rows.flat_map(|(path, numbers)| numbers.iter().map(move |&number| (path, number)))
        .collect()
}

/// Whether a section on dependencies names the task.
fn is_named(document: &Document, number: TaskNumber) -> bool {
    let mark = format!("#{number}");
    let mut found = document.source.match_indices(&mark);
    found.any(|(at, _)| {
        let behind = document.source.as_bytes().get(at + mark.len());
        let depends = |text: &str| text.to_lowercase().contains("depend");
        !behind.is_some_and(u8::is_ascii_digit)
            && document
                .outline
                .is_below(at, |heading| depends(&heading.text))
    })
}

/// The only isolated task in a unit of several tasks.
fn alone<'a>(facts: &Facts<'_>, unit: &'a Unit) -> Option<&'a TaskFile> {
    let needs = |task: &TaskFile| {
        let listed = task.depends_on.iter().map(|listed| listed.value);
        facts.sound(task, listed)
    };
    let mut needed: Vec<_> = unit.tasks.iter().flat_map(needs).collect();
    needed.sort_unstable();
    let is_alone = |task: &&TaskFile| {
        let number = task.number.as_ref().map(|number| number.value);
        needs(task).is_empty()
            && number.is_some_and(|number| needed.binary_search(&number).is_err())
    };
    let mut found = unit.tasks.iter().filter(is_alone);
    let first = found.next()?;
    (unit.tasks.len() >= MIN_TASKS && found.next().is_none()).then_some(first)
}
