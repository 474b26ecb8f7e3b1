//! F1.

use std::collections::HashSet;

use review_document::yaml::YamlErrorKind;
use review_document::{Fault, FaultKind, FileRole, PlanKey, Span, TaskKey, Unit, fault};
use review_types::excerpt;

use crate::facts::Facts;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::{Sink, sentence};
use crate::{Rule, Severity};

rule! {
    /// Finds front matter that is invalid or has unknown content.
    ///
    /// ## What it does
    /// Reports invalid YAML, a missing or invalid number, an unknown status, a value of
    /// the wrong type, a file that is not UTF-8, and a task in a folder below the one of
    /// its unit, as errors; and unknown keys, unusual spellings and commands that a `#`
    /// truncates, as warnings.
    ///
    /// ## Why is this bad
    /// A task whose front matter is invalid does not run, and a misspelled key has no
    /// effect.
    ///
    /// ## Example
    /// `depend_on: [1]`
    ///
    /// ## Fix
    /// Write the known key: `depends_on: [1]`. A status that is read as another one,
    /// such as `todo` as `pending`, is replaced by that one; a misspelled status is
    /// replaced by the most similar one, which is a guess.
    BadFrontMatter {
        code: "F1",
        name: "bad-front-matter",
        criterion: Consistency,
        severity: Error,
        fixes: [Safe, Unsafe],
        summary: "Front matter is not valid YAML, or has an unknown key or status.",
    }
}

impl BadFrontMatter {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let unit = facts.workspace.unit.as_ref();
        sink.look_at(facts.task_count() + unit.map_or(0, |unit| unit.plan.iter().count()));
        for fault in facts.faults(Rule::BadFrontMatter) {
            let is_plan = FileRole::of(&fault.path) == FileRole::Plan;
            let hint = fault
                .kind
                .hint()
                .unwrap_or_else(|| advice(&fault.kind, is_plan));
            let draft = sink.push_fault(fault, sentence(hint));
            draft.fix(status(facts, fault));
            match fault.severity() {
                fault::Severity::Warning => draft.severity(Severity::Warning),
                fault::Severity::Error => draft,
            };
        }
        let mut cut = facts
            .markdown()
            .filter_map(|document| Some((document, document.invalid_at?)))
            .peekable();
        if cut.peek().is_none() {
            return;
        }
        let read = unit.map(files_of).unwrap_or_default();
        for (document, at) in cut.filter(|(document, _)| !read.contains(document.path.as_str())) {
            sink.look_at(1);
            sink.push(
                document,
                Span::empty(at),
                "The file is not valid UTF-8 from here on, and the rest was not read.".to_owned(),
                "Save the file as UTF-8.".to_owned(),
            );
        }
    }
}

/// The files of a unit, whose parser reports their faults.
fn files_of(unit: &Unit) -> HashSet<&str> {
    let plan = unit.plan.iter().map(|plan| plan.path.as_str());
    let tasks = unit.tasks.iter().map(|task| task.path.as_str());
    plan.chain(tasks).collect()
}

/// The status that a fault names, as a replacement of the written one.
fn status(facts: &Facts<'_>, fault: &Fault) -> Option<Fix> {
    let (status, safety) = match fault.kind {
        FaultKind::LooseStatus { status, .. } => (status, Safety::Safe),
        FaultKind::UnknownStatus { nearest, .. } => (nearest?, Safety::Unsafe),
        _ => return None,
    };
    let span = fault.place.span;
    let written = span.slice(&facts.document(&fault.path)?.source)?;
    let is_block = written.contains(['\n', '\r']);
    (!is_block).then(|| Fix::one(safety, span, status.as_str()))
}

/// The suggestion, if the fault itself has none.
fn advice(kind: &FaultKind, is_plan: bool) -> String {
    match kind {
        FaultKind::UnknownKey { key, .. } => {
            let known = if is_plan {
                PlanKey::WORDS.join(", ")
            } else {
                TaskKey::WORDS.join(", ")
            };
            let key = excerpt(key, 60);
            format!("remove {key}, or use one of the known keys: {known}")
        }
        FaultKind::Yaml {
            kind: YamlErrorKind::DuplicateKey { key, first_line },
            ..
        } => {
            let key = excerpt(key, 60);
            format!("remove this line, or line {first_line}: {key} may occur only once")
        }
        _ => "write one key and its value on each line, such as task: 1".to_owned(),
    }
}
